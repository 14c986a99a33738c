/* SPDX-License-Identifier: MIT
 *
 * test_eigen.c - A e = v B e and A e = v e: residual, e'Be = 1, order, signs, and matrices that have no answer.
 */
#include "check.h"

#include "base/memory.h"
#include "linalg/eigen.h"

enum { MOST = 24 }; /* largest matrix here */

static void make_symmetric(uint64_t *seed, size_t d, double *A)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j <= i; j++) A[i * d + j] = A[j * d + i] = check_normal(seed);
}

/* X'X + I/10 for a random X. */
static void make_definite(uint64_t *seed, size_t d, double *B)
{
    double X[MOST * MOST];

    for (size_t i = 0; i < d * d; i++) X[i] = check_normal(seed);
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            B[i * d + j] = i == j ? 0.1 : 0.0;
            for (size_t k = 0; k < d; k++) B[i * d + j] += X[k * d + i] * X[k * d + j];
        }
}

static double form(const double *x, const double *M, const double *y, size_t d)
{
    double sum = 0;

    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) sum += x[i] * M[i * d + j] * y[j];
    return sum;
}

static void check_residual(const double *A, const double *B, size_t d, double v, const double *e)
{
    double scale = (largest_size(A, d * d) + fabs(v) * largest_size(B, d * d)) * largest_size(e, d) * (double)d;

    for (size_t i = 0; i < d; i++) {
        double left = 0, right = 0;
        for (size_t j = 0; j < d; j++) left += A[i * d + j] * e[j], right += v * B[i * d + j] * e[j];
        assert_true(fabs(left - right) <= 1e-12 * scale);
    }
}

static void check_sign(const double *e, size_t d)
{
    size_t at = 0;

    for (size_t i = 1; i < d; i++)
        if (fabs(e[i]) > fabs(e[at])) at = i;
    assert_true(e[at] > 0);
}

/* Everything that eigen.h promises of the k vectors. */
static void check_solution(const double *A, const double *B, size_t d, size_t k, const double *v, const double *E)
{
    for (size_t j = 0; j < k; j++) {
        assert_true(isfinite(v[j]));
        assert_true(j == 0 || v[j - 1] >= v[j]);
        check_residual(A, B, d, v[j], E + j * d);
        check_sign(E + j * d, d);
        for (size_t i = 0; i <= j; i++) {
            double product = form(E + i * d, B, E + j * d, d);
            assert_true(fabs(product - (i == j)) < 1e-10);
        }
    }
}

static void solve_and_check(const double *A, const double *B, size_t d, size_t k, double *v, double *E)
{
    double A_before[MOST * MOST], B_before[MOST * MOST];
    dlda_eigen *eigen = NULL;

    memcpy(A_before, A, d * d * sizeof *A);
    memcpy(B_before, B, d * d * sizeof *B);
    for (size_t i = 0; i < k; i++) v[i] = NAN;
    for (size_t i = 0; i < k * d; i++) E[i] = NAN;
    CHECK_OK(dlda_eigen_create(d, &eigen));
    size_t taken = dlda_memory_count().taken;
    CHECK_OK(dlda_eigen_solve(eigen, A, B, k, v, E));
    assert_int_equal(dlda_memory_count().taken, taken);
    dlda_eigen_destroy(eigen);
    assert_memory_equal(A, A_before, d * d * sizeof *A);
    assert_memory_equal(B, B_before, d * d * sizeof *B);
    check_solution(A, B, d, k, v, E);
}

static void test_random_problems(void **state)
{
    (void)state;
    double A[MOST * MOST], B[MOST * MOST], v[MOST], E[MOST * MOST], top[MOST];
    uint64_t seed = 1;

    for (size_t d = 1; d <= MOST; d++) {
        make_symmetric(&seed, d, A);
        make_definite(&seed, d, B);
        solve_and_check(A, B, d, d, v, E);
        size_t k = (d + 1) / 2;
        solve_and_check(A, B, d, k, top, E);
        CHECK_NEAR(top, v, k, 1e-12, "the %zu largest of %zu eigenvalues", k, d);
    }
}

/* v of a triangular transform is known: A = L diag(v) L', B = L L'. */
static void test_known_answer(void **state)
{
    (void)state;
    const double A[4] = { 2, 0, 0, 3 }, B[4] = { 1, 0, 0, 2 };
    double v[2], E[4];

    solve_and_check(A, B, 2, 2, v, E);
    CHECK_NEAR(v, ((double[]){ 2, 1.5 }), 2, 1e-15, "eigenvalues");
    CHECK_NEAR(E, ((double[]){ 1, 0, 0, sqrt(0.5) }), 4, 1e-15, "eigenvectors");

    const double L[9] = { 2, 0, 0, -1, 1, 0, 0.5, 3, 0.5 }, wanted[3] = { 7, -1, -1e-3 };
    double P[9], Q[9], v3[3], E3[9];
    for (size_t i = 0; i < 9; i++) {
        P[i] = Q[i] = 0;
        for (size_t k = 0; k < 3; k++) {
            P[i] += L[i / 3 * 3 + k] * wanted[k] * L[i % 3 * 3 + k];
            Q[i] += L[i / 3 * 3 + k] * L[i % 3 * 3 + k];
        }
    }
    solve_and_check(P, Q, 3, 3, v3, E3);
    CHECK_NEAR(v3, ((double[]){ 7, -1e-3, -1 }), 3, 1e-11, "eigenvalues");
}

static void test_one_dimension(void **state)
{
    (void)state;
    const double A = -6, B = 4;
    double v, e;

    solve_and_check(&A, &B, 1, 1, &v, &e);
    assert_true(fabs(v + 1.5) < 1e-15 && fabs(e - 0.5) < 1e-15);
}

/* A = 3B: every vector is an eigenvector; the ones returned must still be orthonormal. A = 0 likewise. */
static void test_equal_eigenvalues(void **state)
{
    (void)state;
    enum { D = 7 };
    double A[D * D], B[D * D], v[D], E[D * D];
    uint64_t seed = 2;

    make_definite(&seed, D, B);
    for (size_t i = 0; i < D * D; i++) A[i] = 3 * B[i];
    solve_and_check(A, B, D, D, v, E);
    for (size_t j = 0; j < D; j++) assert_true(fabs(v[j] - 3) < 1e-11);
    memset(A, 0, sizeof A);
    solve_and_check(A, B, D, 3, v, E);
    for (size_t j = 0; j < 3; j++) assert_true(fabs(v[j]) < 1e-13);
}

/* Spread over twelve orders of magnitude, as with a feature that hardly moves. */
static void test_badly_scaled(void **state)
{
    (void)state;
    const double A[4] = { 1, 0, 0, 1e-12 }, B[4] = { 1e-6, 0, 0, 1e6 };
    double v[2], E[4];

    solve_and_check(A, B, 2, 2, v, E);
    assert_true(fabs(v[0] / 1e6 - 1) < 1e-12);
}

static void check_refused(size_t d, const double *A, const double *B)
{
    double v[MOST], E[MOST * MOST];
    dlda_eigen *eigen = NULL;

    for (size_t i = 0; i < d; i++) v[i] = -77;
    for (size_t i = 0; i < d * d; i++) E[i] = -77;
    CHECK_OK(dlda_eigen_create(d, &eigen));
    CHECK_STATUS(dlda_eigen_solve(eigen, A, B, d, v, E), DLDA_E_NUMERIC);
    assert_true(strlen(dlda_last_error()) > 10);
    for (size_t i = 0; i < d; i++) assert_true(v[i] == -77);
    for (size_t i = 0; i < d * d; i++) assert_true(E[i] == -77);

    /* The same memory solves a good problem afterwards. */
    double I[MOST * MOST] = { 0 };
    for (size_t i = 0; i < d; i++) I[i * d + i] = 1;
    CHECK_OK(dlda_eigen_solve(eigen, I, I, d, v, E));
    check_solution(I, I, d, d, v, E);
    dlda_eigen_destroy(eigen);
}

static void test_not_positive_definite(void **state)
{
    (void)state;
    const double A[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }, zero[9] = { 0 };
    const double indefinite[9] = { 1, 0, 0, 0, -1, 0, 0, 0, 1 }, singular[9] = { 1, 1, 0, 1, 1, 0, 0, 0, 1 };

    check_refused(3, A, zero);
    check_refused(3, A, indefinite);
    check_refused(3, A, singular);
    check_refused(1, A, zero);
}

static void test_values_not_finite(void **state)
{
    (void)state;
    double good[9] = { 2, 0.5, 0, 0.5, 2, 0, 0, 0, 2 };
    const double bad[2] = { NAN, INFINITY };

    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < 3; i++)
            for (size_t j = 0; j <= i; j++) {
                double matrix[9];
                memcpy(matrix, good, sizeof matrix);
                matrix[i * 3 + j] = matrix[j * 3 + i] = bad[b];
                check_refused(3, matrix, good);
                check_refused(3, good, matrix);
            }
}

static void test_no_memory(void **state)
{
    (void)state;
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_eigen *eigen = NULL;
        assert_true(n < 100);
        dlda_memory_fail_at(n);
        status = dlda_eigen_create(5, &eigen);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) {
            CHECK_STATUS(status, DLDA_E_MEMORY);
            assert_null(eigen);
        }
        dlda_eigen_destroy(eigen);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_eigen_destroy(NULL);
}

/* ---- A e = v e ---- */

static void test_symmetric(void **state)
{
    static const size_t sizes[] = { 1, 2, 3, 7, MOST };
    uint64_t seed = 77;

    (void)state;
    for (size_t s = 0; s < 5; s++) {
        size_t d = sizes[s];
        double A[MOST * MOST], E[MOST * MOST], I[MOST * MOST] = { 0 }, v[MOST];
        make_symmetric(&seed, d, A);
        for (size_t i = 0; i < d; i++) I[i * d + i] = 1;
        memcpy(E, A, d * d * sizeof *A);
        CHECK_OK(dlda_eigen_symmetric(d, E, v));
        for (size_t j = 0; j < d; j++) {
            check_residual(A, I, d, v[j], E + j * d);
            assert_true(j == 0 || v[j] >= v[j - 1]);
            for (size_t k = 0; k <= j; k++) assert_true(fabs(form(E + j * d, I, E + k * d, d) - (j == k)) < 1e-12);
        }
    }
}

static void test_symmetric_refused(void **state)
{
    double A[4] = { 1, NAN, NAN, 1 }, good[4] = { 2, 1, 1, 2 }, v[2];
    size_t live = dlda_memory_count().live;

    (void)state;
    CHECK_STATUS(dlda_eigen_symmetric(2, A, v), DLDA_E_NUMERIC);
    CHECK_STATUS(dlda_eigen_symmetric(0, A, v), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_eigen_symmetric(30001, A, v), DLDA_E_ARGUMENT);
    for (size_t n = 1; n <= 2; n++) {
        dlda_memory_fail_at(n);
        CHECK_STATUS(dlda_eigen_symmetric(2, good, v), DLDA_E_MEMORY);
        dlda_memory_fail_at(0);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* The estimate is at most the smallest eigenvalue and not far below it; 0 for what is not positive definite. */
static void test_smallest(void **state)
{
    double B[MOST * MOST], copy[MOST * MOST], values[MOST], smallest = -1;
    uint64_t seed = 21;

    (void)state;
    for (size_t d = 1; d <= MOST; d++) {
        make_definite(&seed, d, B);
        memcpy(copy, B, sizeof copy);
        CHECK_OK(dlda_eigen_smallest(d, B, &smallest));
        CHECK_OK(dlda_eigen_symmetric(d, copy, values));
        assert_true(smallest <= values[0] * (1 + 1e-9) * 3 && smallest >= values[0] / (2 * sqrt((double)d)));
        for (size_t j = 0; j < d; j++) B[j] = B[j * d] = 0;
        CHECK_OK(dlda_eigen_smallest(d, B, &smallest));
        assert_true(smallest == 0);
    }
    B[0] = NAN;
    CHECK_STATUS(dlda_eigen_smallest(2, B, &smallest), DLDA_E_NUMERIC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_problems),   cmocka_unit_test(test_known_answer),
        cmocka_unit_test(test_one_dimension),     cmocka_unit_test(test_equal_eigenvalues),
        cmocka_unit_test(test_badly_scaled),      cmocka_unit_test(test_not_positive_definite),
        cmocka_unit_test(test_values_not_finite), cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_symmetric),         cmocka_unit_test(test_symmetric_refused),
        cmocka_unit_test(test_smallest),
    };

    return cmocka_run_group_tests_name("eigen", tests, NULL, NULL);
}
