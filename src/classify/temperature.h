/* SPDX-License-Identifier: MIT
 *
 * temperature.h - one number that calibrates the probabilities of a classifier (docs/method.md, step 6).
 */
#ifndef DLDA_CLASSIFY_TEMPERATURE_H
#define DLDA_CLASSIFY_TEMPERATURE_H

#include "base/status.h"

/* The temperature T for which softmax(scores / T + log_prior) predicts the labels of held-out rows best: least log loss,
 * with a weak prior for T = `expected`. scores [n][C], log_prior [C] (NULL: 0), labels [n]. Rows whose own class has score minus
 * infinity are ignored. */
double dlda_temperature_fit(const double *scores, const double *log_prior, const int *labels, size_t n, size_t C,
                            double expected);

#endif
