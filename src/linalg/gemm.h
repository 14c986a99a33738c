/* SPDX-License-Identifier: MIT
 *
 * gemm.h - matrix products of doubles. Those of floats are in kernels/products.h.
 *
 * All matrices are row-major. Each call runs in the calling thread only; parallelism comes from the library's own loops.
 */
#ifndef DLDA_LINALG_GEMM_H
#define DLDA_LINALG_GEMM_H

#include "base/status.h"

/* Enclose every use of BLAS or LAPACK, from any number of threads. In between, OpenBLAS does not start threads of
 * its own. After the last _end, the process has its previous thread count again. */
void dlda_blas_begin(void);
void dlda_blas_end(void);

/* Takes the memory that the BLAS needs in one thread, for whoever will use it. OpenBLAS tries forever to get its memory, so a
 * process with little memory would hang; here, that is DLDA_E_MEMORY. */
dlda_status dlda_blas_reserve(void);

/* Copies the upper triangle of S [d][d] to the lower one. */
void dlda_double_mirror(size_t d, double *S);
/* S [d][d] += X' X in double, X [n][d]. Both triangles are updated. */
void dlda_double_add_products(size_t n, size_t d, const double *X, double *S);
/* The same for the upper triangle; the lower one holds nothing of use afterwards. */
void dlda_double_add_upper_products(size_t n, size_t d, const double *X, double *S);

/* C [m][n] += A' B in double, of matrices A [k][m], B [k][n] and C whose rows are `ld` doubles apart. */
void dlda_double_add_cross_products(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
                                    size_t ld);

/* C [m][n] = A [m][k] B, in double; B is [k][n], or [n][k] if b_transposed. */
void dlda_double_gemm(size_t m, size_t n, size_t k, const double *A, const double *B, int b_transposed, double *C);

#endif
