/* SPDX-License-Identifier: MIT
 *
 * gemm.h - matrix products, planned once and executed many times.
 *
 * All matrices are row-major. A plan is const and may be used by several threads at once. Each call runs in the
 * calling thread only; parallelism comes from the library's own loops.
 */
#ifndef DLDA_LINALG_GEMM_H
#define DLDA_LINALG_GEMM_H

#include "base/status.h"

typedef void (*dlda_gemm_kernel)(void);

/* C [m][n] = op(A) op(B) (+ C if accumulate); op(A) is [m][k], op(B) is [k][n]. With a_transposed, A is
 * stored as [k][m]; likewise B. lda, ldb, ldc: floats from one stored row to the next. */
typedef struct dlda_gemm {
    size_t m, n, k, lda, ldb, ldc;
    int a_transposed, b_transposed, accumulate;
    int looks_ahead; /* dlda_gemm_run_before brings the next operands into the cache */
    /* set by dlda_gemm_plan: libxsmm kernels for `panel` columns and for the last, fewer ones; of each, for the first
     * `piece` of a sum and for the others. NULL: BLAS */
    dlda_gemm_kernel kernels[2][2];
    size_t panel, piece;
} dlda_gemm;

/* Enclose every use of BLAS or LAPACK, from any number of threads. In between, OpenBLAS does not start threads of
 * its own. After the last _end, the process has its previous thread count again. */
void dlda_blas_begin(void);
void dlda_blas_end(void);

/* Takes the memory that the BLAS needs in one thread, for whoever will use it. OpenBLAS tries forever to get its memory, so a
 * process with little memory would hang; here, that is DLDA_E_MEMORY. */
dlda_status dlda_blas_reserve(void);

/* Chooses the method; call it once, after the fields above are set. */
void dlda_gemm_plan(dlda_gemm *gemm);
/* The same product with another size, e.g. for the last rows. The first use of a size generates its kernel (some
 * tenths of a millisecond); later uses find it. Thread-safe. */
void dlda_gemm_resize(dlda_gemm *gemm, size_t m, size_t n, size_t k);
void dlda_gemm_run(const dlda_gemm *gemm, const float *A, const float *B, float *C);
/* The same before a product of next_A and next_B, which waits less if it looks ahead. */
void dlda_gemm_run_before(const dlda_gemm *gemm, const float *A, const float *B, float *C, const float *next_A,
                          const float *next_B);

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
