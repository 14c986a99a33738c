/* SPDX-License-Identifier: MIT
 *
 * softmax_objective.c - categorical cross entropy, the paper's baseline: mean of -log softmax(h)[label].
 *
 * Its additive sums are the number of rows and the total loss.
 */
#include "base/memory.h"
#include "objective/objective.h"
#include "objective/rows.h"

#include <math.h>

typedef struct softmax_objective {
    size_t C;
    double rows, loss; /* sums over the rows added so far */
} softmax_objective;

static void destroy(void *state)
{
    dlda_release(state);
}

static dlda_status create(const dlda_objective_spec *spec, void **state)
{
    softmax_objective *self = NULL;
    dlda_status status = DLDA_TAKE(&self, 1, "softmax objective");

    if (status != DLDA_OK) return status;
    self->C = spec->classes;
    *state = self;
    return DLDA_OK;
}

static void reset(void *state, size_t round)
{
    softmax_objective *self = state;

    (void)round;
    self->rows = self->loss = 0;
}

static dlda_status add(void *state, const double *H, const int *labels, size_t n)
{
    softmax_objective *self = state;
    dlda_status status = dlda_objective_check_rows(self->C, self->C, H, labels, n);

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < n; i++)
        self->loss += dlda_log_sum_exp(self->C, H + i * self->C) - H[i * self->C + (size_t)labels[i]];
    self->rows += (double)n;
    return DLDA_OK;
}

static size_t n_sums(const void *state)
{
    (void)state;
    return 2;
}

static void export_sums(const void *state, double *sums)
{
    const softmax_objective *self = state;

    sums[0] = self->rows;
    sums[1] = self->loss;
}

static dlda_status merge_sums(void *state, const double *sums)
{
    softmax_objective *self = state;

    if (!(sums[0] >= 0) || !isfinite(sums[0]) || !isfinite(sums[1]))
        return dlda_fail(DLDA_E_NUMERIC,
                         "cross entropy: %g rows with a loss of %g to merge, expected finite values", sums[0],
                         sums[1]);
    self->rows += sums[0];
    self->loss += sums[1];
    return DLDA_OK;
}

static dlda_status sum(void *state, const dlda_comm *comm)
{
    softmax_objective *self = state;
    double sums[2];

    export_sums(self, sums);
    dlda_status status = dlda_comm_sum(comm, sums, 2);
    self->rows = sums[0];
    self->loss = sums[1];
    return status;
}

static dlda_status solve(void *state, double *loss)
{
    const softmax_objective *self = state;

    if (!(self->rows > 0)) return dlda_fail(DLDA_E_ARGUMENT, "cross entropy: no rows, expected 1 or more");
    *loss = self->loss / self->rows;
    return DLDA_OK;
}

static void gradient(void *state, const double *H, const int *labels, size_t n, double *dH)
{
    const softmax_objective *self = state;
    size_t C = self->C;

    for (size_t i = 0; i < n; i++) {
        double normaliser = dlda_log_sum_exp(C, H + i * C);
        for (size_t c = 0; c < C; c++)
            dH[i * C + c] = (exp(H[i * C + c] - normaliser) - ((size_t)labels[i] == c)) / self->rows;
    }
}

static const double *eigenvalues(const void *state, size_t *count)
{
    (void)state;
    *count = 0;
    return NULL;
}

static size_t selected(const void *state)
{
    (void)state;
    return 0;
}

const dlda_objective_functions dlda_softmax_objective = { 1,        create,      destroy,    reset, add,
                                                          n_sums,   export_sums, merge_sums, sum,   solve,
                                                          gradient, eigenvalues, selected };
