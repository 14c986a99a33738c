/* SPDX-License-Identifier: MIT
 *
 * chi_square.h - the chi-square distribution, which squared distances to the mean of a Gaussian class follow.
 */
#ifndef DLDA_BASE_CHI_SQUARE_H
#define DLDA_BASE_CHI_SQUARE_H

/* Probability of a value above x, with k > 0 degrees of freedom. Relative precision is kept for tiny values. */
double dlda_chi_square_tail(double x, double k);

/* The x that is exceeded with probability alpha, 0 to 1: the inverse of the tail. Infinity for 0, 0 for 1. */
double dlda_chi_square_limit(double alpha, double k);

#endif
