/* SPDX-License-Identifier: MIT
 *
 * test_scatter_rows.c - rows added by several threads: the same sums as by one, whatever the threads, and no trace of
 * rows that are refused.
 */
#include "check.h"

#include "objective/scatter.h"

enum { N = 20011, D = 24, C = 5 };

typedef struct rows {
    double *doubles; /* [N][D] */
    float *floats;   /* [N][D], the same values */
    int *labels;     /* [N]    */
} rows;

static rows rows_make(void)
{
    uint64_t seed = 5;
    rows r = { check_memory(N * D * sizeof(double)), check_memory(N * D * sizeof(float)),
               check_memory(N * sizeof(int)) };

    for (size_t i = 0; i < N * D; i++) r.doubles[i] = r.floats[i] = (float)check_normal(&seed) + 100;
    for (size_t i = 0; i < N; i++) r.labels[i] = (int)(i * 7 % C);
    return r;
}

static void rows_free(rows *r)
{
    free(r->doubles);
    free(r->floats);
    free(r->labels);
}

static dlda_scatter *scatter_make(int pooled)
{
    dlda_scatter *scatter = NULL;

    CHECK_OK(pooled ? dlda_scatter_create_pooled(C, D, &scatter) : dlda_scatter_create(C, D, &scatter));
    return scatter;
}

static double *sums_of(dlda_scatter *scatter)
{
    double *sums = check_nan_doubles(dlda_scatter_sums_size(scatter));

    dlda_scatter_export_sums(scatter, sums);
    return sums;
}

static double *sums_by(const rows *r, int pooled, size_t threads, int as_double)
{
    dlda_scatter *scatter = scatter_make(pooled);
    dlda_row_block block = { .labels = r->labels, .n = N, .threads = threads };

    if (as_double) block.doubles = r->doubles;
    else block.floats = r->floats;
    CHECK_OK(dlda_scatter_add_rows(scatter, &block));
    double *sums = sums_of(scatter);
    dlda_scatter_destroy(scatter);
    return sums;
}

/* Of moments, the upper triangle counts. */
static int counts(size_t i)
{
    const size_t before = C + C * D;

    return i < before || (i - before) % (D * D) / D <= (i - before) % D;
}

static void test_same_sums(void **state)
{
    rows r = rows_make();

    (void)state;
    for (int pooled = 0; pooled < 2; pooled++) {
        dlda_scatter *alone = scatter_make(pooled);
        CHECK_OK(dlda_scatter_add_double(alone, r.doubles, r.labels, N));
        size_t size = dlda_scatter_sums_size(alone);
        double *expected = sums_of(alone), *one = sums_by(&r, pooled, 1, 1);
        for (size_t i = 0; i < size; i++)
            if (counts(i)) assert_true(fabs(one[i] - expected[i]) <= 1e-9 * (1 + fabs(expected[i])));
        for (size_t threads = 0; threads < 4; threads++)
            for (int as_double = 0; as_double < 2; as_double++) {
                double *sums = sums_by(&r, pooled, threads, as_double);
                assert_memory_equal(sums, one, size * sizeof *sums);
                free(sums);
            }
        free(one);
        free(expected);
        dlda_scatter_destroy(alone);
    }
    rows_free(&r);
}

/* The upper triangle of the sum of (h - m_c)(h - m_c)', in two passes over all rows. */
static void plain_moments(size_t n, size_t d, size_t c, const double *H, const int *labels, double *moments)
{
    double *means = check_memory(c * d * sizeof *means), *counts = check_memory(c * sizeof *counts);

    memset(means, 0, c * d * sizeof *means);
    memset(counts, 0, c * sizeof *counts);
    memset(moments, 0, d * d * sizeof *moments);
    for (size_t i = 0; i < n; i++) {
        counts[labels[i]]++;
        for (size_t j = 0; j < d; j++) means[(size_t)labels[i] * d + j] += H[i * d + j];
    }
    for (size_t i = 0; i < n; i++) {
        const double *sum = means + (size_t)labels[i] * d, count = counts[labels[i]];
        for (size_t j = 0; j < d; j++)
            for (size_t k = j; k < d; k++)
                moments[j * d + k] += (H[i * d + j] - sum[j] / count) * (H[i * d + k] - sum[k] / count);
    }
    free(means);
    free(counts);
}

/* Numbers of columns and rows around the sizes of kernels, pieces and portions; more classes than a portion has rows. */
static void test_pooled_against_plain_loops(void **state)
{
    static const size_t shapes[][3] = { { 255, 1, 2 },   { 256, 3, 2 },   { 700, 4, 3 },     { 1000, 13, 7 },
                                        { 5003, 9, 4 },  { 3001, 31, 6 }, { 2000, 100, 10 }, { 600, 256, 5 },
                                        { 520, 257, 3 }, { 1500, 5, 600 } };

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t n = shapes[s][0], d = shapes[s][1], c = shapes[s][2], before = c + c * d;
        uint64_t seed = s;
        double *H = check_memory(n * d * sizeof *H), *expected = check_memory(d * d * sizeof *expected);
        int *labels = check_memory(n * sizeof *labels);
        dlda_scatter *scatter = NULL;
        for (size_t i = 0; i < n * d; i++) H[i] = check_normal(&seed) + 10;
        for (size_t i = 0; i < n; i++) labels[i] = (int)(i * i % c);
        CHECK_OK(dlda_scatter_create_pooled(c, d, &scatter));
        CHECK_OK(dlda_scatter_add_rows(scatter,
                                       &(dlda_row_block){ .doubles = H, .labels = labels, .n = n, .threads = 2 }));
        double *sums = sums_of(scatter);
        plain_moments(n, d, c, H, labels, expected);
        for (size_t j = 0; j < d; j++)
            for (size_t k = j; k < d; k++)
                assert_true(fabs(sums[before + j * d + k] - expected[j * d + k]) <= 1e-11 * (double)n);
        dlda_scatter_destroy(scatter);
        free(sums);
        free(H);
        free(expected);
        free(labels);
    }
}

/* In the last lane, in the first one, and where there is only one. */
static void test_refused_rows_leave_no_trace(void **state)
{
    static const size_t places[] = { N - 3, 17 };
    rows r = rows_make();
    dlda_scatter *scatter = scatter_make(1);
    double *before = NULL, *after = NULL;
    dlda_row_block block = { .doubles = r.doubles, .labels = r.labels, .n = N, .threads = 2 };
    char place[32];

    (void)state;
    CHECK_OK(dlda_scatter_add_rows(scatter, &block));
    before = sums_of(scatter);
    for (size_t i = 0; i < 2; i++) {
        snprintf(place, sizeof place, "row %zu", places[i]);
        r.doubles[places[i] * D + 3] = NAN;
        CHECK_STATUS(dlda_scatter_add_rows(scatter, &block), DLDA_E_NUMERIC);
        CHECK_ERROR_SAYS(place);
        r.doubles[places[i] * D + 3] = 0;
        r.labels[places[i]] = C;
        CHECK_STATUS(dlda_scatter_add_rows(scatter, &block), DLDA_E_ARGUMENT);
        CHECK_ERROR_SAYS(place);
        block.n = 40;
        if (places[i] < block.n) CHECK_STATUS(dlda_scatter_add_rows(scatter, &block), DLDA_E_ARGUMENT);
        block.n = N;
        r.labels[places[i]] = 0;
    }
    block.floats = r.floats;
    CHECK_STATUS(dlda_scatter_add_rows(scatter, &block), DLDA_E_ARGUMENT);
    block.floats = NULL;
    block.doubles = NULL;
    CHECK_STATUS(dlda_scatter_add_rows(scatter, &block), DLDA_E_ARGUMENT);
    block.n = 0;
    CHECK_OK(dlda_scatter_add_rows(scatter, &block));
    after = sums_of(scatter);
    assert_memory_equal(after, before, dlda_scatter_sums_size(scatter) * sizeof *after);
    free(after);
    free(before);
    dlda_scatter_destroy(scatter);
    rows_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_sums),
        cmocka_unit_test(test_pooled_against_plain_loops),
        cmocka_unit_test(test_refused_rows_leave_no_trace),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
