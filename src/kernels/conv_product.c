/* SPDX-License-Identifier: MIT
 *
 * conv_product.c - 1x1 convolutions and dense layers: Y = X W over all pixels of all images at once.
 *
 * Rows are processed in blocks of fixed size; only the last block depends on the number of images.
 */
#include "base/parallel.h"
#include "kernels/conv.h"

#include <string.h>

typedef struct product_pass {
    const dlda_conv *conv;
    const dlda_gemm *gemm;
    const float *A, *B; /* A advances with the rows; for weights B does too */
    float *C;
} product_pass;

/* C = A B for the rows of one chunk. */
static void product_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    dlda_gemm gemm = *pass->gemm;

    if (chunk->end - chunk->begin < gemm.m) dlda_gemm_resize(&gemm, chunk->end - chunk->begin, gemm.n, gemm.k);
    dlda_gemm_run(&gemm, pass->A + chunk->begin * gemm.lda, pass->B, pass->C + chunk->begin * gemm.ldc);
}

static size_t rows_of(const dlda_conv *conv, size_t N)
{
    return N * conv->out_height * conv->out_width;
}

void dlda_product_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X, const float *W,
                          float *Y)
{
    product_pass pass = { conv, &conv->forward, X, W, Y };
    dlda_gemm few = conv->forward;

    few.m = rows_of(conv, N);
    if (few.m < conv->block) dlda_conv_panels(exec, &few, X, W, Y);
    else dlda_parallel_for(exec->team, few.m, conv->block, product_chunk, &pass);
}

void dlda_product_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                                const float *W, float *dX)
{
    product_pass pass = { conv, &conv->data, dY, exec->scratch, dX };
    dlda_conv_transpose(conv, exec, W, exec->scratch);
    dlda_parallel_for(exec->team, rows_of(conv, N), conv->block, product_chunk, &pass);
}

/* C[group] = A' B over the rows of one group. */
static void weights_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    size_t count = pass->conv->depth * pass->conv->filters;
    float *dw = pass->C + chunk->index * count;

    memset(dw, 0, count * sizeof *dw);
    for (size_t row = chunk->begin; row < chunk->end; row += pass->conv->block) {
        dlda_gemm gemm = *pass->gemm;
        if (chunk->end - row < gemm.k) dlda_gemm_resize(&gemm, gemm.m, gemm.n, chunk->end - row);
        dlda_gemm_run(&gemm, pass->A + row * gemm.lda, pass->B + row * gemm.ldb, dw);
    }
}

void dlda_product_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                   const float *dY, float *dW)
{
    product_pass pass = { conv, &conv->weights, X, dY, exec->scratch };
    size_t rows = rows_of(conv, N), grain = dlda_conv_group(conv, rows);

    dlda_parallel_for(exec->team, rows, grain, weights_chunk, &pass);
    dlda_conv_sum_groups(conv, exec, exec->scratch, dlda_parallel_chunks(rows, grain), dW);
}
