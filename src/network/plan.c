/* SPDX-License-Identifier: MIT
 *
 * plan.c - memory and order of a network's passes: planned once, then run without taking memory.
 *
 * Training keeps the output of every layer that does not work in place, since the backward pass needs it, and two
 * buffers for gradients. Inference needs two buffers in all.
 */
#include "network/plan.h"
#include "base/memory.h"

#include <string.h>

enum { MOST_THREADS = 1024 };

size_t dlda_shape_size(dlda_shape shape)
{
    return shape.height * shape.width * shape.channels;
}

/* ---- Laying out the arena: first with base NULL, to learn its size, then for good ---- */

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

/* Largest number of values per image, over the outputs of all layers. */
static size_t largest_output(const dlda_network *network)
{
    size_t largest = 0;
    for (size_t i = 0; i < network->n_layers; i++) largest = larger(largest, dlda_shape_size(network->layers[i].out));
    return largest;
}

static size_t most_channels(const dlda_network *network)
{
    size_t most = network->input.channels;
    for (size_t i = 0; i < network->n_layers; i++) most = larger(most, network->layers[i].out.channels);
    return most;
}

static size_t scratch_bytes(const dlda_plan *self, arena *a)
{
    size_t most = 0, bytes = 0;

    for (size_t i = 0; i < self->network->n_layers && a->status == DLDA_OK; i++) {
        const dlda_layer *layer = &self->network->layers[i];
        if (layer->kind == DLDA_CONV_LAYER) a->status = dlda_conv_scratch(&layer->conv, self->spec.threads, &bytes);
        if (layer->kind == DLDA_NORM_LAYER) a->status = dlda_norm_scratch(layer->in.channels, &bytes);
        most = larger(most, bytes);
    }
    return most;
}

/* The input belongs to the caller, so the first layer never works in place. */
static int works_in_place(const dlda_plan *self, size_t i)
{
    const dlda_layer_functions *functions = &dlda_layer_table[self->network->layers[i].kind];
    return i > 0 && (self->spec.training ? functions->trains_in_place : functions->infers_in_place);
}

static void place_training_layer(dlda_plan *self, arena *a, size_t i)
{
    const dlda_layer *layer = &self->network->layers[i];
    dlda_layer_memory *memory = &self->memory[i];
    size_t batch = self->spec.batch, size = dlda_shape_size(layer->out);

    memory->output = works_in_place(self, i) ? self->memory[i - 1].output : place_floats(a, batch, size);
    if (layer->kind == DLDA_NORM_LAYER) {
        memory->mean = place_floats(a, 1, layer->in.channels);
        memory->inverse = place_floats(a, 1, layer->in.channels);
    }
    if (layer->kind == DLDA_POOL_LAYER) memory->where = place(a, batch, size);
}

/* Inference: outputs take turns in the two gradient buffers. */
static void place_inference_layers(dlda_plan *self)
{
    int turn = 0;

    for (size_t i = 0; i < self->network->n_layers; i++) {
        if (!works_in_place(self, i)) turn = !turn;
        self->memory[i].output = self->gradients[turn];
    }
}

static void place_all(dlda_plan *self, arena *a)
{
    size_t largest = largest_output(self->network);

    for (int i = 0; i < 2; i++) self->gradients[i] = place_floats(a, self->spec.batch, largest);
    self->variance = place_floats(a, 1, most_channels(self->network));
    self->run.scratch = place(a, scratch_bytes(self, a), 1);
    if (!self->spec.training) place_inference_layers(self);
    else
        for (size_t i = 0; i < self->network->n_layers; i++) place_training_layer(self, a, i);
}

dlda_status dlda_plan_create(const dlda_network *network, const dlda_plan_spec *spec, dlda_plan **plan)
{
    dlda_status status = DLDA_OK;
    dlda_plan *self = NULL;
    arena sizes = { NULL, 0, DLDA_OK };

    if (spec->batch < 1) DLDA_FAIL(DLDA_E_ARGUMENT, "network: batch %zu, expected at least 1", spec->batch);
    if (spec->threads < 1 || spec->threads > MOST_THREADS)
        DLDA_FAIL(DLDA_E_ARGUMENT, "network: %zu threads, expected 1 to %d", spec->threads, MOST_THREADS);
    DLDA_TRY(DLDA_TAKE(&self, 1, "network plan"));
    self->network = network;
    self->spec = *spec;
    self->kernels = spec->kernels == DLDA_KERNELS_REFERENCE ? &dlda_reference_kernels : dlda_kernels_fast();
    self->run.threads = spec->threads;
    DLDA_TRY(DLDA_TAKE(&self->memory, network->n_layers, "network plan"));
    place_all(self, &sizes);
    DLDA_TRY(sizes.status);
    DLDA_TRY(dlda_take_bytes(sizes.used, 1, "network memory", &self->arena));
    self->arena_bytes = sizes.used;
    arena real = { self->arena, 0, DLDA_OK };
    place_all(self, &real);
    *plan = self;
    self = NULL;
done:
    dlda_plan_destroy(self);
    return status;
}

void dlda_plan_destroy(dlda_plan *self)
{
    if (!self) return;
    dlda_release(self->arena);
    dlda_release(self->memory);
    dlda_release(self);
}

size_t dlda_plan_bytes(const dlda_plan *self)
{
    return self->arena_bytes;
}

/* ---- Running ---- */

static dlda_layer_pass pass_of(dlda_plan *self, size_t i, const float *weights, float *state)
{
    return (dlda_layer_pass){ .plan = self,
                              .layer = &self->network->layers[i],
                              .memory = &self->memory[i],
                              .index = i,
                              .n = self->n,
                              .weights = weights,
                              .state = state,
                              .in = i == 0 ? self->X : self->memory[i - 1].output,
                              .out = self->memory[i].output };
}

/* A layer that would work in place, but stands first, gets a copy of the input to work on. */
static void copy_if_first_in_place(const dlda_layer_pass *pass, int in_place)
{
    if (pass->index == 0 && in_place)
        memcpy(pass->out, pass->in, pass->n * dlda_shape_size(pass->layer->in) * sizeof(float));
}

static const float *output_of(const dlda_plan *self)
{
    return self->memory[self->network->n_layers - 1].output;
}

const float *dlda_plan_infer(dlda_plan *self, const float *weights, const float *state, const float *X, size_t n)
{
    self->X = X;
    self->n = n;
    for (size_t i = 0; i < self->network->n_layers; i++) {
        dlda_layer_pass pass = pass_of(self, i, weights, (float *)state);
        const dlda_layer_functions *functions = &dlda_layer_table[pass.layer->kind];
        copy_if_first_in_place(&pass, functions->infers_in_place);
        functions->infer(&pass);
    }
    return output_of(self);
}

const float *dlda_plan_forward(dlda_plan *self, const float *weights, float *state, const float *X, size_t n,
                               const dlda_step *step)
{
    self->X = X;
    self->n = n;
    self->step = *step;
    for (size_t i = 0; i < self->network->n_layers; i++) {
        dlda_layer_pass pass = pass_of(self, i, weights, state);
        const dlda_layer_functions *functions = &dlda_layer_table[pass.layer->kind];
        copy_if_first_in_place(&pass, functions->trains_in_place);
        functions->forward(&pass);
    }
    return output_of(self);
}

/* Index of the first layer with weights: nobody needs the gradient of its input. */
static size_t first_with_weights(const dlda_network *network)
{
    size_t i = 0;
    while (i < network->n_layers && network->layers[i].kind != DLDA_CONV_LAYER &&
           network->layers[i].kind != DLDA_NORM_LAYER)
        i++;
    return i;
}

void dlda_plan_backward(dlda_plan *self, const float *weights, const float *dH, float *gradient)
{
    size_t last = first_with_weights(self->network);
    float *dY = self->gradients[0];

    memcpy(dY, dH, self->n * self->network->features * sizeof *dY);
    for (size_t i = self->network->n_layers; i-- > last;) {
        dlda_layer_pass pass = pass_of(self, i, weights, NULL);
        float *other = dY == self->gradients[0] ? self->gradients[1] : self->gradients[0];
        dY = dlda_layer_table[pass.layer->kind].backward(&pass, dY, i > last ? other : NULL, gradient);
    }
}
