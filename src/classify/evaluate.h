/* SPDX-License-Identifier: MIT
 *
 * evaluate.h - evaluation in portions: begin, count, finish.
 */
#ifndef DLDA_CLASSIFY_EVALUATE_H
#define DLDA_CLASSIFY_EVALUATE_H

#include "base/status.h"

enum { DLDA_CALIBRATION_BINS = 15 };

/* dlda_evaluation_create in steps, for predictions that arrive in portions: at most `samples` in total. */
dlda_status dlda_evaluation_begin(size_t classes, size_t samples, dlda_evaluation **evaluation);
/* Counts n predictions: truth and predicted [n]; probabilities proba [n][classes], or NULL. */
void dlda_evaluation_count(dlda_evaluation *evaluation, size_t n, const int *truth, const int *predicted,
                           const float *proba);
/* Converts the sums to rates. */
void dlda_evaluation_finish(dlda_evaluation *evaluation);

#endif
