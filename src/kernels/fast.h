/* SPDX-License-Identifier: MIT
 *
 * fast.h - the fast kernels, collected in a table by fast.c. kernels.h documents them.
 */
#ifndef DLDA_KERNELS_FAST_H
#define DLDA_KERNELS_FAST_H

#include "kernels/isa.h"
#include "kernels/kernels.h"

extern const dlda_kernel_set dlda_fast_kernels;

void dlda_conv_forward(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const dlda_view *view,
                       const float *W, const float *bias, float *Y, const dlda_tally *tally);
void dlda_conv_prepare(const dlda_conv *, const dlda_exec *, const float *W, float *prepared);
void dlda_conv_forward_prepared(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                const dlda_view *view, const float *prepared, const float *bias, float *Y);
void dlda_conv_backward_data(const dlda_conv *, const dlda_exec *, size_t N, const float *dY, const float *W,
                             float *dX, const dlda_tally *tally);
void dlda_conv_backward_weights(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                const dlda_view *view, const float *dY, float *dW, float *dbias);
void dlda_moments(const dlda_exec *, size_t rows, size_t C, const float *X, double *sums);
void dlda_activation_forward(const dlda_activation *, const dlda_exec *, size_t N, const float *X, float *Y,
                             uint8_t *where);
void dlda_activation_sums(const dlda_activation *, const dlda_exec *, size_t N, const float *X,
                          const uint8_t *where, const float *dY, double *sums);
void dlda_activation_backward(const dlda_activation *, const dlda_exec *, size_t N, const float *X,
                              const uint8_t *where, const float *dY, float *dX, const double *sums);
void dlda_dropout_apply(const dlda_dropout *, const dlda_exec *, size_t N, float *X);
void dlda_add_upper_products(size_t n, size_t d, const double *X, double *S);
void dlda_class_means(const dlda_class_rows *, size_t first, size_t n, size_t C, size_t D, size_t *counts,
                      double *means);
void dlda_class_centre(const dlda_class_rows *, size_t first, size_t n, size_t D, const double *means,
                       double *centred);

#endif
