/* SPDX-License-Identifier: MIT
 *
 * eigen.h - symmetric eigenproblems in double: the generalised A e = v B e of LDA, and the plain A e = v e.
 */
#ifndef DLDA_LINALG_EIGEN_H
#define DLDA_LINALG_EIGEN_H

#include "base/status.h"

/* Memory for problems of one size; solving takes none. */
typedef struct dlda_eigen dlda_eigen;

dlda_status dlda_eigen_create(size_t d, dlda_eigen **eigen);
void dlda_eigen_destroy(dlda_eigen *eigen);

/* The k largest eigenvalues, largest first, and their vectors as the rows of E [k][d], with e' B e = 1; the
 * component of largest size of each e is positive. A and B [d][d] are symmetric, B positive definite
 * (DLDA_E_NUMERIC if not); they are not changed. */
dlda_status dlda_eigen_solve(dlda_eigen *eigen, const double *A, const double *B, size_t k, double *values,
                             double *E);

/* All eigenvalues of a symmetric matrix A [d][d], smallest first, and their vectors of length 1, which become the rows
 * of A. Takes memory of twice the size of A meanwhile. DLDA_E_NUMERIC if A is not finite. */
dlda_status dlda_eigen_symmetric(size_t d, double *A, double *values);

#endif
