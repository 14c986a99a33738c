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

/* After all rows were added: the sums over the rows of all ranks. NULL: one rank. */
dlda_status dlda_shrinkage_sum(dlda_shrinkage *shrinkage, const dlda_comm *comm);

#endif
