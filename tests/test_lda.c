/* SPDX-License-Identifier: MIT
 *
 * test_lda.c - classic LDA: scatters in portions, far from the origin and merged; the classifier against the golden
 * answers of tools/twin.py, at huge scores, and on data that has no answer.
 */
#include "check.h"

#include <float.h>

#include "base/memory.h"
#include "golden/golden_head.h"

enum { N_GOLDEN = sizeof golden_heads / sizeof *golden_heads };
enum { N = 240, D = 6, C = 5 }; /* of the table below */

typedef struct table {
    float X[N * D]; /* [N][D], multiples of 1/16 below 32 in size: exact also at an offset of 1e6 */
    int labels[N];
} table;

static table table_make(uint64_t seed)
{
    table t;
    double means[C * D];

    for (size_t i = 0; i < C * D; i++) means[i] = 3 * check_normal(&seed);
    for (size_t i = 0; i < N; i++) {
        t.labels[i] = (int)((i * 7 + i / 11) % C);
        for (size_t k = 0; k < D; k++) {
            double x = means[(size_t)t.labels[i] * D + k] + 2 * check_normal(&seed);
            t.X[i * D + k] = (float)(round(x * 16) / 16);
            assert_true(fabs(x) < 32);
        }
    }
    return t;
}

static dlda_scatter *scatter_make(size_t classes, size_t features)
{
    dlda_scatter *scatter = NULL;

    CHECK_OK(dlda_scatter_create(classes, features, &scatter));
    return scatter;
}

/* Rows first .. end-1, in portions of `portion`. */
static void scatter_add_rows(dlda_scatter *scatter, const table *t, size_t first, size_t end, size_t portion)
{
    for (size_t i = first; i < end; i += portion) {
        size_t n = end - i < portion ? end - i : portion;
        CHECK_OK(dlda_scatter_add(scatter, t->X + i * D, t->labels + i, n));
    }
}

static dlda_lda *fit_and_free(dlda_scatter *scatter, double lambda)
{
    dlda_lda *lda = NULL;

    CHECK_OK(dlda_lda_fit(scatter, lambda, &lda));
    dlda_scatter_destroy(scatter);
    return lda;
}

static dlda_lda *fit_portions(const table *t, size_t portion)
{
    dlda_scatter *scatter = scatter_make(C, D);

    scatter_add_rows(scatter, t, 0, N, portion);
    return fit_and_free(scatter, 1e-3);
}

/* Eigenvalues to `tolerance`; labels of the table itself equal, probabilities to what a float holds. */
static void check_same_lda(const dlda_lda *found, const dlda_lda *expected, const table *t, double tolerance,
                           const char *what)
{
    size_t K = 0, wanted_K = 0;
    const double *v = dlda_lda_eigenvalues(found, &K), *wanted = dlda_lda_eigenvalues(expected, &wanted_K);
    int labels[2][N];
    float *proba[2] = { check_nan_floats(N * C), check_nan_floats(N * C) };

    assert_int_equal(K, wanted_K);
    CHECK_NEAR(v, wanted, K, tolerance, "%s: eigenvalues", what);
    CHECK_OK(dlda_lda_predict(found, t->X, N, DLDA_PROBABILITY_BAYES, labels[0], proba[0]));
    CHECK_OK(dlda_lda_predict(expected, t->X, N, DLDA_PROBABILITY_BAYES, labels[1], proba[1]));
    assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    for (size_t i = 0; i < N * C; i++) assert_true(fabsf(proba[0][i] - proba[1][i]) < 1e-5f);
    free(proba[0]);
    free(proba[1]);
}

/* ---- scatters ---------------------------------------------------------------------------------------------- */

static void test_portions(void **state)
{
    (void)state;
    const size_t portions[] = { 1, 2, 7, 64, 239 };
    table t = table_make(1);
    dlda_lda *whole = fit_portions(&t, N);

    for (size_t p = 0; p < sizeof portions / sizeof *portions; p++) {
        dlda_lda *lda = fit_portions(&t, portions[p]);
        check_same_lda(lda, whole, &t, 1e-12, "rows in portions");
        dlda_lda_destroy(lda);
    }
    dlda_lda_destroy(whole);
}

static void test_merge(void **state)
{
    (void)state;
    const size_t cuts[] = { 0, 1, 100, N };
    table t = table_make(2);
    dlda_lda *whole = fit_portions(&t, N);

    for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
        dlda_scatter *first = scatter_make(C, D), *second = scatter_make(C, D);
        scatter_add_rows(first, &t, 0, cuts[c], 50);
        scatter_add_rows(second, &t, cuts[c], N, 50);
        CHECK_OK(dlda_scatter_merge(first, second));
        dlda_scatter_destroy(second);
        dlda_lda *lda = fit_and_free(first, 1e-3);
        check_same_lda(lda, whole, &t, 1e-12, "merged scatters");
        dlda_lda_destroy(lda);
    }
    dlda_lda_destroy(whole);
}

/* Parts that share no class, as when files are sorted by class. */
static void test_merge_of_sorted_parts(void **state)
{
    (void)state;
    table t = table_make(3);
    dlda_lda *whole = fit_portions(&t, N);
    dlda_scatter *sum = scatter_make(C, D);

    for (int c = C - 1; c >= 0; c--) {
        dlda_scatter *part = scatter_make(C, D);
        for (size_t i = 0; i < N; i++)
            if (t.labels[i] == c) scatter_add_rows(part, &t, i, i + 1, 1);
        CHECK_OK(dlda_scatter_merge(sum, part));
        dlda_scatter_destroy(part);
    }
    dlda_lda *lda = fit_and_free(sum, 1e-3);
    check_same_lda(lda, whole, &t, 1e-12, "parts of one class each");
    dlda_lda_destroy(lda);
    dlda_lda_destroy(whole);
}

/* All values 1e6 away from the origin, exactly: sums of squares would have lost everything. */
static void test_large_offset(void **state)
{
    (void)state;
    const size_t portions[] = { 1, 16, N };
    table t = table_make(4), far = t;
    dlda_lda *near = fit_portions(&t, N);
    int labels[2][N];
    size_t K = 0;
    const double *values = dlda_lda_eigenvalues(near, &K);

    for (size_t i = 0; i < N * D; i++) {
        far.X[i] += 1e6f;
        assert_true((double)far.X[i] - 1e6 == (double)t.X[i]);
    }
    CHECK_OK(dlda_lda_predict(near, t.X, N, DLDA_PROBABILITY_PAPER, labels[0], NULL));
    for (size_t p = 0; p < sizeof portions / sizeof *portions; p++) {
        dlda_lda *lda = fit_portions(&far, portions[p]);
        CHECK_NEAR(dlda_lda_eigenvalues(lda, NULL), values, K, 1e-8, "portion %zu far away", portions[p]);
        CHECK_OK(dlda_lda_predict(lda, far.X, N, DLDA_PROBABILITY_PAPER, labels[1], NULL));
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
        dlda_lda_destroy(lda);
    }
    dlda_lda_destroy(near);
}

/* ---- the classifier ---------------------------------------------------------------------------------------- */

static dlda_lda *fit_golden(const golden_head *golden)
{
    dlda_scatter *scatter = scatter_make(golden->C, golden->D);

    CHECK_OK(dlda_scatter_add(scatter, golden->X, golden->labels, golden->N));
    return fit_and_free(scatter, golden->lambda);
}

static void check_golden_predictions(const dlda_lda *lda, const golden_head *golden, int kind)
{
    size_t n = golden->n;
    int labels[64];
    float *proba = check_nan_floats(n * golden->C);

    assert_true(n <= 64);
    memset(labels, 0xA5, sizeof labels);
    CHECK_OK(dlda_lda_predict(lda, golden->Y, n, (dlda_probability)kind, labels, proba));
    assert_memory_equal(labels, golden->predicted[kind], n * sizeof *labels);
    CHECK_NEAR_FLOAT(proba, golden->proba[kind], n * golden->C, 1e-6, "%s: probabilities %d", golden->name, kind);
    for (size_t i = 0; i < n * golden->C; i++) /* small ones count as well; unusable classes are exactly 0 */
        assert_true(fabs(proba[i] - golden->proba[kind][i]) <= 1e-5 * golden->proba[kind][i] + FLT_MIN);
    free(proba);
}

static void test_golden(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_head *golden = &golden_heads[g];
        dlda_lda *lda = fit_golden(golden);
        size_t K = 0;
        const double *v = dlda_lda_eigenvalues(lda, &K);
        assert_int_equal(K, golden->K);
        assert_int_equal(dlda_lda_classes(lda), golden->C);
        assert_int_equal(dlda_lda_features(lda), golden->D);
        CHECK_NEAR(v, golden->eigenvalues, K, 1e-10, "%s: eigenvalues", golden->name);
        for (int kind = DLDA_PROBABILITY_PAPER; kind <= DLDA_PROBABILITY_BAYES; kind++)
            check_golden_predictions(lda, golden, kind);
        dlda_lda_destroy(lda);
    }
}

/* Z = Y A, [n][K] and not a value more. */
static void test_transform(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_head *golden = &golden_heads[g];
        dlda_lda *lda = fit_golden(golden);
        size_t n = golden->n * golden->K;
        float *Z = check_nan_floats(n + 4);
        CHECK_OK(dlda_lda_transform(lda, golden->Y, golden->n, Z));
        CHECK_NEAR_FLOAT(Z, golden->Z, n, 1e-5, "%s: transform", golden->name);
        for (size_t i = n; i < n + 4; i++) assert_true(isnan(Z[i]));
        free(Z);
        dlda_lda_destroy(lda);
    }
}

/* Each output may be left out without changing the other. */
static void test_outputs_may_be_null(void **state)
{
    (void)state;
    table t = table_make(5);
    dlda_lda *lda = fit_portions(&t, N);

    for (int kind = DLDA_PROBABILITY_PAPER; kind <= DLDA_PROBABILITY_BAYES; kind++) {
        int labels[2][N];
        float *proba[2] = { check_nan_floats(N * C), check_nan_floats(N * C) };
        CHECK_OK(dlda_lda_predict(lda, t.X, N, (dlda_probability)kind, labels[0], proba[0]));
        CHECK_OK(dlda_lda_predict(lda, t.X, N, (dlda_probability)kind, labels[1], NULL));
        CHECK_OK(dlda_lda_predict(lda, t.X, N, (dlda_probability)kind, NULL, proba[1]));
        CHECK_OK(dlda_lda_predict(lda, t.X, N, (dlda_probability)kind, NULL, NULL));
        CHECK_OK(dlda_lda_predict(lda, t.X, 0, (dlda_probability)kind, labels[1], proba[1]));
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
        assert_memory_equal(proba[0], proba[1], N * C * sizeof(float));
        free(proba[0]);
        free(proba[1]);
    }
    dlda_lda_destroy(lda);
}

static void check_probabilities(const float *proba, size_t classes)
{
    double sum = 0;

    for (size_t c = 0; c < classes; c++) {
        assert_true(proba[c] >= 0 && proba[c] <= 1);
        sum += proba[c];
    }
    assert_true(fabs(sum - 1) < 1e-5);
}

/* Features up to the largest float, to both sides: scores where exp overflows, underflows, or is 0 everywhere. */
static void test_huge_scores(void **state)
{
    (void)state;
    const float scales[] = { 0, 1e-30f, 1, 1e3f, 1e6f, 1e20f, 1e37f };
    table t = table_make(6);
    dlda_lda *lda = fit_portions(&t, N);
    float *proba = check_nan_floats(N * C), *X = check_nan_floats(N * D);
    int labels[N];

    for (size_t s = 0; s < 2 * sizeof scales / sizeof *scales; s++)
        for (int kind = DLDA_PROBABILITY_PAPER; kind <= DLDA_PROBABILITY_BAYES; kind++) {
            float scale = s % 2 ? -scales[s / 2] : scales[s / 2];
            for (size_t i = 0; i < N * D; i++) X[i] = fmaxf(-FLT_MAX, fminf(FLT_MAX, t.X[i] * scale));
            CHECK_OK(dlda_lda_predict(lda, X, N, (dlda_probability)kind, labels, proba));
            for (size_t i = 0; i < N; i++) {
                check_probabilities(proba + i * C, C);
                assert_in_range(labels[i], 0, C - 1);
                for (size_t c = 0; c < C; c++)
                    assert_true(proba[i * C + c] <= proba[i * C + (size_t)labels[i]] * 1.000001f);
            }
        }
    free(proba);
    free(X);
    dlda_lda_destroy(lda);
}

/* d_c = (|A'h|^2 - |A'(h - m_c)|^2)/2: a shift of everything moves all scores of a row by the same amount. */
static void test_shift_keeps_labels(void **state)
{
    (void)state;
    table t = table_make(7), moved = t;
    dlda_lda *here = fit_portions(&t, N);
    float *proba[2] = { check_nan_floats(N * C), check_nan_floats(N * C) };

    for (size_t i = 0; i < N * D; i++) moved.X[i] += (float)(i % D) * 100 - 250;
    dlda_lda *there = fit_portions(&moved, N);
    for (int kind = DLDA_PROBABILITY_PAPER; kind <= DLDA_PROBABILITY_BAYES; kind++) {
        int labels[2][N];
        CHECK_OK(dlda_lda_predict(here, t.X, N, (dlda_probability)kind, labels[0], proba[0]));
        CHECK_OK(dlda_lda_predict(there, moved.X, N, (dlda_probability)kind, labels[1], proba[1]));
        assert_memory_equal(labels[0], labels[1], sizeof labels[0]);
    }
    for (size_t i = 0; i < N * C; i++) assert_true(fabsf(proba[0][i] - proba[1][i]) < 1e-5f); /* of bayes */
    free(proba[0]);
    free(proba[1]);
    dlda_lda_destroy(here);
    dlda_lda_destroy(there);
}

/* Where classes lie apart, their own rows are recognised. */
static void test_separated_classes(void **state)
{
    (void)state;
    table t = table_make(8);
    int labels[N];

    for (size_t i = 0; i < N; i++) t.X[i * D + (size_t)t.labels[i]] += 100;
    dlda_lda *lda = fit_portions(&t, 33);
    CHECK_OK(dlda_lda_predict(lda, t.X, N, DLDA_PROBABILITY_PAPER, labels, NULL));
    assert_memory_equal(labels, t.labels, sizeof labels);
    dlda_lda_destroy(lda);
}

/* ---- failures ---------------------------------------------------------------------------------------------- */

static void test_too_few_classes(void **state)
{
    (void)state;
    table t = table_make(9);
    dlda_scatter *scatter = scatter_make(C, D);
    dlda_lda *lda = NULL;

    CHECK_STATUS(dlda_lda_fit(scatter, 1e-3, &lda), DLDA_E_CLASS); /* no rows at all */
    for (size_t i = 0; i < 37; i++) t.labels[i] = 2;
    t.labels[37] = 4;
    scatter_add_rows(scatter, &t, 0, 38, 10);
    CHECK_STATUS(dlda_lda_fit(scatter, 1e-3, &lda), DLDA_E_CLASS); /* 37 of class 2, one of class 4 */
    CHECK_ERROR_SAYS("37");
    assert_null(lda);
    t.labels[38] = 4;
    scatter_add_rows(scatter, &t, 38, 39, 1);
    lda = fit_and_free(scatter, 1e-3);
    size_t K = 0;
    dlda_lda_eigenvalues(lda, &K);
    assert_int_equal(K, 1);
    dlda_lda_destroy(lda);
}

/* A portion that is refused changes nothing: neither a wrong label nor a value that is not finite. */
static void test_refused_rows_leave_no_trace(void **state)
{
    (void)state;
    table t = table_make(10), bad = t;
    dlda_lda *expected = fit_portions(&t, N);
    dlda_scatter *scatter = scatter_make(C, D);

    scatter_add_rows(scatter, &t, 0, 100, 100);
    bad.labels[150] = C;
    CHECK_STATUS(dlda_scatter_add(scatter, bad.X + 100 * D, bad.labels + 100, 140), DLDA_E_ARGUMENT);
    bad.labels[150] = -1;
    CHECK_STATUS(dlda_scatter_add(scatter, bad.X + 100 * D, bad.labels + 100, 140), DLDA_E_ARGUMENT);
    bad = t;
    bad.X[(100 + 83) * D + 4] = NAN;
    CHECK_STATUS(dlda_scatter_add(scatter, bad.X + 100 * D, bad.labels + 100, 140), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("83");
    scatter_add_rows(scatter, &t, 100, N, 140);
    dlda_lda *lda = fit_and_free(scatter, 1e-3);
    check_same_lda(lda, expected, &t, 1e-12, "after refused rows");
    dlda_lda_destroy(lda);
    dlda_lda_destroy(expected);
}

/* A row that is not finite is named; nothing is written. */
static void test_predict_refuses_values_not_finite(void **state)
{
    (void)state;
    const float bad[3] = { NAN, INFINITY, -INFINITY };
    table t = table_make(14);
    dlda_lda *lda = fit_portions(&t, N);
    int labels[N];
    float *out = check_nan_floats(N * D);

    memset(labels, 0xA5, sizeof labels);
    for (size_t k = 0; k < 3; k++) {
        t.X[231 * D + 5] = bad[k];
        for (int kind = DLDA_PROBABILITY_PAPER; kind <= DLDA_PROBABILITY_BAYES; kind++)
            CHECK_STATUS(dlda_lda_predict(lda, t.X, N, (dlda_probability)kind, labels, out), DLDA_E_NUMERIC);
        CHECK_ERROR_SAYS("row 231");
        CHECK_STATUS(dlda_lda_transform(lda, t.X, N, out), DLDA_E_NUMERIC);
        CHECK_ERROR_SAYS("row 231");
    }
    for (size_t i = 0; i < N * D; i++) assert_true(isnan(out[i]));
    for (size_t i = 0; i < N; i++) assert_int_equal(labels[i], (int)0xA5A5A5A5);
    free(out);
    dlda_lda_destroy(lda);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    dlda_scatter *scatter = NULL, *other = scatter_make(C, D + 1), *third = scatter_make(C + 1, D);
    table t = table_make(11);
    dlda_lda *lda = NULL;

    assert_int_not_equal(dlda_scatter_create(C, 0, &scatter), DLDA_OK);
    assert_int_not_equal(dlda_scatter_create(0, D, &scatter), DLDA_OK);
    assert_null(scatter);
    scatter = scatter_make(C, D);
    assert_int_not_equal(dlda_scatter_merge(scatter, other), DLDA_OK);
    assert_int_not_equal(dlda_scatter_merge(scatter, third), DLDA_OK);
    scatter_add_rows(scatter, &t, 0, N, N);
    assert_int_not_equal(dlda_lda_fit(scatter, -1, &lda), DLDA_OK);
    assert_int_not_equal(dlda_lda_fit(scatter, NAN, &lda), DLDA_OK);
    assert_null(lda);
    dlda_scatter_destroy(scatter);
    dlda_scatter_destroy(other);
    dlda_scatter_destroy(third);
    dlda_scatter_destroy(NULL);
    dlda_lda_destroy(NULL);
}

/* Without lambda a feature that never moves leaves no positive definite matrix. */
static void test_singular(void **state)
{
    (void)state;
    table t = table_make(12);
    dlda_scatter *scatter = scatter_make(C, D);
    dlda_lda *lda = NULL;

    for (size_t i = 0; i < N; i++) t.X[i * D + 3] = 1;
    scatter_add_rows(scatter, &t, 0, N, 64);
    assert_int_not_equal(dlda_lda_fit(scatter, 0, &lda), DLDA_OK);
    assert_null(lda);
    lda = fit_and_free(scatter, 1e-6);
    dlda_lda_destroy(lda);
}

static dlda_status create_and_fit(const table *t)
{
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;
    dlda_status status = dlda_scatter_create(C, D, &scatter);

    if (status == DLDA_OK) status = dlda_scatter_add(scatter, t->X, t->labels, N);
    if (status == DLDA_OK) status = dlda_lda_fit(scatter, 1e-3, &lda);
    assert_true(status == DLDA_OK || !lda);
    dlda_scatter_destroy(scatter);
    dlda_lda_destroy(lda);
    return status;
}

static void test_no_memory(void **state)
{
    (void)state;
    table t = table_make(13);
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    for (size_t n = 1; status != DLDA_OK; n++) {
        assert_true(n < 200);
        dlda_memory_fail_at(n);
        status = create_and_fit(&t);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) CHECK_STATUS(status, DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_portions),
        cmocka_unit_test(test_merge),
        cmocka_unit_test(test_merge_of_sorted_parts),
        cmocka_unit_test(test_large_offset),
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_outputs_may_be_null),
        cmocka_unit_test(test_huge_scores),
        cmocka_unit_test(test_shift_keeps_labels),
        cmocka_unit_test(test_separated_classes),
        cmocka_unit_test(test_too_few_classes),
        cmocka_unit_test(test_refused_rows_leave_no_trace),
        cmocka_unit_test(test_predict_refuses_values_not_finite),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_singular),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests_name("lda", tests, NULL, NULL);
}
