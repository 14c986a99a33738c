/* SPDX-License-Identifier: MIT
 *
 * execute.c - executes a plan: forward pass in training, forward pass in inference, backward
 * pass. Allocates nothing.
 */
#include "network/plan.h"

#include <math.h>
#include <string.h>

static const double running_weight = 0.1; /* minimum weight of a batch in the running statistics */

static const float *at(const float *block, const dlda_parameter *parameter)
{
    return parameter->count ? block + parameter->offset : NULL;
}

static float *gradient_at(float *block, const dlda_parameter *parameter)
{
    return parameter->count ? block + parameter->offset : NULL;
}

static const float *input_of(const dlda_plan *self, const dlda_stage *stage)
{
    return stage->X ? stage->X : self->images;
}

/* Input of the activation: the raw values, or the images if the first stage has no convolution. */
static const float *raw_of(const dlda_plan *self, const dlda_stage *stage)
{
    return stage->raw_values ? stage->raw_values : self->images;
}

/* Through which view stage i reads its input: that of a lazy stage before it, else none. */
static const dlda_view *view_of_input(const dlda_plan *self, size_t i)
{
    return i > 0 && self->stages[i - 1].lazy ? &self->stages[i - 1].activation.view : NULL;
}

/* ---- Batch norm ---- */

/* The first batches are averaged with equal weights, so that the initial values have no influence. */
static void update_running(const dlda_plan *self, const dlda_stage *stage, size_t rows, float *state)
{
    double weight = fmax(running_weight, 1 / ((double)self->step.step + 1));
    double unbiased = rows > 1 ? (double)rows / (double)(rows - 1) : 1;
    float *mean = state + stage->norm->mean.offset, *variance = state + stage->norm->variance.offset;

    for (size_t c = 0; c < stage->raw.channels; c++) {
        double latest = (1 / ((double)stage->inverse[c] * stage->inverse[c]) - DLDA_NORM_EPSILON) * unbiased;
        mean[c] += (float)(weight * (stage->mean[c] - mean[c]));
        variance[c] += (float)(weight * (fmax(latest, 0) - variance[c]));
    }
}

/* Computes scale and shift of batch norm from stage->mean and stage->inverse, which holds the variance on entry. */
static void set_view(dlda_stage *stage, const float *weights)
{
    const float *gamma = at(weights, &stage->norm->scale), *beta = at(weights, &stage->norm->shift);

    for (size_t c = 0; c < stage->raw.channels; c++) {
        stage->inverse[c] = (float)(1 / sqrt((double)stage->inverse[c] + DLDA_NORM_EPSILON));
        stage->scale[c] = gamma[c] * stage->inverse[c];
        stage->shift[c] = beta[c] - stage->mean[c] * stage->scale[c];
    }
}

static void normalise_by_batch(dlda_plan *self, dlda_stage *stage, const float *weights, float *state)
{
    size_t rows = self->n * stage->raw.height * stage->raw.width;

    self->kernels->statistics(&self->exec, rows, stage->raw.channels, raw_of(self, stage), stage->mean,
                              stage->inverse);
    set_view(stage, weights);
    if (state) update_running(self, stage, rows, state);
}

static void normalise_by_state(dlda_stage *stage, const float *weights, const float *state)
{
    size_t bytes = stage->raw.channels * sizeof(float);

    memcpy(stage->mean, at(state, &stage->norm->mean), bytes);
    memcpy(stage->inverse, at(state, &stage->norm->variance), bytes);
    set_view(stage, weights);
}

/* ---- Forward ---- */

static void convolve(dlda_plan *self, size_t i, const float *weights)
{
    const dlda_stage *stage = &self->stages[i];
    const float *X = input_of(self, stage);
    const dlda_view *view = view_of_input(self, i);

    if (!stage->conv) return;
    const float *W = at(weights, &stage->conv->weight), *bias = at(weights, &stage->conv->bias);
    if (stage->prepared && self->prepared_for == weights)
        self->kernels->conv_forward_prepared(&stage->planned, &self->exec, self->n, X, view, stage->prepared, bias,
                                             stage->raw_values);
    else self->kernels->conv_forward(&stage->planned, &self->exec, self->n, X, view, W, bias, stage->raw_values);
}

void dlda_plan_prepare(dlda_plan *self, const float *weights)
{
    for (size_t i = 0; i < self->n_stages; i++) {
        const dlda_stage *stage = &self->stages[i];
        if (stage->prepared)
            self->kernels->conv_prepare(&stage->planned, &self->exec, at(weights, &stage->conv->weight),
                                        stage->prepared);
    }
    self->prepared_for = weights;
}

static void activate(dlda_plan *self, const dlda_stage *stage)
{
    if (stage->lazy || stage->is_plain) return;
    self->kernels->activation_forward(&stage->activation, &self->exec, self->n, raw_of(self, stage), stage->output,
                                      stage->where);
}

static void drop(dlda_plan *self, const dlda_stage *stage, float *values)
{
    const dlda_step *step = &self->step;

    if (!stage->dropout) return;
    dlda_dropout dropout = { .rate = stage->dropout->rate,
                             .size = dlda_shape_size(stage->out),
                             .seed = step->seed,
                             .epoch = (uint32_t)step->epoch,
                             .layer = (uint32_t)stage->dropout_index,
                             .samples = step->samples };
    self->kernels->dropout(&dropout, &self->exec, self->n, values);
}

static const float *output_of(const dlda_plan *self)
{
    return self->stages[self->n_stages - 1].output;
}

const float *dlda_plan_forward(dlda_plan *self, const float *weights, float *state, const float *X, size_t n,
                               const dlda_step *step)
{
    self->images = X;
    self->n = n;
    self->step = *step;
    for (size_t i = 0; i < self->n_stages; i++) {
        dlda_stage *stage = &self->stages[i];
        convolve(self, i, weights);
        if (stage->norm) normalise_by_batch(self, stage, weights, state);
        activate(self, stage);
        drop(self, stage, stage->output);
    }
    return output_of(self);
}

const float *dlda_plan_infer(dlda_plan *self, const float *weights, const float *state, const float *X, size_t n)
{
    self->images = X;
    self->n = n;
    for (size_t i = 0; i < self->n_stages; i++) {
        dlda_stage *stage = &self->stages[i];
        convolve(self, i, weights);
        if (stage->norm) normalise_by_state(stage, weights, state);
        activate(self, stage);
    }
    return output_of(self);
}

/* ---- Backward ---- */

/* Computes the gradient of the raw values from dY, that of the output, and returns where it is. It overwrites the
 * raw values if the stage owns them, since they are not needed again; else it goes to dX. */
static float *activation_back(dlda_plan *self, const dlda_stage *stage, float *dY, float *dX, float *gradient)
{
    float *to = stage->conv ? stage->raw_values : dX;

    if (stage->is_plain) {
        memcpy(to, dY, self->n * dlda_shape_size(stage->raw) * sizeof *to);
        return to;
    }
    drop(self, stage, dY);
    self->kernels->activation_backward(&stage->activation, &self->exec, self->n, raw_of(self, stage), stage->where,
                                       dY, to, stage->norm ? gradient_at(gradient, &stage->norm->scale) : NULL,
                                       stage->norm ? gradient_at(gradient, &stage->norm->shift) : NULL);
    return to;
}

static void conv_back(dlda_plan *self, size_t i, const float *weights, const float *dRaw, float *dX,
                      float *gradient)
{
    const dlda_stage *stage = &self->stages[i];
    const dlda_layer *conv = stage->conv;

    self->kernels->conv_backward_weights(&stage->planned, &self->exec, self->n, input_of(self, stage),
                                         view_of_input(self, i), dRaw, gradient_at(gradient, &conv->weight),
                                         gradient_at(gradient, &conv->bias));
    if (i > self->first_trained)
        self->kernels->conv_backward_data(&stage->planned, &self->exec, self->n, dRaw, at(weights, &conv->weight),
                                          dX);
}

void dlda_plan_backward(dlda_plan *self, const float *weights, const float *dH, float *gradient)
{
    float *dY = self->buffers[0], *other = self->buffers[1];

    memcpy(dY, dH, self->n * self->network->features * sizeof *dY);
    for (size_t i = self->n_stages; i-- > self->first_trained;) {
        float *dRaw = activation_back(self, &self->stages[i], dY, other, gradient);
        if (self->stages[i].conv) {
            conv_back(self, i, weights, dRaw, dY, gradient);
        } else { /* no convolution: it is the gradient of the input, in the other buffer */
            other = dY;
            dY = dRaw;
        }
    }
}
