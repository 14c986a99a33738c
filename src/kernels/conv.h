/* SPDX-License-Identifier: MIT
 *
 * conv.h - the convolution methods; conv_plan.c selects one.
 */
#ifndef DLDA_KERNELS_CONV_H
#define DLDA_KERNELS_CONV_H

#include "kernels/isa.h"
#include "kernels/kernels.h"

/* Maximum number of groups of images in which weight gradients are summed. It bounds the memory of the partial sums
 * and the number of threads that can compute them, and must not depend on the number of threads. */
enum { DLDA_CONV_GROUPS = 8 };

/* conv_im2col.c: any shape. */
size_t dlda_im2col_worker_floats(const dlda_conv *conv); /* scratch per worker */
void dlda_im2col_forward(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const float *W, float *Y);
void dlda_im2col_backward_data(const dlda_conv *, const dlda_exec *, size_t N, const float *dY, const float *W,
                               float *dX);
void dlda_im2col_backward_weights(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const float *dY,
                                  float *dW);

/* conv_product.c: 1x1, stride 1, no padding; one matrix product over all pixels of all images. */
void dlda_product_forward(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const float *W, float *Y);
void dlda_product_backward_data(const dlda_conv *, const dlda_exec *, size_t N, const float *dY, const float *W,
                                float *dX);
void dlda_product_backward_weights(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const float *dY,
                                   float *dW);

/* conv_winograd.c: 3x3, stride 1, padding 0 or 1. */
void dlda_winograd_forward(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const dlda_view *view,
                           const float *W, float *Y, const dlda_tally *tally);
/* U of W (winograd.h), and the forward pass that uses it. */
void dlda_winograd_prepare(const dlda_conv *, const dlda_exec *, const float *W, float *U);
void dlda_winograd_forward_prepared(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                    const dlda_view *view, const float *U, float *Y, const dlda_tally *tally);
/* With a tally, unless conv->adjoint. */
void dlda_winograd_backward_data(const dlda_conv *, const dlda_exec *, size_t N, const float *dY, const float *W,
                                 float *dX, const dlda_tally *tally);
void dlda_winograd_backward_weights(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                    const dlda_view *view, const float *dY, float *dW);

/* ---- Shared by the methods: conv_common.c, except dlda_conv_copied and dlda_conv_group in conv_plan.c ---- */

/* W [rows][columns] in panels (products.h). */
void dlda_conv_into_panels(size_t rows, size_t columns, const float *W, float *panels);
/* The transpose of rows begin .. end-1 of W; begin is a multiple of 8. */
void dlda_conv_transpose(size_t rows, size_t columns, size_t begin, size_t end, const float *W, int in_panels,
                         float *transposed);
/* The transpose of the weights [depth][filters], in panels or, for bfloat16, as rows. */
void dlda_conv_transpose_weights(const dlda_conv *conv, const dlda_exec *exec, const float *W, float *transposed);
/* A product with few rows, B as rows; the threads share its columns. */
void dlda_conv_few_rows(const dlda_exec *exec, const dlda_product *product, const float *A, const float *B, float *C);
/* 1x1: words of a block of rows of the input and one of the output, which a thread copies at a time, with bfloat16 rounded. */
size_t dlda_conv_copied(const dlda_conv *conv);
/* Items per group, for n items. */
size_t dlda_conv_group(const dlda_conv *conv, size_t n);
/* dW = the sum of the groups' partial sums [groups][depth][filters], in order. */
void dlda_conv_sum_groups(const dlda_conv *conv, const dlda_exec *exec, const float *partial, size_t groups,
                          float *dW);

#endif
