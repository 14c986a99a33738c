/* SPDX-License-Identifier: MIT
 *
 * fast.c - the table of fast kernels, for one instruction set.
 */
#include "kernels/fast.h"
#include "kernels/products.h"

#define TEXT_OF(isa) #isa
#define NAME_OF(isa) TEXT_OF(isa)

const dlda_kernel_set dlda_fast_kernels = {
    .name = NAME_OF(DLDA_ISA),
    .multiply = dlda_multiply,
    .panel = DLDA_PANEL,
    .conv_forward = dlda_conv_forward,
    .conv_prepare = dlda_conv_prepare,
    .conv_forward_prepared = dlda_conv_forward_prepared,
    .conv_backward_data = dlda_conv_backward_data,
    .conv_backward_weights = dlda_conv_backward_weights,
    .moments = dlda_moments,
    .activation_forward = dlda_activation_forward,
    .activation_sums = dlda_activation_sums,
    .activation_backward = dlda_activation_backward,
    .dropout = dlda_dropout_apply,
    .add_upper_products = dlda_add_upper_products,
    .class_means = dlda_class_means,
    .class_centre = dlda_class_centre,
};
