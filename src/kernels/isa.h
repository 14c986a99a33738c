/* SPDX-License-Identifier: MIT
 *
 * isa.h - the kernels are compiled once for each instruction set (src/meson.build). This header gives the symbols
 * of each copy a unique name, and vectors of the right width. kernels.c selects a copy at run time.
 */
#ifndef DLDA_KERNELS_ISA_H
#define DLDA_KERNELS_ISA_H

#ifndef DLDA_ISA
#define DLDA_ISA baseline
#endif
#define DLDA_ISA_JOIN(name, isa)   name##_##isa
#define DLDA_ISA_EXPAND(name, isa) DLDA_ISA_JOIN(name, isa)
#define DLDA_ISA_NAME(name)        DLDA_ISA_EXPAND(name, DLDA_ISA)

#define dlda_fast_kernels              DLDA_ISA_NAME(dlda_fast_kernels)
#define dlda_reference_kernels         DLDA_ISA_NAME(dlda_reference_kernels)
#define dlda_conv_forward              DLDA_ISA_NAME(dlda_conv_forward)
#define dlda_conv_few_rows             DLDA_ISA_NAME(dlda_conv_few_rows)
#define dlda_conv_prepare              DLDA_ISA_NAME(dlda_conv_prepare)
#define dlda_conv_forward_prepared     DLDA_ISA_NAME(dlda_conv_forward_prepared)
#define dlda_winograd_prepare          DLDA_ISA_NAME(dlda_winograd_prepare)
#define dlda_winograd_forward_prepared DLDA_ISA_NAME(dlda_winograd_forward_prepared)
#define dlda_conv_backward_data        DLDA_ISA_NAME(dlda_conv_backward_data)
#define dlda_conv_backward_weights     DLDA_ISA_NAME(dlda_conv_backward_weights)
#define dlda_im2col_forward            DLDA_ISA_NAME(dlda_im2col_forward)
#define dlda_im2col_backward_data      DLDA_ISA_NAME(dlda_im2col_backward_data)
#define dlda_im2col_backward_weights   DLDA_ISA_NAME(dlda_im2col_backward_weights)
#define dlda_product_forward           DLDA_ISA_NAME(dlda_product_forward)
#define dlda_product_backward_data     DLDA_ISA_NAME(dlda_product_backward_data)
#define dlda_product_backward_weights  DLDA_ISA_NAME(dlda_product_backward_weights)
#define dlda_winograd_forward          DLDA_ISA_NAME(dlda_winograd_forward)
#define dlda_winograd_backward_data    DLDA_ISA_NAME(dlda_winograd_backward_data)
#define dlda_winograd_backward_weights DLDA_ISA_NAME(dlda_winograd_backward_weights)
#define dlda_winograd_input            DLDA_ISA_NAME(dlda_winograd_input)
#define dlda_winograd_input_back       DLDA_ISA_NAME(dlda_winograd_input_back)
#define dlda_winograd_output           DLDA_ISA_NAME(dlda_winograd_output)
#define dlda_winograd_gradient         DLDA_ISA_NAME(dlda_winograd_gradient)
#define dlda_winograd_weights          DLDA_ISA_NAME(dlda_winograd_weights)
#define dlda_winograd_weights_back     DLDA_ISA_NAME(dlda_winograd_weights_back)
#define dlda_winograd_weights_paired   DLDA_ISA_NAME(dlda_winograd_weights_paired)
#define dlda_multiply                  DLDA_ISA_NAME(dlda_multiply)
#define dlda_bf16_multiply             DLDA_ISA_NAME(dlda_bf16_multiply)
#define dlda_bf16_round                DLDA_ISA_NAME(dlda_bf16_round)
#define dlda_bf16_pair_rows            DLDA_ISA_NAME(dlda_bf16_pair_rows)
#define dlda_conv_into_panels          DLDA_ISA_NAME(dlda_conv_into_panels)
#define dlda_conv_transpose            DLDA_ISA_NAME(dlda_conv_transpose)
#define dlda_conv_transpose_weights    DLDA_ISA_NAME(dlda_conv_transpose_weights)
#define dlda_conv_sum_groups           DLDA_ISA_NAME(dlda_conv_sum_groups)
#define dlda_moments                   DLDA_ISA_NAME(dlda_moments)
#define dlda_activation_forward        DLDA_ISA_NAME(dlda_activation_forward)
#define dlda_activation_sums           DLDA_ISA_NAME(dlda_activation_sums)
#define dlda_activation_backward       DLDA_ISA_NAME(dlda_activation_backward)
#define dlda_dropout_apply             DLDA_ISA_NAME(dlda_dropout_apply)
#define dlda_add_partial_sums          DLDA_ISA_NAME(dlda_add_partial_sums)
#define dlda_reduce_rows               DLDA_ISA_NAME(dlda_reduce_rows)
#define dlda_column_sums               DLDA_ISA_NAME(dlda_column_sums)
#define dlda_add_upper_products        DLDA_ISA_NAME(dlda_add_upper_products)
#define dlda_class_means               DLDA_ISA_NAME(dlda_class_means)
#define dlda_class_centre              DLDA_ISA_NAME(dlda_class_centre)

/* Floats per vector. */
#if defined(__AVX512F__)
#define DLDA_LANES 16
#elif defined(__AVX2__)
#define DLDA_LANES 8
#else
#define DLDA_LANES 4
#endif

#endif
