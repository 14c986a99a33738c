/* SPDX-License-Identifier: MIT
 *
 * objective.c - the common part of all objectives: checks, and conversion between the network's floats and the
 * doubles that the eigenproblem needs.
 */
#include "objective/objective.h"
#include "base/memory.h"

struct dlda_objective {
    dlda_objective_spec spec;
    const dlda_objective_kind_functions *functions;
    void *state;
    double *H, *dH; /* [batch][features] */
};

int dlda_objective_separates(dlda_objective_kind kind)
{
    return kind != DLDA_CCE;
}

static dlda_status check_spec(const dlda_objective_spec *spec)
{
    if (spec->classes < 2)
        return dlda_fail(DLDA_E_CLASS, "objective: %zu classes, expected at least 2", spec->classes);
    if (spec->features < 1 || spec->batch < 1)
        return dlda_fail(DLDA_E_ARGUMENT, "objective: %zu features, batch %zu; expected at least 1", spec->features,
                         spec->batch);
    if (!(spec->lambda >= 0) || !(spec->epsilon >= 0))
        return dlda_fail(DLDA_E_ARGUMENT, "objective: lambda %g, epsilon %g; expected 0 or more", spec->lambda,
                         spec->epsilon);
    if ((unsigned)spec->kind > DLDA_CCE)
        return dlda_fail(DLDA_E_ARGUMENT, "objective: unknown kind %d", (int)spec->kind);
    if (spec->kind == DLDA_CCE && spec->classes != spec->features)
        return dlda_fail(DLDA_E_SHAPE, "objective cce: %zu features, expected one per class (%zu)", spec->features,
                         spec->classes);
    return DLDA_OK;
}

dlda_status dlda_objective_create(const dlda_objective_spec *spec, dlda_objective **objective)
{
    dlda_status status = DLDA_OK;
    dlda_objective *self = NULL;
    size_t count = 0;

    DLDA_TRY(check_spec(spec));
    DLDA_TRY(dlda_multiply_sizes(spec->batch, spec->features, "objective", &count));
    DLDA_TRY(DLDA_TAKE(&self, 1, "objective"));
    self->spec = *spec;
    self->functions = spec->kind == DLDA_CCE ? &dlda_softmax_objective : &dlda_lda_objective;
    DLDA_TRY(self->functions->create(spec, &self->state));
    DLDA_TRY(DLDA_TAKE(&self->H, count, "objective"));
    DLDA_TRY(DLDA_TAKE(&self->dH, count, "objective"));
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

dlda_status dlda_objective_evaluate_double(dlda_objective *self, const double *H, const int *labels, size_t n,
                                           double *loss, double *dH)
{
    if (n < 1 || n > self->spec.batch)
        return dlda_fail(DLDA_E_ARGUMENT, "objective: %zu rows, expected 1 to %zu", n, self->spec.batch);
    return self->functions->evaluate(self->state, H, labels, n, loss, dH);
}

dlda_status dlda_objective_evaluate(dlda_objective *self, const float *H, const int *labels, size_t n, double *loss,
                                    float *dH)
{
    dlda_status status = DLDA_OK;
    size_t count = n * self->spec.features;

    if (n > self->spec.batch) /* before anything is copied */
        DLDA_FAIL(DLDA_E_ARGUMENT, "objective: %zu rows, expected 1 to %zu", n, self->spec.batch);
    for (size_t i = 0; i < count; i++) self->H[i] = H[i];
    DLDA_TRY(dlda_objective_evaluate_double(self, self->H, labels, n, loss, dH ? self->dH : NULL));
    if (dH)
        for (size_t i = 0; i < count; i++) dH[i] = (float)self->dH[i];
done:
    return status;
}

const double *dlda_objective_eigenvalues(const dlda_objective *self, size_t *count)
{
    return self->functions->eigenvalues(self->state, count);
}

size_t dlda_objective_selected(const dlda_objective *self)
{
    return self->functions->selected(self->state);
}
