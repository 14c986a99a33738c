/* SPDX-License-Identifier: MIT
 *
 * evaluate.h - counts right and wrong answers.
 */
#ifndef DLDA_CLASSIFY_EVALUATE_H
#define DLDA_CLASSIFY_EVALUATE_H

#include "base/status.h"

enum { DLDA_CALIBRATION_BINS = 15 };

/* dlda_evaluation_create in steps, for answers that come in portions: `samples` in all, at most. */
dlda_status dlda_evaluation_begin(size_t classes, size_t samples, dlda_evaluation **evaluation);
/* Counts n answers: truth and predicted [n], probabilities proba [n][classes], or NULL if there are none. */
void dlda_evaluation_count(dlda_evaluation *evaluation, size_t n, const int *truth, const int *predicted,
                           const float *proba);
/* Turns the counts into shares. */
void dlda_evaluation_finish(dlda_evaluation *evaluation);

#endif
