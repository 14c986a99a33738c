/* SPDX-License-Identifier: MIT
 *
 * test_distance.c - how far rows are from the classes of an LDA, and how far is too far: the chi-square distribution
 * against SciPy, distances against tools/make-golden, all answers of an LDA at once against each alone.
 */
#include "check.h"

#include "base/chi_square.h"
#include "base/memory.h"
#include "classify/lda_head.h"
#include "golden/golden_distance.h"
#include "golden/golden_head.h"

enum {
    N_GOLDEN = sizeof golden_heads / sizeof *golden_heads,
    N_ALPHAS = sizeof chi_square_alphas / sizeof *chi_square_alphas,
    N_DEGREES = sizeof chi_square_degrees / sizeof *chi_square_degrees
};

/* ---- The chi-square distribution ---- */

static void check_relative(double found, double expected, double tolerance, const char *what, double alpha,
                           double k)
{
    if (fabs(found - expected) <= tolerance * expected) return;
    fail_msg("%s of alpha %g with %g degrees: %.17g, expected %.17g", what, alpha, k, found, expected);
}

static void test_limits(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_ALPHAS; i++)
        for (size_t j = 0; j < N_DEGREES; j++) {
            double alpha = chi_square_alphas[i], k = chi_square_degrees[j], limit = dlda_chi_square_limit(alpha, k);
            check_relative(limit, chi_square_limits[i * N_DEGREES + j], 1e-11, "limit", alpha, k);
            check_relative(dlda_chi_square_tail(limit, k), alpha, 1e-9, "tail behind the limit", alpha, k);
        }
}

/* With 2 degrees of freedom the tail is exp(-x/2), with 1 it is erfc(sqrt(x/2)). */
static void test_closed_forms(void **state)
{
    (void)state;
    for (double x = 1e-6; x < 1400; x *= 1.3) {
        check_relative(dlda_chi_square_tail(x, 2), exp(-x / 2), 1e-12, "tail", x, 2);
        check_relative(dlda_chi_square_tail(x, 1), erfc(sqrt(x / 2)), 1e-12, "tail", x, 1);
    }
}

static void test_ends(void **state)
{
    (void)state;
    for (double k = 1; k < 1e6; k *= 7) {
        assert_true(dlda_chi_square_tail(0, k) == 1 && dlda_chi_square_tail(-1, k) == 1);
        assert_true(dlda_chi_square_tail(INFINITY, k) == 0);
        assert_true(isinf(dlda_chi_square_limit(0, k)) && dlda_chi_square_limit(1, k) == 0);
        double before = INFINITY;
        for (double alpha = 1e-9; alpha < 1; alpha += 0.037) {
            double limit = dlda_chi_square_limit(alpha, k);
            assert_true(limit > 0 && limit < before);
            before = limit;
        }
    }
}

/* ---- Distances ---- */

static dlda_lda *fit_golden(const golden_head *golden)
{
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;

    CHECK_OK(dlda_scatter_create(golden->C, golden->D, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, golden->X, golden->labels, golden->N));
    CHECK_OK(dlda_lda_fit(scatter, golden->lambda, &lda));
    dlda_scatter_destroy(scatter);
    return lda;
}

static void test_golden_distances(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_head *golden = &golden_heads[g];
        dlda_lda *lda = fit_golden(golden);
        double *found = check_nan_doubles(golden->n), limit = 0;
        CHECK_OK(dlda_lda_distances(lda, golden->Y, golden->n, found));
        for (size_t i = 0; i < golden->n; i++)
            check_relative(found[i], golden_distances[g][i], 1e-8, golden->name, (double)i, (double)golden->K);
        CHECK_OK(dlda_lda_distance_limit(lda, 0.01, &limit));
        assert_true(limit == dlda_chi_square_limit(0.01, (double)golden->K));
        free(found);
        dlda_lda_destroy(lda);
    }
}

/* Rows drawn from Gaussian classes exceed the limit about as often as alpha says. */
static void test_share_of_own_rows(void **state)
{
    enum { ROWS = 6000, CLASSES = 4, FEATURES = 6 };
    static float X[ROWS * FEATURES];
    static int labels[ROWS];
    static double found[ROWS];
    static const double alphas[] = { 0.3, 0.1, 0.01 };
    uint64_t seed = 3;
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;

    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        labels[i] = (int)(i % CLASSES);
        for (size_t j = 0; j < FEATURES; j++)
            X[i * FEATURES + j] = (float)(check_normal(&seed) + (j == i % CLASSES ? 60 : 0));
    }
    CHECK_OK(dlda_scatter_create(CLASSES, FEATURES, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, X, labels, ROWS));
    CHECK_OK(dlda_lda_fit(scatter, 1e-6, &lda));
    CHECK_OK(dlda_lda_distances(lda, X, ROWS, found));
    for (size_t a = 0; a < 3; a++) {
        double limit = 0, share = 0;
        CHECK_OK(dlda_lda_distance_limit(lda, alphas[a], &limit));
        for (size_t i = 0; i < ROWS; i++) share += found[i] > limit ? 1.0 / ROWS : 0;
        if (fabs(share - alphas[a]) > 0.15 * alphas[a] + 0.003) fail_msg("%g instead of %g", share, alphas[a]);
    }
    dlda_lda_destroy(lda);
    dlda_scatter_destroy(scatter);
}

static void test_bad_alpha(void **state)
{
    static const double bad[] = { 0, 1, -0.1, 1.5, NAN, INFINITY };
    dlda_lda *lda = fit_golden(&golden_heads[0]);

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double limit = -7;
        CHECK_STATUS(dlda_lda_distance_limit(lda, bad[i], &limit), DLDA_E_ARGUMENT);
        CHECK_ERROR_SAYS("expected more than 0 and less than 1");
        assert_true(limit == -7);
    }
    dlda_lda_destroy(lda);
}

/* ---- All answers at once ---- */

static void check_all_answers(const dlda_lda *lda, const golden_head *golden, dlda_probability kind)
{
    enum { MOST = 512 };
    size_t n = golden->n, C = golden->C, K = golden->K;
    int labels[MOST], one_labels[MOST];
    float proba[MOST], one_proba[MOST], Z[MOST], one_Z[MOST];
    double scores[MOST], distances[MOST], one_distances[MOST], scratch[MOST];
    const dlda_answers all = {
        .labels = labels, .proba = proba, .scores = scores, .distances = distances, .projections = Z
    };

    assert_true(n * C <= MOST && n * K <= MOST && C + K <= MOST);
    CHECK_OK(dlda_lda_answer(lda, golden->Y, n, kind, scratch, &all));
    CHECK_OK(dlda_lda_predict(lda, golden->Y, n, kind, one_labels, one_proba));
    CHECK_OK(dlda_lda_distances(lda, golden->Y, n, one_distances));
    CHECK_OK(dlda_lda_transform(lda, golden->Y, n, one_Z));
    assert_memory_equal(labels, one_labels, n * sizeof *labels);
    assert_memory_equal(proba, one_proba, n * C * sizeof *proba);
    assert_memory_equal(distances, one_distances, n * sizeof *distances);
    assert_memory_equal(Z, one_Z, n * K * sizeof *Z);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < C; c++) {
            const double *s = scores + i * C;
            assert_true(s[c] <= s[labels[i]]);
            assert_true(!!isinf(s[c]) == (lda->counts[c] < 2) && !isnan(s[c]));
        }
}

static void test_all_answers(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        dlda_lda *lda = fit_golden(&golden_heads[g]);
        check_all_answers(lda, &golden_heads[g], DLDA_PROBABILITY_PAPER);
        check_all_answers(lda, &golden_heads[g], DLDA_PROBABILITY_BAYES);
        dlda_lda_destroy(lda);
    }
    assert_int_equal(dlda_memory_count().live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_closed_forms),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_golden_distances),
        cmocka_unit_test(test_share_of_own_rows),
        cmocka_unit_test(test_bad_alpha),
        cmocka_unit_test(test_all_answers),
    };

    return cmocka_run_group_tests_name("distance", tests, NULL, NULL);
}
