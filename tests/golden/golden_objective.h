/* SPDX-License-Identifier: MIT
 *
 * golden_objective.h - the batches that objectives are tested on.
 * Written by tools/make-golden: do not edit. */
#include <stddef.h>

enum { GOLDEN_OBJECTIVES = 5 }; /* in the order of dlda_objective_kind */

typedef struct golden_objective {
    const char *name;
    size_t N, D, C, K;
    double lambda, epsilon;
    const double *H;                           /* [N][D]                                     */
    const int *labels;                         /* [N]                                        */
    const double *eigenvalues;                 /* [K], largest first                         */
    double loss[GOLDEN_OBJECTIVES];
    const double *gradient[GOLDEN_OBJECTIVES]; /* [N][D]; NULL: no cce, since D is not C     */
} golden_objective;

#include "golden_objective_balanced.h"
#include "golden_objective_unbalanced.h"
#include "golden_objective_two_classes.h"
#include "golden_objective_few_rows.h"
#include "golden_objective_one_row_class.h"
#include "golden_objective_missing_class.h"
#include "golden_objective_many_classes.h"
#include "golden_objective_constant_feature.h"
#include "golden_objective_large_offset.h"
#include "golden_objective_log_guard.h"

static const golden_objective golden_objectives[] = {
    {"balanced", 200, 10, 10, 9, 0.001, 1.0,
     balanced_H, balanced_labels, balanced_eigenvalues,
     {-0.2752168484793906, -3.6009960817309445, 0.24228369594654398, -0.237760265054292, 3.18102920862759},
     {balanced_gradient_lda,
      balanced_gradient_lda_mean,
      balanced_gradient_lda_log,
      balanced_gradient_lda_soft,
      balanced_gradient_cce}},
    {"unbalanced", 35, 5, 5, 4, 0.01, 0.5,
     unbalanced_H, unbalanced_labels, unbalanced_eigenvalues,
     {-0.029637390616805558, -7.5606034737315415, -0.5607076033801044, -0.3655258907701012, 3.9083455009914805},
     {unbalanced_gradient_lda,
      unbalanced_gradient_lda_mean,
      unbalanced_gradient_lda_log,
      unbalanced_gradient_lda_soft,
      unbalanced_gradient_cce}},
    {"two_classes", 16, 4, 2, 1, 0.001, 1.0,
     two_classes_H, two_classes_labels, two_classes_eigenvalues,
     {-4.2561917788956185, -4.2561917788956185, -1.4715982304779862, -4.2561917788956185, 0.0},
     {two_classes_gradient_lda,
      two_classes_gradient_lda_mean,
      two_classes_gradient_lda_log,
      two_classes_gradient_lda_soft,
      NULL}},
    {"few_rows", 12, 20, 3, 2, 0.001, 1.0,
     few_rows_H, few_rows_labels, few_rows_eigenvalues,
     {-4234.225566710376, -7560.241799220975, -8.823122534897877, -4234.225566710376, 0.0},
     {few_rows_gradient_lda,
      few_rows_gradient_lda_mean,
      few_rows_gradient_lda_log,
      few_rows_gradient_lda_soft,
      NULL}},
    {"one_row_class", 19, 4, 4, 2, 0.001, 1.0,
     one_row_class_H, one_row_class_labels, one_row_class_eigenvalues,
     {-2.0605415323934855, -3.3462089914826243, -1.1623403680719004, -2.2431222453116297, 2.553325036164156},
     {one_row_class_gradient_lda,
      one_row_class_gradient_lda_mean,
      one_row_class_gradient_lda_log,
      one_row_class_gradient_lda_soft,
      one_row_class_gradient_cce}},
    {"missing_class", 18, 4, 4, 2, 0.001, 1.0,
     missing_class_H, missing_class_labels, missing_class_eigenvalues,
     {-0.07586884762411375, -1.3678861469065993, 0.3614105249165759, -0.25719836266146445, 2.2832167297200465},
     {missing_class_gradient_lda,
      missing_class_gradient_lda_mean,
      missing_class_gradient_lda_log,
      missing_class_gradient_lda_soft,
      missing_class_gradient_cce}},
    {"many_classes", 31, 3, 8, 3, 0.001, 1.0,
     many_classes_H, many_classes_labels, many_classes_eigenvalues,
     {-0.638005304579237, -1.745180441095946, -0.18935467390580432, -0.5895800982015567, 0.0},
     {many_classes_gradient_lda,
      many_classes_gradient_lda_mean,
      many_classes_gradient_lda_log,
      many_classes_gradient_lda_soft,
      NULL}},
    {"constant_feature", 29, 4, 5, 4, 0.001, 1.0,
     constant_feature_H, constant_feature_labels, constant_feature_eigenvalues,
     {-0.3583572145905176, -0.7597867116682347, 0.7443432728412651, -0.3173981802683909, 0.0},
     {constant_feature_gradient_lda,
      constant_feature_gradient_lda_mean,
      constant_feature_gradient_lda_log,
      constant_feature_gradient_lda_soft,
      NULL}},
    {"large_offset", 24, 4, 4, 3, 0.001, 1.0,
     large_offset_H, large_offset_labels, large_offset_eigenvalues,
     {-0.14725196657119363, -3.0751699944210706, -0.34238087975202564, -0.4277508864072435, 1.758638275771695},
     {large_offset_gradient_lda,
      large_offset_gradient_lda_mean,
      large_offset_gradient_lda_log,
      large_offset_gradient_lda_soft,
      large_offset_gradient_cce}},
    {"log_guard", 16, 3, 8, 3, 0.001, 1.0,
     log_guard_H, log_guard_labels, log_guard_eigenvalues,
     {0.24983917575224535, -0.6525256234423953, 13.413080339366942, 0.1697868777940871, 0.0},
     {log_guard_gradient_lda,
      log_guard_gradient_lda_mean,
      log_guard_gradient_lda_log,
      log_guard_gradient_lda_soft,
      NULL}},
};
