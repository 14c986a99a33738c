/* SPDX-License-Identifier: MIT
 *
 * conv_common.c - helpers of the convolution methods: transposed weights, products with few rows, sums of groups.
 */
#include "base/parallel.h"
#include "kernels/conv.h"

#include <string.h>

enum { SUM_STRETCH = 128 };

typedef struct transposition {
    const dlda_conv *conv;
    const float *W;
    float *transposed;
} transposition;

/* Rows begin .. end-1 of W become columns; 16 at a time, so that whole cache lines are written. */
static void transpose_rows(void *context, const dlda_chunk *chunk)
{
    const transposition *t = context;
    size_t depth = t->conv->depth, F = t->conv->filters;

    for (size_t i0 = chunk->begin; i0 < chunk->end; i0 += 16) {
        size_t i1 = chunk->end - i0 < 16 ? chunk->end : i0 + 16;
        for (size_t f = 0; f < F; f++)
            for (size_t i = i0; i < i1; i++) t->transposed[f * depth + i] = t->W[i * F + f];
    }
}

void dlda_conv_transpose(const dlda_conv *conv, const dlda_exec *exec, const float *W, float *transposed)
{
    transposition t = { conv, W, transposed };
    dlda_parallel_for(exec->team, conv->depth, 64, transpose_rows, &t);
}

typedef struct panel_product {
    dlda_gemm gemm;
    const float *A, *B;
    float *C;
} panel_product;

static void multiply_panel(void *context, const dlda_chunk *chunk)
{
    const panel_product *product = context;
    dlda_gemm gemm = product->gemm;

    dlda_gemm_resize(&gemm, gemm.m, chunk->end - chunk->begin, gemm.k);
    dlda_gemm_run(&gemm, product->A, product->B + chunk->begin, product->C + chunk->begin);
}

void dlda_conv_panels(const dlda_exec *exec, const dlda_gemm *gemm, const float *A, const float *B, float *C)
{
    panel_product product = { *gemm, A, B, C };
    dlda_parallel_for(exec->team, gemm->n, 128, multiply_panel, &product);
}

typedef struct group_sum {
    const float *partial;
    size_t groups, count;
    float *dW;
} group_sum;

static void sum_chunk(void *context, const dlda_chunk *chunk)
{
    const group_sum *sum = context;

    /* A stretch of each group at a time: neighbours in memory are read together, and added by vector instructions. */
    for (size_t i = chunk->begin; i < chunk->end; i += SUM_STRETCH) {
        size_t n = chunk->end - i < SUM_STRETCH ? chunk->end - i : SUM_STRETCH;
        float total[SUM_STRETCH];
        memcpy(total, sum->partial + i, n * sizeof *total);
        for (size_t g = 1; g < sum->groups; g++) {
            const float *group = sum->partial + g * sum->count + i;
            for (size_t k = 0; k < n; k++) total[k] += group[k];
        }
        memcpy(sum->dW + i, total, n * sizeof *total);
    }
}

void dlda_conv_sum_groups(const dlda_conv *conv, const dlda_exec *exec, const float *partial, size_t groups,
                          float *dW)
{
    group_sum sum = { partial, groups, conv->depth * conv->filters, dW };
    dlda_parallel_for(exec->team, sum.count, 1 << 14, sum_chunk, &sum);
}
