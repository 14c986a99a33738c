/* SPDX-License-Identifier: MIT
 *
 * softmax.h - the classifier of networks trained with cross entropy: the features are the logits.
 */
#ifndef DLDA_CLASSIFY_SOFTMAX_H
#define DLDA_CLASSIFY_SOFTMAX_H

#include "base/status.h"

/* Classifies H [n][C] by softmax(H / temperature); labels [n] and proba [n][C] may be NULL. */
dlda_status dlda_softmax_predict(const float *H, size_t n, size_t C, double temperature, int *labels, float *proba);

#endif
