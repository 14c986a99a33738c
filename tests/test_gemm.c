/* SPDX-License-Identifier: MIT
 *
 * test_gemm.c - matrix products of all kinds against plain loops in double.
 *
 * Operands lie in rows that are longer than needed, with NaN in between: whoever reads there shows it. The gaps
 * between the rows of C must stay as they were.
 */
#include "check.h"

#include "linalg/gemm.h"

typedef struct operands {
    dlda_gemm gemm;
    float *A, *B, *C, *before;
    size_t a_rows, b_rows;
} operands;

/* Rows of `columns` numbers, `step` apart, NaN in the gaps. */
static float *random_rows(size_t rows, size_t columns, size_t step, uint64_t *seed)
{
    float *values = check_nan_floats(rows * step);

    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) values[i * step + j] = (float)check_uniform(seed);
    return values;
}

/* `extra` floats between the end of a row and the next one. */
static operands make(dlda_gemm g, size_t extra, uint64_t *seed)
{
    operands o = { .gemm = g };
    size_t a_columns = g.a_transposed ? g.m : g.k, b_columns = g.b_transposed ? g.k : g.n;

    o.a_rows = g.a_transposed ? g.k : g.m;
    o.b_rows = g.b_transposed ? g.n : g.k;
    o.gemm.lda = a_columns + extra;
    o.gemm.ldb = b_columns + 2 * extra;
    o.gemm.ldc = g.n + 3 * extra;
    o.A = random_rows(o.a_rows, a_columns, o.gemm.lda, seed);
    o.B = random_rows(o.b_rows, b_columns, o.gemm.ldb, seed);
    o.C = g.accumulate ? random_rows(g.m, g.n, o.gemm.ldc, seed) : check_nan_floats(g.m * o.gemm.ldc);
    o.before = check_memory(g.m * o.gemm.ldc * sizeof *o.before);
    memcpy(o.before, o.C, g.m * o.gemm.ldc * sizeof *o.before);
    return o;
}

static void release(operands *o)
{
    free(o->A);
    free(o->B);
    free(o->C);
    free(o->before);
}

static double entry(const operands *o, size_t i, size_t j)
{
    const dlda_gemm *g = &o->gemm;
    double sum = g->accumulate ? o->before[i * g->ldc + j] : 0;

    for (size_t l = 0; l < g->k; l++) {
        double a = g->a_transposed ? o->A[l * g->lda + i] : o->A[i * g->lda + l];
        double b = g->b_transposed ? o->B[j * g->ldb + l] : o->B[l * g->ldb + j];
        sum += a * b;
    }
    return sum;
}

static void fail_at(const operands *o, size_t i, size_t j, const char *what, double expected)
{
    const dlda_gemm *g = &o->gemm;

    fail_msg("%zu x %zu x %zu%s%s%s, strides %zu %zu %zu, %s: %s (%zu, %zu) is %.9g, expected %.9g", g->m, g->n,
             g->k, g->a_transposed ? ", A'" : "", g->b_transposed ? ", B'" : "",
             g->accumulate ? ", accumulated" : "", g->lda, g->ldb, g->ldc, g->kernels[0][0] ? "own kernel" : "BLAS",
             what, i, j, (double)o->C[i * g->ldc + j], expected);
}

/* Rounding grows like the root of k, at worst like k; |entries| stay below 1. */
static void check_product(const operands *o)
{
    const dlda_gemm *g = &o->gemm;
    double most = 1e-7 * (double)(g->k + 10);

    for (size_t i = 0; i < g->m; i++) {
        const float *row = o->C + i * g->ldc;
        for (size_t j = 0; j < g->n; j++)
            if (!(fabs(row[j] - entry(o, i, j)) <= most)) fail_at(o, i, j, "entry", entry(o, i, j));
        for (size_t j = g->n; j < g->ldc; j++)
            if (!isnan(row[j])) fail_at(o, i, j, "gap", NAN);
    }
}

static void run_and_check(dlda_gemm g, size_t extra, uint64_t *seed)
{
    operands o = make(g, extra, seed);

    dlda_gemm_plan(&o.gemm);
    dlda_gemm_run(&o.gemm, o.A, o.B, o.C);
    check_product(&o);
    /* What is planned may be run by the BLAS as well: kernels do so for their last rows. */
    memcpy(o.C, o.before, g.m * o.gemm.ldc * sizeof *o.C);
    o.gemm.kernels[0][0] = NULL;
    dlda_gemm_run(&o.gemm, o.A, o.B, o.C);
    check_product(&o);
    release(&o);
}

static size_t pick(const size_t *values, size_t count, uint64_t *seed)
{
    return values[(size_t)((check_uniform(seed) + 1) / 2 * (double)count) % count];
}

static void test_odd_shapes(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 64, 100 }, extras[] = { 0, 0, 1, 5, 16 };
    uint64_t seed = 1;

    (void)state;
    for (int trial = 0; trial < 60; trial++)
        for (int flags = 0; flags < 16; flags++) {
            dlda_gemm g = { .m = pick(sizes, 12, &seed),
                            .n = pick(sizes, 12, &seed),
                            .k = pick(sizes, 12, &seed),
                            .a_transposed = flags & 1,
                            .b_transposed = flags >> 1 & 1,
                            .accumulate = flags >> 2 & 1,
                            .looks_ahead = flags >> 3 };
            run_and_check(g, pick(extras, 5, &seed), &seed);
        }
}

/* All small ones: where kernels have their edges. */
static void test_small_shapes(void **state)
{
    uint64_t seed = 2;

    (void)state;
    for (size_t m = 1; m <= 4; m++)
        for (size_t n = 1; n <= 17; n++)
            for (size_t k = 1; k <= 3; k++)
                for (int flags = 0; flags < 8; flags++)
                    run_and_check((dlda_gemm){ .m = m,
                                               .n = n,
                                               .k = k,
                                               .a_transposed = flags & 1,
                                               .b_transposed = flags >> 1 & 1,
                                               .accumulate = flags >> 2 },
                                  flags % 3, &seed);
}

static void test_large(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (int flags = 0; flags < 32; flags++) {
        size_t k = flags & 8 ? 768 : 301; /* 768: with AVX-512, in pieces */
        dlda_gemm g = { .m = 211,
                        .n = flags & 8 ? 301 : 157, /* 301: in panels */
                        .looks_ahead = flags >> 4,
                        .k = k,
                        .a_transposed = flags & 1,
                        .b_transposed = flags >> 1 & 1,
                        .accumulate = flags >> 2 & 1,
                        .lda = k,
                        .ldb = k,
                        .ldc = 311 };
        dlda_gemm planned = g;
        dlda_gemm_plan(&planned);
        if (g.b_transposed) assert_null(planned.kernels[0][0]); /* what libxsmm cannot do */
        run_and_check(g, 3, &seed);
    }
}

/* Planned for one size, used for a smaller one. */
static void test_resized(void **state)
{
    enum { M = 20, N = 24, K = 30 };
    uint64_t seed = 5;
    float A[M * K], B[K * N], found[M * N], expected[M * N];

    (void)state;
    for (size_t i = 0; i < M * K; i++) A[i] = (float)check_normal(&seed);
    for (size_t i = 0; i < K * N; i++) B[i] = (float)check_normal(&seed);
    for (size_t m = 1; m <= M; m += 6)
        for (size_t k = 1; k <= K; k += 7) {
            dlda_gemm g = { .m = M, .n = N, .k = K, .lda = K, .ldb = N, .ldc = N };
            dlda_gemm direct = { .m = m, .n = N, .k = k, .lda = K, .ldb = N, .ldc = N };
            dlda_gemm_plan(&g);
            dlda_gemm_resize(&g, m, N, k);
            dlda_gemm_plan(&direct);
            dlda_gemm_run(&g, A, B, found);
            dlda_gemm_run(&direct, A, B, expected);
            assert_memory_equal(found, expected, m * N * sizeof *found);
            for (size_t i = 0; i < m * N; i++) {
                double sum = 0;
                for (size_t l = 0; l < k; l++) sum += (double)A[i / N * K + l] * B[l * N + i % N];
                assert_true(fabs(found[i] - sum) < 1e-4);
            }
        }
}

/* No rows or columns: nothing is touched. Nothing to sum up: zero, or what was there. */
static void test_empty(void **state)
{
    uint64_t seed = 4;
    float C = 5;

    (void)state;
    for (int i = 0; i < 2; i++) {
        dlda_gemm g = { .m = i ? 0 : 3, .n = i ? 3 : 0, .k = 2, .lda = 3, .ldb = 3, .ldc = 3 };
        dlda_gemm_plan(&g);
        dlda_gemm_run(&g, NULL, NULL, &C);
        assert_true(C == 5);
        run_and_check((dlda_gemm){ .m = 3, .n = 4, .k = 0, .accumulate = i }, 1, &seed);
    }
}

/* The same product twice is the same to the bit: "same seed, same model" rests on it. */
static void test_same_bits(void **state)
{
    uint64_t seed = 5;
    static const size_t shapes[][3] = { { 31, 17, 64 }, { 128, 96, 72 }, { 200, 150, 300 } };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        operands o = make((dlda_gemm){ .m = shapes[i][0], .n = shapes[i][1], .k = shapes[i][2] }, 0, &seed);
        size_t bytes = o.gemm.m * o.gemm.n * sizeof(float);
        dlda_gemm_plan(&o.gemm);
        dlda_gemm_run(&o.gemm, o.A, o.B, o.C);
        dlda_gemm_run(&o.gemm, o.A, o.B, o.before);
        assert_memory_equal(o.C, o.before, bytes);
        release(&o);
    }
}

/* ---- Double ---- */

static double *random_doubles(size_t n, uint64_t *seed)
{
    double *values = check_memory(n * sizeof *values);

    for (size_t i = 0; i < n; i++) values[i] = check_uniform(seed);
    return values;
}

static void check_double_gemm(size_t m, size_t n, size_t k, int b_transposed, uint64_t *seed)
{
    double *A = random_doubles(m * k, seed), *B = random_doubles(k * n, seed);
    double *C = check_nan_doubles(m * n), *expected = check_nan_doubles(m * n);

    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < n; j++) {
            long double sum = 0;
            for (size_t l = 0; l < k; l++)
                sum += (long double)A[i * k + l] * (b_transposed ? B[j * k + l] : B[l * n + j]);
            expected[i * n + j] = (double)sum;
        }
    dlda_double_gemm(m, n, k, A, B, b_transposed, C);
    CHECK_NEAR(C, expected, m * n, 1e-14, "double product %zu x %zu x %zu, B%s", m, n, k, b_transposed ? "'" : "");
    free(A), free(B), free(C), free(expected);
}

static void test_double_gemm(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 64, 100 };
    uint64_t seed = 6;

    (void)state;
    for (int trial = 0; trial < 60; trial++) {
        size_t m = pick(sizes, 12, &seed), n = pick(sizes, 12, &seed), k = pick(sizes, 12, &seed);
        check_double_gemm(m, n, k, trial % 2, &seed);
    }
    dlda_double_gemm(0, 3, 2, NULL, NULL, 0, NULL);
    dlda_double_gemm(3, 0, 2, NULL, NULL, 1, NULL);
}

/* S is symmetric before and after, to the bit. */
static void check_add_products(size_t n, size_t d, uint64_t *seed)
{
    double *X = random_doubles(n * d, seed), *S = random_doubles(d * d, seed), *expected = check_nan_doubles(d * d);

    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++) S[i * d + j] = S[j * d + i];
    for (size_t i = 0; i < d * d; i++) {
        long double sum = S[i];
        for (size_t r = 0; r < n; r++) sum += (long double)X[r * d + i / d] * X[r * d + i % d];
        expected[i] = (double)sum;
    }
    dlda_double_add_products(n, d, X, S);
    CHECK_NEAR(S, expected, d * d, 1e-14, "products of %zu rows of %zu", n, d);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < i; j++) assert_memory_equal(&S[i * d + j], &S[j * d + i], sizeof *S);
    free(X), free(S), free(expected);
}

static void test_double_add_products(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 7, 16, 33, 100 };
    uint64_t seed = 7;

    (void)state;
    for (size_t i = 0; i < 7; i++)
        for (size_t j = 0; j < 7; j++) check_add_products(sizes[i], sizes[j], &seed);
    check_add_products(0, 5, &seed);
}

/* A block of a larger matrix; what lies beside it stays. */
static void test_double_add_cross_products(void **state)
{
    enum { ROWS = 9, LD = 13, M = 4, N = 5 };
    double X[ROWS * LD], S[LD * LD], expected[LD * LD];
    uint64_t seed = 8;

    (void)state;
    for (size_t i = 0; i < ROWS * LD; i++) X[i] = check_normal(&seed);
    for (size_t i = 0; i < LD * LD; i++) S[i] = expected[i] = check_normal(&seed);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++)
            for (size_t k = 0; k < ROWS; k++)
                expected[(2 + i) * LD + 7 + j] += X[k * LD + 2 + i] * X[k * LD + 7 + j];
    dlda_double_add_cross_products(M, N, ROWS, X + 2, X + 7, S + 2 * LD + 7, LD);
    CHECK_NEAR(S, expected, LD * LD, 1e-14, "block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_odd_shapes),
        cmocka_unit_test(test_small_shapes),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_resized),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_double_gemm),
        cmocka_unit_test(test_double_add_products),
        cmocka_unit_test(test_double_add_cross_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
