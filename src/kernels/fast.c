/* SPDX-License-Identifier: MIT
 *
 * fast.c - the set of fast kernels, of one instruction set.
 */
#include "kernels/fast.h"

#define TEXT_OF(isa) #isa
#define NAME_OF(isa) TEXT_OF(isa)

const dlda_kernel_set dlda_fast_kernels = {
    .name = NAME_OF(DLDA_ISA),
    .conv_forward = dlda_conv_forward,
    .conv_backward_data = dlda_conv_backward_data,
    .conv_backward_weights = dlda_conv_backward_weights,
    .norm_forward = dlda_norm_forward,
    .norm_backward = dlda_norm_backward,
    .norm_apply = dlda_norm_apply,
    .relu_forward = dlda_relu_forward,
    .relu_backward = dlda_relu_backward,
    .pool_forward = dlda_pool_forward,
    .pool_backward = dlda_pool_backward,
    .gap_forward = dlda_gap_forward,
    .gap_backward = dlda_gap_backward,
    .dropout = dlda_dropout_apply,
};
