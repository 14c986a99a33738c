/* SPDX-License-Identifier: MIT
 *
 * conv_product.c - 1x1 convolutions and dense layers: Y = X W over all pixels of all images at once.
 *
 * Rows are processed in blocks of fixed size; only the last block depends on the number of images. With conv->bf16, a thread
 * rounds the rows of a block to bfloat16 before it multiplies them. For the weights it brings them into panels.
 */
#include "base/parallel.h"
#include "kernels/bf16.h"
#include "kernels/conv.h"
#include "kernels/products.h"

#include <string.h>

typedef struct product_pass {
    const dlda_conv *conv;
    const dlda_product *product;
    const float *A, *B; /* A advances with the rows; for weights B does too */
    float *C;
    uint32_t *words; /* copies of the rows of each worker, dlda_conv_copied apart: with bfloat16 rounded */
} product_pass;

/* C = A B for the rows of one chunk. */
static void product_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    dlda_product product = *pass->product;

    product.m = chunk->end - chunk->begin;
    dlda_multiply(&product, pass->A + chunk->begin * product.lda, pass->B, pass->C + chunk->begin * product.ldc);
}

/* ---- The same with bfloat16 ---- */

static void rounded_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    size_t rows = chunk->end - chunk->begin, n = pass->product->n, k = pass->product->k;
    uint32_t *A = pass->words + chunk->worker * dlda_conv_copied(pass->conv);
    const dlda_bf16_product product = {
        .m = rows, .n = n, .pairs = k / 2, .a_row = k / 2, .a_step = 1, .ldb = n, .ldc = n
    };

    dlda_bf16_round(rows * k, pass->A + chunk->begin * k, A);
    dlda_bf16_multiply(&product, A, (const uint32_t *)pass->B, pass->C + chunk->begin * n);
}

static void pair_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    size_t n = pass->product->n;
    dlda_bf16_pair_rows(chunk->end - chunk->begin, n, pass->A + chunk->begin * n,
                        pass->words + chunk->begin / 2 * n);
}

/* Y = X W for rows of X, W [k][n]: W as paired rows is in `room`, followed by the rounded rows. */
static void rounded_product(const dlda_conv *conv, const dlda_exec *exec, const dlda_product *product, size_t rows,
                            const float *X, const float *W, float *room, float *Y)
{
    product_pass pairing = { conv, product, W, NULL, NULL, (uint32_t *)room };
    product_pass pass = { conv, product, X, room, Y, (uint32_t *)room + product->k / 2 * product->n };

    dlda_parallel_for(exec->team, product->k, 16, pair_chunk, &pairing);
    dlda_parallel_for(exec->team, rows, conv->block, rounded_chunk, &pass);
}

/* dw += A' B over some rows; the first ones replace it. */
static void add_rounded(const product_pass *pass, int first, size_t row, size_t rows, uint32_t *words, float *dw)
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
                                        .accumulate = !first };

    dlda_bf16_pair_rows(rows, depth, pass->A + row * depth, A);
    dlda_bf16_pair_rows(rows, F, pass->B + row * F, B);
    dlda_bf16_multiply(&product, A, B, dw);
}

/* ---- The passes ---- */

static size_t rows_of(const dlda_conv *conv, size_t N)
{
    return N * conv->out_height * conv->out_width;
}

/* Few rows are multiplied before W could be brought into panels. */
void dlda_product_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X, const float *W,
                          float *Y)
{
    size_t rows = rows_of(conv, N);
    dlda_product product = conv->forward;

    if (conv->bf16) {
        rounded_product(conv, exec, &conv->forward, rows, X, W, exec->scratch, Y);
    } else if (rows < conv->block) {
        product.m = rows;
        product.ldb = product.n;
        dlda_conv_few_rows(exec, &product, X, W, Y);
    } else {
        product_pass pass = { conv, &product, X, exec->scratch, Y, NULL };
        dlda_conv_into_panels(product.k, product.n, W, exec->scratch);
        dlda_parallel_for(exec->team, rows, conv->block, product_chunk, &pass);
    }
}

void dlda_product_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                                const float *W, float *dX)
{
    product_pass pass = { conv, &conv->data, dY, exec->scratch, dX, NULL };
    float *transposed = exec->scratch;

    dlda_conv_transpose_weights(conv, exec, W, transposed);
    if (conv->bf16)
        rounded_product(conv, exec, &conv->data, rows_of(conv, N), dY, transposed,
                        transposed + conv->depth * conv->filters, dX);
    else dlda_parallel_for(exec->team, rows_of(conv, N), conv->block, product_chunk, &pass);
}

/* The same in float: copies of the rows in panels, since those of wide layers are far apart. */
static void add_panels(const product_pass *pass, int first, size_t row, size_t rows, float *room, float *dw)
{
    size_t depth = pass->conv->depth, F = pass->conv->filters;
    float *A = room, *B = room + pass->conv->block * depth;
    dlda_product product = *pass->product;

    product.k = product.room = rows;
    product.accumulate = !first;
    dlda_conv_into_panels(rows, depth, pass->A + row * depth, A);
    dlda_conv_into_panels(rows, F, pass->B + row * F, B);
    dlda_multiply(&product, A, B, dw);
}

/* C[group] = A' B over the rows of one group, block by block. */
static void weights_chunk(void *context, const dlda_chunk *chunk)
{
    const product_pass *pass = context;
    size_t block = pass->conv->block;
    uint32_t *room = pass->words + chunk->worker * dlda_conv_copied(pass->conv);
    float *dw = pass->C + chunk->index * pass->conv->depth * pass->conv->filters;

    for (size_t row = chunk->begin; row < chunk->end; row += block) {
        size_t rows = chunk->end - row < block ? chunk->end - row : block;
        if (pass->conv->bf16) add_rounded(pass, row == chunk->begin, row, rows, room, dw);
        else add_panels(pass, row == chunk->begin, row, rows, (float *)room, dw);
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
