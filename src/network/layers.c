/* SPDX-License-Identifier: MIT
 *
 * layers.c - what each kind of layer does with the kernels, going forward, backward, and in inference.
 *
 * ReLU and dropout overwrite their input. That is sound because the layers before them do not need their own
 * output again, and because ReLU's backward pass needs only where its output is 0: a value that a later dropout
 * has set to 0 has no gradient anyway.
 */
#include "network/plan.h"

#include <math.h>

static const dlda_kernel_set *kernels_of(const dlda_layer_pass *pass)
{
    return pass->plan->kernels;
}

static const float *at(const float *block, const dlda_parameter *parameter)
{
    return parameter->count ? block + parameter->offset : NULL;
}

static float *gradient_at(float *block, const dlda_parameter *parameter)
{
    return parameter->count ? block + parameter->offset : NULL;
}

/* ---- Convolution and dense ---- */

static void conv_forward(const dlda_layer_pass *pass)
{
    const dlda_layer *layer = pass->layer;
    kernels_of(pass)->conv_forward(&layer->conv, &pass->plan->run, pass->n, pass->in, at(pass->weights, &layer->weight),
                                   at(pass->weights, &layer->bias), pass->out);
}

static float *conv_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    const dlda_layer *layer = pass->layer;
    const dlda_run *run = &pass->plan->run;

    kernels_of(pass)->conv_backward_weights(&layer->conv, run, pass->n, pass->in, dY,
                                            gradient_at(gradient, &layer->weight), gradient_at(gradient, &layer->bias));
    if (dX) kernels_of(pass)->conv_backward_data(&layer->conv, run, pass->n, dY, at(pass->weights, &layer->weight), dX);
    return dX;
}

/* ---- Batch norm ---- */

static const double norm_epsilon = 1e-4;
static const double running_weight = 0.1; /* of a new batch in the running statistics, at least */

static dlda_norm norm_of(const dlda_layer_pass *pass)
{
    const dlda_layer *layer = pass->layer;
    return (dlda_norm){ pass->n * layer->in.height * layer->in.width, layer->in.channels, norm_epsilon,
                        at(pass->weights, &layer->scale), at(pass->weights, &layer->shift) };
}

static void norm_infer(const dlda_layer_pass *pass)
{
    dlda_norm norm = norm_of(pass);
    kernels_of(pass)->norm_apply(&norm, &pass->plan->run, pass->in, at(pass->state, &pass->layer->mean),
                                 at(pass->state, &pass->layer->variance), pass->out);
}

/* The first batches count as a plain average, so that the initial values leave no trace. */
static void update_running(const dlda_layer_pass *pass, const float *latest, const dlda_parameter *parameter)
{
    float weight = (float)fmax(running_weight, 1 / ((double)pass->plan->step.step + 1));
    float *running = pass->state + parameter->offset;

    for (size_t c = 0; c < parameter->count; c++) running[c] += weight * (latest[c] - running[c]);
}

static void norm_forward(const dlda_layer_pass *pass)
{
    dlda_norm norm = norm_of(pass);
    dlda_layer_memory *memory = pass->memory;

    kernels_of(pass)->norm_forward(&norm, &pass->plan->run, pass->in, pass->out, memory->mean, memory->inverse,
                                   pass->plan->variance);
    update_running(pass, memory->mean, &pass->layer->mean);
    update_running(pass, pass->plan->variance, &pass->layer->variance);
}

static float *norm_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    dlda_norm norm = norm_of(pass);
    const dlda_layer_memory *memory = pass->memory;

    /* dX may lie where dY does: each value depends on its own dY and on sums that are complete by then. */
    (void)dX;
    kernels_of(pass)->norm_backward(&norm, &pass->plan->run, pass->in, memory->mean, memory->inverse, dY, dY,
                                    gradient_at(gradient, &pass->layer->scale), gradient_at(gradient, &pass->layer->shift));
    return dY;
}

/* ---- ReLU ---- */

static void relu_forward(const dlda_layer_pass *pass)
{
    kernels_of(pass)->relu_forward(&pass->plan->run, pass->n * dlda_shape_size(pass->layer->out), pass->out);
}

static float *relu_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    (void)dX;
    (void)gradient;
    kernels_of(pass)->relu_backward(&pass->plan->run, pass->n * dlda_shape_size(pass->layer->out), pass->out, dY);
    return dY;
}

/* ---- Maximum pooling ---- */

static void pool_infer(const dlda_layer_pass *pass)
{
    kernels_of(pass)->pool_forward(&pass->layer->pool, &pass->plan->run, pass->n, pass->in, pass->out, NULL);
}

static void pool_forward(const dlda_layer_pass *pass)
{
    kernels_of(pass)->pool_forward(&pass->layer->pool, &pass->plan->run, pass->n, pass->in, pass->out,
                                   pass->memory->where);
}

static float *pool_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    (void)gradient;
    kernels_of(pass)->pool_backward(&pass->layer->pool, &pass->plan->run, pass->n, pass->memory->where, dY, dX);
    return dX;
}

/* ---- Dropout ---- */

static void drop(const dlda_layer_pass *pass, float *values)
{
    const dlda_step *step = &pass->plan->step;
    dlda_dropout dropout = { pass->layer->rate,     dlda_shape_size(pass->layer->out), step->seed,
                             (uint32_t)step->epoch, (uint32_t)pass->index,             step->samples };
    kernels_of(pass)->dropout(&dropout, &pass->plan->run, pass->n, values);
}

static void dropout_infer(const dlda_layer_pass *pass)
{
    (void)pass; /* the identity, in place */
}

static void dropout_forward(const dlda_layer_pass *pass)
{
    drop(pass, pass->out);
}

static float *dropout_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    (void)dX;
    (void)gradient;
    drop(pass, dY);
    return dY;
}

/* ---- Global average pooling ---- */

static size_t pixels_in(const dlda_layer *layer)
{
    return layer->in.height * layer->in.width;
}

static void gap_forward(const dlda_layer_pass *pass)
{
    kernels_of(pass)->gap_forward(&pass->plan->run, pass->n, pixels_in(pass->layer), pass->layer->in.channels, pass->in,
                                  pass->out);
}

static float *gap_backward(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient)
{
    (void)gradient;
    kernels_of(pass)->gap_backward(&pass->plan->run, pass->n, pixels_in(pass->layer), pass->layer->in.channels, dY, dX);
    return dX;
}

const dlda_layer_functions dlda_layer_table[] = {
    [DLDA_CONV_LAYER] = { conv_forward, conv_forward, conv_backward, 0, 0 },
    [DLDA_NORM_LAYER] = { norm_infer, norm_forward, norm_backward, 0, 1 },
    [DLDA_RELU_LAYER] = { relu_forward, relu_forward, relu_backward, 1, 1 },
    [DLDA_POOL_LAYER] = { pool_infer, pool_forward, pool_backward, 0, 0 },
    [DLDA_DROPOUT_LAYER] = { dropout_infer, dropout_forward, dropout_backward, 1, 1 },
    [DLDA_GAP_LAYER] = { gap_forward, gap_forward, gap_backward, 0, 0 },
};
