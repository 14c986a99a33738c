/* SPDX-License-Identifier: MIT
 *
 * convolution.c - chooses how a convolution is computed, and does what all ways have in common.
 */
#include "base/memory.h"
#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/fast.h"
#include "kernels/reductions.h"

/* The choice, by shape alone. */
static int is_product(const dlda_conv *conv)
{
    return conv->kernel == 1 && conv->stride == 1 && conv->pad == 0;
}

void dlda_conv_plan(dlda_conv *conv)
{
    conv->out_height = (conv->height + 2 * conv->pad - conv->kernel) / conv->stride + 1;
    conv->out_width = (conv->width + 2 * conv->pad - conv->kernel) / conv->stride + 1;
    conv->depth = conv->kernel * conv->kernel * conv->channels;
    if (is_product(conv)) dlda_product_plan(conv);
    else dlda_im2col_plan(conv);
}

/* Room for im2col blocks and for the groups of dW (W transposed takes less), or for the sums of dbias. */
dlda_status dlda_conv_scratch(const dlda_conv *conv, size_t threads, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    const char *what = "convolution scratch";
    size_t weights = 0, columns = 0, sums = 0;

    DLDA_TRY(dlda_multiply_sizes(conv->depth, conv->filters, what, &weights));
    DLDA_TRY(dlda_multiply_sizes(weights, DLDA_CONV_GROUPS * sizeof(float), what, &weights));
    if (!is_product(conv))
        DLDA_TRY(dlda_multiply_sizes(dlda_im2col_worker_floats(conv), threads * sizeof(float), what, &columns));
    DLDA_TRY(dlda_norm_scratch(conv->filters, &sums));
    *bytes = weights + columns > sums ? weights + columns : sums;
done:
    return status;
}

static void add_bias(const float *bias, size_t rows, size_t F, float *Y)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t f = 0; f < F; f++) Y[i * F + f] += bias[f];
}

void dlda_conv_forward(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const float *W,
                       const float *bias, float *Y)
{
    if (is_product(conv)) dlda_product_forward(conv, run, N, X, W, Y);
    else dlda_im2col_forward(conv, run, N, X, W, Y);
    if (bias) add_bias(bias, N * conv->out_height * conv->out_width, conv->filters, Y);
}

void dlda_conv_backward_data(const dlda_conv *conv, const dlda_run *run, size_t N, const float *dY, const float *W,
                             float *dX)
{
    if (is_product(conv)) dlda_product_backward_data(conv, run, N, dY, W, dX);
    else dlda_im2col_backward_data(conv, run, N, dY, W, dX);
}

void dlda_conv_backward_weights(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const float *dY,
                                float *dW, float *dbias)
{
    if (is_product(conv)) dlda_product_backward_weights(conv, run, N, X, dY, dW);
    else dlda_im2col_backward_weights(conv, run, N, X, dY, dW);
    if (dbias) dlda_column_sums(run, N * conv->out_height * conv->out_width, conv->filters, dY, dbias);
}

/* ---- Common to all ways ---- */

void dlda_conv_transpose(const dlda_conv *conv, const float *W, float *transposed)
{
    for (size_t i = 0; i < conv->depth; i++)
        for (size_t f = 0; f < conv->filters; f++) transposed[f * conv->depth + i] = W[i * conv->filters + f];
}

size_t dlda_conv_group(size_t n)
{
    return n < DLDA_CONV_GROUPS ? 1 : (n + DLDA_CONV_GROUPS - 1) / DLDA_CONV_GROUPS;
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

void dlda_conv_sum_groups(const dlda_conv *conv, const dlda_run *run, const float *partial, size_t groups, float *dW)
{
    group_sum sum = { partial, groups, conv->depth * conv->filters, dW };
    dlda_parallel_for(run->threads, sum.count, 1 << 14, sum_chunk, &sum);
}
