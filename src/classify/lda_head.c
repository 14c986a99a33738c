/* SPDX-License-Identifier: MIT
 *
 * lda_head.c - the LDA classifier in closed form (the paper, 3.4; docs/method.md, step 6).
 *
 * With A = [e_1 .. e_K] and e'(Sw + lambda I)e = 1, the score of class c is
 *     d_c(h) = h T_c' - M_c T_c' / 2,   T = M A A',
 * which is Bayes' rule for Gaussian classes with covariance Sw + lambda I, in the discriminant space. Held-out samples
 * spread wider than training samples, from which Sw is computed: there the covariance is nearer to temperature times that,
 * and Bayes' rule has d_c / temperature + log prior_c.
 */
#include "classify/lda_head.h"
#include "base/chi_square.h"
#include "base/memory.h"
#include "base/number.h"
#include "objective/lda_problem.h"

#include <math.h>
#include <string.h>

dlda_status dlda_lda_create(size_t C, size_t D, size_t K, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    dlda_lda *self = NULL;
    size_t n_means = 0, n_directions = 0, n_projected = 0;

    DLDA_TRY(dlda_multiply_sizes(C, D, "LDA", &n_means));
    DLDA_TRY(dlda_multiply_sizes(K, D, "LDA", &n_directions));
    DLDA_TRY(dlda_multiply_sizes(C, K, "LDA", &n_projected));
    DLDA_TRY(DLDA_TAKE(&self, 1, "LDA"));
    self->C = C;
    self->D = D;
    self->K = K;
    self->lambda = NAN;
    self->temperature = 1;
    DLDA_TRY(DLDA_TAKE(&self->counts, C, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->M, n_means, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->A, n_directions, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->eigenvalues, K, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->T, n_means, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->B, n_means, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->offset, C, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->log_prior, C, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->intercept, C, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->share, C, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->P, n_projected, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->mean, D, "LDA"));
    *lda = self;
    self = NULL;
done:
    dlda_lda_destroy(self);
    return status;
}

void dlda_lda_destroy(dlda_lda *self)
{
    if (!self) return;
    dlda_release(self->counts);
    dlda_release(self->M);
    dlda_release(self->A);
    dlda_release(self->eigenvalues);
    dlda_release(self->Sw);
    dlda_release(self->St);
    dlda_release(self->priors);
    dlda_release(self->T);
    dlda_release(self->B);
    dlda_release(self->offset);
    dlda_release(self->log_prior);
    dlda_release(self->intercept);
    dlda_release(self->share);
    dlda_release(self->P);
    dlda_release(self->mean);
    dlda_release(self->common);
    dlda_name_list_release(&self->names);
    dlda_name_list_release(&self->columns);
    dlda_release(self->list);
    dlda_release(self);
}

int dlda_lda_usable(const dlda_lda *self, size_t c)
{
    return self->counts[c] >= 2;
}

static double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void prepare_mean(dlda_lda *self)
{
    double N = 0;

    for (size_t c = 0; c < self->C; c++) N += self->counts[c];
    memset(self->mean, 0, self->D * sizeof *self->mean);
    for (size_t c = 0; c < self->C; c++)
        for (size_t i = 0; i < self->D; i++) self->mean[i] += self->M[c * self->D + i] * (self->counts[c] / N);
}

static void prepare_priors(dlda_lda *self)
{
    const double *given = self->priors ? self->priors : self->counts;
    double total = 0;

    for (size_t c = 0; c < self->C; c++)
        if (dlda_lda_usable(self, c)) total += given[c];
    for (size_t c = 0; c < self->C; c++) {
        self->log_prior[c] = dlda_lda_usable(self, c) ? log(given[c] / total) : -INFINITY;
        self->share[c] = exp(self->log_prior[c]);
        self->intercept[c] = self->offset[c] / self->temperature + self->log_prior[c];
    }
}

void dlda_lda_prepare(dlda_lda *self)
{
    size_t D = self->D;

    memset(self->T, 0, self->C * D * sizeof *self->T);
    for (size_t c = 0; c < self->C; c++) {
        double *T = self->T + c * D;
        const double *mean = self->M + c * D;
        for (size_t k = 0; k < self->K; k++) {
            double coordinate = dot(D, mean, self->A + k * D);
            self->P[c * self->K + k] = coordinate;
            for (size_t i = 0; i < D; i++) T[i] += coordinate * self->A[k * D + i];
        }
        self->offset[c] = -dot(D, mean, T) / 2;
    }
    for (size_t i = 0; i < self->C * D; i++) self->B[i] = self->T[i] / self->temperature;
    prepare_mean(self);
    prepare_priors(self);
    dlda_lda_fill_view(self);
}

void dlda_lda_set_temperature(dlda_lda *self, double temperature)
{
    self->temperature = temperature;
    dlda_lda_prepare(self);
}

dlda_status dlda_lda_take_scatter(dlda_lda *self)
{
    dlda_status status = DLDA_OK;
    size_t square = 0;

    DLDA_TRY(dlda_multiply_sizes(self->D, self->D, "LDA", &square));
    DLDA_TRY(DLDA_TAKE(&self->Sw, square, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->St, square, "LDA"));
done:
    return status;
}

dlda_status dlda_lda_take_priors(dlda_lda *self)
{
    return self->priors ? DLDA_OK : DLDA_TAKE(&self->priors, self->C, "LDA");
}

static void copy_doubles(double *to, const double *from, size_t n)
{
    memcpy(to, from, n * sizeof *to);
}

static dlda_status copy_names(const dlda_name_list *from, dlda_name_list *to)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; status == DLDA_OK && i < from->count; i++) {
        const char *name = dlda_name_list_at(from, i);
        status = dlda_name_list_add(to, name, strlen(name));
    }
    return status;
}

dlda_status dlda_lda_copy(const dlda_lda *self, dlda_lda **copy)
{
    dlda_status status = DLDA_OK;
    dlda_lda *made = NULL;
    size_t C = self->C, D = self->D, K = self->K;

    DLDA_TRY(dlda_lda_create(C, D, K, &made));
    if (self->Sw) DLDA_TRY(dlda_lda_take_scatter(made));
    if (self->priors) DLDA_TRY(dlda_lda_take_priors(made));
    copy_doubles(made->counts, self->counts, C);
    copy_doubles(made->M, self->M, C * D);
    copy_doubles(made->A, self->A, K * D);
    copy_doubles(made->eigenvalues, self->eigenvalues, K);
    if (self->Sw) copy_doubles(made->Sw, self->Sw, D * D);
    if (self->Sw) copy_doubles(made->St, self->St, D * D);
    if (self->priors) copy_doubles(made->priors, self->priors, C);
    DLDA_TRY(copy_names(&self->names, &made->names));
    if (self->list) DLDA_TRY(dlda_lda_name_features(made, self->list));
    made->lambda = self->lambda;
    made->temperature = self->temperature;
    dlda_lda_prepare(made);
    *copy = made;
    made = NULL;
done:
    dlda_lda_destroy(made);
    return status;
}

/* ---- Fitting ---- */

/* Takes over the matrices of the problem: Sw, and St = Sb + Sw. */
static void keep_matrices(dlda_lda_problem *problem, dlda_lda *self)
{
    for (size_t i = 0; i < self->D * self->D; i++) problem->Sb[i] += problem->Sw[i];
    self->Sw = problem->Sw;
    self->St = problem->Sb;
    problem->Sw = problem->Sb = NULL;
}

dlda_status dlda_lda_fit(const dlda_scatter *scatter, double lambda, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    dlda_lda_problem *problem = NULL;
    dlda_lda *self = NULL;

    DLDA_NEED(scatter, lda);
    size_t C = scatter->C, D = scatter->D;
    if (!(lambda >= 0)) DLDA_FAIL(DLDA_E_ARGUMENT, "LDA: lambda %g, expected 0 or more", lambda);
    DLDA_TRY(dlda_lda_problem_create(D, &problem));
    DLDA_TRY(dlda_lda_problem_solve(problem, scatter, lambda));
    DLDA_TRY(dlda_lda_create(C, D, problem->K, &self));
    self->lambda = lambda;
    for (size_t c = 0; c < C; c++) self->counts[c] = (double)scatter->counts[c];
    memcpy(self->M, scatter->means, C * D * sizeof *self->M);
    memcpy(self->A, problem->E, problem->K * D * sizeof *self->A);
    memcpy(self->eigenvalues, problem->values, problem->K * sizeof *self->eigenvalues);
    keep_matrices(problem, self);
    dlda_lda_prepare(self);
    *lda = self;
    self = NULL;
done:
    dlda_lda_problem_destroy(problem);
    dlda_lda_destroy(self);
    return status;
}

/* ---- Prediction ---- */

static dlda_status check_finite(const float *X, size_t n, size_t D)
{
    size_t bad = dlda_find_not_finite(X, n * D);

    if (bad == n * D) return DLDA_OK;
    return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value", bad / D,
                     bad % D, (double)X[bad]);
}

static double dot_mixed(size_t n, const float *x, const double *a)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)x[i] * a[i];
    return sum;
}

dlda_status dlda_lda_transform(const dlda_lda *self, const float *X, size_t n, float *Z)
{
    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(X, Z);
    dlda_status status = check_finite(X, n, self->D);

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < self->K; k++)
            Z[i * self->K + k] = (float)dot_mixed(self->D, X + i * self->D, self->A + k * self->D);
    return DLDA_OK;
}

/* The score of a class: d_c, or that of Bayes' rule; minus infinity if the class must not be predicted. */
static double class_score(const dlda_lda *self, const float *x, size_t c, dlda_probability kind)
{
    if (!dlda_lda_usable(self, c)) return -INFINITY;
    double d = dot_mixed(self->D, x, self->T + c * self->D) + self->offset[c];
    return kind == DLDA_PROBABILITY_BAYES ? d / self->temperature + self->log_prior[c] : d;
}

/* Logarithm of the unnormalised weight of a class. For the paper's kind it is log(1 / (1 + exp(-d))), written so
 * that it neither overflows nor underflows: the weights of distant classes underflow, their logarithms do not. */
static double log_weight(double score, dlda_probability kind)
{
    if (kind == DLDA_PROBABILITY_BAYES || isinf(score)) return score;
    return score > 0 ? -log1p(exp(-score)) : score - log1p(exp(score));
}

/* `scores` [C] is scratch. Weights are scaled so that the largest is 1, so their sum is never zero. */
static void classify_row(const dlda_lda *self, const float *x, dlda_probability kind, double *scores, int *label,
                         float *proba)
{
    size_t best = 0;
    double sum = 0;

    for (size_t c = 0; c < self->C; c++) {
        scores[c] = class_score(self, x, c, kind);
        if (scores[c] > scores[best]) best = c;
    }
    if (label) *label = (int)best;
    if (!proba) return;
    double largest = log_weight(scores[best], kind);
    for (size_t c = 0; c < self->C; c++) sum += scores[c] = exp(log_weight(scores[c], kind) - largest);
    for (size_t c = 0; c < self->C; c++) proba[c] = (float)(scores[c] / sum);
}

/* e'(Sw + lambda I)e = 1 makes the shared covariance of the projected rows the identity, so the squared Mahalanobis
 * distance is the Euclidean one. `z` [K] is the projected row. */
static double nearest_distance(const dlda_lda *self, const double *z)
{
    double least = INFINITY;

    for (size_t c = 0; c < self->C; c++) {
        double sum = 0;
        for (size_t k = 0; dlda_lda_usable(self, c) && k < self->K; k++) {
            double gap = z[k] - self->P[c * self->K + k];
            sum += gap * gap;
        }
        if (dlda_lda_usable(self, c) && sum < least) least = sum;
    }
    return least;
}

/* `z` [K] is scratch. */
static void locate_row(const dlda_lda *self, const float *x, double *z, float *projection, double *distance)
{
    for (size_t k = 0; k < self->K; k++) z[k] = dot_mixed(self->D, x, self->A + k * self->D);
    for (size_t k = 0; projection && k < self->K; k++) projection[k] = (float)z[k];
    if (distance) *distance = nearest_distance(self, z);
}

dlda_status dlda_lda_answer(const dlda_lda *self, const float *X, size_t n, dlda_probability kind, double *scratch,
                            const dlda_answers *answers)
{
    size_t C = self->C, D = self->D, K = self->K;
    const dlda_answers *a = answers;
    dlda_status status = check_finite(X, n, D);

    if (kind != DLDA_PROBABILITY_PAPER && kind != DLDA_PROBABILITY_BAYES)
        return dlda_fail(DLDA_E_ARGUMENT, "predict: unknown kind of probability %d", (int)kind);
    for (size_t i = 0; status == DLDA_OK && i < n; i++) {
        const float *x = X + i * D;
        if (a->projections || a->distances)
            locate_row(self, x, scratch, a->projections ? a->projections + i * K : NULL,
                       a->distances ? a->distances + i : NULL);
        if (a->labels || a->proba)
            classify_row(self, x, kind, scratch, a->labels ? a->labels + i : NULL,
                         a->proba ? a->proba + i * C : NULL);
        for (size_t c = 0; a->scores && c < C; c++) a->scores[i * C + c] = class_score(self, x, c, kind);
    }
    return status;
}

static dlda_status answer(const dlda_lda *self, const float *X, size_t n, dlda_probability kind,
                          const dlda_answers *answers)
{
    double *scratch = NULL;
    dlda_status status = DLDA_TAKE(&scratch, self->C + self->K, "class scores");

    if (status == DLDA_OK) status = dlda_lda_answer(self, X, n, kind, scratch, answers);
    dlda_release(scratch);
    return status;
}

dlda_status dlda_lda_predict(const dlda_lda *self, const float *X, size_t n, dlda_probability kind, int *labels,
                             float *proba)
{
    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(X);
    return answer(self, X, n, kind, &(dlda_answers){ .labels = labels, .proba = proba });
}

dlda_status dlda_lda_distances(const dlda_lda *self, const float *X, size_t n, double *distances)
{
    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(X, distances);
    return answer(self, X, n, DLDA_PROBABILITY_PAPER, &(dlda_answers){ .distances = distances });
}

dlda_status dlda_lda_distance_limit(const dlda_lda *self, double alpha, double *limit)
{
    DLDA_NEED(self, limit);
    if (!(alpha > 0 && alpha < 1))
        return dlda_fail(DLDA_E_ARGUMENT, "distance limit: alpha is %g, expected more than 0 and less than 1",
                         alpha);
    *limit = dlda_chi_square_limit(alpha, (double)self->K);
    return DLDA_OK;
}
