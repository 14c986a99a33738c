/* SPDX-License-Identifier: MIT
 *
 * fast.h - the fast kernels, gathered into one set by fast.c. kernels.h says what each of them does.
 */
#ifndef DLDA_KERNELS_FAST_H
#define DLDA_KERNELS_FAST_H

#include "kernels/isa.h"
#include "kernels/kernels.h"

extern const dlda_kernel_set dlda_fast_kernels;

void dlda_conv_forward(const dlda_conv *, const dlda_run *, size_t N, const float *X, const float *W, const float *bias,
                       float *Y);
void dlda_conv_backward_data(const dlda_conv *, const dlda_run *, size_t N, const float *dY, const float *W, float *dX);
void dlda_conv_backward_weights(const dlda_conv *, const dlda_run *, size_t N, const float *X, const float *dY, float *dW,
                                float *dbias);
void dlda_norm_forward(const dlda_norm *, const dlda_run *, const float *X, float *Y, float *mean, float *inverse,
                       float *variance);
void dlda_norm_backward(const dlda_norm *, const dlda_run *, const float *X, const float *mean, const float *inverse,
                        const float *dY, float *dX, float *dscale, float *dshift);
void dlda_norm_apply(const dlda_norm *, const dlda_run *, const float *X, const float *mean, const float *variance,
                     float *Y);
void dlda_relu_forward(const dlda_run *, size_t n, float *X);
void dlda_relu_backward(const dlda_run *, size_t n, const float *Y, float *dY);
void dlda_pool_forward(const dlda_pool *, const dlda_run *, size_t N, const float *X, float *Y, uint8_t *where);
void dlda_pool_backward(const dlda_pool *, const dlda_run *, size_t N, const uint8_t *where, const float *dY, float *dX);
void dlda_gap_forward(const dlda_run *, size_t N, size_t pixels, size_t C, const float *X, float *Y);
void dlda_gap_backward(const dlda_run *, size_t N, size_t pixels, size_t C, const float *dY, float *dX);
void dlda_dropout_apply(const dlda_dropout *, const dlda_run *, size_t N, float *X);

#endif
