/* SPDX-License-Identifier: MIT
 *
 * eigen.h - symmetric eigenproblems in double: the generalised A e = v B e of LDA, and the plain A e = v e.
 */
#ifndef DLDA_LINALG_EIGEN_H
#define DLDA_LINALG_EIGEN_H

#include "base/status.h"

/* Memory for problems of one size; solving allocates nothing. */
typedef struct dlda_eigen dlda_eigen;

dlda_status dlda_eigen_create(size_t d, dlda_eigen **eigen);
void dlda_eigen_destroy(dlda_eigen *eigen);

/* Computes the k largest eigenvalues, largest first, and their vectors as the rows of E [k][d], with e' B e = 1;
 * the component of largest magnitude of each e is positive. A and B [d][d] are symmetric, B positive definite (else
 * DLDA_E_NUMERIC); they are not changed. */
dlda_status dlda_eigen_solve(dlda_eigen *eigen, const double *A, const double *B, size_t k, double *values,
                             double *E);

/* Computes all eigenvalues of a symmetric matrix A [d][d], smallest first; A is overwritten by the unit
 * eigenvectors as rows. Temporarily allocates twice the size of A. DLDA_E_NUMERIC if A is not finite. */
dlda_status dlda_eigen_symmetric(size_t d, double *A, double *values);

/* Estimates 1 / |B^-1| in the 1-norm, which is at most the smallest eigenvalue of the symmetric matrix B [d][d]; 0 if B
 * is not positive definite. Temporarily allocates the size of B. */
dlda_status dlda_eigen_smallest(size_t d, const double *B, double *smallest);

#endif
