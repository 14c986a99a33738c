/* SPDX-License-Identifier: MIT
 *
 * rows.h - helpers that several objectives need for the rows of a batch.
 */
#ifndef DLDA_OBJECTIVE_ROWS_H
#define DLDA_OBJECTIVE_ROWS_H

#include "base/status.h"

/* DLDA_E_ARGUMENT if a label is not 0 .. classes-1; DLDA_E_NUMERIC if a value of H [n][features] is not finite. */
dlda_status dlda_objective_check_rows(size_t classes, size_t features, const double *H, const int *labels,
                                      size_t n);

/* log(sum exp x), without overflow. */
double dlda_log_sum_exp(size_t n, const double *x);

#endif
