/* SPDX-License-Identifier: MIT
 *
 * passes.c - forward and backward pass over a whole batch, in groups of rows.
 *
 * Rows of a batch are coupled by the objective, which sees all features, and by batch norm, which normalises the rows of
 * one group together. A group has a plan of its own, so its values are a function of its rows alone. If there are fewer
 * plans than groups, the values of a group are overwritten by a later one, and computed again for the backward pass.
 * Groups are visited in a fixed order, so the number of plans decides memory and time, never a bit of the result.
 */
#include "base/memory.h"
#include "network/network.h"

#include <string.h>

struct dlda_passes {
    const dlda_network *network;
    dlda_team *team;
    dlda_plan **plans; /* [n_plans]: group k uses plan k % n_plans */
    size_t n_plans, n_groups;
    size_t largest; /* rows of a group                                         */
    float *H;       /* [batch][features]; NULL with one group                  */
    float *partial; /* [n_weights] gradient of a group; NULL with one group    */
    /* the latest forward pass */
    const float *X;
    size_t n;
    dlda_step step;
};

/* ---- Groups ---- */

/* The number whose size is closest to what is asked for, at least one. */
static size_t count_groups(const dlda_passes_spec *spec)
{
    size_t count = spec->group ? (spec->batch + spec->group / 2) / spec->group : 1;

    return count > 0 ? count : 1;
}

static size_t largest_group(const dlda_passes_spec *spec)
{
    size_t groups = count_groups(spec);

    return (spec->batch + groups - 1) / groups;
}

static size_t count_plans(const dlda_passes_spec *spec)
{
    size_t groups = count_groups(spec), most = spec->micro ? spec->micro / largest_group(spec) : groups;

    return most < 1 ? 1 : most < groups ? most : groups;
}

/* First row of group k; groups differ by one row at most. */
static size_t first_row(const dlda_passes *self, size_t k)
{
    return k * self->n / self->n_groups;
}

/* ---- Memory ---- */

static dlda_plan_spec plan_spec(const dlda_passes_spec *spec)
{
    return (dlda_plan_spec){ largest_group(spec), spec->team, 1, spec->kernels };
}

dlda_status dlda_passes_measure(const dlda_network *network, const dlda_passes_spec *spec, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    const dlda_plan_spec plan = plan_spec(spec);
    size_t one = 0, all = 0, rows = 0;

    DLDA_TRY(dlda_plan_measure(network, &plan, &one));
    DLDA_TRY(dlda_multiply_sizes(one, count_plans(spec), "network memory", &all));
    DLDA_TRY(dlda_multiply_sizes(spec->batch, network->features * sizeof(float), "features", &rows));
    *bytes = count_groups(spec) == 1 ? all : all + rows + network->n_weights * sizeof(float);
done:
    return status;
}

void dlda_passes_destroy(dlda_passes *self)
{
    if (!self) return;
    for (size_t i = 0; self->plans && i < self->n_plans; i++) dlda_plan_destroy(self->plans[i]);
    dlda_release(self->plans);
    dlda_release(self->H);
    dlda_release(self->partial);
    dlda_release(self);
}

dlda_status dlda_passes_create(const dlda_network *network, const dlda_passes_spec *spec, dlda_passes **passes)
{
    dlda_status status = DLDA_OK;
    const dlda_plan_spec plan = plan_spec(spec);
    dlda_passes *self = NULL;
    size_t n_features = 0;

    DLDA_TRY(DLDA_TAKE(&self, 1, "network"));
    self->network = network;
    self->team = spec->team;
    self->n_groups = count_groups(spec);
    self->n_plans = count_plans(spec);
    self->largest = largest_group(spec);
    DLDA_TRY(DLDA_TAKE(&self->plans, self->n_plans, "network"));
    for (size_t i = 0; i < self->n_plans; i++) DLDA_TRY(dlda_plan_create(network, &plan, &self->plans[i]));
    if (self->n_groups > 1) {
        DLDA_TRY(dlda_multiply_sizes(spec->batch, network->features, "features", &n_features));
        DLDA_TRY(DLDA_TAKE(&self->H, n_features, "features"));
        DLDA_TRY(DLDA_TAKE(&self->partial, network->n_weights, "gradients"));
    }
    *passes = self;
    self = NULL;
done:
    dlda_passes_destroy(self);
    return status;
}

dlda_plan *dlda_passes_plan(const dlda_passes *self, size_t *most)
{
    if (most) *most = self->largest;
    return self->plans[0];
}

/* ---- Passes ---- */

static const float *forward_group(const dlda_passes *self, size_t k, const float *weights, float *state)
{
    size_t first = first_row(self, k), n = first_row(self, k + 1) - first;
    dlda_step step = self->step;

    step.step = step.step * self->n_groups + k;
    step.samples += first;
    return dlda_plan_forward(self->plans[k % self->n_plans], weights, state,
                             self->X + first * dlda_shape_size(self->network->input), n, &step);
}

const float *dlda_passes_forward(dlda_passes *self, const float *weights, float *state, const float *X, size_t n,
                                 const dlda_step *step)
{
    size_t D = self->network->features;

    self->X = X;
    self->n = n;
    self->step = *step;
    if (self->n_groups == 1) return forward_group(self, 0, weights, state);
    for (size_t k = 0; k < self->n_groups; k++) {
        size_t first = first_row(self, k), rows = first_row(self, k + 1) - first;
        memcpy(self->H + first * D, forward_group(self, k, weights, state), rows * D * sizeof *self->H);
    }
    return self->H;
}

typedef struct sum {
    const float *from;
    float *to;
} sum;

static void add_chunk(void *context, const dlda_chunk *chunk)
{
    const sum s = *(const sum *)context;

    for (size_t i = chunk->begin; i < chunk->end; i++) s.to[i] += s.from[i];
}

/* The last groups, whose values are still there, come first. */
void dlda_passes_backward(dlda_passes *self, const float *weights, const float *dH, float *gradient)
{
    for (size_t k = self->n_groups; k-- > 0;) {
        int is_last = k + 1 == self->n_groups;
        if (k + self->n_plans < self->n_groups) forward_group(self, k, weights, NULL);
        dlda_plan_backward(self->plans[k % self->n_plans], weights,
                           dH + first_row(self, k) * self->network->features, is_last ? gradient : self->partial);
        if (!is_last)
            dlda_parallel_for(self->team, self->network->n_weights, 1 << 16, add_chunk,
                              &(sum){ self->partial, gradient });
    }
}
