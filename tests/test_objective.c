/* SPDX-License-Identifier: MIT
 *
 * test_objective.c - values and gradients of the objectives: against the golden answers of tools/twin.py, against
 * finite differences, by the properties of the LDA problem, and on batches that have no answer.
 */
#include "check.h"

#include "base/memory.h"
#include "golden/golden_objective.h"
#include "linalg/eigen.h"

enum { N_GOLDEN = sizeof golden_objectives / sizeof *golden_objectives };

static const char *const kind_names[GOLDEN_OBJECTIVES] = { "lda",      "lda-mean",  "lda-log",
                                                           "lda-soft", "lda-bayes", "cce",
                                                           "lda-trace", "lda-cce" };

/* ---- a batch, and what an objective says of it ------------------------------------------------------------- */

typedef struct batch {
    size_t N, D, C;
    double lambda, epsilon;
    double *H;   /* [N][D] */
    int *labels; /* [N]    */
} batch;

/* Balanced Gaussian classes, n rows each, whose means are `spread` apart. */
static batch batch_make(uint64_t seed, size_t C, size_t n, size_t D, double spread)
{
    batch b = { .N = C * n, .D = D, .C = C, .lambda = 1e-3, .epsilon = 1 };
    double *means = check_memory(C * D * sizeof *means);

    b.H = check_memory(b.N * D * sizeof *b.H);
    b.labels = check_memory(b.N * sizeof *b.labels);
    for (size_t i = 0; i < C * D; i++) means[i] = spread * check_normal(&seed);
    for (size_t i = 0; i < b.N; i++) {
        b.labels[i] = (int)(i % C);
        for (size_t k = 0; k < D; k++) b.H[i * D + k] = means[i % C * D + k] + check_normal(&seed);
    }
    free(means);
    return b;
}

static batch batch_of_golden(const golden_objective *golden)
{
    batch b = { golden->N, golden->D, golden->C, golden->lambda, golden->epsilon, NULL, NULL };

    b.H = check_memory(b.N * b.D * sizeof *b.H);
    b.labels = check_memory(b.N * sizeof *b.labels);
    memcpy(b.H, golden->H, b.N * b.D * sizeof *b.H);
    memcpy(b.labels, golden->labels, b.N * sizeof *b.labels);
    return b;
}

static batch batch_copy(const batch *other)
{
    batch b = *other;

    b.H = check_memory(b.N * b.D * sizeof *b.H);
    b.labels = check_memory(b.N * sizeof *b.labels);
    memcpy(b.H, other->H, b.N * b.D * sizeof *b.H);
    memcpy(b.labels, other->labels, b.N * sizeof *b.labels);
    return b;
}

static void batch_free(batch *b)
{
    free(b->H);
    free(b->labels);
}

static dlda_objective *objective_for(const batch *b, int kind)
{
    const dlda_objective_spec spec = { (dlda_objective_kind)kind, b->C, b->D, b->N, b->lambda, b->epsilon };
    dlda_objective *objective = NULL;

    CHECK_OK(dlda_objective_create(&spec, &objective));
    return objective;
}

typedef struct answer {
    double loss;
    double *dH; /* [N][D] */
    double v[32];
    size_t K;
} answer;

static answer evaluate(const batch *b, int kind)
{
    dlda_objective *objective = objective_for(b, kind);
    answer a = { .loss = NAN, .dH = check_nan_doubles(b->N * b->D) };
    size_t taken = dlda_memory_count().taken;

    CHECK_OK(dlda_objective_evaluate_double(objective, b->H, b->labels, b->N, &a.loss, a.dH));
    const double *v = dlda_objective_eigenvalues(objective, &a.K);
    assert_int_equal(dlda_memory_count().taken, taken);
    assert_true(a.K <= 32);
    if (a.K) memcpy(a.v, v, a.K * sizeof *v);
    dlda_objective_destroy(objective);
    return a;
}

/* ---- golden answers ---------------------------------------------------------------------------------------- */

static void check_golden(const golden_objective *golden, int kind)
{
    batch b = batch_of_golden(golden);
    answer a = evaluate(&b, kind);

    CHECK_NEAR(&a.loss, &golden->loss[kind], 1, 1e-9, "%s %s: loss", golden->name, kind_names[kind]);
    CHECK_NEAR(a.dH, golden->gradient[kind], b.N * b.D, 1e-7, "%s %s: gradient", golden->name, kind_names[kind]);
    assert_int_equal(a.K, kind == DLDA_OBJECTIVE_CCE ? 0 : golden->K);
    if (kind != DLDA_OBJECTIVE_CCE)
        CHECK_NEAR(a.v, golden->eigenvalues, a.K, 1e-9, "%s: eigenvalues", golden->name);
    free(a.dH);
    batch_free(&b);
}

static void test_golden(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++)
        for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++)
            if (golden_objectives[g].gradient[kind]) check_golden(&golden_objectives[g], kind);
}

/* ---- finite differences ------------------------------------------------------------------------------------ */

/* The loss; for lda-soft with its weights kept at `soft` [K], since its gradient takes them as constants. */
static double loss_at(dlda_objective *objective, const batch *b, int kind, const double *soft)
{
    double loss = NAN;
    size_t K;

    CHECK_OK(dlda_objective_evaluate_double(objective, b->H, b->labels, b->N, &loss, NULL));
    if (kind != DLDA_OBJECTIVE_LDA_SOFT) return loss;
    const double *v = dlda_objective_eigenvalues(objective, &K);
    loss = 0;
    for (size_t j = 0; j < K; j++) loss -= soft[j] * v[j];
    return loss;
}

static void softmax_of_minus(const double *v, size_t K, double *s)
{
    double sum = 0;

    for (size_t j = 0; j < K; j++) sum += s[j] = exp(v[K - 1] - v[j]);
    for (size_t j = 0; j < K; j++) s[j] /= sum;
}

/* Central differences of fourth order: with a step of 1e-3 both truncation and rounding stay below 1e-9. */
static double difference(dlda_objective *objective, batch *b, int kind, const double *soft, size_t at)
{
    const double step = 1e-3, weights[4] = { 1, -8, 8, -1 };
    const int moves[4] = { -2, -1, 1, 2 };
    double before = b->H[at], sum = 0;

    for (size_t m = 0; m < 4; m++) {
        b->H[at] = before + moves[m] * step;
        sum += weights[m] * loss_at(objective, b, kind, soft);
    }
    b->H[at] = before;
    return sum / (12 * step);
}

/* Compares some 300 components of the gradient. */
static void check_differences(batch *b, int kind, const char *name)
{
    answer a = evaluate(b, kind);
    dlda_objective *objective = objective_for(b, kind);
    size_t stride = 1 + b->N * b->D / 300, n = 0;
    double *found = check_nan_doubles(b->N * b->D), *expected = check_nan_doubles(b->N * b->D), soft[32];

    softmax_of_minus(a.v, a.K, soft);
    for (size_t at = 0; at < b->N * b->D; at += stride, n++) {
        found[n] = a.dH[at];
        expected[n] = difference(objective, b, kind, soft, at);
    }
    CHECK_NEAR(found, expected, n, 1e-6, "%s %s: gradient against differences", name, kind_names[kind]);
    free(found);
    free(expected);
    free(a.dH);
    dlda_objective_destroy(objective);
}

static void test_finite_differences(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_objective *golden = &golden_objectives[g];
        if (strcmp(golden->name, "large_offset") == 0) continue; /* there, the steps themselves are rounded */
        batch b = batch_of_golden(golden);
        for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++)
            if (golden->gradient[kind]) check_differences(&b, kind, golden->name);
        batch_free(&b);
    }
}

/* Three classes on an equilateral triangle, each a small cross: both eigenvalues are equal. The objectives are
 * symmetric functions of them, so they have a gradient even there. */
static void test_equal_eigenvalues(void **state)
{
    (void)state;
    batch b = batch_make(1, 3, 4, 2, 0);

    for (size_t i = 0; i < b.N; i++) {
        double at = 2 * M_PI * b.labels[i] / 3, way = M_PI / 2 * (double)(i / 3);
        b.H[i * 2] = 3 * cos(at) + cos(way);
        b.H[i * 2 + 1] = 3 * sin(at) + sin(way);
    }
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer a = evaluate(&b, kind);
        assert_int_equal(a.K, 2);
        assert_true(fabs(a.v[0] - a.v[1]) < 1e-12 * a.v[0]);
        check_differences(&b, kind, "equal eigenvalues");
        free(a.dH);
    }
    batch_free(&b);
}

/* ---- properties of the LDA problem ------------------------------------------------------------------------- */

/* Within [D][D]: mean covariance of the classes; between [D][D]: sum of n (m_c - m)(m_c - m)', plain loops. */
static void scatter_of_balanced(const batch *b, double *within, double *between)
{
    size_t n = b->N / b->C, D = b->D;
    double *means = check_memory(b->C * D * sizeof *means), *mean = check_memory(D * sizeof *mean);

    memset(means, 0, b->C * D * sizeof *means);
    memset(mean, 0, D * sizeof *mean);
    for (size_t i = 0; i < b->N * D; i++) {
        means[(size_t)b->labels[i / D] * D + i % D] += b->H[i] / (double)n;
        mean[i % D] += b->H[i] / (double)b->N;
    }
    memset(within, 0, D * D * sizeof *within);
    memset(between, 0, D * D * sizeof *between);
    for (size_t i = 0; i < b->N; i++) {
        const double *m = means + (size_t)b->labels[i] * D, *h = b->H + i * D;
        for (size_t j = 0; j < D * D; j++) {
            within[j] += (h[j / D] - m[j / D]) * (h[j % D] - m[j % D]) / (double)((n - 1) * b->C);
            between[j] += (m[j / D] - mean[j / D]) * (m[j % D] - mean[j % D]);
        }
    }
    free(means);
    free(mean);
}

/* A balanced batch has Sb = (B - (C-1) Sw) / (N-1): the eigenvalues of that are those of the objective. */
static void test_balanced_identity(void **state)
{
    (void)state;
    enum { D = 4 };
    batch b = batch_make(3, 6, 5, D, 1);
    double Sw[D * D], B[D * D], Sb[D * D], v[D], E[D * D];
    dlda_eigen *eigen = NULL;
    answer a = evaluate(&b, DLDA_OBJECTIVE_LDA);

    scatter_of_balanced(&b, Sw, B);
    for (size_t j = 0; j < D * D; j++) Sb[j] = (B[j] - (double)(b.C - 1) * Sw[j]) / (double)(b.N - 1);
    for (size_t j = 0; j < D; j++) Sw[j * D + j] += b.lambda;
    CHECK_OK(dlda_eigen_create(D, &eigen));
    CHECK_OK(dlda_eigen_solve(eigen, Sb, Sw, D, v, E));
    assert_int_equal(a.K, D);
    CHECK_NEAR(a.v, v, D, 1e-10, "eigenvalues of a balanced batch");
    dlda_eigen_destroy(eigen);
    free(a.dH);
    batch_free(&b);
}

/* Class means on one line: the other directions tell nothing, and sit at -(C-1)/(N-1) as lambda -> 0. */
static void test_null_directions(void **state)
{
    (void)state;
    const size_t C = 5, n = 6, D = 4;
    batch b = batch_make(4, C, n, D, 0);

    for (size_t i = C; i < b.N; i += 2 * C) /* rows come in pairs +x, -x about the mean of their class */
        for (size_t j = 0; j < C * D; j++) b.H[i * D + j] = -b.H[(i - C) * D + j];
    for (size_t i = 0; i < b.N; i++) b.H[i * D] += 3 * (double)b.labels[i], b.H[i * D + 2] -= (double)b.labels[i];
    b.lambda = 1e-12;
    answer a = evaluate(&b, DLDA_OBJECTIVE_LDA);
    double null = -(double)(C - 1) / (double)(b.N - 1);
    assert_int_equal(a.K, D);
    assert_true(a.v[0] > 1);
    for (size_t j = 1; j < D; j++) assert_true(fabs(a.v[j] - null) < 1e-10);
    free(a.dH);
    batch_free(&b);
}

/* H <- H R, with R a product of rotations in the planes of each two axes. */
static void rotate(double *H, size_t N, size_t D)
{
    for (size_t p = 0; p < D; p++)
        for (size_t q = p + 1; q < D; q++) {
            double c = cos(1.0 + (double)(p + 2 * q)), s = sin(1.0 + (double)(p + 2 * q));
            for (size_t i = 0; i < N; i++) {
                double x = H[i * D + p], y = H[i * D + q];
                H[i * D + p] = c * x - s * y;
                H[i * D + q] = s * x + c * y;
            }
        }
}

static void shift(double *H, size_t N, size_t D)
{
    for (size_t i = 0; i < N * D; i++) H[i] += 10 * (double)(i % D) - 7;
}

static void test_shift_and_rotation(void **state)
{
    (void)state;
    batch b = batch_make(5, 5, 6, 4, 1.5), moved = batch_copy(&b);

    shift(moved.H, b.N, b.D);
    rotate(moved.H, b.N, b.D);
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer here = evaluate(&b, kind), there = evaluate(&moved, kind);
        CHECK_NEAR(&there.loss, &here.loss, 1, 1e-10, "%s: loss after a rotation", kind_names[kind]);
        rotate(here.dH, b.N, b.D);
        CHECK_NEAR(there.dH, here.dH, b.N * b.D, 1e-9, "%s: gradient after a rotation", kind_names[kind]);
        free(here.dH);
        free(there.dH);
    }
    batch_free(&b);
    batch_free(&moved);
}

/* With lambda -> 0 the unit of the features does not matter. */
static void test_scaling(void **state)
{
    (void)state;
    batch b = batch_make(6, 4, 8, 3, 1.5);
    b.lambda = 1e-13;
    batch scaled = batch_copy(&b);

    for (size_t i = 0; i < b.N * b.D; i++) scaled.H[i] *= 7;
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer here = evaluate(&b, kind), there = evaluate(&scaled, kind);
        CHECK_NEAR(&there.loss, &here.loss, 1, 1e-9, "%s: loss of scaled features", kind_names[kind]);
        for (size_t i = 0; i < b.N * b.D; i++) there.dH[i] *= 7;
        CHECK_NEAR(there.dH, here.dH, b.N * b.D, 1e-9, "%s: gradient of scaled features", kind_names[kind]);
        free(here.dH);
        free(there.dH);
    }
    batch_free(&b);
    batch_free(&scaled);
}

/* A shift of all rows changes nothing, so the rows of the gradient add up to zero. */
static void test_gradient_rows_add_to_zero(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        batch b = batch_of_golden(&golden_objectives[g]);
        for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
            answer a = evaluate(&b, kind);
            for (size_t k = 0; k < b.D; k++) {
                double sum = 0;
                for (size_t i = 0; i < b.N; i++) sum += a.dH[i * b.D + k];
                assert_true(fabs(sum) <= 1e-8 * largest_size(a.dH, b.N * b.D));
            }
            free(a.dH);
        }
        batch_free(&b);
    }
}

/* ---- hard batches ------------------------------------------------------------------------------------------ */

/* What a constant feature must do: nothing, and no component of the gradient touches it, beyond the rounding of the
 * BLAS in use. */
static void test_constant_feature(void **state)
{
    (void)state;
    batch b = batch_make(7, 3, 6, 4, 2);

    for (size_t i = 0; i < b.N; i++) b.H[i * b.D + 1] = 0.5;
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer a = evaluate(&b, kind);
        assert_int_equal(a.K, 2);
        double largest = largest_size(a.dH, b.N * b.D);
        assert_true(largest > 0);
        for (size_t i = 0; i < b.N; i++) assert_true(fabs(a.dH[i * b.D + 1]) <= 1e-12 * largest);
        free(a.dH);
    }
    batch_free(&b);
}

/* All rows of a class equal, so that Sw = 0: lambda alone carries the problem. */
static void test_no_scatter_within(void **state)
{
    (void)state;
    batch b = batch_make(8, 3, 4, 3, 2);

    for (size_t i = 3 * b.D; i < b.N * b.D; i++) b.H[i] = b.H[i - 3 * b.D];
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++)
        check_differences(&b, kind, "no scatter within");
    batch_free(&b);
}

/* All rows equal: every eigenvalue is 0, every gradient 0, nothing is NaN. */
static void test_all_rows_equal(void **state)
{
    (void)state;
    batch b = batch_make(9, 3, 4, 3, 0);

    for (size_t i = 0; i < b.N * b.D; i++) b.H[i] = 2.5;
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer a = evaluate(&b, kind);
        assert_int_equal(a.K, 2);
        assert_true(isfinite(a.loss) && largest_size(a.v, a.K) == 0);
        for (size_t i = 0; i < b.N * b.D; i++) assert_true(a.dH[i] == 0);
        free(a.dH);
    }
    batch_free(&b);
}

/* A class without rows, wherever it stands, is as if it did not exist. */
static void test_missing_class_changes_nothing(void **state)
{
    (void)state;
    batch b = batch_make(10, 3, 5, 4, 1.5), gap = batch_copy(&b);

    gap.C = 6;
    for (size_t i = 0; i < b.N; i++) gap.labels[i] = 2 * b.labels[i];
    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        answer here = evaluate(&b, kind), there = evaluate(&gap, kind);
        assert_int_equal(there.K, here.K);
        CHECK_NEAR(&there.loss, &here.loss, 1, 1e-13, "%s: loss with absent classes", kind_names[kind]);
        CHECK_NEAR(there.dH, here.dH, b.N * b.D, 1e-13, "%s: gradient with absent classes", kind_names[kind]);
        free(here.dH);
        free(there.dH);
    }
    batch_free(&b);
    batch_free(&gap);
}

/* A softmax of huge features neither overflows nor loses the loss; one class alone is no problem for it. */
static void test_cross_entropy_of_huge_features(void **state)
{
    (void)state;
    batch b = batch_make(11, 3, 2, 3, 0);

    for (size_t i = 0; i < b.N; i++) {
        b.labels[i] = 1;
        for (size_t k = 0; k < 3; k++) b.H[i * 3 + k] = k == 0 ? 1e5 : -1e5;
    }
    answer a = evaluate(&b, DLDA_OBJECTIVE_CCE);
    CHECK_NEAR(&a.loss, &(double){ 2e5 }, 1, 1e-12, "cce of huge features");
    CHECK_NEAR(a.dH, ((double[]){ 1. / 6, -1. / 6, 0 }), 3, 1e-12, "gradient of cce of huge features");
    free(a.dH);
    batch_free(&b);
}

/* ---- precision, and one object for many batches ------------------------------------------------------------- */

static void check_float(const batch *given, int kind, const char *name)
{
    batch b = batch_copy(given);
    float *H = check_narrow(b.H, b.N * b.D), *dH = check_nan_floats(b.N * b.D);
    dlda_objective *objective = objective_for(&b, kind);
    double loss = NAN, again = NAN;
    size_t taken = dlda_memory_count().taken;

    for (size_t i = 0; i < b.N * b.D; i++) b.H[i] = H[i];
    answer a = evaluate(&b, kind);
    taken = dlda_memory_count().taken;
    CHECK_OK(dlda_objective_evaluate(objective, H, b.labels, b.N, &loss, dH));
    CHECK_OK(dlda_objective_evaluate(objective, H, b.labels, b.N, &again, NULL));
    assert_int_equal(dlda_memory_count().taken, taken);
    assert_true(again == loss);
    CHECK_NEAR(&loss, &a.loss, 1, 1e-5, "%s %s: loss in float", name, kind_names[kind]);
    CHECK_NEAR_FLOAT(dH, a.dH, b.N * b.D, 1e-5, "%s %s: gradient in float", name, kind_names[kind]);
    dlda_objective_destroy(objective);
    free(H);
    free(dH);
    free(a.dH);
    batch_free(&b);
}

static void test_float_agrees_with_double(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_objective *golden = &golden_objectives[g];
        if (strcmp(golden->name, "large_offset") == 0) continue; /* nothing is left of it in float */
        batch b = batch_of_golden(golden);
        for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++)
            if (golden->gradient[kind]) check_float(&b, kind, golden->name);
        batch_free(&b);
    }
}

/* Batches of other sizes, and one that fails, leave no trace in the next answer. */
static void test_reuse(void **state)
{
    (void)state;
    batch b = batch_make(12, 4, 6, 4, 1.5);

    for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++) {
        dlda_objective *objective = objective_for(&b, kind);
        answer a = evaluate(&b, kind);
        double loss = NAN, *dH = check_nan_doubles(b.N * b.D), bad = b.H[0];
        CHECK_OK(dlda_objective_evaluate_double(objective, b.H, b.labels, b.N - 5, &loss, dH));
        b.H[0] = NAN;
        CHECK_STATUS(dlda_objective_evaluate_double(objective, b.H, b.labels, b.N, &loss, dH), DLDA_E_NUMERIC);
        b.H[0] = bad;
        CHECK_OK(dlda_objective_evaluate_double(objective, b.H, b.labels, b.N, &loss, dH));
        assert_memory_equal(&loss, &a.loss, sizeof loss);
        assert_memory_equal(dH, a.dH, b.N * b.D * sizeof *dH);
        dlda_objective_destroy(objective);
        free(a.dH);
        free(dH);
    }
    batch_free(&b);
}

/* How many eigenvalues are raised: those below the threshold, with epsilon 0 the smallest alone; all by the others. */
static void test_selected(void **state)
{
    (void)state;
    batch b = batch_make(13, 5, 8, 6, 1.5);
    const struct {
        int kind;
        double epsilon;
        size_t selected;
    } cases[] = { { DLDA_OBJECTIVE_LDA, 0, 1 }, { DLDA_OBJECTIVE_LDA, 1e9, 4 }, { DLDA_OBJECTIVE_LDA_LOG, 0, 4 } };
    double loss = 0;

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        b.epsilon = cases[i].epsilon;
        dlda_objective *objective = objective_for(&b, cases[i].kind);
        CHECK_OK(dlda_objective_evaluate_double(objective, b.H, b.labels, b.N, &loss, NULL));
        assert_int_equal(dlda_objective_selected(objective), cases[i].selected);
        dlda_objective_destroy(objective);
    }
    batch_free(&b);
}

/* ---- stages ------------------------------------------------------------------------------------------------- */

enum { SHARES = 3 };

/* Every third portion of rows belongs to the same "machine", which has an objective of its own. */
static void run_stages(const batch *b, const float *H, dlda_objective *machines[SHARES], double losses[SHARES])
{
    size_t portion = b->N / 7 + 1, rounds = dlda_objective_rounds(machines[0]);

    for (size_t round = 0; round < rounds; round++) {
        double *sums[SHARES];
        for (size_t m = 0; m < SHARES; m++) {
            dlda_objective_reset(machines[m], round);
            for (size_t first = m * portion; first < b->N; first += SHARES * portion)
                CHECK_OK(dlda_objective_add(machines[m], H + first * b->D, b->labels + first,
                                            b->N - first < portion ? b->N - first : portion));
            sums[m] = check_nan_doubles(dlda_objective_sums_size(machines[m]));
            dlda_objective_export_sums(machines[m], sums[m]);
        }
        for (size_t m = 0; m < SHARES; m++) {
            for (size_t other = 0; other < SHARES; other++)
                if (other != m)
                    CHECK_OK(
                        dlda_objective_merge_sums(machines[m], sums[other], dlda_objective_sums_size(machines[m])));
            CHECK_OK(dlda_objective_solve(machines[m], &losses[m]));
        }
        for (size_t m = 0; m < SHARES; m++) free(sums[m]);
    }
}

static void check_stages(const batch *b, int kind, const char *name)
{
    float *H = check_narrow(b->H, b->N * b->D), *dH = check_memory(b->N * b->D * sizeof *dH);
    float *whole = check_memory(b->N * b->D * sizeof *whole);
    dlda_objective *machines[SHARES], *alone = objective_for(b, kind);
    double losses[SHARES] = { NAN, NAN, NAN }, loss = NAN;
    size_t portion = b->N / 5 + 1;

    CHECK_OK(dlda_objective_evaluate(alone, H, b->labels, b->N, &loss, whole));
    for (size_t m = 0; m < SHARES; m++) machines[m] = objective_for(b, kind);
    run_stages(b, H, machines, losses);
    for (size_t first = 0; first < b->N; first += portion) /* any machine knows the gradient of any row */
        CHECK_OK(dlda_objective_gradient(machines[first / portion % SHARES], H + first * b->D, b->labels + first,
                                         b->N - first < portion ? b->N - first : portion, dH + first * b->D));
    double *expected = check_widen(whole, b->N * b->D);
    CHECK_NEAR_FLOAT(dH, expected, b->N * b->D, 1e-5, "%s %s: gradient in stages", name, kind_names[kind]);
    for (size_t m = 0; m < SHARES; m++) {
        CHECK_NEAR(&losses[m], &loss, 1, 1e-9, "%s %s: loss in stages", name, kind_names[kind]);
        dlda_objective_destroy(machines[m]);
    }
    dlda_objective_destroy(alone);
    free(expected);
    free(whole);
    free(dH);
    free(H);
}

/* Stages in another order are refused: a gradient of nothing would look like one. */
static void check_order(const batch *b, int kind)
{
    float *H = check_narrow(b->H, b->N * b->D), *dH = check_memory(b->N * b->D * sizeof *dH);
    dlda_objective *objective = objective_for(b, kind);
    size_t rounds = dlda_objective_rounds(objective);
    double loss = NAN;

    CHECK_STATUS(dlda_objective_gradient(objective, H, b->labels, b->N, dH), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("0 rounds are solved");
    dlda_objective_reset(objective, 1); /* the second round before the first, or one too many */
    CHECK_STATUS(dlda_objective_add(objective, H, b->labels, b->N), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_objective_solve(objective, &loss), DLDA_E_ARGUMENT);
    for (size_t round = 0; round < rounds; round++) {
        dlda_objective_reset(objective, round);
        CHECK_OK(dlda_objective_add(objective, H, b->labels, b->N));
        CHECK_STATUS(dlda_objective_gradient(objective, H, b->labels, b->N, dH), DLDA_E_ARGUMENT);
        CHECK_OK(dlda_objective_solve(objective, &loss));
    }
    CHECK_OK(dlda_objective_gradient(objective, H, b->labels, b->N, dH));
    dlda_objective_reset(objective, 0);
    CHECK_STATUS(dlda_objective_gradient(objective, H, b->labels, b->N, dH), DLDA_E_ARGUMENT);
    dlda_objective_destroy(objective);
    free(dH);
    free(H);
}

/* The stages in double, of all rows at once, have the bits of the whole evaluation. */
static void check_double_stages(const batch *b, int kind)
{
    size_t values = b->N * b->D;
    double *dH = check_nan_doubles(values), *whole = check_nan_doubles(values), loss = NAN, expected = NAN;
    dlda_objective *objective = objective_for(b, kind), *alone = objective_for(b, kind);

    CHECK_STATUS(dlda_objective_gradient_double(objective, b->H, b->labels, b->N, dH), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_objective_evaluate_double(alone, b->H, b->labels, b->N, &expected, whole));
    for (size_t round = 0; round < dlda_objective_rounds(objective); round++) {
        dlda_objective_reset(objective, round);
        CHECK_STATUS(dlda_objective_add_double(objective, b->H, b->labels, b->N + 1), DLDA_E_ARGUMENT);
        CHECK_OK(dlda_objective_add_double(objective, b->H, b->labels, b->N));
        CHECK_OK(dlda_objective_solve(objective, &loss));
    }
    CHECK_OK(dlda_objective_gradient_double(objective, b->H, b->labels, b->N, dH));
    assert_true(loss == expected);
    assert_memory_equal(dH, whole, values * sizeof *dH);
    dlda_objective_destroy(objective);
    dlda_objective_destroy(alone);
    free(whole);
    free(dH);
}

static void test_stages(void **state)
{
    (void)state;
    for (size_t g = 0; g < N_GOLDEN; g++) {
        const golden_objective *golden = &golden_objectives[g];
        if (strcmp(golden->name, "large_offset") == 0) continue; /* floats do not hold it */
        batch b = batch_of_golden(golden);
        for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++)
            if (golden->gradient[kind]) {
                check_stages(&b, kind, golden->name);
                check_order(&b, kind);
                check_double_stages(&b, kind);
            }
        batch_free(&b);
    }
}

static void test_sums_that_are_none(void **state)
{
    (void)state;
    batch b = batch_make(14, 3, 5, 4, 1.5);
    dlda_objective *objective = objective_for(&b, DLDA_OBJECTIVE_LDA);
    size_t size = dlda_objective_sums_size(objective);
    double *sums = check_memory(size * sizeof *sums);

    dlda_objective_export_sums(objective, sums);
    CHECK_OK(dlda_objective_merge_sums(objective, sums, size));
    CHECK_STATUS(dlda_objective_merge_sums(objective, sums, size - 1), DLDA_E_SHAPE);
    sums[1] = 2.5;
    CHECK_STATUS(dlda_objective_merge_sums(objective, sums, size), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("value 1 is 2.5, expected a count of rows");
    sums[1] = 0;
    sums[3] = NAN;
    CHECK_STATUS(dlda_objective_merge_sums(objective, sums, size), DLDA_E_NUMERIC);
    free(sums);
    dlda_objective_destroy(objective);
    batch_free(&b);
}

/* Without rows there is no mean loss; what is not a number must not get into it. */
static void test_sums_of_losses(void **state)
{
    static const dlda_objective_kind kinds[] = { DLDA_OBJECTIVE_CCE, DLDA_OBJECTIVE_LDA_BAYES };

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        float H[] = { 1, 0, 2, 1, 0, 1, 1, 3 };
        const int labels[] = { 0, 0, 1, 1 };
        double loss = 7, sums[64] = { 0 };
        dlda_objective *objective = NULL;
        const dlda_objective_spec spec = { kinds[i], 2, 2, 4, 0.001, 1 };
        CHECK_OK(dlda_objective_create(&spec, &objective));
        for (size_t round = 0; round < dlda_objective_rounds(objective); round++) {
            dlda_objective_reset(objective, round);
            if (round + 1 == dlda_objective_rounds(objective)) break;
            CHECK_OK(dlda_objective_add(objective, H, labels, 4));
            CHECK_OK(dlda_objective_solve(objective, &loss));
        }
        CHECK_STATUS(dlda_objective_solve(objective, &loss), DLDA_E_ARGUMENT);
        CHECK_ERROR_SAYS("no rows");
        assert_true(loss == 7);
        sums[0] = -1;
        CHECK_STATUS(dlda_objective_merge_sums(objective, sums, dlda_objective_sums_size(objective)),
                     DLDA_E_NUMERIC);
        sums[0] = 1;
        sums[1] = NAN;
        CHECK_STATUS(dlda_objective_merge_sums(objective, sums, dlda_objective_sums_size(objective)),
                     DLDA_E_NUMERIC);
        CHECK_OK(dlda_objective_add(objective, H, labels, 4));
        CHECK_OK(dlda_objective_solve(objective, &loss));
        assert_true(loss > 0 && loss < 7);
        dlda_objective_destroy(objective);
    }
}

static void test_names(void **state)
{
    (void)state;
    for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++) {
        assert_non_null(dlda_objective_find(kind_names[kind]));
        assert_int_equal(dlda_objective_find(kind_names[kind])->kind, kind);
    }
    assert_int_equal(dlda_objective_find("cce")->softmax, 1);
    assert_string_equal(dlda_objective_find("lda-log")->value, "separation");
    assert_null(dlda_objective_find("lda-"));
}

/* ---- failures ---------------------------------------------------------------------------------------------- */

/* The status in float and in double; neither may write its results. */
static void check_fails(const batch *b, size_t n, int kind, dlda_status wanted)
{
    dlda_objective *objective = objective_for(b, kind);
    size_t size = (n > b->N ? n : b->N) * b->D;
    double loss = -77, *H = check_nan_doubles(size), *dH = check_nan_doubles(size);
    int *labels = check_memory((size / b->D) * sizeof *labels);

    memcpy(H, b->H, b->N * b->D * sizeof *H);
    for (size_t i = b->N * b->D; i < size; i++) H[i] = 1;
    for (size_t i = 0; i < size / b->D; i++) labels[i] = i < b->N ? b->labels[i] : 0;
    float *narrow = check_narrow(H, size), *dnarrow = check_nan_floats(size);
    CHECK_STATUS(dlda_objective_evaluate(objective, narrow, labels, n, &loss, dnarrow), wanted);
    CHECK_STATUS(dlda_objective_evaluate_double(objective, H, labels, n, &loss, dH), wanted);
    assert_true(loss == -77);
    for (size_t i = 0; i < size; i++) assert_true(isnan(dH[i]) && isnan(dnarrow[i]));
    dlda_objective_destroy(objective);
    free(H);
    free(dH);
    free(narrow);
    free(dnarrow);
    free(labels);
}

static void test_too_few_classes(void **state)
{
    (void)state;
    batch b = batch_make(13, 4, 9, 3, 1);

    for (int kind = DLDA_OBJECTIVE_LDA; kind <= DLDA_OBJECTIVE_LDA_SOFT; kind++) {
        for (size_t i = 0; i < b.N; i++) b.labels[i] = 1;
        check_fails(&b, b.N, kind, DLDA_E_CLASS);
        CHECK_ERROR_SAYS("36");
        b.labels[20] = 2; /* one row more is not enough: 35 of class 1, 1 of class 2, none of 0 and 3 */
        check_fails(&b, b.N, kind, DLDA_E_CLASS);
        CHECK_ERROR_SAYS("35");
        CHECK_ERROR_SAYS("1");
        check_fails(&b, 1, kind, DLDA_E_CLASS);
    }
    batch_free(&b);
}

static void test_values_not_finite(void **state)
{
    (void)state;
    const double bad[3] = { NAN, INFINITY, -INFINITY };
    batch b = batch_make(14, 9, 4, 9, 1);

    for (size_t k = 0; k < 3; k++) {
        b.H[23 * b.D + 7] = bad[k];
        for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++) {
            check_fails(&b, b.N, kind, DLDA_E_NUMERIC);
            CHECK_ERROR_SAYS("row 23");
            CHECK_ERROR_SAYS("column 7");
        }
    }
    batch_free(&b);
}

static void test_wrong_arguments(void **state)
{
    (void)state;
    batch b = batch_make(15, 3, 5, 3, 1);

    for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++) {
        check_fails(&b, b.N + 1, kind, DLDA_E_ARGUMENT);
        for (int label = -1; label <= 3; label += 4) {
            int before = b.labels[6];
            b.labels[6] = label;
            check_fails(&b, b.N, kind, DLDA_E_ARGUMENT);
            b.labels[6] = before;
        }
    }
    batch_free(&b);
}

static void test_wrong_spec(void **state)
{
    (void)state;
    const dlda_objective_spec wrong[] = {
        { DLDA_OBJECTIVE_CCE, 3, 4, 10, 1e-3, 1 },   { DLDA_OBJECTIVE_LDA, 0, 4, 10, 1e-3, 1 },
        { DLDA_OBJECTIVE_LDA, 1, 4, 10, 1e-3, 1 },   { DLDA_OBJECTIVE_LDA, 3, 0, 10, 1e-3, 1 },
        { DLDA_OBJECTIVE_LDA, 3, 4, 10, -1, 1 },     { DLDA_OBJECTIVE_LDA, 3, 4, 10, NAN, 1 },
        { DLDA_OBJECTIVE_LDA, 3, 4, 0, 1e-3, 1 },    { DLDA_OBJECTIVE_LDA, 3, 4, 10, 1e-3, -1 },
        { DLDA_OBJECTIVE_LDA, 3, 4, 10, 1e-3, NAN },
    };

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        dlda_objective *objective = NULL;
        dlda_status status = dlda_objective_create(&wrong[i], &objective);
        if (status == DLDA_OK) print_error("spec %zu was accepted\n", i);
        assert_int_not_equal(status, DLDA_OK);
        assert_null(objective);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    size_t live = dlda_memory_count().live;

    for (int kind = 0; kind < GOLDEN_OBJECTIVES; kind++) {
        const dlda_objective_spec spec = { (dlda_objective_kind)kind, 4, 4, 20, 1e-3, 1 };
        dlda_status status = DLDA_E_MEMORY;
        for (size_t n = 1; status != DLDA_OK; n++) {
            dlda_objective *objective = NULL;
            assert_true(n < 100);
            dlda_memory_fail_at(n);
            status = dlda_objective_create(&spec, &objective);
            dlda_memory_fail_at(0);
            if (status != DLDA_OK) {
                CHECK_STATUS(status, DLDA_E_MEMORY);
                assert_null(objective);
            }
            dlda_objective_destroy(objective);
            assert_int_equal(dlda_memory_count().live, live);
        }
    }
    dlda_objective_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),
        cmocka_unit_test(test_finite_differences),
        cmocka_unit_test(test_equal_eigenvalues),
        cmocka_unit_test(test_balanced_identity),
        cmocka_unit_test(test_null_directions),
        cmocka_unit_test(test_shift_and_rotation),
        cmocka_unit_test(test_scaling),
        cmocka_unit_test(test_gradient_rows_add_to_zero),
        cmocka_unit_test(test_constant_feature),
        cmocka_unit_test(test_no_scatter_within),
        cmocka_unit_test(test_all_rows_equal),
        cmocka_unit_test(test_missing_class_changes_nothing),
        cmocka_unit_test(test_cross_entropy_of_huge_features),
        cmocka_unit_test(test_float_agrees_with_double),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_selected),
        cmocka_unit_test(test_stages),
        cmocka_unit_test(test_sums_that_are_none),
        cmocka_unit_test(test_sums_of_losses),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_too_few_classes),
        cmocka_unit_test(test_values_not_finite),
        cmocka_unit_test(test_wrong_arguments),
        cmocka_unit_test(test_wrong_spec),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests_name("objective", tests, NULL, NULL);
}
