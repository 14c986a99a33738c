/* SPDX-License-Identifier: MIT
 *
 * conv_product.c - 1x1 convolutions and dense layers: Y = X W over all pixels of all images at once.
 *
 * Rows are processed in blocks of fixed size; only the last block depends on the number of images. With conv->bf16, a thread
 * rounds the rows of a block to bfloat16 before it multiplies them.
 */
#include "base/parallel.h"
#include "kernels/bf16.h"
#include "kernels/conv.h"

#include <string.h>

typedef struct product_pass {
    const dlda_conv *conv;
    const dlda_gemm *gemm;
    const float *A, *B; /* A advances with the rows; for weights B does too */
    float *C;
    uint32_t *words; /* with bfloat16: the rounded rows of each worker, dlda_conv_rounded apart */
} product_pass;

/* C = A B for the rows of one chunk. */
static void product_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    dlda_gemm gemm = *pass->gemm;

    if (chunk->end - chunk->begin < gemm.m) dlda_gemm_resize(&gemm, chunk->end - chunk->begin, gemm.n, gemm.k);
    dlda_gemm_run(&gemm, pass->A + chunk->begin * gemm.lda, pass->B, pass->C + chunk->begin * gemm.ldc);
}

/* ---- The same with bfloat16 ---- */

static void rounded_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    const dlda_gemm *gemm = pass->gemm;
    size_t rows = chunk->end - chunk->begin;
    uint32_t *A = pass->words + chunk->worker * dlda_conv_rounded(pass->conv);
    const dlda_bf16_product product = { .m = rows,
                                        .n = gemm->n,
                                        .pairs = gemm->k / 2,
                                        .a_row = gemm->k / 2,
                                        .a_step = 1,
                                        .ldb = gemm->n,
                                        .ldc = gemm->n };

    dlda_bf16_round(rows * gemm->k, pass->A + chunk->begin * gemm->k, A);
    dlda_bf16_multiply(&product, A, (const uint32_t *)pass->B, pass->C + chunk->begin * gemm->n);
}

static void pair_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    size_t n = pass->gemm->n;
    dlda_bf16_pair_rows(chunk->end - chunk->begin, n, pass->A + chunk->begin * n,
                        pass->words + chunk->begin / 2 * n);
}

/* Y = X W for rows of X, W [k][n]: W as paired rows is in `room`, followed by the rounded rows. */
static void rounded_product(const dlda_conv *conv, const dlda_exec *exec, const dlda_gemm *gemm, size_t rows,
                            const float *X, const float *W, float *room, float *Y)
{
    product_pass pairing = { conv, gemm, W, NULL, NULL, (uint32_t *)room };
    product_pass pass = { conv, gemm, X, room, Y, (uint32_t *)room + gemm->k / 2 * gemm->n };

    dlda_parallel_for(exec->team, gemm->k, 16, pair_chunk, &pairing);
    dlda_parallel_for(exec->team, rows, conv->block, rounded_chunk, &pass);
}

/* dw += A' B over some rows. */
static void add_rounded(const product_pass *pass, size_t row, size_t rows, uint32_t *words, float *dw)
{
    size_t depth = pass->conv->depth, F = pass->conv->filters;
    uint32_t *A = words, *B = words + (pass->conv->block + 1) / 2 * depth;
    const dlda_bf16_product product = { .m = depth,
                                        .n = F,
                                        .pairs = (rows + 1) / 2,
                                        .a_row = 1,
                                        .a_step = depth,
                                        .ldb = F,
                                        .ldc = F,
                                        .accumulate = 1 };

    dlda_bf16_pair_rows(rows, depth, pass->A + row * depth, A);
    dlda_bf16_pair_rows(rows, F, pass->B + row * F, B);
    dlda_bf16_multiply(&product, A, B, dw);
}

/* ---- The passes ---- */

static size_t rows_of(const dlda_conv *conv, size_t N)
{
    return N * conv->out_height * conv->out_width;
}

void dlda_product_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X, const float *W,
                          float *Y)
{
    product_pass pass = { conv, &conv->forward, X, W, Y, NULL };
    dlda_gemm few = conv->forward;

    few.m = rows_of(conv, N);
    if (conv->bf16) rounded_product(conv, exec, &conv->forward, few.m, X, W, exec->scratch, Y);
    else if (few.m < conv->block) dlda_conv_panels(exec, &few, X, W, Y);
    else dlda_parallel_for(exec->team, few.m, conv->block, product_chunk, &pass);
}

void dlda_product_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                                const float *W, float *dX)
{
    product_pass pass = { conv, &conv->data, dY, exec->scratch, dX, NULL };
    float *transposed = exec->scratch;

    dlda_conv_transpose(conv, exec, W, transposed);
    if (conv->bf16)
        rounded_product(conv, exec, &conv->data, rows_of(conv, N), dY, transposed,
                        transposed + conv->depth * conv->filters, dX);
    else dlda_parallel_for(exec->team, rows_of(conv, N), conv->block, product_chunk, &pass);
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
        size_t rows = chunk->end - row < gemm.k ? chunk->end - row : gemm.k;
        if (pass->conv->bf16) {
            add_rounded(pass, row, rows, pass->words + chunk->worker * dlda_conv_rounded(pass->conv), dw);
            continue;
        }
        if (rows < gemm.k) dlda_gemm_resize(&gemm, gemm.m, gemm.n, rows);
        dlda_gemm_run(&gemm, pass->A + row * gemm.lda, pass->B + row * gemm.ldb, dw);
    }
}

void dlda_product_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                   const float *dY, float *dW)
{
    float *partial = exec->scratch;
    product_pass pass = {
        conv, &conv->weights, X, dY, partial, (uint32_t *)(partial + conv->groups * conv->depth * conv->filters)
    };
    size_t rows = rows_of(conv, N), grain = dlda_conv_group(conv, rows);

    dlda_parallel_for(exec->team, rows, grain, weights_chunk, &pass);
    dlda_conv_sum_groups(conv, exec, partial, dlda_parallel_chunks(rows, grain), dW);
}
