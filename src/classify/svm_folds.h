/* SPDX-License-Identifier: MIT
 *
 * svm_folds.h - assigns the rows of a training set to the folds of a cross-validation.
 */
#ifndef DLDA_CLASSIFY_SVM_FOLDS_H
#define DLDA_CLASSIFY_SVM_FOLDS_H

#include "base/status.h"

/* Assigns rows with labels [n] to folds 0 .. folds-1, stratified, at random by `seed`: fold [n]. */
dlda_status dlda_svm_folds(const int *labels, size_t n, size_t classes, size_t folds, uint64_t seed, size_t *fold);

#endif
