/* SPDX-License-Identifier: MIT
 *
 * conv_common.c - helpers of the convolution methods: weights in panels, products with few rows, sums of groups.
 */
#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/products.h"

#include <string.h>

enum { SUM_STRETCH = 128 };

void dlda_conv_into_panels(size_t rows, size_t columns, const float *W, float *panels)
{
    for (size_t j = 0; j < columns; j += DLDA_PANEL) {
        size_t width = columns - j < DLDA_PANEL ? columns - j : DLDA_PANEL;
        for (size_t i = 0; i < rows; i++, panels += width) memcpy(panels, W + i * columns + j, width * sizeof *W);
    }
}

/* Eight rows of W at a time, which are neighbours in a row of the result. */
void dlda_conv_transpose(size_t rows, size_t columns, size_t begin, size_t end, const float *W, int in_panels,
                         float *transposed)
{
    enum { ROWS = 8 };

    for (size_t i0 = begin; i0 < end; i0 += ROWS) {
        size_t i1 = end - i0 < ROWS ? end : i0 + ROWS;
        for (size_t j = 0; j < columns; j++) {
            float *to = transposed + (in_panels ? dlda_panel_place(rows, columns, j, i0) : j * rows + i0);
            for (size_t i = i0; i < i1; i++) *to++ = W[i * columns + j];
        }
    }
}

typedef struct transposition {
    const dlda_conv *conv;
    const float *W;
    float *transposed;
} transposition;

static void transpose_rows(void *context, const dlda_chunk *chunk)
{
    const transposition *t = context;
    dlda_conv_transpose(t->conv->depth, t->conv->filters, chunk->begin, chunk->end, t->W, !t->conv->bf16,
                        t->transposed);
}

void dlda_conv_transpose_weights(const dlda_conv *conv, const dlda_exec *exec, const float *W, float *transposed)
{
    transposition t = { conv, W, transposed };
    dlda_parallel_for(exec->team, conv->depth, 64, transpose_rows, &t);
}

typedef struct shared_product {
    dlda_product product;
    const float *A, *B;
    float *C;
} shared_product;

static void multiply_columns(void *context, const dlda_chunk *chunk)
{
    const shared_product *job = context;
    dlda_product product = job->product;

    product.n = chunk->end - chunk->begin;
    dlda_multiply(&product, job->A, job->B + chunk->begin, job->C + chunk->begin);
}

void dlda_conv_few_rows(const dlda_exec *exec, const dlda_product *product, const float *A, const float *B, float *C)
{
    enum { COLUMNS = 128 }; /* whole panels */
    shared_product job = { *product, A, B, C };
    dlda_parallel_for(exec->team, product->n, COLUMNS, multiply_columns, &job);
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
