/* SPDX-License-Identifier: MIT
 *
 * svm_folds.h - which row of a training set is in which fold of a cross-validation.
 */
#ifndef DLDA_CLASSIFY_SVM_FOLDS_H
#define DLDA_CLASSIFY_SVM_FOLDS_H

#include "base/status.h"

/* Deals rows with labels [n] to 0 .. folds-1, class shares kept, at random by `seed`: fold [n]. */
dlda_status dlda_svm_folds(const int *labels, size_t n, size_t classes, size_t folds, uint64_t seed, size_t *fold);

#endif
