/* SPDX-License-Identifier: MIT
 *
 * joint_objective.c - cross entropy and Pillai's trace together (docs/method.md, step 4):
 *     loss = cross entropy + (1 - trace / K) / 2
 *
 * Cross entropy looks at single samples, the trace at the classes of the whole batch: it asks that all directions separate
 * them, and is satisfied once they do. Sums, solution and gradient are those of the two parts.
 */
#include "base/memory.h"
#include "objective/objective.h"

static const dlda_objective_functions *const entropy = &dlda_softmax_objective, *const trace = &dlda_lda_objective;

static const double weight = 0.5; /* of the trace: chosen on validation data (docs/objectives.md) */

typedef struct joint_objective {
    void *entropy, *trace; /* the states of the parts                    */
    size_t D;
    double *dH; /* [batch][D]  the gradient of the trace's loss */
} joint_objective;

static void destroy(void *state)
{
    joint_objective *self = state;

    if (!self) return;
    entropy->destroy(self->entropy);
    trace->destroy(self->trace);
    dlda_release(self->dH);
    dlda_release(self);
}

static dlda_status create(const dlda_objective_spec *spec, void **state)
{
    dlda_status status = DLDA_OK;
    joint_objective *self = NULL;
    dlda_objective_spec of_trace = *spec;

    of_trace.kind = DLDA_OBJECTIVE_LDA_TRACE;
    DLDA_TRY(DLDA_TAKE(&self, 1, "joint objective"));
    self->D = spec->features;
    DLDA_TRY(DLDA_TAKE(&self->dH, spec->batch * spec->features, "joint objective")); /* checked by dlda_objective_create */
    DLDA_TRY(entropy->create(spec, &self->entropy));
    DLDA_TRY(trace->create(&of_trace, &self->trace));
    *state = self;
    self = NULL;
done:
    destroy(self);
    return status;
}

static void reset(void *state, size_t round)
{
    joint_objective *self = state;

    entropy->reset(self->entropy, round);
    trace->reset(self->trace, round);
}

static dlda_status add(void *state, const double *H, const int *labels, size_t n)
{
    dlda_status status = DLDA_OK;
    joint_objective *self = state;

    DLDA_TRY(entropy->add(self->entropy, H, labels, n));
    DLDA_TRY(trace->add(self->trace, H, labels, n));
done:
    return status;
}

static size_t n_sums(const void *state)
{
    const joint_objective *self = state;

    return entropy->n_sums(self->entropy) + trace->n_sums(self->trace);
}

static void export_sums(const void *state, double *sums)
{
    const joint_objective *self = state;

    entropy->export_sums(self->entropy, sums);
    trace->export_sums(self->trace, sums + entropy->n_sums(self->entropy));
}

static dlda_status merge_sums(void *state, const double *sums)
{
    dlda_status status = DLDA_OK;
    joint_objective *self = state;

    DLDA_TRY(entropy->merge_sums(self->entropy, sums));
    DLDA_TRY(trace->merge_sums(self->trace, sums + entropy->n_sums(self->entropy)));
done:
    return status;
}

static dlda_status sum(void *state, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    joint_objective *self = state;

    DLDA_TRY(entropy->sum(self->entropy, comm));
    DLDA_TRY(trace->sum(self->trace, comm));
done:
    return status;
}

static dlda_status solve(void *state, double *loss)
{
    dlda_status status = DLDA_OK;
    joint_objective *self = state;
    double of_entropy = 0, of_trace = 0;

    DLDA_TRY(entropy->solve(self->entropy, &of_entropy));
    DLDA_TRY(trace->solve(self->trace, &of_trace));
    *loss = of_entropy + weight * (1 + of_trace);
done:
    return status;
}

static void gradient(void *state, const double *H, const int *labels, size_t n, double *dH)
{
    joint_objective *self = state;

    entropy->gradient(self->entropy, H, labels, n, dH);
    trace->gradient(self->trace, H, labels, n, self->dH);
    for (size_t i = 0; i < n * self->D; i++) dH[i] += weight * self->dH[i];
}

static const double *eigenvalues(const void *state, size_t *count)
{
    const joint_objective *self = state;

    return trace->eigenvalues(self->trace, count);
}

static size_t selected(const void *state)
{
    const joint_objective *self = state;

    return trace->selected(self->trace);
}

const dlda_objective_functions dlda_joint_objective = { 1,        create,      destroy,    reset, add,
                                                        n_sums,   export_sums, merge_sums, sum,   solve,
                                                        gradient, eigenvalues, selected };
