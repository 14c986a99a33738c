/* SPDX-License-Identifier: MIT
 *
 * execute.c - executes a plan: forward pass in training, forward pass in inference, backward
 * pass. Allocates nothing.
 */
#include "base/memory.h"
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
double dlda_running_weight(size_t passes)
{
    return fmax(running_weight, 1 / ((double)passes + 1));
}

static void update_running(const dlda_plan *self, const dlda_stage *stage, double rows, float *state)
{
    double weight = dlda_running_weight(self->step.step), unbiased = rows > 1 ? rows / (rows - 1) : 1;
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
    const float *gamma = weights + stage->norm->scale.offset, *beta = weights + stage->norm->shift.offset;

    for (size_t c = 0; c < stage->raw.channels; c++) {
        stage->inverse[c] = (float)(1 / sqrt((double)stage->inverse[c] + DLDA_NORM_EPSILON));
        stage->scale[c] = gamma[c] * stage->inverse[c];
        stage->shift[c] = beta[c] - stage->mean[c] * stage->scale[c];
    }
}

/* Each group of ranks has its own place in the sums, so that one sum over all ranks serves them all. */
static void share_sums(void *context, double *sums, size_t n)
{
    dlda_plan *self = context;
    double *mine = self->sums + self->group * n;

    memset(self->sums, 0, self->groups * n * sizeof *sums);
    memcpy(mine, sums, n * sizeof *sums);
    (void)dlda_comm_sum(self->comm, self->sums, self->groups * n); /* the failure stays */
    memcpy(sums, mine, n * sizeof *sums);
}

/* Mean and variance (in stage->inverse) of the rows of all ranks of the group; returns their number. */
static double share_statistics(dlda_plan *self, dlda_stage *stage, double rows)
{
    size_t C = stage->raw.channels;
    double *sums = self->sums + self->groups * (1 + 2 * C);

    sums[0] = rows;
    for (size_t c = 0; c < C; c++) {
        double mean = stage->mean[c];
        sums[1 + c] = rows * mean;
        sums[1 + C + c] = rows * (stage->inverse[c] + mean * mean);
    }
    share_sums(self, sums, 1 + 2 * C);
    for (size_t c = 0; sums[0] > 0 && c < C; c++) {
        double mean = sums[1 + c] / sums[0];
        stage->mean[c] = (float)mean;
        stage->inverse[c] = (float)fmax(sums[1 + C + c] / sums[0] - mean * mean, 0);
    }
    stage->activation.rows = sums[0];
    return sums[0];
}

static void normalise_by_batch(dlda_plan *self, dlda_stage *stage, const float *weights, float *state)
{
    size_t C = stage->raw.channels, n = self->n * stage->raw.height * stage->raw.width;
    double rows = (double)n;

    if (n > 0) self->kernels->statistics(&self->exec, n, C, raw_of(self, stage), stage->mean, stage->inverse);
    else {
        memset(stage->mean, 0, C * sizeof *stage->mean);
        memset(stage->inverse, 0, C * sizeof *stage->inverse);
    }
    if (self->comm) rows = share_statistics(self, stage, rows);
    set_view(stage, weights);
    if (state && rows > 0) update_running(self, stage, rows, state);
}

dlda_status dlda_plan_share_norm(dlda_plan *self, const dlda_comm *comm, size_t groups, size_t group)
{
    dlda_status status = DLDA_OK;
    size_t most = 0;

    for (size_t i = 0; i < self->n_stages; i++) {
        const dlda_stage *stage = &self->stages[i];
        if (stage->norm && stage->raw.channels > most) most = stage->raw.channels;
    }
    if (most == 0) return DLDA_OK; /* nothing couples the rows */
    DLDA_TRY(DLDA_TAKE(&self->sums, (groups + 1) * (1 + 2 * most), "sums over ranks"));
    self->comm = comm;
    self->groups = groups;
    self->group = group;
    for (size_t i = 0; i < self->n_stages; i++) {
        if (!self->stages[i].norm) continue;
        self->stages[i].activation.share = share_sums;
        self->stages[i].activation.context = self;
    }
done:
    return status;
}

static void normalise_by_state(dlda_stage *stage, const float *weights, const float *state)
{
    size_t bytes = stage->raw.channels * sizeof(float);

    memcpy(stage->mean, state + stage->norm->mean.offset, bytes);
    memcpy(stage->inverse, state + stage->norm->variance.offset, bytes);
    set_view(stage, weights);
}

/* ---- Forward ---- */

static void convolve(dlda_plan *self, size_t i, const float *weights)
{
    const dlda_stage *stage = &self->stages[i];
    const float *X = input_of(self, stage);
    const dlda_view *view = view_of_input(self, i);

    if (!stage->conv || self->n == 0) return;
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

    if (self->n == 0) {
        memset(gradient + conv->weight.offset, 0, conv->weight.count * sizeof *gradient);
        memset(gradient + conv->bias.offset, 0, conv->bias.count * sizeof *gradient);
        return;
    }
    self->kernels->conv_backward_weights(&stage->planned, &self->exec, self->n, input_of(self, stage),
                                         view_of_input(self, i), dRaw, gradient_at(gradient, &conv->weight),
                                         gradient_at(gradient, &conv->bias));
    if (i > self->first_trained)
        self->kernels->conv_backward_data(&stage->planned, &self->exec, self->n, dRaw, at(weights, &conv->weight),
                                          dX);
}

/* The weights of a stage lie next to each other. */
static void tell_ready(const dlda_stage *stage, const dlda_gradient_sink *sink)
{
    const dlda_parameter *parts[4];
    size_t n = 0, first = SIZE_MAX, end = 0;

    if (stage->conv) parts[n++] = &stage->conv->weight, parts[n++] = &stage->conv->bias;
    if (stage->norm) parts[n++] = &stage->norm->scale, parts[n++] = &stage->norm->shift;
    for (size_t i = 0; i < n; i++) {
        if (parts[i]->count == 0) continue;
        if (parts[i]->offset < first) first = parts[i]->offset;
        if (parts[i]->offset + parts[i]->count > end) end = parts[i]->offset + parts[i]->count;
    }
    if (end > 0) sink->ready(sink->context, first, end - first);
}

void dlda_plan_backward(dlda_plan *self, const float *weights, const float *dH, float *gradient,
                        const dlda_gradient_sink *sink)
{
    float *dY = self->buffers[0], *other = self->buffers[1];

    if (self->n > 0) memcpy(dY, dH, self->n * self->network->features * sizeof *dY);
    for (size_t i = self->n_stages; i-- > self->first_trained;) {
        float *dRaw = activation_back(self, &self->stages[i], dY, other, gradient);
        if (self->stages[i].conv) {
            conv_back(self, i, weights, dRaw, dY, gradient);
        } else { /* no convolution: it is the gradient of the input, in the other buffer */
            other = dY;
            dY = dRaw;
        }
        if (sink) tell_ready(&self->stages[i], sink);
    }
}
