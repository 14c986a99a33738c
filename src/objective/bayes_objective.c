/* SPDX-License-Identifier: MIT
 *
 * bayes_objective.c - log loss of the LDA classifier defined by the batch itself (docs/method.md, step 4).
 *
 * With z = (h - m) E', where E'E is the inverse of Sw + lambda I, and mu_c the class means in that space:
 *     d_c = -a_c |z - mu_c|^2 / 2,     p = softmax(d),     loss = mean of -log p_y.
 * Each row is classified with its own class mean computed without it (leave-one-out). That scales its distance by
 * n/(n-1), so a_y = (n/(n-1))^2 for its own class and a_c = 1 for the others. Classes with fewer than two rows are
 * ignored.
 *
 * There are two rounds of sums. The first is that of LDA. The second needs its solution and adds over all rows,
 * with s_c = a_c (p_c - [c = y]) / N,
 *     U_c = sum of s_c (z - mu_c),     G = sum over rows and classes of s_c (z - mu_c)'(z - mu_c).
 * They carry the part of the gradient that passes through the means and through Sw (step 5):
 *     dz = -sum_c s_c (z - mu_c) + U_y / n_y + (z - mu_y) G / (C'(n_y - 1)),     dh = dz E.
 */
#include "base/memory.h"
#include "linalg/gemm.h"
#include "objective/lda_problem.h"
#include "objective/objective.h"
#include "objective/rows.h"

#include <math.h>
#include <string.h>

typedef struct bayes_objective {
    dlda_objective_spec spec;
    size_t round;
    dlda_scatter *scatter;
    dlda_lda_problem *problem;
    size_t *usable; /* [n_usable]  classes with two rows or more               */
    size_t n_usable;
    double *mu;      /* [C][D]      class means in the space of z                */
    double *Z;       /* [batch][D]  rows in that space                           */
    double *centred; /* [batch][D]  rows minus m; then their gradient            */
    double *scores;  /* [C]         d, then s, of one row                        */
    double *sums;    /* sums of the second round: rows, loss, U [C][D], G [D][D] */
} bayes_objective;

enum { ROWS, LOSS, FIRST_U };

static double *sums_U(const bayes_objective *self)
{
    return self->sums + FIRST_U;
}

static double *sums_G(const bayes_objective *self)
{
    return sums_U(self) + self->spec.classes * self->spec.features;
}

static size_t n_sums(const void *state)
{
    const bayes_objective *self = state;
    size_t C = self->spec.classes, D = self->spec.features;

    return self->round == 0 ? dlda_scatter_sums_size(self->scatter) : FIRST_U + C * D + D * D;
}

/* ---- Memory ---- */

static void destroy(void *state)
{
    bayes_objective *self = state;

    if (!self) return;
    dlda_scatter_destroy(self->scatter);
    dlda_lda_problem_destroy(self->problem);
    dlda_release(self->usable);
    dlda_release(self->mu);
    dlda_release(self->Z);
    dlda_release(self->centred);
    dlda_release(self->scores);
    dlda_release(self->sums);
    dlda_release(self);
}

static dlda_status create(const dlda_objective_spec *spec, void **state)
{
    dlda_status status = DLDA_OK;
    bayes_objective *self = NULL;
    size_t C = spec->classes, D = spec->features, rows = spec->batch * D; /* checked by dlda_objective_create */

    DLDA_TRY(DLDA_TAKE(&self, 1, "LDA objective"));
    self->spec = *spec;
    DLDA_TRY(dlda_scatter_create(C, D, &self->scatter));
    DLDA_TRY(dlda_lda_problem_create(D, &self->problem));
    DLDA_TRY(DLDA_TAKE(&self->usable, C, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->mu, C * D, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->Z, rows, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->centred, rows, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->scores, C, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->sums, FIRST_U + C * D + D * D, "LDA objective"));
    *state = self;
    self = NULL;
done:
    destroy(self);
    return status;
}

static void reset(void *state, size_t round)
{
    bayes_objective *self = state;

    self->round = round;
    if (round == 0) dlda_scatter_reset(self->scatter);
    else memset(self->sums, 0, n_sums(self) * sizeof *self->sums);
}

/* ---- One row ---- */

/* Transforms rows x [n][D] to the space of z. */
static void project(const bayes_objective *self, const double *x, size_t n, double *z)
{
    size_t D = self->spec.features;

    for (size_t i = 0; i < n * D; i++) self->centred[i] = x[i] - self->problem->m[i % D];
    dlda_double_gemm(n, D, D, self->centred, self->problem->E, 1, z);
}

static double own_factor(const bayes_objective *self, size_t y)
{
    double n = (double)self->scatter->counts[y];
    return n * n / ((n - 1) * (n - 1));
}

/* Returns the loss of row z of class y and sets scores[k] to N s_c for the class c = usable[k]. */
static double judge(bayes_objective *self, const double *z, size_t y)
{
    size_t D = self->spec.features;
    double *scores = self->scores, own = 0;

    for (size_t k = 0; k < self->n_usable; k++) {
        const double *mu = self->mu + self->usable[k] * D;
        double square = 0;
        for (size_t j = 0; j < D; j++) square += (z[j] - mu[j]) * (z[j] - mu[j]);
        scores[k] = -square / 2;
        if (self->usable[k] == y) own = scores[k] *= own_factor(self, y);
    }
    double normaliser = dlda_log_sum_exp(self->n_usable, scores);
    for (size_t k = 0; k < self->n_usable; k++) {
        scores[k] = exp(scores[k] - normaliser);
        if (self->usable[k] == y) scores[k] = (scores[k] - 1) * own_factor(self, y);
    }
    return normaliser - own;
}

static int takes_part(const bayes_objective *self, int label)
{
    return self->scatter->counts[label] >= 2;
}

/* ---- Stages ---- */

static void add_row(bayes_objective *self, const double *z, size_t y)
{
    size_t D = self->spec.features;
    double *U = sums_U(self), *G = sums_G(self);

    self->sums[LOSS] += judge(self, z, y);
    self->sums[ROWS]++;
    for (size_t k = 0; k < self->n_usable; k++) {
        size_t c = self->usable[k];
        const double *mu = self->mu + c * D;
        for (size_t i = 0; i < D; i++) {
            double pull = self->scores[k] * (z[i] - mu[i]);
            U[c * D + i] += pull;
            for (size_t j = 0; j < D; j++) G[i * D + j] += pull * (z[j] - mu[j]);
        }
    }
}

static dlda_status add(void *state, const double *H, const int *labels, size_t n)
{
    bayes_objective *self = state;
    size_t D = self->spec.features;

    if (self->round == 0) return dlda_scatter_add_double(self->scatter, H, labels, n);
    dlda_status status = dlda_objective_check_rows(self->spec.classes, D, H, labels, n);
    if (status != DLDA_OK) return status;
    project(self, H, n, self->Z);
    for (size_t i = 0; i < n; i++)
        if (takes_part(self, labels[i])) add_row(self, self->Z + i * D, (size_t)labels[i]);
    return DLDA_OK;
}

static void export_sums(const void *state, double *sums)
{
    const bayes_objective *self = state;

    if (self->round == 0) dlda_scatter_export_sums(self->scatter, sums);
    else memcpy(sums, self->sums, n_sums(self) * sizeof *sums);
}

static dlda_status merge_sums(void *state, const double *sums)
{
    bayes_objective *self = state;

    if (self->round == 0)
        return dlda_scatter_merge_sums(self->scatter, sums, dlda_scatter_sums_size(self->scatter));
    for (size_t i = 0; i < n_sums(self); i++)
        if (!isfinite(sums[i]) || (i == ROWS && sums[i] < 0))
            return dlda_fail(DLDA_E_NUMERIC,
                             "objective lda-bayes: value %zu to merge is %g, expected a finite value", i, sums[i]);
    for (size_t i = 0; i < n_sums(self); i++) self->sums[i] += sums[i];
    return DLDA_OK;
}

static dlda_status sum(void *state, const dlda_comm *comm)
{
    const bayes_objective *self = state;

    return self->round == 0 ? dlda_scatter_sum(self->scatter, comm) : dlda_comm_sum(comm, self->sums, n_sums(self));
}

static dlda_status solve_lda(bayes_objective *self)
{
    size_t C = self->spec.classes, D = self->spec.features;
    dlda_status status = dlda_lda_problem_solve(self->problem, self->scatter, self->spec.lambda);

    if (status != DLDA_OK) return status;
    self->n_usable = 0;
    for (size_t c = 0; c < C; c++) {
        if (self->scatter->counts[c] < 2) continue;
        self->usable[self->n_usable++] = c;
        project(self, self->scatter->means + c * D, 1, self->mu + c * D);
    }
    return DLDA_OK;
}

static dlda_status solve(void *state, double *loss)
{
    bayes_objective *self = state;

    if (self->round == 0) return solve_lda(self);
    if (!(self->sums[ROWS] > 0))
        return dlda_fail(DLDA_E_ARGUMENT, "objective lda-bayes: no rows of usable classes, expected 1 or more");
    *loss = self->sums[LOSS] / self->sums[ROWS];
    return DLDA_OK;
}

/* N dz of a row whose class is usable. */
static void row_gradient(bayes_objective *self, const double *z, size_t y, double *dz)
{
    size_t D = self->spec.features;
    const double *U = sums_U(self) + y * D, *G = sums_G(self), *own = self->mu + y * D;
    double n = (double)self->scatter->counts[y], within = 1 / ((double)self->n_usable * (n - 1));

    judge(self, z, y);
    for (size_t j = 0; j < D; j++) {
        double through_within = 0, direct = 0;
        for (size_t i = 0; i < D; i++) through_within += (z[i] - own[i]) * G[i * D + j];
        for (size_t k = 0; k < self->n_usable; k++)
            direct += self->scores[k] * (z[j] - self->mu[self->usable[k] * D + j]);
        dz[j] = -direct + U[j] / n + within * through_within;
    }
}

static void gradient(void *state, const double *H, const int *labels, size_t n, double *dH)
{
    bayes_objective *self = state;
    size_t D = self->spec.features;
    double *dZ = self->centred; /* free again after project */

    project(self, H, n, self->Z);
    memset(dZ, 0, n * D * sizeof *dZ);
    for (size_t i = 0; i < n; i++)
        if (takes_part(self, labels[i])) row_gradient(self, self->Z + i * D, (size_t)labels[i], dZ + i * D);
    for (size_t i = 0; i < n * D; i++) dZ[i] /= self->sums[ROWS];
    dlda_double_gemm(n, D, D, dZ, self->problem->E, 0, dH);
}

static const double *eigenvalues(const void *state, size_t *count)
{
    const bayes_objective *self = state;

    *count = self->problem->K;
    return self->problem->values;
}

static size_t selected(const void *state)
{
    const bayes_objective *self = state;

    return self->problem->K;
}

const dlda_objective_functions dlda_bayes_objective = { 2,        create,      destroy,    reset, add,
                                                        n_sums,   export_sums, merge_sums, sum,   solve,
                                                        gradient, eigenvalues, selected };
