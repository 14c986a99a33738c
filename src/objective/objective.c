/* SPDX-License-Identifier: MIT
 *
 * objective.c - what all objectives share: the table of kinds, argument checks, and the conversion between the
 * network's floats and the doubles of the eigenproblem.
 */
#include "objective/objective.h"
#include "base/memory.h"
#include "objective/rows.h"

#include <string.h>

/* ---- The kinds ---- */

/* clang-format off */
static const dlda_objective_row kinds[] = {
    [DLDA_OBJECTIVE_LDA]       = { { "lda",       DLDA_OBJECTIVE_LDA,       "separation",    1, 0 }, 0, &dlda_lda_objective },
    [DLDA_OBJECTIVE_LDA_MEAN]  = { { "lda-mean",  DLDA_OBJECTIVE_LDA_MEAN,  "separation",    1, 0 }, 0, &dlda_lda_objective },
    [DLDA_OBJECTIVE_LDA_LOG]   = { { "lda-log",   DLDA_OBJECTIVE_LDA_LOG,   "separation",    1, 0 }, 0, &dlda_lda_objective },
    [DLDA_OBJECTIVE_LDA_SOFT]  = { { "lda-soft",  DLDA_OBJECTIVE_LDA_SOFT,  "separation",    1, 0 }, 0, &dlda_lda_objective },
    [DLDA_OBJECTIVE_LDA_BAYES] = { { "lda-bayes", DLDA_OBJECTIVE_LDA_BAYES, "log loss",      0, 0 }, 0, &dlda_bayes_objective },
    [DLDA_OBJECTIVE_CCE]       = { { "cce",       DLDA_OBJECTIVE_CCE,       "cross entropy", 0, 1 }, 1, &dlda_softmax_objective },
    [DLDA_OBJECTIVE_LDA_TRACE] = { { "lda-trace", DLDA_OBJECTIVE_LDA_TRACE, "separation",    1, 0 }, 0, &dlda_lda_objective },
    [DLDA_OBJECTIVE_LDA_CCE]   = { { "lda-cce",   DLDA_OBJECTIVE_LDA_CCE,   "joint loss",    0, 1 }, 1, &dlda_joint_objective },
};
/* clang-format on */

enum { N_KINDS = sizeof kinds / sizeof kinds[0] };

const dlda_objective_row *dlda_objective_row_of(dlda_objective_kind kind)
{
    return (size_t)kind < N_KINDS ? &kinds[kind] : NULL;
}

const dlda_objective_info *dlda_objective_find(const char *name)
{
    for (size_t i = 0; name && i < N_KINDS; i++)
        if (strcmp(kinds[i].info.name, name) == 0) return &kinds[i].info;
    return NULL;
}

/* ---- An objective ---- */

struct dlda_objective {
    dlda_objective_spec spec;
    const dlda_objective_functions *functions;
    void *state;
    size_t round;   /* that was reset last                */
    size_t solved;  /* rounds that are solved, from the first on */
    double *H, *dH; /* [batch][features]                  */
};

static dlda_status check_spec(const dlda_objective_spec *spec, const dlda_objective_row *row)
{
    if (!row) return dlda_fail(DLDA_E_ARGUMENT, "objective: unknown kind %d", (int)spec->kind);
    if (spec->classes < 2)
        return dlda_fail(DLDA_E_CLASS, "objective: %zu classes, expected at least 2", spec->classes);
    if (spec->features < 1 || spec->batch < 1)
        return dlda_fail(DLDA_E_ARGUMENT, "objective: %zu features, batch %zu; expected at least 1", spec->features,
                         spec->batch);
    if (!(spec->lambda >= 0) || !(spec->epsilon >= 0))
        return dlda_fail(DLDA_E_ARGUMENT, "objective: lambda %g, epsilon %g; expected 0 or more", spec->lambda,
                         spec->epsilon);
    if (row->feature_per_class && spec->classes != spec->features)
        return dlda_fail(
            DLDA_E_SHAPE,
            "objective %s: %zu features, expected one per class (%zu); give the network's last layer %zu "
            "outputs, or use an lda objective",
            row->info.name, spec->features, spec->classes, spec->classes);
    return DLDA_OK;
}

dlda_status dlda_objective_create(const dlda_objective_spec *spec, dlda_objective **objective)
{
    DLDA_NEED(spec, objective);
    const dlda_objective_row *row = dlda_objective_row_of(spec->kind);
    dlda_status status = DLDA_OK;
    dlda_objective *self = NULL;
    size_t count = 0;

    DLDA_TRY(check_spec(spec, row));
    DLDA_TRY(dlda_multiply_sizes(spec->batch, spec->features, "objective", &count));
    DLDA_TRY(DLDA_TAKE(&self, 1, "objective"));
    self->spec = *spec;
    self->functions = row->functions;
    DLDA_TRY(self->functions->create(spec, &self->state));
    DLDA_TRY(DLDA_TAKE(&self->H, count, "objective"));
    DLDA_TRY(DLDA_TAKE(&self->dH, count, "objective"));
    self->functions->reset(self->state, 0);
    *objective = self;
    self = NULL;
done:
    dlda_objective_destroy(self);
    return status;
}

void dlda_objective_destroy(dlda_objective *self)
{
    if (!self) return;
    if (self->functions) self->functions->destroy(self->state);
    dlda_release(self->H);
    dlda_release(self->dH);
    dlda_release(self);
}

const double *dlda_objective_eigenvalues(const dlda_objective *self, size_t *count)
{
    size_t found = 0;
    const double *values = self ? self->functions->eigenvalues(self->state, &found) : NULL;

    if (count) *count = found;
    return values;
}

size_t dlda_objective_selected(const dlda_objective *self)
{
    return self ? self->functions->selected(self->state) : 0;
}

/* ---- Stages ---- */

static dlda_status check_count(const dlda_objective *self, size_t n)
{
    if (n >= 1 && n <= self->spec.batch) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT, "objective: %zu rows, expected 1 to %zu", n, self->spec.batch);
}

static void to_double(dlda_objective *self, const float *H, size_t n)
{
    for (size_t i = 0; i < n * self->spec.features; i++) self->H[i] = H[i];
}

static void to_float(const dlda_objective *self, size_t n, float *dH)
{
    for (size_t i = 0; i < n * self->spec.features; i++) dH[i] = (float)self->dH[i];
}

size_t dlda_objective_rounds(const dlda_objective *self)
{
    return self ? self->functions->rounds : 0;
}

void dlda_objective_reset(dlda_objective *self, size_t round)
{
    if (!self) return;
    self->round = round;
    if (self->solved > round) self->solved = round;
    if (round < self->functions->rounds) self->functions->reset(self->state, round);
}

/* A round needs the solution of the one before it. */
static dlda_status check_round(const dlda_objective *self)
{
    if (self->round < self->functions->rounds && self->round <= self->solved) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT,
                     "objective: round %zu, expected one below %zu, after the solution of those before it",
                     self->round, self->functions->rounds);
}

dlda_status dlda_objective_add_double(dlda_objective *self, const double *H, const int *labels, size_t n)
{
    DLDA_NEED(self, H, labels);
    dlda_status status = check_count(self, n);

    if (status == DLDA_OK) status = check_round(self);
    return status == DLDA_OK ? self->functions->add(self->state, H, labels, n) : status;
}

dlda_status dlda_objective_add(dlda_objective *self, const float *H, const int *labels, size_t n)
{
    DLDA_NEED(self, H, labels);
    dlda_status status = check_count(self, n); /* before anything is copied */

    if (status != DLDA_OK) return status;
    to_double(self, H, n);
    return dlda_objective_add_double(self, self->H, labels, n);
}

size_t dlda_objective_sums_size(const dlda_objective *self)
{
    return self ? self->functions->n_sums(self->state) : 0;
}

void dlda_objective_export_sums(const dlda_objective *self, double *sums)
{
    if (self && sums) self->functions->export_sums(self->state, sums);
}

dlda_status dlda_objective_merge_sums(dlda_objective *self, const double *sums, size_t size)
{
    DLDA_NEED(self, sums);
    if (size != dlda_objective_sums_size(self))
        return dlda_fail(DLDA_E_SHAPE, "objective: %zu sums to merge, expected %zu", size,
                         dlda_objective_sums_size(self));
    return self->functions->merge_sums(self->state, sums);
}

dlda_status dlda_objective_solve(dlda_objective *self, double *loss)
{
    DLDA_NEED(self, loss);
    dlda_status status = check_round(self);

    if (status == DLDA_OK) status = self->functions->solve(self->state, loss);
    if (status == DLDA_OK) self->solved = self->round + 1;
    return status;
}

dlda_status dlda_objective_gradient_double(dlda_objective *self, const double *H, const int *labels, size_t n,
                                           double *dH)
{
    dlda_status status = DLDA_OK;

    DLDA_NEED(self, H, labels, dH);
    DLDA_TRY(check_count(self, n));
    if (self->solved < self->functions->rounds)
        DLDA_FAIL(DLDA_E_ARGUMENT, "objective: %zu rounds are solved, expected %zu before the gradient",
                  self->solved, self->functions->rounds);
    DLDA_TRY(dlda_objective_check_rows(self->spec.classes, self->spec.features, H, labels, n));
    self->functions->gradient(self->state, H, labels, n, dH);
done:
    return status;
}

dlda_status dlda_objective_gradient(dlda_objective *self, const float *H, const int *labels, size_t n, float *dH)
{
    dlda_status status = DLDA_OK;

    DLDA_NEED(self, H, labels, dH);
    DLDA_TRY(check_count(self, n));
    to_double(self, H, n);
    DLDA_TRY(dlda_objective_gradient_double(self, self->H, labels, n, self->dH));
    to_float(self, n, dH);
done:
    return status;
}

/* ---- All stages on one batch ---- */

dlda_status dlda_objective_evaluate_double_over(dlda_objective *self, const dlda_comm *comm, const double *H,
                                                const int *labels, size_t n, double *loss, double *dH)
{
    dlda_status status = DLDA_OK;
    const dlda_objective_functions *functions = self->functions;
    double value = 0;

    for (size_t round = 0; round < functions->rounds; round++) {
        dlda_objective_reset(self, round);
        if (n > 0) DLDA_TRY(functions->add(self->state, H, labels, n));
        if (dlda_comm_size(comm) > 1) DLDA_TRY(functions->sum(self->state, comm));
        DLDA_TRY(functions->solve(self->state, &value));
        self->solved = round + 1;
    }
    if (dH && n > 0) functions->gradient(self->state, H, labels, n, dH);
    *loss = value;
done:
    return status;
}

dlda_status dlda_objective_evaluate_double(dlda_objective *self, const double *H, const int *labels, size_t n,
                                           double *loss, double *dH)
{
    DLDA_NEED(self, H, labels, loss);
    dlda_status status = check_count(self, n);

    return status == DLDA_OK ? dlda_objective_evaluate_double_over(self, NULL, H, labels, n, loss, dH) : status;
}

dlda_status dlda_objective_evaluate_over(dlda_objective *self, const dlda_comm *comm, const float *H,
                                         const int *labels, size_t n, double *loss, float *dH)
{
    to_double(self, H, n);
    dlda_status status = dlda_objective_evaluate_double_over(self, comm, self->H, labels, n, loss,
                                                             dH ? self->dH : NULL);

    if (status == DLDA_OK && dH) to_float(self, n, dH);
    return status;
}

dlda_status dlda_objective_evaluate(dlda_objective *self, const float *H, const int *labels, size_t n, double *loss,
                                    float *dH)
{
    DLDA_NEED(self, H, labels, loss);
    dlda_status status = check_count(self, n); /* before anything is copied */

    return status == DLDA_OK ? dlda_objective_evaluate_over(self, NULL, H, labels, n, loss, dH) : status;
}
