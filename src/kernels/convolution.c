/* SPDX-License-Identifier: MIT
 *
 * convolution.c - runs a convolution in the way that was planned, and does what all ways have in common.
 */
#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/fast.h"
#include "kernels/reductions.h"

#include <assert.h>

static void add_bias(const float *bias, size_t rows, size_t F, float *Y)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t f = 0; f < F; f++) Y[i * F + f] += bias[f];
}

void dlda_conv_forward(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const dlda_view *view,
                       const float *W, const float *bias, float *Y)
{
    assert(!view || conv->method == DLDA_CONV_WINOGRAD);
    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_forward(conv, run, N, X, W, Y); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_forward(conv, run, N, X, view, W, Y); break;
    case DLDA_CONV_IM2COL: dlda_im2col_forward(conv, run, N, X, W, Y); break;
    }
    if (bias) add_bias(bias, N * conv->out_height * conv->out_width, conv->filters, Y);
}

void dlda_conv_prepare(const dlda_conv *conv, const dlda_run *run, const float *W, float *prepared)
{
    assert(conv->method == DLDA_CONV_WINOGRAD);
    dlda_winograd_prepare(conv, run, W, prepared);
}

void dlda_conv_forward_prepared(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X,
                                const dlda_view *view, const float *prepared, const float *bias, float *Y)
{
    assert(conv->method == DLDA_CONV_WINOGRAD);
    dlda_winograd_forward_prepared(conv, run, N, X, view, prepared, Y);
    if (bias) add_bias(bias, N * conv->out_height * conv->out_width, conv->filters, Y);
}

void dlda_conv_backward_data(const dlda_conv *conv, const dlda_run *run, size_t N, const float *dY, const float *W,
                             float *dX)
{
    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_backward_data(conv, run, N, dY, W, dX); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_backward_data(conv, run, N, dY, W, dX); break;
    case DLDA_CONV_IM2COL: dlda_im2col_backward_data(conv, run, N, dY, W, dX); break;
    }
}

void dlda_conv_backward_weights(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X,
                                const dlda_view *view, const float *dY, float *dW, float *dbias)
{
    assert(!view || conv->method == DLDA_CONV_WINOGRAD);
    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_backward_weights(conv, run, N, X, dY, dW); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_backward_weights(conv, run, N, X, view, dY, dW); break;
    case DLDA_CONV_IM2COL: dlda_im2col_backward_weights(conv, run, N, X, dY, dW); break;
    }
    if (dbias) dlda_column_sums(run, N * conv->out_height * conv->out_width, conv->filters, dY, dbias);
}

/* ---- Common to all ways ---- */

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

void dlda_conv_transpose(const dlda_conv *conv, const dlda_run *run, const float *W, float *transposed)
{
    transposition t = { conv, W, transposed };
    dlda_parallel_for(run->team, conv->depth, 64, transpose_rows, &t);
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

void dlda_conv_panels(const dlda_run *run, const dlda_gemm *gemm, const float *A, const float *B, float *C)
{
    panel_product product = { *gemm, A, B, C };
    dlda_parallel_for(run->team, gemm->n, 128, multiply_panel, &product);
}

typedef struct group_sum {
    const float *partial;
    size_t groups, count;
    float *dW;
} group_sum;

static void sum_chunk(void *context, const dlda_chunk *chunk)
{
    const group_sum *sum = context;

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        float total = sum->partial[i];
        for (size_t g = 1; g < sum->groups; g++) total += sum->partial[g * sum->count + i];
        sum->dW[i] = total;
    }
}

void dlda_conv_sum_groups(const dlda_conv *conv, const dlda_run *run, const float *partial, size_t groups,
                          float *dW)
{
    group_sum sum = { partial, groups, conv->depth * conv->filters, dW };
    dlda_parallel_for(run->team, sum.count, 1 << 14, sum_chunk, &sum);
}
