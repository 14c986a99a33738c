/* SPDX-License-Identifier: MIT
 *
 * shrinkage.h - what the fit of a classic LDA shares with the estimate of its shrinkage.
 */
#ifndef DLDA_CLASSIFY_SHRINKAGE_H
#define DLDA_CLASSIFY_SHRINKAGE_H

#include "objective/scatter.h"

/* The standard deviation of feature j in class c (divided by its rows, not one less); 1 if it is constant, as in
 * scikit-learn's StandardScaler. The scatter is not pooled. */
double dlda_class_deviation(const dlda_scatter *scatter, size_t c, size_t j);

#endif
