/* SPDX-License-Identifier: MIT
 *
 * gemm.c - matrix products: libxsmm's generated kernels where they are faster, BLAS otherwise.
 *
 * The only file that uses libxsmm or CBLAS. The choice depends only on the shape and the machine, so results do not
 * depend on the number of threads.
 */
#include "linalg/gemm.h"

#include <cblas.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#ifdef DLDA_WITH_LIBXSMM
#include <libxsmm.h>
#endif

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

/* ---- Products of floats ---- */

#ifdef DLDA_WITH_LIBXSMM
/* Without AVX-512: above this number of multiplications the operand packing of BLAS pays off (measured on
 * Zen 3: 112x64x9 runs at 83 GFLOPS with libxsmm and 28 with OpenBLAS, 112x64x576 at 82 and 83,
 * 28x256x2304 at 63 and 81). */
static const double most_small_products = 160.0 * 160.0 * 160.0;

/* With A transposed (96x256x80: 57 with libxsmm, 78 with OpenBLAS; 96x96x64: 95 and 87). */
static const size_t most_transposed_results = 100 * 100;

/* With AVX-512, libxsmm is faster for all shapes of a network (256x256x256: 150 and 95, 128x1024x256: 135 and 135,
 * A transposed 256x256x256: 132 and 95), and several times faster if OpenBLAS does not know the processor. Only
 * long sums and wide results exceed its caches, so they are split (Xeon, 128x1024x1024: 85 in one piece, 173 in four; Zen 4: 68
 * in one piece, 79 in four, 98 also in panels). Kernels that look ahead are best in narrow panels (Zen 4, 160x1024x256: 90
 * without both, 108). */
static const size_t long_sum = 512, piece_of_sum = 256;
static const size_t wide_panel = 256, narrow_panel = 64;

static int has_avx512(void)
{
    return libxsmm_get_target_archid() >= LIBXSMM_X86_AVX512;
}

static int suits_libxsmm(const dlda_gemm *g)
{
    /* libxsmm is column-major: a row-major C = A B is C' = B' A' there. Its generated kernels can transpose the
     * second operand (our A), not the first (our B). */
    if (g->b_transposed) return 0;
    if (has_avx512()) return 1;
    if (g->a_transposed && g->m * g->panel > most_transposed_results) return 0;
    return (double)g->m * (double)g->panel * (double)g->k <= most_small_products;
}

static dlda_gemm_kernel generate(const dlda_gemm *g, size_t columns, int accumulate)
{
    const int m = (int)columns, n = (int)g->m, k = (int)g->piece;
    const int lda = (int)g->ldb, ldb = (int)g->lda, ldc = (int)g->ldc;
    const float alpha = 1, beta = accumulate ? 1 : 0;
    const int flags = g->a_transposed ? LIBXSMM_GEMM_FLAG_TRANS_B : LIBXSMM_GEMM_FLAG_NONE;
    const int fetch = g->looks_ahead ? LIBXSMM_GEMM_PREFETCH_AL2BL2_VIA_C : LIBXSMM_GEMM_PREFETCH_NONE;
    return (dlda_gemm_kernel)libxsmm_smmdispatch(m, n, k, &lda, &ldb, &ldc, &alpha, &beta, &flags, &fetch);
}

/* Either all kernels that are needed, or none. */
static int generate_kernels(dlda_gemm *g)
{
    const size_t columns[2] = { g->panel, g->n % g->panel };
    int complete = 1;

    for (int last = 0; last < 2; last++)
        for (int further = 0; further < 2; further++) {
            if (columns[last] == 0 || (further && g->piece == g->k)) continue;
            g->kernels[last][further] = generate(g, columns[last], further || g->accumulate);
            complete = complete && g->kernels[last][further];
        }
    return complete;
}

static void choose_kernels(dlda_gemm *g)
{
    size_t panel = has_avx512() && g->looks_ahead && !g->a_transposed ? narrow_panel : wide_panel;

    g->panel = g->n < panel ? g->n : panel;
    g->piece = has_avx512() && !g->a_transposed && g->k > long_sum && g->k % piece_of_sum == 0 ? piece_of_sum
                                                                                               : g->k;
    if (!suits_libxsmm(g) || !generate_kernels(g)) memset(g->kernels, 0, sizeof g->kernels);
}

/* Kernels that do not look ahead ignore the next operands. */
static void run_kernels(const dlda_gemm *g, const float *A, const float *B, float *C, const float *next_A,
                        const float *next_B)
{
    for (size_t j = 0; j < g->n; j += g->panel)
        for (size_t k = 0; k < g->k; k += g->piece) {
            size_t at = k * g->ldb + j;
            libxsmm_smmfunction kernel = (libxsmm_smmfunction)g->kernels[j + g->panel > g->n][k > 0];
            kernel(B + at, A + k, C + j, next_B + at, next_A + k, C + j);
        }
}
#else
static void choose_kernels(dlda_gemm *g)
{
    (void)g;
}

static void run_kernels(const dlda_gemm *g, const float *A, const float *B, float *C, const float *next_A,
                        const float *next_B)
{
    (void)g, (void)A, (void)B, (void)C, (void)next_A, (void)next_B;
}
#endif

void dlda_gemm_plan(dlda_gemm *gemm)
{
    dlda_gemm_resize(gemm, gemm->m, gemm->n, gemm->k);
}

void dlda_gemm_resize(dlda_gemm *gemm, size_t m, size_t n, size_t k)
{
    gemm->m = m;
    gemm->n = n;
    gemm->k = k;
    memset(gemm->kernels, 0, sizeof gemm->kernels);
    if (m && n && k) choose_kernels(gemm);
}

void dlda_gemm_run(const dlda_gemm *g, const float *A, const float *B, float *C)
{
    dlda_gemm_run_before(g, A, B, C, A, B);
}

void dlda_gemm_run_before(const dlda_gemm *g, const float *A, const float *B, float *C, const float *next_A,
                          const float *next_B)
{
    if (g->m == 0 || g->n == 0) return;
    if (g->kernels[0][0]) {
        run_kernels(g, A, B, C, next_A, next_B);
        return;
    }
    dlda_blas_begin();
    cblas_sgemm(CblasRowMajor, g->a_transposed ? CblasTrans : CblasNoTrans,
                g->b_transposed ? CblasTrans : CblasNoTrans, (int)g->m, (int)g->n, (int)g->k, 1, A, (int)g->lda, B,
                (int)g->ldb, g->accumulate ? 1 : 0, C, (int)g->ldc);
    dlda_blas_end();
}

/* ---- Products of doubles ---- */

#ifdef DLDA_WITH_LIBXSMM
/* Of few columns, OpenBLAS spends more time on packing than on products (100 columns: 29 GFLOPS, 52 by generated kernels of
 * 4 rows of S and 64 rows of X, which stay in the first-level cache; 300: 42 and 54). Few rows do not pay for generating
 * them. Returns how many of the rows were added. */
static size_t add_upper_by_kernels(size_t n, size_t d, const double *X, double *S)
{
    enum { STRIP = 4, PIECE = 64, LEAST_ROWS = 256, MOST_COLUMNS = 256 };
    libxsmm_dmmfunction kernels[MOST_COLUMNS / STRIP];
    const int ld = (int)d, flags = LIBXSMM_GEMM_FLAG_TRANS_B;
    const double one = 1;

    if (n < LEAST_ROWS || d > MOST_COLUMNS) return 0;
    for (size_t i = 0; i < d; i += STRIP) {
        int m = (int)(d - i), strip = m < STRIP ? m : STRIP;
        kernels[i / STRIP] = libxsmm_dmmdispatch(m, strip, PIECE, &ld, &ld, &ld, &one, &one, &flags, NULL);
        if (!kernels[i / STRIP]) return 0;
    }
    for (size_t k = 0; k + PIECE <= n; k += PIECE)
        for (size_t i = 0; i < d; i += STRIP) {
            const double *x = X + k * d + i;
            kernels[i / STRIP](x, x, S + i * d + i);
        }
    return n - n % PIECE;
}
#else
static size_t add_upper_by_kernels(size_t n, size_t d, const double *X, double *S)
{
    (void)n, (void)d, (void)X, (void)S;
    return 0;
}
#endif

void dlda_double_add_upper_products(size_t n, size_t d, const double *X, double *S)
{
    size_t added = add_upper_by_kernels(n, d, X, S);

    if (added == n) return;
    dlda_blas_begin();
    cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, (int)d, (int)(n - added), 1, X + added * d, (int)d, 1, S,
                (int)d);
    dlda_blas_end();
}

void dlda_double_add_products(size_t n, size_t d, const double *X, double *S)
{
    dlda_double_add_upper_products(n, d, X, S);
    for (size_t i = 1; i < d; i++)
        for (size_t j = 0; j < i; j++) S[i * d + j] = S[j * d + i];
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
