/* SPDX-License-Identifier: MIT
 *
 * convolution.c - dispatches a convolution to its planned method.
 */
#include "kernels/conv.h"
#include "kernels/fast.h"
#include "kernels/reductions.h"

#include <assert.h>

static void add_bias(const float *bias, size_t rows, size_t F, float *Y)
{
    for (size_t i = 0; i < rows; i++)
        for (size_t f = 0; f < F; f++) Y[i * F + f] += bias[f];
}

void dlda_conv_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                       const dlda_view *view, const float *W, const float *bias, float *Y, const dlda_tally *tally)
{
    size_t pixels = N * conv->out_height * conv->out_width;
    int tallied = conv->method == DLDA_CONV_WINOGRAD && !bias;

    assert(!view || conv->method == DLDA_CONV_WINOGRAD);
    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_forward(conv, exec, N, X, W, Y); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_forward(conv, exec, N, X, view, W, Y, tallied ? tally : NULL); break;
    case DLDA_CONV_IM2COL: dlda_im2col_forward(conv, exec, N, X, W, Y); break;
    }
    if (bias) add_bias(bias, pixels, conv->filters, Y);
    if (tally && !tallied) dlda_moments(exec, pixels, conv->filters, Y, tally->sums);
}

void dlda_conv_prepare(const dlda_conv *conv, const dlda_exec *exec, const float *W, float *prepared)
{
    assert(conv->method == DLDA_CONV_WINOGRAD);
    dlda_winograd_prepare(conv, exec, W, prepared);
}

void dlda_conv_forward_prepared(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                const dlda_view *view, const float *prepared, const float *bias, float *Y)
{
    assert(conv->method == DLDA_CONV_WINOGRAD);
    dlda_winograd_forward_prepared(conv, exec, N, X, view, prepared, Y, NULL);
    if (bias) add_bias(bias, N * conv->out_height * conv->out_width, conv->filters, Y);
}

void dlda_conv_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                             const float *W, float *dX, const dlda_tally *tally)
{
    int tallied = conv->method == DLDA_CONV_WINOGRAD && !conv->adjoint;

    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_backward_data(conv, exec, N, dY, W, dX); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_backward_data(conv, exec, N, dY, W, dX, tallied ? tally : NULL); break;
    case DLDA_CONV_IM2COL: dlda_im2col_backward_data(conv, exec, N, dY, W, dX); break;
    }
    if (tally && !tallied) dlda_activation_sums(tally->activation, exec, N, tally->X, NULL, dX, tally->sums);
}

void dlda_conv_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                const dlda_view *view, const float *dY, float *dW, float *dbias)
{
    assert(!view || conv->method == DLDA_CONV_WINOGRAD);
    switch (conv->method) {
    case DLDA_CONV_PRODUCT: dlda_product_backward_weights(conv, exec, N, X, dY, dW); break;
    case DLDA_CONV_WINOGRAD: dlda_winograd_backward_weights(conv, exec, N, X, view, dY, dW); break;
    case DLDA_CONV_IM2COL: dlda_im2col_backward_weights(conv, exec, N, X, dY, dW); break;
    }
    if (dbias) dlda_column_sums(exec, N * conv->out_height * conv->out_width, conv->filters, dY, dbias);
}
