/* SPDX-License-Identifier: MIT
 *
 * eigen.c - symmetric eigenproblems with LAPACK's dsygvd and dsyevd, and condition numbers. The only file that uses LAPACKE.
 *
 * dsygvd computes all eigenpairs by divide and conquer. The vectors are orthonormal to machine precision even for
 * equal eigenvalues, which occur here: all null directions of Sb have -(C-1)/(N-1).
 */
#include "linalg/eigen.h"
#include "base/memory.h"
#include "linalg/gemm.h"

#include <lapacke.h>
#include <math.h>
#include <string.h>

struct dlda_eigen {
    size_t d;
    double *A, *B;  /* [d][d], overwritten by LAPACK: A by the vectors, B by the Cholesky factor */
    double *values; /* [d], smallest first */
    double *work;   /* [n_work] */
    lapack_int *whole_work;
    lapack_int n_work, n_whole_work;
};

dlda_status dlda_eigen_create(size_t d, dlda_eigen **eigen)
{
    dlda_status status = DLDA_OK;
    dlda_eigen *self = NULL;
    size_t square = 0;
    double best_work = 0;
    lapack_int best_whole = 0;

    if (d < 1 || d > 30000) DLDA_FAIL(DLDA_E_ARGUMENT, "eigenproblem: %zu features, expected 1 to 30000", d);
    DLDA_TRY(dlda_multiply_sizes(d, d, "eigenproblem", &square));
    DLDA_TRY(DLDA_TAKE(&self, 1, "eigenproblem"));
    self->d = d;
    DLDA_TRY(DLDA_TAKE(&self->A, square, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&self->B, square, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&self->values, d, "eigenproblem"));
    LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'U', (lapack_int)d, self->A, (lapack_int)d, self->B,
                        (lapack_int)d, self->values, &best_work, -1, &best_whole, -1);
    self->n_work = (lapack_int)best_work;
    self->n_whole_work = best_whole;
    DLDA_TRY(DLDA_TAKE(&self->work, (size_t)self->n_work, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&self->whole_work, (size_t)self->n_whole_work, "eigenproblem"));
    *eigen = self;
    self = NULL;
done:
    dlda_eigen_destroy(self);
    return status;
}

void dlda_eigen_destroy(dlda_eigen *self)
{
    if (!self) return;
    dlda_release(self->A);
    dlda_release(self->B);
    dlda_release(self->values);
    dlda_release(self->work);
    dlda_release(self->whole_work);
    dlda_release(self);
}

static int all_finite(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i])) return 0;
    return 1;
}

/* LAPACK does not define the sign; fixing it makes results comparable between machines. */
static void copy_with_fixed_sign(size_t d, const double *from, double *to)
{
    size_t largest = 0;

    for (size_t i = 1; i < d; i++)
        if (fabs(from[i]) > fabs(from[largest])) largest = i;
    double sign = from[largest] < 0 ? -1 : 1;
    for (size_t i = 0; i < d; i++) to[i] = sign * from[i];
}

dlda_status dlda_eigen_solve(dlda_eigen *self, const double *A, const double *B, size_t k, double *values,
                             double *E)
{
    size_t d = self->d;
    lapack_int n = (lapack_int)d;

    /* LAPACK may not terminate on NaN. */
    if (!all_finite(A, d * d) || !all_finite(B, d * d))
        return dlda_fail(DLDA_E_NUMERIC, "eigenproblem: the scatter matrices hold values that are not finite");
    memcpy(self->A, A, d * d * sizeof *A);
    memcpy(self->B, B, d * d * sizeof *B);
    dlda_blas_begin();
    lapack_int info = LAPACKE_dsygvd_work(LAPACK_COL_MAJOR, 1, 'V', 'U', n, self->A, n, self->B, n, self->values,
                                          self->work, self->n_work, self->whole_work, self->n_whole_work);
    dlda_blas_end();
    if (info > n)
        return dlda_fail(
            DLDA_E_NUMERIC,
            "eigenproblem: Sw + lambda I is not positive definite (pivot %ld of %zu); a larger lambda helps",
            (long)(info - n), d);
    if (info != 0)
        return dlda_fail(DLDA_E_NUMERIC, "eigenproblem: no convergence (LAPACK dsygvd: %ld)", (long)info);
    for (size_t j = 0; j < k; j++) {
        values[j] = self->values[d - 1 - j];
        copy_with_fixed_sign(d, self->A + (d - 1 - j) * d, E + j * d);
    }
    return DLDA_OK;
}

dlda_status dlda_eigen_symmetric(size_t d, double *A, double *values)
{
    dlda_status status = DLDA_OK;
    double *work = NULL, best_work = 0;
    lapack_int *whole_work = NULL, n = (lapack_int)d, best_whole = 0;

    if (d < 1 || d > 30000) DLDA_FAIL(DLDA_E_ARGUMENT, "eigenproblem: %zu features, expected 1 to 30000", d);
    if (!all_finite(A, d * d))
        DLDA_FAIL(DLDA_E_NUMERIC, "eigenproblem: the matrix holds values that are not finite");
    LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, A, n, values, &best_work, -1, &best_whole, -1);
    DLDA_TRY(DLDA_TAKE(&work, (size_t)best_work, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&whole_work, (size_t)best_whole, "eigenproblem"));
    dlda_blas_begin();
    lapack_int info = LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'V', 'U', n, A, n, values, work, (lapack_int)best_work,
                                          whole_work, best_whole);
    dlda_blas_end();
    if (info != 0) DLDA_FAIL(DLDA_E_NUMERIC, "eigenproblem: no convergence (LAPACK dsyevd: %ld)", (long)info);
done:
    dlda_release(work);
    dlda_release(whole_work);
    return status;
}

dlda_status dlda_eigen_smallest(size_t d, const double *B, double *smallest)
{
    dlda_status status = DLDA_OK;
    double *factor = NULL, *work = NULL, condition = 0;
    lapack_int *whole_work = NULL, n = (lapack_int)d;

    *smallest = 0;
    if (!all_finite(B, d * d))
        DLDA_FAIL(DLDA_E_NUMERIC, "eigenproblem: the scatter matrices hold values that are not finite");
    DLDA_TRY(DLDA_TAKE(&factor, d * d, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&work, 3 * d, "eigenproblem"));
    DLDA_TRY(DLDA_TAKE(&whole_work, d, "eigenproblem"));
    memcpy(factor, B, d * d * sizeof *B);
    dlda_blas_begin();
    /* With a norm of 1, the reciprocal condition number is 1 / |B^-1|. */
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'U', n, factor, n) == 0 &&
        LAPACKE_dpocon_work(LAPACK_COL_MAJOR, 'U', n, factor, n, 1, &condition, work, whole_work) == 0)
        *smallest = condition;
    dlda_blas_end();
done:
    dlda_release(factor);
    dlda_release(work);
    dlda_release(whole_work);
    return status;
}
