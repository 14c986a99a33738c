/* SPDX-License-Identifier: MIT
 *
 * gemm.c - matrix products of doubles by the BLAS, in one thread.
 */
#include "linalg/gemm.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

/* ---- Threads of the BLAS ---- */

/* OpenBLAS has one thread count per process. It belongs to the host program, which may use NumPy. The symbols are
 * weak since other BLAS libraries lack them. */
extern void openblas_set_num_threads(int n) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

static pthread_mutex_t blas_lock = PTHREAD_MUTEX_INITIALIZER;
static size_t blas_users;
static int blas_threads_before;

void dlda_blas_begin(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads) return;
    pthread_mutex_lock(&blas_lock);
    if (blas_users++ == 0) {
        blas_threads_before = openblas_get_num_threads();
        if (blas_threads_before != 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&blas_lock);
}

void dlda_blas_end(void)
{
    if (!openblas_set_num_threads || !openblas_get_num_threads) return;
    pthread_mutex_lock(&blas_lock);
    if (--blas_users == 0 && blas_threads_before != 1) openblas_set_num_threads(blas_threads_before);
    pthread_mutex_unlock(&blas_lock);
}

/* OpenBLAS keeps the buffer of its first call, of 128 MB; most of it is never touched. */
dlda_status dlda_blas_reserve(void)
{
    enum { BUFFER = 144 << 20, N = 32 };
    static atomic_int reserved;
    double X[N * N] = { 0 }, S[N * N] = { 0 };

    if (!openblas_set_num_threads || atomic_load(&reserved)) return DLDA_OK;
    void *volatile room = malloc(
        BUFFER); /* not DLDA_TAKE, which would touch it all; clang leaves out what is only freed */
    free(room);
    if (!room) return dlda_fail(DLDA_E_MEMORY, "matrix products: no memory for %d bytes", BUFFER);
    dlda_double_add_products(N, N, X, S);
    atomic_store(&reserved, 1);
    return DLDA_OK;
}

/* ---- Products ---- */

void dlda_double_add_upper_products(size_t n, size_t d, const double *X, double *S)
{
    if (n == 0) return;
    dlda_blas_begin();
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)n, 1, X, (int)d, 1, S, (int)d);
    dlda_blas_end();
}

void dlda_double_mirror(size_t d, double *S)
{
    for (size_t i = 1; i < d; i++)
        for (size_t j = 0; j < i; j++) S[i * d + j] = S[j * d + i];
}

void dlda_double_add_products(size_t n, size_t d, const double *X, double *S)
{
    dlda_double_add_upper_products(n, d, X, S);
    dlda_double_mirror(d, S);
}

void dlda_double_add_cross_products(size_t m, size_t n, size_t k, const double *A, const double *B, double *C,
                                    size_t ld)
{
    dlda_blas_begin();
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1, A, (int)ld, B, (int)ld, 1, C,
                (int)ld);
    dlda_blas_end();
}

void dlda_double_gemm(size_t m, size_t n, size_t k, const double *A, const double *B, int b_transposed, double *C)
{
    if (m == 0 || n == 0) return;
    dlda_blas_begin();
    cblas_dgemm(CblasRowMajor, CblasNoTrans, b_transposed ? CblasTrans : CblasNoTrans, (int)m, (int)n, (int)k, 1, A,
                (int)k, B, (int)(b_transposed ? k : n), 0, C, (int)n);
    dlda_blas_end();
}
