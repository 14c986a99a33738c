/* SPDX-License-Identifier: MIT
 *
 * test_table_lda.c - the classic LDA of tables in files: against scikit-learn on real data, folds, the same bits for any
 * number of threads and any format, tables larger than a block, projections, and tables that make no sense.
 */
#define _GNU_SOURCE
#include "array_files.h"
#include "check.h"

#include "base/file.h"
#include "classify/lda_head.h"
#include "classify/table_folds.h"
#include "dataset/feature_table.h"
#include "dataset/npy.h"
#include "golden/golden_table.h"
#include "objective/scatter.h"

enum { N_GOLDEN = sizeof golden_tables / sizeof *golden_tables };

/* ---- Files ---- */

/* X [N][D] and labels [N] as NAME_images.npy and NAME_labels.npy; the path of the first. */
static const char *write_table(const char *name, const float *X, const int *labels, size_t N, size_t D)
{
    static char path[256];
    char header[DLDA_NPY_HEADER], text[128];

    snprintf(path, sizeof path, "%s/%s_labels.npy", folder, name);
    FILE *file = fopen(path, "wb");
    snprintf(text, sizeof text, "{'descr': '<i4', 'fortran_order': False, 'shape': (%zu,), }", N);
    blob start = npy_of_text(1, text, NULL, 0);
    fwrite(start.bytes, 1, start.size, file);
    assert_int_equal(fwrite(labels, sizeof *labels, N, file), N);
    fclose(file);
    snprintf(path, sizeof path, "%s/%s_images.npy", folder, name);
    file = fopen(path, "wb");
    dlda_npy_make_header(N, D, header);
    fwrite(header, 1, sizeof header, file);
    assert_int_equal(fwrite(X, sizeof *X, N * D, file), N * D);
    fclose(file);
    return path;
}

static dlda_table *open_ok(const char *path)
{
    dlda_table *table = NULL;

    CHECK_OK(dlda_table_open(&(dlda_table_spec){ .path = path }, &table));
    return table;
}

static dlda_table_fit *fit_ok(const char *path, const dlda_table_fit_spec *spec)
{
    dlda_table *table = open_ok(path);
    dlda_table_fit *fit = NULL;

    CHECK_OK(dlda_table_fit_lda(table, spec, &fit));
    dlda_table_destroy(table);
    return fit;
}

/* Rows of three unequal classes around three points. */
static void make_rows(size_t N, size_t D, uint64_t seed, float *X, int *labels)
{
    for (size_t i = 0; i < N; i++) {
        labels[i] = (int)(i * i % 7 % 3);
        for (size_t j = 0; j < D; j++)
            X[i * D + j] = (float)(check_normal(&seed) + (j == (size_t)labels[i] ? 1.5 : 0) + (double)j);
    }
}

/* ---- Real data ---- */

static void check_directions(const dlda_lda *lda, const golden_table *golden)
{
    size_t D = golden->D;

    assert_int_equal(lda->K, golden->K);
    for (size_t k = 0; k < golden->K; k++) {
        double length = 0, unit[64];
        for (size_t i = 0; i < D; i++) length += lda->A[k * D + i] * lda->A[k * D + i];
        for (size_t i = 0; i < D; i++) unit[i] = lda->A[k * D + i] / sqrt(length);
        CHECK_NEAR(unit, golden->directions + k * D, D, 1e-7, "%s: direction %zu", golden->name, k);
    }
}

static void check_explained(const dlda_lda *lda, const golden_table *golden)
{
    double values[8], sum = 0;

    for (size_t k = 0; k < golden->K; k++) sum += lda->eigenvalues[k];
    for (size_t k = 0; k < golden->K; k++) values[k] = lda->eigenvalues[k] / sum;
    CHECK_NEAR(values, golden->explained, golden->K, 1e-7, "%s: explained", golden->name);
}

static void test_same_as_scikit_learn(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_table *golden = &golden_tables[g];
        const char *path = write_table(golden->name, golden->X, golden->labels, golden->N, golden->D);
        dlda_table_fit *fit = fit_ok(path, &(dlda_table_fit_spec){ .folds = 5, .seed = 1 });
        check_directions(fit->lda, golden);
        check_explained(fit->lda, golden);
        assert_int_equal(fit->correct, golden->correct);
        assert_int_equal(fit->rows, golden->N);
        size_t correct = 0, rows = 0;
        for (size_t f = 0; f < 5; f++) correct += fit->fold_correct[f], rows += fit->fold_rows[f];
        assert_int_equal(rows, golden->N);
        assert_in_range(correct, golden->N * 95 / 100, fit->correct);
        dlda_table_fit_destroy(fit);
    }
}

/* ---- Folds ---- */

/* Each fold has its share of each class, off by less than one row, and the seed decides. */
static void test_folds_are_stratified(void **state)
{
    enum { N = 1000, D = 2, F = 7 };
    float X[N * D];
    int labels[N];
    size_t counts[2][F][3] = { 0 }, of_class[3] = { 0 };
    int drawn[3][N];

    (void)state;
    make_rows(N, D, 1, X, labels);
    const char *path = write_table("strata", X, labels, N, D);
    for (size_t i = 0; i < N; i++) of_class[labels[i]]++;
    for (int turn = 0; turn < 3; turn++) {
        dlda_table *table = open_ok(path);
        dlda_folds folds = { 0 };
        CHECK_OK(dlda_folds_open(table, F, turn < 2 ? 5 : 6, &folds));
        CHECK_OK(dlda_folds_rewind(&folds));
        CHECK_OK(dlda_folds_next(&folds, NULL));
        assert_int_equal(folds.n, N);
        for (size_t i = 0; i < N; i++) {
            drawn[turn][i] = folds.fold[i];
            if (turn == 0) counts[0][folds.fold[i]][labels[i]]++;
        }
        CHECK_OK(dlda_folds_next(&folds, NULL));
        assert_int_equal(folds.n, 0);
        dlda_folds_close(&folds);
        dlda_table_destroy(table);
    }
    for (size_t f = 0; f < F; f++)
        for (size_t c = 0; c < 3; c++) assert_in_range(counts[0][f][c], of_class[c] / F, of_class[c] / F + 1);
    assert_memory_equal(drawn[0], drawn[1], sizeof drawn[0]);
    assert_memory_not_equal(drawn[0], drawn[2], sizeof drawn[0]);
}

/* By hand: fit on all rows that are not in a fold, classify those that are. */
static void test_cross_validation_by_hand(void **state)
{
    enum { N = 400, D = 4, F = 3 };
    float X[N * D];
    int labels[N], predicted[1];

    (void)state;
    make_rows(N, D, 2, X, labels);
    const char *path = write_table("hand", X, labels, N, D);
    dlda_table_fit *fit = fit_ok(path, &(dlda_table_fit_spec){ .lambda = 0.01, .folds = F, .seed = 9 });
    dlda_table *table = open_ok(path);
    dlda_folds folds = { 0 };
    CHECK_OK(dlda_folds_open(table, F, 9, &folds));
    CHECK_OK(dlda_folds_rewind(&folds));
    CHECK_OK(dlda_folds_next(&folds, NULL));
    for (size_t f = 0; f < F; f++) {
        dlda_scatter *scatter = NULL;
        dlda_lda *lda = NULL;
        size_t correct = 0;
        CHECK_OK(dlda_scatter_create_pooled(3, D, &scatter));
        for (size_t i = 0; i < N; i++)
            if ((size_t)folds.fold[i] != f) CHECK_OK(dlda_scatter_add(scatter, X + i * D, labels + i, 1));
        CHECK_OK(dlda_lda_fit_classic(scatter, &(dlda_classic_spec){ .lambda = 0.01 }, &lda));
        for (size_t i = 0; i < N; i++) {
            if ((size_t)folds.fold[i] != f) continue;
            CHECK_OK(dlda_lda_predict(lda, X + i * D, 1, DLDA_PROBABILITY_BAYES, predicted, NULL));
            correct += predicted[0] == labels[i];
        }
        assert_int_equal(correct, fit->fold_correct[f]);
        dlda_lda_destroy(lda);
        dlda_scatter_destroy(scatter);
    }
    dlda_folds_close(&folds);
    dlda_table_destroy(table);
    dlda_table_fit_destroy(fit);
}

/* A pooled scatter is that of the definition: rows count alike, whatever their class. */
static void test_pooled_scatter(void **state)
{
    enum { N = 700, D = 3, C = 3 };
    float X[N * D];
    int labels[N];
    double mean[C][D] = { 0 }, Sw[D * D], Sb[D * D], m[D], expected[D * D] = { 0 }, count[C] = { 0 };
    dlda_scatter *scatter = NULL, *other = NULL, *plain = NULL;

    (void)state;
    make_rows(N, D, 3, X, labels);
    for (size_t i = 0; i < N; i++) count[labels[i]]++;
    for (size_t i = 0; i < N * D; i++) mean[labels[i / D]][i % D] += X[i] / count[labels[i / D]];
    for (size_t i = 0; i < N; i++)
        for (size_t a = 0; a < D; a++)
            for (size_t b = 0; b < D; b++)
                expected[a * D + b] += (X[i * D + a] - mean[labels[i]][a]) * (X[i * D + b] - mean[labels[i]][b]) /
                                       (N - C);
    CHECK_OK(dlda_scatter_create_pooled(C, D, &scatter));
    CHECK_OK(dlda_scatter_create_pooled(C, D, &other));
    CHECK_OK(dlda_scatter_create(C, D, &plain));
    CHECK_OK(dlda_scatter_add(scatter, X, labels, 600));
    CHECK_OK(dlda_scatter_add(other, X + 600 * D, labels + 600, N - 600));
    CHECK_OK(dlda_scatter_merge(scatter, other));
    CHECK_STATUS(dlda_scatter_merge(scatter, plain), DLDA_E_SHAPE);
    CHECK_OK(dlda_scatter_matrices(scatter, Sw, Sb, m));
    CHECK_NEAR(Sw, expected, D * D, 1e-12, "pooled Sw");
    dlda_scatter_destroy(scatter);
    dlda_scatter_destroy(other);
    dlda_scatter_destroy(plain);
}

/* ---- Any number of threads, any size, any format ---- */

static void check_same(const dlda_table_fit *a, const dlda_table_fit *b)
{
    size_t K = 0;
    const double *first = dlda_lda_eigenvalues(a->lda, &K), *second = dlda_lda_eigenvalues(b->lda, &K);

    assert_memory_equal(first, second, K * sizeof *first);
    assert_memory_equal(a->lda->A, b->lda->A, K * a->lda->D * sizeof *a->lda->A);
    assert_int_equal(a->correct, b->correct);
    for (size_t f = 0; f < a->folds; f++) assert_int_equal(a->fold_correct[f], b->fold_correct[f]);
}

static void test_threads_and_memory(void **state)
{
    enum { N = 150000, D = 5 };
    float *X = check_memory(N * D * sizeof *X);
    int *labels = check_memory(N * sizeof *labels);
    dlda_table_fit *first = NULL;

    (void)state;
    make_rows(N, D, 4, X, labels);
    const char *path = write_table("threads", X, labels, N, D);
    free(X);
    free(labels);
    for (size_t threads = 1; threads <= 4; threads++)
        for (size_t folds = 0; folds <= 4; folds += 4) {
            size_t before = dlda_memory_count().bytes;
            dlda_table_fit *fit = fit_ok(
                path, &(dlda_table_fit_spec){ .lambda = 1e-3, .folds = folds, .seed = 1, .threads = threads });
            if (threads == 1 && folds == 0) first = fit;
            else {
                assert_int_equal(fit->correct, first->correct);
                CHECK_NEAR(fit->lda->eigenvalues, first->lda->eigenvalues, 2, 1e-12, "eigenvalues with folds");
                if (folds == 0) check_same(fit, first);
                dlda_table_fit_destroy(fit);
            }
            if (threads > 1) assert_in_range(dlda_memory_count().bytes, 0, before);
        }
    assert_in_range(dlda_memory_count().peak, 0, (size_t)N * D * sizeof(float) * 3); /* one block, not the table */
    dlda_table_fit_destroy(first);
}

static void test_same_bits_with_folds(void **state)
{
    enum { N = 5000, D = 40 };
    float *X = check_memory(N * D * sizeof *X);
    int *labels = check_memory(N * sizeof *labels);

    (void)state;
    make_rows(N, D, 5, X, labels);
    const char *path = write_table("bits", X, labels, N, D);
    dlda_table_fit *one = fit_ok(path,
                                 &(dlda_table_fit_spec){ .lambda = 1e-3, .folds = 5, .seed = 1, .threads = 1 });
    for (size_t threads = 2; threads <= 5; threads++) {
        dlda_table_fit *more = fit_ok(
            path, &(dlda_table_fit_spec){ .lambda = 1e-3, .folds = 5, .seed = 1, .threads = threads });
        check_same(one, more);
        dlda_table_fit_destroy(more);
    }
    dlda_table_fit_destroy(one);
    free(X);
    free(labels);
}

/* The same numbers as f4, f8, big-endian, 3 dimensions, .npz and CSV: the same bits. */
static void test_formats(void **state)
{
    enum { N = 30, D = 4 };
    float X[N * D];
    double wide[N * D];
    int labels[N];
    blob csv = { 0 }, y, x;
    const dlda_table_fit_spec spec = { .lambda = 1e-3, .folds = 3, .seed = 1, .threads = 1 };
    zip_maker zip = { 0 };

    (void)state;
    make_rows(N, D, 6, X, labels);
    dlda_table_fit *expected = fit_ok(write_table("plain", X, labels, N, D), &spec), *found = NULL;
    for (size_t i = 0; i < N * D; i++) {
        wide[i] = X[i];
        csv.size += (size_t)sprintf((char *)csv.bytes + csv.size, "%.9g,", (double)X[i]);
        if (i % D == D - 1) csv.size += (size_t)sprintf((char *)csv.bytes + csv.size, "%d\n", labels[i / D]);
    }
    y = make_npy("<i4", "(30,)", labels, sizeof labels);
    x = make_npy("<f8", "(30, 2, 2)", wide, sizeof wide);
    zip_add(&zip, "x.npy", &x, 1, NULL);
    zip_add(&zip, "y.npy", &y, 1, NULL);
    blob npz = zip_finish(&zip);
    write_blob("wide_labels.npy", &y);
    const char *paths[] = { write_blob("wide_images.npy", &x), write_blob("t.npz", &npz),
                            write_blob("t.csv", &csv) };
    for (size_t k = 0; k < 3; k++) {
        found = fit_ok(paths[k], &spec);
        check_same(found, expected);
        dlda_table_fit_destroy(found);
    }
    dlda_table_fit_destroy(expected);
}

static void test_transform(void **state)
{
    enum { N = 5000, D = 4 };
    float *X = check_memory(N * D * sizeof *X), *Z = check_memory(N * 2 * sizeof *Z);
    int labels[N];
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    make_rows(N, D, 7, X, labels);
    const char *path = write_table("project", X, labels, N, D);
    dlda_table *table = open_ok(path);
    dlda_table_fit *fit = NULL;
    CHECK_OK(dlda_table_fit_lda(table, &(dlda_table_fit_spec){ .lambda = 1e-3 }, &fit));
    CHECK_OK(dlda_lda_transform(fit->lda, X, N, Z));
    for (size_t threads = 1; threads <= 2; threads++) {
        CHECK_OK(dlda_table_transform(table, fit->lda, threads, in_folder("Z.npy")));
        CHECK_OK(dlda_file_read(in_folder("Z.npy"), 1 << 20, &bytes, &size));
        assert_int_equal(size, 128 + N * 2 * sizeof *Z);
        assert_memory_equal(bytes + 128, Z, N * 2 * sizeof *Z);
        assert_non_null(strstr(bytes + 10, "'shape': (5000, 2), }"));
        dlda_release(bytes);
    }
    CHECK_STATUS(dlda_table_transform(table, fit->lda, 1, "/nowhere/Z.npy"), DLDA_E_IO);
    dlda_table_fit_destroy(fit);
    dlda_table_destroy(table);
    free(X);
    free(Z);
}

/* ---- Tables that make no sense ---- */

static void expect_open_failure(const dlda_table_spec *spec, dlda_status status, const char *words)
{
    dlda_table *table = NULL;
    size_t live = dlda_memory_count().live;

    CHECK_STATUS(dlda_table_open(spec, &table), status);
    CHECK_ERROR_SAYS(words);
    assert_null(table);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_tables_that_cannot_be_opened(void **state)
{
    float x[6] = { 0 };
    blob y = small_npy_labels(), npy;

    (void)state;
    write_blob("o_labels.npy", &y);
    npy = make_npy("<f4", "(5,)", x, 20);
    expect_open_failure(&(dlda_table_spec){ .path = write_blob("o_images.npy", &npy) }, DLDA_E_SHAPE,
                        "reshape(-1, 1)");
    npy = make_npy("<f4", "(6, 1)", x, 24);
    expect_open_failure(&(dlda_table_spec){ .path = write_blob("o_images.npy", &npy) }, DLDA_E_SHAPE,
                        "5 labels, expected one for each of the 6 rows");
    npy = make_npy("<U1", "(5, 1)", x, 20);
    expect_open_failure(&(dlda_table_spec){ .path = write_blob("o_images.npy", &npy) }, DLDA_E_FORMAT,
                        "features of type U1");
    expect_open_failure(&(dlda_table_spec){ .path = write_blob("other.npy", &y) }, DLDA_E_IO,
                        "its labels are not known");
    expect_open_failure(&(dlda_table_spec){ .path = "/nowhere.npy" }, DLDA_E_IO, "/nowhere.npy");
    expect_open_failure(&(dlda_table_spec){ .path = folder }, DLDA_E_IO, "a folder, expected a file");
    expect_open_failure(&(dlda_table_spec){ .path = write_bytes("z", "\0\1\2\3", 4) }, DLDA_E_FORMAT,
                        "not a table that is known");
    expect_open_failure(&(dlda_table_spec){ .path = write_bytes("a.csv", "1,a\n", 4), .labels = "y.npy" },
                        DLDA_E_ARGUMENT, "has its labels in itself");
}

static void expect_fit_failure(const char *path, dlda_table_fit_spec spec, dlda_status status, const char *words)
{
    dlda_table *table = open_ok(path);
    dlda_table_fit *fit = NULL;
    size_t live = dlda_memory_count().live;

    CHECK_STATUS(dlda_table_fit_lda(table, &spec, &fit), status);
    CHECK_ERROR_SAYS(words);
    assert_null(fit);
    assert_int_equal(dlda_memory_count().live, live);
    dlda_table_destroy(table);
}

static void test_tables_that_cannot_be_fitted(void **state)
{
    enum { N = 12, D = 2 };
    float X[N * D];
    int labels[N], one[N] = { 0 }, few[N] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1 };

    (void)state;
    make_rows(N, D, 8, X, labels);
    const char *path = write_table("fit", X, labels, N, D);
    expect_fit_failure(path, (dlda_table_fit_spec){ .folds = 1 }, DLDA_E_ARGUMENT,
                       "folds: found 1, expected 2 to 100000");
    expect_fit_failure(path, (dlda_table_fit_spec){ .folds = 13 }, DLDA_E_ARGUMENT,
                       "folds: found 13, expected at most 12, the number of rows");
    expect_fit_failure(path, (dlda_table_fit_spec){ .shrinkage = 1.5 }, DLDA_E_ARGUMENT, "shrinkage 1.5");
    expect_fit_failure(path, (dlda_table_fit_spec){ .shrinkage = NAN }, DLDA_E_ARGUMENT, "shrinkage nan");
    expect_fit_failure(path, (dlda_table_fit_spec){ .priors = (double[]){ 1, 0, 1 } }, DLDA_E_ARGUMENT,
                       "prior 1 is 0");
    expect_fit_failure(path, (dlda_table_fit_spec){ .lambda = -1 }, DLDA_E_ARGUMENT, "lambda");
    expect_fit_failure(write_table("one", X, one, N, D), (dlda_table_fit_spec){ .lambda = 1 }, DLDA_E_CLASS,
                       "at least two classes");
    path = write_table("few", X, few, N, D);
    expect_fit_failure(path, (dlda_table_fit_spec){ .lambda = 1, .folds = 2, .threads = 2 }, DLDA_E_CLASS,
                       "of 2: LDA needs at least two classes with two samples");
    dlda_table_fit_destroy(fit_ok(path, &(dlda_table_fit_spec){ .lambda = 1 }));
    X[7] = NAN;
    expect_fit_failure(write_table("nan", X, labels, N, D), (dlda_table_fit_spec){ .lambda = 1 }, DLDA_E_NUMERIC,
                       "row 3, column 1 is nan");
    for (size_t i = 0; i < N; i++) X[i * D + 1] = 3;
    expect_fit_failure(write_table("flat", X, labels, N, D), (dlda_table_fit_spec){ .folds = 3 }, DLDA_E_NUMERIC,
                       "a lambda above 0 or shrinkage helps");
}

/* ---- As in textbooks ---- */

static double accuracy_of_folds(const dlda_table_fit *fit)
{
    double correct = 0;

    for (size_t f = 0; f < fit->folds; f++) correct += (double)fit->fold_correct[f];
    return correct / (double)fit->rows;
}

/* Fisher's irises by R: MASS::lda(Species ~ ., iris), and with prior = c(.2, .3, .5); CV = TRUE has 147 of 150. */
static void test_same_as_R(void **state)
{
    const golden_table *iris = &golden_tables[0];
    const double values[] = { 32.191929, 0.285391 }, weighted[] = { 26.154742, 0.284526 };
    const double LD1[] = { -0.8293776, -1.5344731, 2.2012117, 2.8104603 };
    const double setosa[] = { 23.544167, 23.587870, -16.430639, -17.398411 }; /* SAS PROC DISCRIM */
    double full[4];

    (void)state;
    const char *path = write_table("iris", iris->X, iris->labels, iris->N, iris->D);
    dlda_table_fit *fit = fit_ok(path, &(dlda_table_fit_spec){ .folds = 150, .regularise = 1 });
    const dlda_lda_view *view = dlda_lda_view_of(fit->lda);
    CHECK_NEAR(view->eigenvalues, values, 2, 1e-7, "eigenvalues");
    CHECK_NEAR(view->directions, LD1, 4, 1e-6, "LD1");
    for (size_t j = 0; j < 4; j++) full[j] = view->coefficients[j] + view->common[j];
    CHECK_NEAR(full, setosa, 4, 1e-6, "classification function");
    assert_float_equal(view->intercepts[0] + view->common_intercept - log(1.0 / 3), -85.20986, 1e-4);
    assert_true(view->lambda == 0 && fit->fold_lambda == 0);
    assert_float_equal(accuracy_of_folds(fit), 147 / 150.0, 1e-12);
    for (size_t f = 0; f < 150; f++) assert_int_equal(fit->fold_rows[f], 1);
    assert_int_equal(fit->fold_confusion[1 * 3 + 2] + fit->fold_confusion[2 * 3 + 1], 3);
    assert_int_equal(fit->confusion[0] + fit->confusion[4] + fit->confusion[8], fit->correct);
    dlda_table_fit_destroy(fit);
    fit = fit_ok(path, &(dlda_table_fit_spec){ .priors = (double[]){ 0.2, 0.3, 0.5 } });
    CHECK_NEAR(dlda_lda_view_of(fit->lda)->eigenvalues, weighted, 2, 1e-7, "eigenvalues by priors");
    assert_float_equal(dlda_lda_prior(fit->lda, 2), 0.5, 1e-12);
    dlda_table_fit_destroy(fit);
}

/* The covariances of scikit-learn are divided by N, ours by N - C. */
static void test_shrinkage_as_scikit_learn(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_table *golden = &golden_tables[g];
        size_t D = golden->D;
        double within[13 * 13], factor = (double)(golden->N - golden->C) / (double)golden->N;
        const char *path = write_table(golden->name, golden->X, golden->labels, golden->N, D);
        for (int automatic = 0; automatic < 2; automatic++) {
            dlda_table_fit *fit = fit_ok(
                path, &(dlda_table_fit_spec){ .folds = 5, .shrinkage = automatic ? DLDA_SHRINKAGE_AUTO : 0.3 });
            for (size_t i = 0; i < D * D; i++) within[i] = fit->lda->Sw[i] * factor;
            CHECK_NEAR(within, automatic ? golden->automatic : golden->fixed, D * D, 1e-9, "%s: covariance %d",
                       golden->name, automatic);
            assert_true(automatic ? fit->class_shrinkage[0] > 0 && fit->class_shrinkage[0] < 1
                                  : !fit->class_shrinkage);
            dlda_table_fit_destroy(fit);
        }
    }
}

/* The library's own functions, with scikit-learn's division by N: the same posteriors. */
static void test_posteriors_as_scikit_learn(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_table *golden = &golden_tables[g];
        dlda_scatter *scatter = NULL;
        dlda_shrinkage *shrinkage = NULL;
        dlda_lda *lda = NULL;
        double values[3], posteriors[178 * 3];
        float proba[178 * 3];
        CHECK_OK(dlda_scatter_create(3, golden->D, &scatter));
        CHECK_OK(dlda_scatter_add(scatter, golden->X, golden->labels, golden->N));
        CHECK_OK(dlda_shrinkage_create(scatter, &shrinkage));
        CHECK_STATUS(dlda_shrinkage_estimate(shrinkage, values), DLDA_E_ARGUMENT);
        CHECK_ERROR_SAYS("0 rows of class 0");
        CHECK_OK(dlda_shrinkage_add(shrinkage, golden->X, golden->labels, golden->N));
        CHECK_OK(dlda_shrinkage_estimate(shrinkage, values));
        const dlda_classic_spec spec = { .class_shrinkage = values, .biased = 1 };
        CHECK_OK(dlda_lda_fit_classic(scatter, &spec, &lda));
        CHECK_OK(dlda_lda_predict(lda, golden->X, golden->N, DLDA_PROBABILITY_BAYES, NULL, proba));
        for (size_t i = 0; i < golden->N * 3; i++) posteriors[i] = (double)proba[i];
        CHECK_NEAR(posteriors, golden->posteriors, golden->N * 3, 1e-5, "%s: posteriors", golden->name);
        dlda_lda_destroy(lda);
        dlda_shrinkage_destroy(shrinkage);
        dlda_scatter_destroy(scatter);
    }
}

/* Units do not matter: neither of all columns together nor of one of them; a singular Sw is noticed in any unit. */
static void test_units(void **state)
{
    enum { N = 90, D = 4 };
    const double units[][D] = {
        { 1, 1, 1, 1 }, { 1e-6, 1e-6, 1e-6, 1e-6 }, { 1e6, 1e6, 1e6, 1e6 }, { 1e6, 1, 1e-6, 1 }
    };
    float X[N * D], scaled[N * D];
    int labels[N];
    dlda_table_fit *first = NULL;

    (void)state;
    make_rows(N, D, 11, X, labels);
    for (int singular = 0; singular < 2; singular++) {
        for (size_t u = 0; u < 4; u++) {
            for (size_t i = 0; i < N * D; i++) scaled[i] = (float)(X[i] * units[u][i % D]);
            for (size_t i = 0; singular && i < N; i++) scaled[i * D + 3] = 2 * scaled[i * D + 1];
            dlda_table_fit *fit = fit_ok(write_table("units", scaled, labels, N, D),
                                         &(dlda_table_fit_spec){ .folds = 9, .regularise = 1 });
            assert_int_equal(fit->lda->lambda > 0, singular);
            for (size_t k = 0; k < 2; k++) assert_true(fit->lda->eigenvalues[k] >= 0);
            if (u == 0) first = fit;
            else {
                if (u < 3 || !singular)
                    CHECK_NEAR(fit->lda->eigenvalues, first->lda->eigenvalues, 2, 1e-5, "units %zu", u);
                if (!singular) assert_int_equal(fit->correct, first->correct);
                if (!singular) assert_true(accuracy_of_folds(fit) == accuracy_of_folds(first));
                dlda_table_fit_destroy(fit);
            }
        }
        dlda_table_fit_destroy(first);
    }
}

/* Standardised features: lambda and shrinkage no longer depend on the units of one column. */
static void test_standardise(void **state)
{
    enum { N = 90, D = 3 };
    float X[N * D];
    int labels[N];
    double values[2][2];

    (void)state;
    make_rows(N, D, 12, X, labels);
    for (size_t turn = 0; turn < 2; turn++) {
        for (size_t i = 0; turn == 1 && i < N; i++) X[i * D] *= 1000;
        dlda_table_fit *fit = fit_ok(write_table("standard", X, labels, N, D),
                                     &(dlda_table_fit_spec){ .lambda = 0.5, .shrinkage = 0.2, .standardise = 1 });
        memcpy(values[turn], fit->lda->eigenvalues, sizeof values[turn]);
        dlda_table_fit_destroy(fit);
    }
    CHECK_NEAR(values[1], values[0], 2, 1e-5, "standardised");
}

/* Leave-one-out of many rows, which uses blocks of folds, agrees with fits by hand. */
static void test_leave_one_out(void **state)
{
    enum { N = 130, D = 3 };
    float X[N * D];
    int labels[N], predicted = 0;

    (void)state;
    make_rows(N, D, 13, X, labels);
    dlda_table_fit *fit = fit_ok(write_table("loo", X, labels, N, D), &(dlda_table_fit_spec){ .folds = N });
    for (size_t out = 0; out < N; out++) {
        dlda_scatter *scatter = NULL;
        dlda_lda *lda = NULL;
        CHECK_OK(dlda_scatter_create_pooled(3, D, &scatter));
        for (size_t i = 0; i < N; i++)
            if (i != out) CHECK_OK(dlda_scatter_add(scatter, X + i * D, labels + i, 1));
        CHECK_OK(dlda_lda_fit_classic(scatter, &(dlda_classic_spec){ .lambda = 0 }, &lda));
        CHECK_OK(dlda_lda_predict(lda, X + out * D, 1, DLDA_PROBABILITY_BAYES, &predicted, NULL));
        assert_int_equal(fit->fold_rows[out], 1);
        assert_int_equal(fit->fold_correct[out], predicted == labels[out]);
        dlda_lda_destroy(lda);
        dlda_scatter_destroy(scatter);
    }
    dlda_table_fit_destroy(fit);
}

static void test_file_that_shrinks(void **state)
{
    float X[40];
    int labels[10];
    dlda_table_fit *fit = NULL;

    (void)state;
    make_rows(10, 4, 9, X, labels);
    const char *path = write_table("shrinks", X, labels, 10, 4);
    dlda_table *table = open_ok(path);
    assert_int_equal(truncate(path, 150), 0);
    assert_int_not_equal(dlda_table_fit_lda(table, &(dlda_table_fit_spec){ .lambda = 1 }, &fit), DLDA_OK);
    assert_null(fit);
    dlda_table_destroy(table);
}

static void test_no_memory(void **state)
{
    float X[60 * 3];
    int labels[60];
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    make_rows(60, 3, 10, X, labels);
    const char *path = write_table("memory", X, labels, 60, 3);
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_table *table = NULL;
        dlda_table_fit *fit = NULL;
        assert_true(n < 2000);
        dlda_memory_fail_at(n);
        status = dlda_table_open(&(dlda_table_spec){ .path = path }, &table);
        if (status == DLDA_OK)
            status = dlda_table_fit_lda(
                table, &(dlda_table_fit_spec){ .lambda = 1e-3, .folds = 2, .seed = 1, .threads = 1 }, &fit);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) CHECK_STATUS(status, DLDA_E_MEMORY);
        dlda_table_fit_destroy(fit);
        dlda_table_destroy(table);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* ---- Rows for others ---- */

/* All rows in portions of 7, twice; -1 for labels that are not there. */
static void check_rows(dlda_table *table, const float *X, const int *labels, size_t N, size_t D)
{
    float rows[7 * 8];
    int found[7];

    for (size_t pass = 0; pass < 2; pass++) {
        size_t first = 0, n = 0;
        CHECK_OK(dlda_table_rewind(table));
        do {
            CHECK_OK(dlda_table_read(table, 7, rows, pass ? found : NULL, &n));
            assert_true(n <= N - first);
            assert_memory_equal(rows, X + first * D, n * D * sizeof *X);
            for (size_t i = 0; pass && i < n; i++) assert_int_equal(found[i], labels ? labels[first + i] : -1);
            first += n;
        } while (n > 0);
        assert_int_equal(first, N);
    }
}

static void test_rows(void **state)
{
    enum { N = 40, D = 3 };
    float X[N * D];
    int labels[N];
    char header[DLDA_NPY_HEADER];
    size_t all = 0;
    dlda_table *table = NULL;
    dlda_table_fit *fit = NULL;

    (void)state;
    make_rows(N, D, 8, X, labels);
    table = open_ok(write_table("rows", X, labels, N, D));
    check_rows(table, X, labels, N, D);
    CHECK_STATUS(dlda_table_read(table, 0, X, NULL, &(size_t){ 0 }), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_table_rewind(table));
    CHECK_OK(dlda_table_read(table, SIZE_MAX, X, NULL, &all)); /* as many as there are */
    assert_int_equal(all, N);
    dlda_table_destroy(table);

    FILE *file = fopen(in_folder("alone.npy"), "wb");
    dlda_npy_make_header(N, D, header);
    assert_int_equal(fwrite(header, 1, sizeof header, file), sizeof header);
    assert_int_equal(fwrite(X, sizeof *X, N * D, file), N * D);
    fclose(file);
    CHECK_STATUS(dlda_table_open(&(dlda_table_spec){ .path = in_folder("alone.npy") }, &table), DLDA_E_IO);
    CHECK_OK(dlda_table_open(&(dlda_table_spec){ .path = in_folder("alone.npy"), .features = D }, &table));
    check_rows(table, X, NULL, N, D);
    assert_int_equal(dlda_table_classes(table), 0);
    CHECK_STATUS(dlda_table_fit_lda(table, &(dlda_table_fit_spec){ 0 }, &fit), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("no labels");
    dlda_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_and_memory), /* first: it looks at the peak of memory */
        cmocka_unit_test(test_same_as_scikit_learn),
        cmocka_unit_test(test_same_as_R),
        cmocka_unit_test(test_shrinkage_as_scikit_learn),
        cmocka_unit_test(test_posteriors_as_scikit_learn),
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_standardise),
        cmocka_unit_test(test_leave_one_out),
        cmocka_unit_test(test_folds_are_stratified),
        cmocka_unit_test(test_cross_validation_by_hand),
        cmocka_unit_test(test_pooled_scatter),
        cmocka_unit_test(test_same_bits_with_folds),
        cmocka_unit_test(test_formats),
        cmocka_unit_test(test_transform),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_tables_that_cannot_be_opened),
        cmocka_unit_test(test_tables_that_cannot_be_fitted),
        cmocka_unit_test(test_file_that_shrinks),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
