/* SPDX-License-Identifier: MIT
 *
 * test_statistics.c - intervals and tests for accuracies: against SciPy (tools/make-golden), against published figures, and
 * at the ends.
 */
#include "check.h"

#include "eval/statistics.h"
#include "golden/golden_statistics.h"

enum {
    N_SHARES = sizeof golden_shares / sizeof *golden_shares,
    N_PAIRS = sizeof golden_pair_tests / sizeof *golden_pair_tests,
    N_RUNS = sizeof golden_run_tests / sizeof *golden_run_tests
};

static void check_within(double found, double expected, double tolerance, const char *what, size_t i)
{
    if (fabs(found - expected) <= tolerance) return;
    fail_msg("case %zu, %s: %.17g, expected %.17g", i, what, found, expected);
}

static stat_pairs pairs_of(size_t count, size_t first, size_t second)
{
    return (stat_pairs){ .both = count - first - second, .only_first = first, .only_second = second };
}

static void test_shares(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_SHARES; i++) {
        const golden_share *golden = &golden_shares[i];
        stat_interval found = stat_share_interval(golden->right, golden->count);
        check_within(found.low, golden->low, 1e-13, "low", i);
        check_within(found.high, golden->high, 1e-13, "high", i);
    }
    for (size_t n = 1; n < 3000; n += 7) {
        assert_true(stat_share_interval(0, n).low == 0 && stat_share_interval(0, n).high > 0);
        assert_true(stat_share_interval(n, n).high == 1 && stat_share_interval(n, n).low < 1);
    }
}

static void test_pairs(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_PAIRS; i++) {
        const golden_pairs *golden = &golden_pair_tests[i];
        stat_pairs pairs = pairs_of(golden->count, golden->only_first, golden->only_second);
        stat_interval found = stat_pairs_interval(&pairs);
        check_within(stat_mcnemar(&pairs) / golden->p, 1, 1e-8, "p", i);
        check_within(found.low, golden->low, 1e-13, "low", i);
        check_within(found.high, golden->high, 1e-13, "high", i);
    }
}

/* What the R package contingencytables (Fagerland, Lydersen, Laake) says of the data of Cavo et al. (2012):
 * McNemar_exact_cond_test_paired_2x2 and Wald_CI_BonettPrice_paired_2x2. */
static void test_published(void **state)
{
    const stat_pairs pairs = { .both = 59, .only_first = 6, .only_second = 16, .neither = 80 };

    (void)state;
    check_within(stat_mcnemar(&pairs), 0.052479, 5e-7, "p", 0);
    check_within(stat_pairs_difference(&pairs), -0.0621, 5e-5, "difference", 0);
    check_within(stat_pairs_interval(&pairs).low, -0.1195, 5e-5, "low", 0);
    check_within(stat_pairs_interval(&pairs).high, -0.0032, 5e-5, "high", 0);
}

static void test_counting(void **state)
{
    stat_pairs pairs = { 0 };

    (void)state;
    for (int i = 0; i < 100; i++) stat_pairs_add(&pairs, i % 2, i < 40);
    assert_true(pairs.both == 20 && pairs.only_first == 30 && pairs.only_second == 20 && pairs.neither == 30);
    assert_true(stat_pairs_count(&pairs) == 100);
    check_within(stat_pairs_difference(&pairs), 0.1, 1e-15, "difference", 0);
    stat_pairs turned = { pairs.both, pairs.only_second, pairs.only_first, pairs.neither };
    assert_true(stat_mcnemar(&pairs) == stat_mcnemar(&turned));
    check_within(stat_pairs_interval(&pairs).low, -stat_pairs_interval(&turned).high, 1e-15, "turned", 0);
    turned.only_first = turned.only_second;
    assert_true(stat_mcnemar(&turned) == 1);
}

static void test_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_RUNS; i++) {
        const golden_runs *golden = &golden_run_tests[i];
        stat_summary found = stat_summarise(golden->values, golden->count);
        check_within(found.mean, golden->mean, 1e-13, "mean", i);
        check_within(found.deviation, golden->deviation, 1e-13, "deviation", i);
        check_within(stat_mean_test(&found), golden->p, 1e-12, "p", i);
        check_within(stat_mean_interval(&found).low, golden->low, 1e-11, "low", i);
        check_within(stat_mean_interval(&found).high, golden->high, 1e-11, "high", i);
    }
}

static void test_few_runs(void **state)
{
    const double values[] = { 2, 2, 2 };
    stat_summary none = stat_summarise(values, 0), one = stat_summarise(values, 1),
                 same = stat_summarise(values, 3);
    stat_summary zero = stat_summarise((const double[]){ 0, 0 }, 2);

    (void)state;
    assert_true(isnan(none.mean) && isnan(none.deviation) && isnan(stat_mean_test(&none)));
    assert_true(one.mean == 2 && isnan(one.deviation) && isnan(stat_mean_interval(&one).low));
    assert_true(same.deviation == 0 && stat_mean_test(&same) == 0 && stat_mean_interval(&same).high == 2);
    assert_true(stat_mean_test(&zero) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),   cmocka_unit_test(test_pairs), cmocka_unit_test(test_published),
        cmocka_unit_test(test_counting), cmocka_unit_test(test_runs),  cmocka_unit_test(test_few_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
