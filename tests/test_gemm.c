/* SPDX-License-Identifier: MIT
 *
 * test_gemm.c - matrix products of doubles against plain loops in long double.
 */
#include "check.h"

#include "linalg/gemm.h"

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
        size_t m = sizes[trial % 12], n = sizes[trial * 5 % 12], k = sizes[trial * 7 % 11];
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
        cmocka_unit_test(test_double_gemm),
        cmocka_unit_test(test_double_add_products),
        cmocka_unit_test(test_double_add_cross_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
