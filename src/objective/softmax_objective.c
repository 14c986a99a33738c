/* SPDX-License-Identifier: MIT
 *
 * softmax_objective.c - categorical cross entropy, the paper's baseline: mean of -log softmax(h)[label].
 */
#include "base/memory.h"
#include "objective/objective.h"

#include <math.h>

typedef struct softmax_objective {
    size_t C;
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

static dlda_status check_row(size_t C, size_t row, const double *h, int label)
{
    if (label < 0 || (size_t)label >= C)
        return dlda_fail(DLDA_E_ARGUMENT, "row %zu: label %d, expected 0 to %zu", row, label, C - 1);
    for (size_t c = 0; c < C; c++)
        if (!isfinite(h[c]))
            return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value", row, c,
                             h[c]);
    return DLDA_OK;
}

/* log(sum exp h), without overflow. */
static double log_sum_exp(size_t C, const double *h)
{
    double largest = h[0], sum = 0;

    for (size_t c = 1; c < C; c++) largest = fmax(largest, h[c]);
    for (size_t c = 0; c < C; c++) sum += exp(h[c] - largest);
    return largest + log(sum);
}

static dlda_status evaluate(void *state, const double *H, const int *labels, size_t n, double *loss, double *dH)
{
    const softmax_objective *self = state;
    dlda_status status = DLDA_OK;
    size_t C = self->C;
    double sum = 0;

    for (size_t i = 0; i < n; i++) DLDA_TRY(check_row(C, i, H + i * C, labels[i]));
    for (size_t i = 0; i < n; i++) {
        const double *h = H + i * C;
        double normaliser = log_sum_exp(C, h);
        sum += normaliser - h[labels[i]];
        for (size_t c = 0; dH && c < C; c++)
            dH[i * C + c] = (exp(h[c] - normaliser) - ((size_t)labels[i] == c)) / (double)n;
    }
    *loss = sum / (double)n;
done:
    return status;
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

const dlda_objective_kind_functions dlda_softmax_objective = { create, destroy, evaluate, eigenvalues, selected };
