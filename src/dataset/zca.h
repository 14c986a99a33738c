/* SPDX-License-Identifier: MIT
 *
 * zca.h - ZCA whitening of rows: y = (x - mean) P, where P is the inverse square root of
 * the covariance plus a bias.
 */
#ifndef DLDA_DATASET_ZCA_H
#define DLDA_DATASET_ZCA_H

#include "base/comm.h"
#include "base/parallel.h"

/* For more values the matrix would take hundreds of megabytes, and its eigenproblem minutes. */
enum { DLDA_ZCA_MOST = 7000 };

typedef struct dlda_zca {
    size_t d;
    float *mean; /* [d]               */
    float *P;    /* [d][d], symmetric */
} dlda_zca;

/* Allocates for d values per row; fill in `mean` and `P`. DLDA_E_ARGUMENT if d is too large. */
dlda_status dlda_zca_create(size_t d, dlda_zca **zca);
void dlda_zca_destroy(dlda_zca *zca);

/* Floats of scratch that n rows need. */
size_t dlda_zca_scratch(const dlda_zca *zca, size_t n);

/* Whitens rows X [n][d] in place. The result of a row is bitwise independent of the others. */
void dlda_zca_run(const dlda_zca *zca, dlda_team *team, size_t n, float *X, float *scratch);

/* ---- Fitting: two passes over all rows, in portions ---- */

typedef struct dlda_moments dlda_moments;

/* For portions of up to `most` rows. */
dlda_status dlda_moments_create(size_t d, size_t most, dlda_team *team, dlda_moments **moments);
void dlda_moments_destroy(dlda_moments *moments);
/* First pass. */
void dlda_moments_add(dlda_moments *moments, size_t n, const float *X);
/* Second pass: adds products of deviations from the mean. */
void dlda_moments_add_products(dlda_moments *moments, size_t n, const float *X);

/* After each of the passes: adds the sums of all ranks. */
dlda_status dlda_moments_sum(dlda_moments *moments, const dlda_comm *comm);
dlda_status dlda_moments_sum_products(dlda_moments *moments, const dlda_comm *comm);

/* Computes mean and P: with S / rows + bias I = V diag(v) V', P = V diag(1 / sqrt v) V'. Overwrites the moments.
 * DLDA_E_NUMERIC if the matrix is not positive definite. */
dlda_status dlda_zca_solve(dlda_zca *zca, dlda_moments *moments, double bias);

#endif
