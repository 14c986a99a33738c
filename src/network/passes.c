/* SPDX-License-Identifier: MIT
 *
 * passes.c - forward and backward pass over a whole batch, in groups of rows.
 *
 * Rows of a batch are coupled by the objective, which sees all features, and by batch norm, which normalises the rows of
 * one group together. A group has a plan of its own, so its values are a function of its rows alone. If there are fewer
 * plans than groups, the values of a group are overwritten by a later one, and computed again for the backward pass.
 * Groups are visited in a fixed order, so the number of plans decides memory and time, never a bit of the result. Their
 * images can be made again, too, so that no array has the size of a batch but the features.
 *
 * Over ranks, each has some of the groups or, with fewer groups than ranks, a part of one; then batch norm adds its sums
 * over the ranks of a group. Gradients are added over ranks part by part while the backward pass goes on, and the running
 * statistics with them. They are s <- (1-w) s + w x for each group's x, one group after the other: a rank computes the
 * share of its own groups in the result, beginning with s = 0 unless it has the first group, and multiplies it by the
 * (1-w) of all later groups.
 */
#include "base/memory.h"
#include "network/plan.h"

#include <assert.h>
#include <string.h>

enum { SENT_TOGETHER = 1 << 18 }; /* floats: fewer are not worth a message */

struct dlda_passes {
    const dlda_network *network;
    dlda_team *team;
    const dlda_comm *comm;                /* NULL: one rank                                               */
    dlda_plan **plans;                    /* [n_plans]: this rank's group k uses plan k % n_plans          */
    size_t n_plans, n_groups, all_groups; /* n_groups: of this rank                                       */
    size_t first_group;                   /* of this rank, among all groups                               */
    size_t largest;                       /* rows of a group, or of this rank's part of it                */
    float *H;                             /* [rows][features]; NULL with one group                        */
    float *partial;                       /* [n_weights] gradient of a group; NULL with one group         */
    float *running;                       /* [n_state] of this rank's groups; NULL with one rank          */
    dlda_image_maker *make;
    void *source;
    float *images; /* [n_plans][largest][input] made by `make`; NULL: the caller has all */
    /* the latest forward pass */
    const float *X;
    float *state;
    size_t n;
    dlda_step step;
    size_t unsent; /* the gradient from here down to what was sent is complete     */
    size_t sent;   /* from here on, the gradient is being added over ranks         */
};

/* ---- Groups ---- */

/* The number whose size is closest to what is asked for, at least one. */
static size_t count_groups(const dlda_passes_spec *spec)
{
    size_t count = spec->group ? (spec->batch + spec->group / 2) / spec->group : 1;

    return count > 0 ? count : 1;
}

static dlda_rows groups_here(const dlda_passes_spec *spec)
{
    return dlda_groups_of_rank(count_groups(spec), dlda_comm_rank(spec->comm), dlda_comm_size(spec->comm));
}

/* Number of ranks that share the groups of this one. */
static size_t count_members(const dlda_passes_spec *spec)
{
    size_t groups = count_groups(spec), size = dlda_comm_size(spec->comm), group = groups_here(spec).first;

    if (groups >= size) return 1;
    return dlda_first_rank_of_group(groups, group + 1, size) - dlda_first_rank_of_group(groups, group, size);
}

static size_t divide_up(size_t n, size_t parts)
{
    return (n + parts - 1) / parts;
}

static size_t largest_group(const dlda_passes_spec *spec)
{
    return divide_up(divide_up(spec->batch, count_groups(spec)), count_members(spec));
}

static size_t count_plans(const dlda_passes_spec *spec)
{
    size_t groups = groups_here(spec).count, most = spec->micro ? spec->micro / largest_group(spec) : groups;

    return most < 1 ? 1 : most < groups ? most : groups;
}

size_t dlda_passes_images(const dlda_passes_spec *spec)
{
    size_t plans = count_plans(spec);

    return plans < groups_here(spec).count ? plans * largest_group(spec) : 0;
}

/* Row of this rank with which its group k begins; groups differ by one row at most. */
static size_t first_row(const dlda_passes *self, size_t k)
{
    if (self->all_groups < dlda_comm_size(self->comm)) return k == 0 ? 0 : dlda_passes_rows(self, self->n).count;
    return (self->first_group + k) * self->n / self->all_groups - self->first_group * self->n / self->all_groups;
}

dlda_rows dlda_passes_rows(const dlda_passes *self, size_t n)
{
    return dlda_rows_of_rank(n, self->all_groups, dlda_comm_rank(self->comm), dlda_comm_size(self->comm));
}

size_t dlda_passes_most(const dlda_passes *self)
{
    return self->largest * self->n_groups;
}

size_t dlda_passes_groups(const dlda_passes *self)
{
    return self->all_groups;
}

/* ---- Memory ---- */

static dlda_plan_spec plan_spec(const dlda_passes_spec *spec)
{
    return (dlda_plan_spec){ largest_group(spec), spec->team, 1, spec->kernels, spec->precision };
}

dlda_status dlda_passes_measure(const dlda_network *network, const dlda_passes_spec *spec, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    const dlda_plan_spec plan = plan_spec(spec);
    size_t one = 0, all = 0, rows = 0, groups = groups_here(spec).count;

    DLDA_TRY(dlda_plan_measure(network, &plan, &one));
    DLDA_TRY(dlda_multiply_sizes(one, count_plans(spec), "network memory", &all));
    DLDA_TRY(
        dlda_multiply_sizes(groups * largest_group(spec), network->features * sizeof(float), "features", &rows));
    *bytes = groups == 1 ? all : all + rows + network->n_weights * sizeof(float);
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
    dlda_release(self->running);
    dlda_release(self->images);
    dlda_release(self);
}

dlda_status dlda_passes_create(const dlda_network *network, const dlda_passes_spec *spec, dlda_passes **passes)
{
    dlda_status status = DLDA_OK;
    const dlda_plan_spec plan = plan_spec(spec);
    dlda_passes *self = NULL;
    size_t n_features = 0, n_images = spec->make ? dlda_passes_images(spec) : 0;

    DLDA_TRY(DLDA_TAKE(&self, 1, "network"));
    self->network = network;
    self->team = spec->team;
    self->comm = dlda_comm_size(spec->comm) > 1 ? spec->comm : NULL;
    self->all_groups = count_groups(spec);
    self->first_group = groups_here(spec).first;
    self->n_groups = groups_here(spec).count;
    self->n_plans = count_plans(spec);
    self->largest = largest_group(spec);
    DLDA_TRY(DLDA_TAKE(&self->plans, self->n_plans, "network"));
    for (size_t i = 0; i < self->n_plans; i++) DLDA_TRY(dlda_plan_create(network, &plan, &self->plans[i]));
    if (self->n_groups > 1) {
        DLDA_TRY(dlda_multiply_sizes(dlda_passes_most(self), network->features, "features", &n_features));
        DLDA_TRY(DLDA_TAKE(&self->H, n_features, "features"));
        DLDA_TRY(DLDA_TAKE(&self->partial, network->n_weights, "gradients"));
    }
    self->make = spec->make;
    self->source = spec->source;
    DLDA_TRY(dlda_multiply_sizes(n_images, dlda_shape_size(network->input), "images of a group", &n_images));
    if (n_images) DLDA_TRY(DLDA_TAKE(&self->images, n_images, "images of a group"));
    if (self->comm) DLDA_TRY(DLDA_TAKE(&self->running, network->n_state, "batch norm statistics"));
    if (self->all_groups < dlda_comm_size(self->comm)) /* so it has one plan */
        DLDA_TRY(dlda_plan_share_norm(self->plans[0], self->comm, self->all_groups, self->first_group));
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

/* ---- Running statistics over ranks ---- */

/* Where the statistics of this rank's groups go; NULL: another rank of its group counts them. */
static float *begin_running(const dlda_passes *self, float *state)
{
    size_t rank = dlda_comm_rank(self->comm), leader = rank;

    if (!self->comm || !state) return state;
    if (rank == 0) memcpy(self->running, state, self->network->n_state * sizeof *state);
    else memset(self->running, 0, self->network->n_state * sizeof *state);
    if (self->all_groups < dlda_comm_size(self->comm))
        leader = dlda_first_rank_of_group(self->all_groups, self->first_group, dlda_comm_size(self->comm));
    return rank == leader ? self->running : NULL;
}

static void send_running(const dlda_passes *self)
{
    double rest = 1;

    for (size_t g = self->first_group + self->n_groups; g < self->all_groups; g++)
        if ((g + 1) * self->n / self->all_groups > g * self->n / self->all_groups)
            rest *= 1 - dlda_running_weight(self->step.step * self->all_groups + g);
    for (size_t i = 0; i < self->network->n_state; i++) self->running[i] *= (float)rest;
    (void)dlda_comm_begin_sum(self->comm, self->running, self->network->n_state); /* the failure stays */
}

/* ---- Passes ---- */

/* The images of a group stay where they are as long as its plan has its values. */
static const float *images_of(const dlda_passes *self, size_t k, size_t first, size_t n)
{
    size_t size = dlda_shape_size(self->network->input);

    if (!self->images) return self->X + first * size;
    float *images = self->images + k % self->n_plans * self->largest * size;
    self->make(self->source, self->step.epoch, self->step.samples + first, n, images);
    return images;
}

static const float *forward_group(const dlda_passes *self, size_t k, const float *weights, float *state)
{
    size_t first = first_row(self, k), n = first_row(self, k + 1) - first;
    dlda_step step = self->step;

    assert(self->n_plans > 0);
    step.step = step.step * self->all_groups + self->first_group + k;
    step.samples += first;
    return dlda_plan_forward(self->plans[k % self->n_plans], weights, state, images_of(self, k, first, n), n,
                             &step);
}

const float *dlda_passes_forward(dlda_passes *self, const float *weights, float *state, const float *X, size_t n,
                                 const dlda_step *step)
{
    size_t D = self->network->features;
    const float *H = self->H;

    self->X = X;
    self->n = n;
    self->step = *step;
    self->state = state;
    float *running = begin_running(self, state);
    if (self->n_groups == 1) H = forward_group(self, 0, weights, running);
    for (size_t k = 0; self->n_groups > 1 && k < self->n_groups; k++) {
        size_t first = first_row(self, k), rows = first_row(self, k + 1) - first;
        memcpy(self->H + first * D, forward_group(self, k, weights, running), rows * D * sizeof *self->H);
    }
    if (self->comm && state) send_running(self);
    return H;
}

/* A part of the gradient of one group is complete. */
typedef struct part {
    dlda_passes *passes;
    float *gradient;
    const float *partial; /* is to be added to the gradient; NULL: the gradient was written itself */
    int is_last;          /* no group follows                                                      */
} part;

typedef struct sum {
    const float *from;
    float *to;
} sum;

static void add_chunk(void *context, const dlda_chunk *chunk)
{
    const sum s = *(const sum *)context;

    for (size_t i = chunk->begin; i < chunk->end; i++) s.to[i] += s.from[i];
}

static void send_gradient(dlda_passes *self, float *gradient)
{
    if (self->sent > self->unsent)
        (void)dlda_comm_begin_sum(self->comm, gradient + self->unsent, self->sent - self->unsent);
    self->sent = self->unsent;
}

/* Parts come from the last weights to the first. */
static void part_is_ready(void *context, size_t first, size_t count)
{
    const part *ready = context;
    dlda_passes *self = ready->passes;

    if (ready->partial)
        dlda_parallel_for(self->team, count, 1 << 16, add_chunk,
                          &(sum){ ready->partial + first, ready->gradient + first });
    if (!ready->is_last || !self->comm) return;
    self->unsent = first;
    if (self->sent - self->unsent >= SENT_TOGETHER) send_gradient(self, ready->gradient);
}

/* The last groups, whose values are still there, come first. */
dlda_status dlda_passes_backward(dlda_passes *self, const float *weights, const float *dH, float *gradient)
{
    self->sent = self->unsent = self->network->n_weights;
    for (size_t k = self->n_groups; k-- > 0;) {
        int is_first = k + 1 == self->n_groups;
        part ready = { self, gradient, is_first ? NULL : self->partial, k == 0 };
        const dlda_gradient_sink sink = { part_is_ready, &ready };
        if (k + self->n_plans < self->n_groups) forward_group(self, k, weights, NULL);
        dlda_plan_backward(self->plans[k % self->n_plans], weights,
                           dH + first_row(self, k) * self->network->features, is_first ? gradient : self->partial,
                           is_first && !self->comm ? NULL : &sink);
    }
    if (!self->comm) return DLDA_OK;
    self->unsent = 0;
    send_gradient(self, gradient);
    dlda_status status = dlda_comm_end_sums(self->comm);
    if (status == DLDA_OK && self->state)
        memcpy(self->state, self->running, self->network->n_state * sizeof *self->state);
    return status;
}
