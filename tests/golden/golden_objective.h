/* SPDX-License-Identifier: MIT
 *
 * golden_objective.h - the batches that objectives are tested on.
 * Written by tools/make-golden: do not edit. */
#include <stddef.h>

enum { GOLDEN_OBJECTIVES = 8 }; /* in the order of dlda_objective_kind */

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
     {-0.27521684847939026, -3.600996081730946, 0.242283695946545, -0.2377602650542917, 0.244799665032465, 3.18102920862759, -0.3947726844384396, 3.48364286640837},
     {balanced_gradient_lda,
      balanced_gradient_lda_mean,
      balanced_gradient_lda_log,
      balanced_gradient_lda_soft,
      balanced_gradient_lda_bayes,
      balanced_gradient_cce,
      balanced_gradient_lda_trace,
      balanced_gradient_lda_cce}},
    {"unbalanced", 35, 5, 5, 4, 0.01, 0.5,
     unbalanced_H, unbalanced_labels, unbalanced_eigenvalues,
     {-0.02963739061681078, -7.560603473731544, -0.5607076033801159, -0.36552589077010705, 0.12840673295384458, 3.90834550099148, -0.5455457019049943, 4.1355726500389824},
     {unbalanced_gradient_lda,
      unbalanced_gradient_lda_mean,
      unbalanced_gradient_lda_log,
      unbalanced_gradient_lda_soft,
      unbalanced_gradient_lda_bayes,
      unbalanced_gradient_cce,
      unbalanced_gradient_lda_trace,
      unbalanced_gradient_lda_cce}},
    {"two_classes", 16, 4, 2, 1, 0.001, 1.0,
     two_classes_H, two_classes_labels, two_classes_eigenvalues,
     {-4.256191778895619, -4.256191778895619, -1.4715982304779862, -4.256191778895619, 0.006320472127946022, 0.0, -0.809748189931892, 0.0},
     {two_classes_gradient_lda,
      two_classes_gradient_lda_mean,
      two_classes_gradient_lda_log,
      two_classes_gradient_lda_soft,
      two_classes_gradient_lda_bayes,
      NULL,
      two_classes_gradient_lda_trace,
      NULL}},
    {"few_rows", 12, 20, 3, 2, 0.001, 1.0,
     few_rows_H, few_rows_labels, few_rows_eigenvalues,
     {-4234.225566711119, -7560.241799220412, -8.82312253489788, -4234.225566711119, 0.0, 0.0, -0.9998360172879188, 0.0},
     {few_rows_gradient_lda,
      few_rows_gradient_lda_mean,
      few_rows_gradient_lda_log,
      few_rows_gradient_lda_soft,
      few_rows_gradient_lda_bayes,
      NULL,
      few_rows_gradient_lda_trace,
      NULL}},
    {"one_row_class", 19, 4, 4, 2, 0.001, 1.0,
     one_row_class_H, one_row_class_labels, one_row_class_eigenvalues,
     {-2.060541532393486, -3.3462089914826247, -1.1623403680719004, -2.24312224531163, 0.07984015662201326, 2.553325036164156, -0.7478498622941343, 2.679400105017089},
     {one_row_class_gradient_lda,
      one_row_class_gradient_lda_mean,
      one_row_class_gradient_lda_log,
      one_row_class_gradient_lda_soft,
      one_row_class_gradient_lda_bayes,
      one_row_class_gradient_cce,
      one_row_class_gradient_lda_trace,
      one_row_class_gradient_lda_cce}},
    {"missing_class", 18, 4, 4, 2, 0.001, 1.0,
     missing_class_H, missing_class_labels, missing_class_eigenvalues,
     {-0.07586884762411401, -1.3678861469065993, 0.3614105249165752, -0.25719836266146473, 0.7085180346418984, 2.2832167297200465, -0.39864371254634157, 2.5838948734468756},
     {missing_class_gradient_lda,
      missing_class_gradient_lda_mean,
      missing_class_gradient_lda_log,
      missing_class_gradient_lda_soft,
      missing_class_gradient_lda_bayes,
      missing_class_gradient_cce,
      missing_class_gradient_lda_trace,
      missing_class_gradient_lda_cce}},
    {"many_classes", 31, 3, 8, 3, 0.001, 1.0,
     many_classes_H, many_classes_labels, many_classes_eigenvalues,
     {-0.638005304579237, -1.745180441095946, -0.18935467390580432, -0.5895800982015567, 1.3093284891705517, 0.0, -0.5084055952100711, 0.0},
     {many_classes_gradient_lda,
      many_classes_gradient_lda_mean,
      many_classes_gradient_lda_log,
      many_classes_gradient_lda_soft,
      many_classes_gradient_lda_bayes,
      NULL,
      many_classes_gradient_lda_trace,
      NULL}},
    {"constant_feature", 29, 4, 5, 4, 0.001, 1.0,
     constant_feature_H, constant_feature_labels, constant_feature_eigenvalues,
     {-0.3583572145905176, -0.7597867116682347, 0.7443432728412651, -0.31739818026839084, 0.9270884954492987, 0.0, -0.3168971161894681, 0.0},
     {constant_feature_gradient_lda,
      constant_feature_gradient_lda_mean,
      constant_feature_gradient_lda_log,
      constant_feature_gradient_lda_soft,
      constant_feature_gradient_lda_bayes,
      NULL,
      constant_feature_gradient_lda_trace,
      NULL}},
    {"large_offset", 24, 4, 4, 3, 0.001, 1.0,
     large_offset_H, large_offset_labels, large_offset_eigenvalues,
     {-0.14725196657119255, -3.07516999442107, -0.34238087975202425, -0.42775088640724235, 0.3790037873488998, 1.758638275771695, -0.5289368267693302, 1.9941698623870299},
     {large_offset_gradient_lda,
      large_offset_gradient_lda_mean,
      large_offset_gradient_lda_log,
      large_offset_gradient_lda_soft,
      large_offset_gradient_lda_bayes,
      large_offset_gradient_cce,
      large_offset_gradient_lda_trace,
      large_offset_gradient_lda_cce}},
    {"log_guard", 16, 3, 8, 3, 0.001, 1.0,
     log_guard_H, log_guard_labels, log_guard_eigenvalues,
     {0.24983917575224557, -0.6525256234423948, 13.413080339366958, 0.16978687779408724, 2.8574653316523944, 0.0, -0.0032088901146264392, 0.0},
     {log_guard_gradient_lda,
      log_guard_gradient_lda_mean,
      log_guard_gradient_lda_log,
      log_guard_gradient_lda_soft,
      log_guard_gradient_lda_bayes,
      NULL,
      log_guard_gradient_lda_trace,
      NULL}},
};
