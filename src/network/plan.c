/* SPDX-License-Identifier: MIT
 *
 * plan.c - memory layout of a plan: one arena, laid out before the first step. execute.c uses it.
 *
 * Training keeps for each stage the raw output of its convolution, and the stage output if it differs. Gradients of
 * outputs need one buffer, since gradients of raw outputs overwrite the raw outputs; a second buffer serves stages
 * without a convolution. Inference needs two buffers in total.
 */
#include "network/plan.h"
#include "base/memory.h"

size_t dlda_shape_size(dlda_shape shape)
{
    return shape.height * shape.width * shape.channels;
}

/* ---- Layout of the arena: first with base NULL to compute its size, then with memory ---- */

typedef struct arena {
    char *base;
    size_t used;
    dlda_status status;
} arena;

static void *place(arena *a, size_t count, size_t size)
{
    size_t bytes = 0, start = a->used;

    if (a->status != DLDA_OK) return NULL;
    a->status = dlda_multiply_sizes(count, size, "network memory", &bytes);
    if (a->status == DLDA_OK && bytes > SIZE_MAX / 4 - start)
        a->status = dlda_fail(DLDA_E_MEMORY, "network memory: more than %zu bytes", SIZE_MAX / 4);
    if (a->status != DLDA_OK) return NULL;
    a->used = (start + bytes + DLDA_ALIGNMENT - 1) / DLDA_ALIGNMENT * DLDA_ALIGNMENT;
    return a->base ? a->base + start : NULL;
}

static float *place_floats(arena *a, size_t rows, size_t columns)
{
    size_t count = 0;

    if (a->status == DLDA_OK) a->status = dlda_multiply_sizes(rows, columns, "network memory", &count);
    return place(a, count, sizeof(float));
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t scratch_bytes(const dlda_plan *self, arena *a)
{
    size_t most = 0;

    for (size_t i = 0; i < self->n_stages && a->status == DLDA_OK; i++) {
        const dlda_stage *stage = &self->stages[i];
        size_t bytes = 0;
        a->status = dlda_norm_scratch(stage->raw.channels, &bytes);
        most = larger(most, bytes);
        if (stage->conv && a->status == DLDA_OK)
            a->status = dlda_conv_scratch(&stage->planned, dlda_team_threads(self->spec.team), &bytes);
        most = larger(most, bytes);
    }
    return most;
}

size_t dlda_plan_most_normed(const dlda_plan *self)
{
    size_t most = 0;

    for (size_t i = 0; i < self->n_stages; i++)
        if (self->stages[i].norm) most = larger(most, self->stages[i].raw.channels);
    return most;
}

static void place_channels(dlda_stage *stage, arena *a)
{
    size_t C = stage->raw.channels;

    stage->scale = place_floats(a, 1, C);
    stage->shift = place_floats(a, 1, C);
    stage->mean = place_floats(a, 1, C);
    stage->inverse = place_floats(a, 1, C);
    stage->activation.view.scale = stage->scale;
    stage->activation.view.shift = stage->shift;
    stage->activation.mean = stage->mean;
    stage->activation.inverse = stage->inverse;
}

/* Places the arrays of a stage for training. X is the output of the stage before it. */
static void place_training(const dlda_plan *self, dlda_stage *stage, float *X, arena *a)
{
    size_t batch = self->spec.batch, out = dlda_shape_size(stage->out);

    stage->X = X;
    stage->raw_values = stage->conv ? place_floats(a, batch, dlda_shape_size(stage->raw)) : X;
    stage->output = stage->lazy || stage->is_plain ? stage->raw_values : place_floats(a, batch, out);
    if (stage->activation.window == DLDA_MAX_WINDOW) stage->where = place(a, batch, out);
}

/* In inference two buffers alternate: a convolution reads one and writes the other, and so does pooling. All other
 * operations work in place, except on the caller's images. */
static void place_inference(const dlda_plan *self, dlda_stage *stage, float *X, arena *a)
{
    float *other = X == self->buffers[0] ? self->buffers[1] : self->buffers[0];

    stage->X = X;
    stage->raw_values = stage->conv ? other : X;
    stage->prepared = NULL;
    if (stage->conv && self->kernels->conv_prepare && dlda_conv_prepared(&stage->planned))
        stage->prepared = place_floats(a, 1, dlda_conv_prepared(&stage->planned));
    int in_place = stage->activation.window == DLDA_NO_WINDOW && stage->raw_values;
    if (stage->lazy || stage->is_plain || in_place) stage->output = stage->raw_values;
    else stage->output = stage->raw_values == self->buffers[0] ? self->buffers[1] : self->buffers[0];
}

/* Floats per image of the two buffers. Inference: all values. Training: gradients of outputs, and of inputs of
 * stages without a convolution. */
static void buffer_sizes(const dlda_plan *self, size_t sizes[2])
{
    sizes[0] = sizes[1] = 0;
    for (size_t i = 0; i < self->n_stages; i++) {
        const dlda_stage *stage = &self->stages[i];
        size_t most = larger(dlda_shape_size(stage->out), self->spec.training ? 0 : dlda_shape_size(stage->raw));
        sizes[0] = larger(sizes[0], most);
        if (!self->spec.training) sizes[1] = sizes[0];
        else if (!stage->conv) sizes[1] = sizes[0] = larger(sizes[0], dlda_shape_size(stage->in));
    }
    if (sizes[1]) sizes[1] = sizes[0];
}

static void place_all(dlda_plan *self, arena *a)
{
    size_t sizes[2];
    float *X = NULL;

    buffer_sizes(self, sizes);
    for (int i = 0; i < 2; i++) self->buffers[i] = place_floats(a, self->spec.batch, sizes[i]);
    if (self->spec.training) self->tally = place(a, 1 + 2 * dlda_plan_most_normed(self), sizeof *self->tally);
    self->exec.scratch = place(a, scratch_bytes(self, a), 1);
    for (size_t i = 0; i < self->n_stages; i++) {
        dlda_stage *stage = &self->stages[i];
        place_channels(stage, a);
        if (self->spec.training) place_training(self, stage, X, a);
        else place_inference(self, stage, X, a);
        X = stage->output;
    }
}

/* A stage without batch norm uses an identity scale and shift. */
static void set_identity_views(dlda_plan *self)
{
    for (size_t i = 0; i < self->n_stages; i++)
        for (size_t c = 0; c < self->stages[i].raw.channels; c++)
            self->stages[i].scale[c] = 1; /* shift is zeroed memory */
}

/* Creates a plan without its arena. */
static dlda_status prepare(const dlda_network *network, const dlda_plan_spec *spec, dlda_plan **plan)
{
    dlda_status status = DLDA_OK;
    dlda_plan *self = NULL;
    arena sizes = { NULL, 0, DLDA_OK };

    if (spec->batch < 1) DLDA_FAIL(DLDA_E_ARGUMENT, "network: batch %zu, expected at least 1", spec->batch);
    DLDA_TRY(DLDA_TAKE(&self, 1, "network plan"));
    self->network = network;
    self->spec = *spec;
    self->kernels = spec->kernels == DLDA_KERNELS_REFERENCE ? dlda_kernels_reference() : dlda_kernels_fast();
    self->exec.team = spec->team;
    DLDA_TRY(DLDA_TAKE(&self->stages, network->n_layers, "network plan"));
    dlda_plan_group(self);
    place_all(self, &sizes);
    DLDA_TRY(sizes.status);
    self->arena_bytes = sizes.used;
    *plan = self;
    self = NULL;
done:
    dlda_plan_destroy(self);
    return status;
}

dlda_status dlda_plan_measure(const dlda_network *network, const dlda_plan_spec *spec, size_t *bytes)
{
    dlda_plan *plan = NULL;
    dlda_status status = prepare(network, spec, &plan);

    if (status == DLDA_OK) *bytes = plan->arena_bytes;
    dlda_plan_destroy(plan);
    return status;
}

dlda_status dlda_plan_create(const dlda_network *network, const dlda_plan_spec *spec, dlda_plan **plan)
{
    dlda_status status = DLDA_OK;
    dlda_plan *self = NULL;
    arena real = { NULL, 0, DLDA_OK };

    DLDA_TRY(prepare(network, spec, &self));
    DLDA_TRY(DLDA_TAKE(&self->arena, self->arena_bytes, "network memory"));
    real.base = self->arena;
    place_all(self, &real);
    set_identity_views(self);
    *plan = self;
    self = NULL;
done:
    dlda_plan_destroy(self);
    return status;
}

void dlda_plan_destroy(dlda_plan *self)
{
    if (!self) return;
    dlda_release(self->sums);
    dlda_release(self->arena);
    dlda_release(self->stages);
    dlda_release(self);
}
