/* SPDX-License-Identifier: MIT
 *
 * test_lda_view.c - what an LDA says of itself, against plain sums over the rows; and scatters as arrays.
 */
#include "check.h"

#include "base/memory.h"
#include "classify/lda_head.h"

/* Classes 0 to 3 are usable; class 4 has one row, class 5 none. */
enum { N = 101, D = 4, C = 6, USABLE = 4, K = 3 };
static const double lambda = 0.01;
static float X[N * D];
static double wide[N * D];
static int labels[N];

static void make_rows(void)
{
    uint64_t seed = 7;

    for (size_t i = 0; i < N; i++) {
        labels[i] = i == 50 ? 4 : (int)((i * 7 + i / 11) % 9 % USABLE);
        for (size_t j = 0; j < D; j++)
            X[i * D + j] = (float)(check_normal(&seed) + 100 + (double)((size_t)labels[i] * (j + 1) % 5));
        for (size_t j = 0; j < D; j++) wide[i * D + j] = X[i * D + j];
    }
}

static dlda_scatter *scatter_of(int pooled, size_t first, size_t end)
{
    dlda_scatter *scatter = NULL;

    CHECK_OK(pooled ? dlda_scatter_create_pooled(C, D, &scatter) : dlda_scatter_create(C, D, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, X + first * D, labels + first, end - first));
    return scatter;
}

static dlda_lda *lda_of(const dlda_scatter *scatter)
{
    dlda_lda *lda = NULL;

    CHECK_OK(dlda_lda_fit(scatter, lambda, &lda));
    return lda;
}

/* ---- The plain sums ---- */

typedef struct plain {
    double counts[C], priors[C], means[C * D], mean[D], within[D * D], total[D * D];
} plain;

static void add_products(const double *x, const double *centre, double weight, double *S)
{
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) S[i * D + j] += weight * (x[i] - centre[i]) * (x[j] - centre[j]);
}

static plain plain_of(int pooled)
{
    plain p = { 0 };

    for (size_t i = 0; i < N; i++) p.counts[labels[i]]++;
    for (size_t c = 0; c < USABLE; c++) p.priors[c] = p.counts[c] / (N - 1); /* of the usable classes */
    for (size_t i = 0; i < N * D; i++) {
        p.means[(size_t)labels[i / D] * D + i % D] += wide[i] / p.counts[labels[i / D]];
        p.mean[i % D] += wide[i] / N;
    }
    for (size_t i = 0; i < N; i++) {
        double n = p.counts[labels[i]];
        double weight = n < 2 ? 0 : pooled ? 1.0 / (N - 1 - USABLE) : 1 / (USABLE * (n - 1));
        add_products(wide + i * D, p.means + (size_t)labels[i] * D, weight, p.within);
        add_products(wide + i * D, p.mean, 1.0 / (N - 1), p.total);
    }
    return p;
}

/* ---- The view ---- */

/* (St - Sw) e = v (Sw + lambda I) e and e'(Sw + lambda I)e = 1. */
static void check_directions(const dlda_lda_view *view)
{
    for (size_t k = 0; k < K; k++) {
        const double *e = view->directions + k * D;
        double left[D] = { 0 }, right[D] = { 0 }, length = 0;
        for (size_t i = 0; i < D; i++) {
            double Swe = lambda * e[i];
            for (size_t j = 0; j < D; j++) {
                Swe += view->within[i * D + j] * e[j];
                left[i] += (view->total[i * D + j] - view->within[i * D + j]) * e[j];
            }
            right[i] = view->eigenvalues[k] * Swe;
            length += e[i] * Swe;
        }
        CHECK_NEAR(&length, &(double){ 1 }, 1, 1e-9, "length of direction %zu", k);
        for (size_t i = 0; i < D; i++) assert_true(fabs(left[i] - right[i]) < 1e-8 * view->eigenvalues[0]);
    }
}

/* The softmax of the linear scores is what DLDA_PROBABILITY_BAYES gives. */
static void check_scores(const dlda_lda *lda)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);
    float proba[N * C];

    CHECK_OK(dlda_lda_predict(lda, X, N, DLDA_PROBABILITY_BAYES, NULL, proba));
    for (size_t i = 0; i < N; i++) {
        double scores[C], largest = -INFINITY, sum = 0;
        for (size_t c = 0; c < C; c++) {
            scores[c] = view->intercepts[c];
            for (size_t j = 0; j < D; j++) scores[c] += view->coefficients[c * D + j] * wide[i * D + j];
            largest = fmax(largest, scores[c]);
        }
        for (size_t c = 0; c < C; c++) sum += scores[c] = exp(scores[c] - largest);
        for (size_t c = 0; c < C; c++)
            if (!(fabs(scores[c] / sum - (double)proba[i * C + c]) < 1e-6))
                fail_msg("row %zu, class %zu: %g, expected %g", i, c, scores[c] / sum, (double)proba[i * C + c]);
    }
}

static void check_view(const dlda_lda *lda, const plain *p)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    assert_int_equal(view->classes, C);
    assert_int_equal(view->features, D);
    assert_int_equal(view->n_directions, K);
    assert_true(view->lambda == lambda);
    CHECK_NEAR(view->counts, p->counts, C, 0, "counts");
    CHECK_NEAR(view->priors, p->priors, C, 1e-14, "priors");
    CHECK_NEAR(view->means, p->means, C * D, 1e-13, "means");
    CHECK_NEAR(view->mean, p->mean, D, 1e-13, "mean");
    CHECK_NEAR(view->within, p->within, D * D, 1e-10, "within");
    CHECK_NEAR(view->total, p->total, D * D, 1e-10, "total");
    for (size_t c = 0; c < C; c++) {
        assert_true(view->priors[c] == dlda_lda_prior(lda, c));
        assert_int_equal(c < USABLE, isfinite(view->intercepts[c]) != 0);
        for (size_t j = 0; j < D; j++) assert_true(isfinite(view->coefficients[c * D + j]));
    }
    assert_true(view->intercepts[USABLE] == -INFINITY && view->intercepts[USABLE + 1] == -INFINITY);
    assert_null(dlda_lda_class_name(lda, 0));
    check_directions(view);
    check_scores(lda);
}

static void test_view(void **state)
{
    (void)state;
    make_rows();
    for (int pooled = 0; pooled < 2; pooled++) {
        plain p = plain_of(pooled);
        dlda_scatter *scatter = scatter_of(pooled, 0, N);
        dlda_lda *lda = lda_of(scatter), *copy = NULL;
        check_view(lda, &p);
        CHECK_OK(dlda_lda_copy(lda, &copy));
        dlda_lda_destroy(lda);
        check_view(copy, &p);
        dlda_lda_destroy(copy);
        dlda_scatter_destroy(scatter);
    }
}

/* ---- Sums ---- */

static void check_same_sums(const dlda_scatter *a, const dlda_scatter *b, double tolerance, const char *what)
{
    size_t size = dlda_scatter_sums_size(a);
    double *sums[2] = { check_nan_doubles(size), check_nan_doubles(size) };

    assert_int_equal(dlda_scatter_sums_size(b), size);
    dlda_scatter_export_sums(a, sums[0]);
    dlda_scatter_export_sums(b, sums[1]);
    CHECK_NEAR(sums[0], sums[1], size, tolerance, "%s", what);
    free(sums[0]);
    free(sums[1]);
}

static void test_sums(void **state)
{
    (void)state;
    make_rows();
    for (int pooled = 0; pooled < 2; pooled++) {
        dlda_scatter *all = scatter_of(pooled, 0, N), *first = scatter_of(pooled, 0, 40);
        dlda_scatter *second = scatter_of(pooled, 40, N), *restored = scatter_of(pooled, 0, 0);
        size_t size = dlda_scatter_sums_size(all);
        double *sums = check_nan_doubles(size);
        assert_int_equal(size, C + C * D + (pooled ? 1 : C) * D * D);

        dlda_scatter_export_sums(all, sums);
        CHECK_OK(dlda_scatter_merge_sums(restored, sums, size));
        check_same_sums(restored, all, 0, "restored");

        dlda_scatter_export_sums(second, sums);
        CHECK_OK(dlda_scatter_merge_sums(first, sums, size));
        CHECK_OK(dlda_scatter_merge(second, restored)); /* something else */
        dlda_lda *whole = lda_of(all), *merged = lda_of(first);
        CHECK_NEAR(dlda_lda_view_of(merged)->eigenvalues, dlda_lda_view_of(whole)->eigenvalues, K, 1e-10, "merged");
        dlda_lda_destroy(whole);
        dlda_lda_destroy(merged);
        free(sums);
        dlda_scatter_destroy(all);
        dlda_scatter_destroy(first);
        dlda_scatter_destroy(second);
        dlda_scatter_destroy(restored);
    }
}

static void test_sums_refused(void **state)
{
    (void)state;
    make_rows();
    static const struct {
        size_t at;
        double value;
        dlda_status status;
        const char *words;
    } lies[] = {
        { 2, -1, DLDA_E_NUMERIC, "value 2 is -1, expected a count of rows" },
        { 0, 1.5, DLDA_E_NUMERIC, "value 0 is 1.5, expected a count of rows" },
        { 1, 1e300, DLDA_E_NUMERIC, "expected a count of rows" },
        { C + 3, NAN, DLDA_E_NUMERIC, "value 9 is nan, expected a finite value" },
        { C + C * D + 1, INFINITY, DLDA_E_NUMERIC, "expected a finite value" },
        { C + C * D + D + 1, -1, DLDA_E_NUMERIC, "a sum of squares, is -1, expected 0 or more" },
        { C + C * D + D * D, -2, DLDA_E_NUMERIC, "a sum of squares, is -2" },
    };
    dlda_scatter *scatter = scatter_of(0, 0, N), *same = scatter_of(0, 0, N), *pooled = scatter_of(1, 0, N);
    size_t size = dlda_scatter_sums_size(scatter);
    double *sums = check_nan_doubles(size);

    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        dlda_scatter_export_sums(scatter, sums);
        sums[lies[i].at] = lies[i].value;
        CHECK_STATUS(dlda_scatter_merge_sums(scatter, sums, size), lies[i].status);
        CHECK_ERROR_SAYS(lies[i].words);
    }
    dlda_scatter_export_sums(same, sums);
    CHECK_STATUS(dlda_scatter_merge_sums(scatter, sums, size - 1), DLDA_E_SHAPE);
    CHECK_STATUS(dlda_scatter_merge_sums(pooled, sums, size), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("126 sums, expected 46 for 6 classes of 4 features, pooled");
    check_same_sums(scatter, same, 0, "nothing has changed");
    free(sums);
    dlda_scatter_destroy(scatter);
    dlda_scatter_destroy(same);
    dlda_scatter_destroy(pooled);
}

static void test_add_double(void **state)
{
    dlda_scatter *narrow = NULL, *doubles = NULL;

    (void)state;
    make_rows();
    narrow = scatter_of(0, 0, N);
    CHECK_OK(dlda_scatter_create(C, D, &doubles));
    CHECK_OK(dlda_scatter_add_double(doubles, wide, labels, N));
    check_same_sums(doubles, narrow, 0, "rows in double");
    wide[5] = NAN;
    CHECK_STATUS(dlda_scatter_add_double(doubles, wide, labels, N), DLDA_E_NUMERIC);
    check_same_sums(doubles, narrow, 0, "nothing has changed");
    dlda_scatter_destroy(narrow);
    dlda_scatter_destroy(doubles);
}

static int no_leak(void **state)
{
    (void)state;
    return dlda_memory_count().live != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_view), cmocka_unit_test(test_sums),
                                        cmocka_unit_test(test_sums_refused), cmocka_unit_test(test_add_double) };

    return cmocka_run_group_tests_name("lda_view", tests, NULL, no_leak);
}
