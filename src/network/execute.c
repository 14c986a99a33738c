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

/* Replaces sums by those over the ranks of this group. Each group has its own place, so that one sum over all ranks serves
 * them all. */
static void share_sums(dlda_plan *self, double *sums, size_t n)
{
    double *mine = NULL;

    if (!self->comm) return;
    mine = self->sums + self->group * n;
    memset(self->sums, 0, self->groups * n * sizeof *sums);
    memcpy(mine, sums, n * sizeof *sums);
    (void)dlda_comm_sum(self->comm, self->sums, self->groups * n); /* the failure stays */
    memcpy(sums, mine, n * sizeof *sums);
}

/* Mean and variance (in stage->inverse) of the rows that are normalised together, whose sums are in the tally. */
static void set_statistics(dlda_plan *self, dlda_stage *stage)
{
    const double rows = self->tally[0], *sums = self->tally + 1, *squares = sums + stage->raw.channels;

    stage->activation.rows = rows;
    for (size_t c = 0; c < stage->raw.channels; c++) {
        double mean = rows > 0 ? sums[c] / rows : 0;
        stage->mean[c] = (float)mean;
        stage->inverse[c] = rows > 0 ? (float)fmax(squares[c] / rows - mean * mean, 0) : 0;
    }
}

/* The tally has the sums of the raw values if the stage has a convolution. */
static void normalise_by_batch(dlda_plan *self, dlda_stage *stage, const float *weights, float *state)
{
    size_t C = stage->raw.channels, n = self->n * stage->raw.height * stage->raw.width;
    double *rows = self->tally, *sums = self->tally + 1;

    if (n == 0) memset(sums, 0, 2 * C * sizeof *sums);
    else if (!stage->conv) self->kernels->moments(&self->exec, n, C, raw_of(self, stage), sums);
    *rows = (double)n;
    share_sums(self, self->tally, 1 + 2 * C);
    set_statistics(self, stage);
    set_view(stage, weights);
    if (state && *rows > 0) update_running(self, stage, *rows, state);
}

dlda_status dlda_plan_share_norm(dlda_plan *self, const dlda_comm *comm, size_t groups, size_t group)
{
    dlda_status status = DLDA_OK;
    size_t most = dlda_plan_most_normed(self);

    if (most == 0) return DLDA_OK; /* nothing couples the rows */
    DLDA_TRY(DLDA_TAKE(&self->sums, groups * (1 + 2 * most), "sums over ranks"));
    self->comm = comm;
    self->groups = groups;
    self->group = group;
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

/* Takes the sums for batch norm if they will be read. */
static void convolve(dlda_plan *self, size_t i, const float *weights, int tallies)
{
    const dlda_stage *stage = &self->stages[i];
    const float *X = input_of(self, stage);
    const dlda_view *view = view_of_input(self, i);

    if (!stage->conv || self->n == 0) return;
    const float *W = at(weights, &stage->conv->weight), *bias = at(weights, &stage->conv->bias);
    if (stage->prepared && self->prepared_for == weights) {
        self->kernels->conv_forward_prepared(&stage->planned, &self->exec, self->n, X, view, stage->prepared, bias,
                                             stage->raw_values);
        return;
    }
    const dlda_tally tally = { .sums = tallies ? self->tally + 1 : NULL };
    self->kernels->conv_forward(&stage->planned, &self->exec, self->n, X, view, W, bias, stage->raw_values,
                                tallies ? &tally : NULL);
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
        convolve(self, i, weights, stage->norm != NULL);
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
        convolve(self, i, weights, 0);
        if (stage->norm) normalise_by_state(stage, weights, state);
        activate(self, stage);
    }
    return output_of(self);
}

/* ---- Backward ---- */

/* Gradients of scale and shift of batch norm; leaves the sums over all rows in the tally, which has those of this rank if
 * it is complete. */
static void norm_back(dlda_plan *self, const dlda_stage *stage, const float *dY, int complete, float *gradient)
{
    size_t C = stage->raw.channels;
    double *sums = self->tally + 1;
    float *dscale = gradient + stage->norm->scale.offset, *dshift = gradient + stage->norm->shift.offset;

    if (self->n == 0) memset(sums, 0, 2 * C * sizeof *sums);
    else if (!complete)
        self->kernels->activation_sums(&stage->activation, &self->exec, self->n, raw_of(self, stage), stage->where,
                                       dY, sums);
    for (size_t c = 0; c < C; c++) {
        dshift[c] = (float)sums[c];
        dscale[c] = (float)(sums[C + c] * stage->inverse[c]);
    }
    share_sums(self, sums, 2 * C);
}

/* Computes the gradient of the raw values from dY, that of the output, and returns where it is. It overwrites the
 * raw values if the stage owns them, since they are not needed again; else it goes to dX. */
static float *activation_back(dlda_plan *self, const dlda_stage *stage, float *dY, float *dX, int tallied,
                              float *gradient)
{
    float *to = stage->conv ? stage->raw_values : dX;

    if (stage->is_plain) {
        memcpy(to, dY, self->n * dlda_shape_size(stage->raw) * sizeof *to);
        return to;
    }
    drop(self, stage, dY);
    if (stage->norm) norm_back(self, stage, dY, tallied, gradient);
    self->kernels->activation_backward(&stage->activation, &self->exec, self->n, raw_of(self, stage), stage->where,
                                       dY, to, self->tally + 1);
    return to;
}

/* Returns 1 if the tally has the sums of batch norm of the stage before. */
static int conv_back(dlda_plan *self, size_t i, const float *weights, const float *dRaw, float *dX, float *gradient)
{
    const dlda_stage *stage = &self->stages[i];
    const dlda_layer *conv = stage->conv;

    if (self->n == 0) {
        memset(gradient + conv->weight.offset, 0, conv->weight.count * sizeof *gradient);
        memset(gradient + conv->bias.offset, 0, conv->bias.count * sizeof *gradient);
        return 0;
    }
    self->kernels->conv_backward_weights(&stage->planned, &self->exec, self->n, input_of(self, stage),
                                         view_of_input(self, i), dRaw, gradient_at(gradient, &conv->weight),
                                         gradient_at(gradient, &conv->bias));
    if (i <= self->first_trained) return 0;
    const dlda_stage *before = stage - 1;
    int tallies = before->lazy && before->norm; /* then dX is the gradient of its activation */
    const dlda_tally tally = { self->tally + 1, &before->activation, raw_of(self, before) };
    self->kernels->conv_backward_data(&stage->planned, &self->exec, self->n, dRaw, at(weights, &conv->weight), dX,
                                      tallies ? &tally : NULL);
    return tallies;
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
    int tallied = 0;

    if (self->n > 0) memcpy(dY, dH, self->n * self->network->features * sizeof *dY);
    for (size_t i = self->n_stages; i-- > self->first_trained;) {
        float *dRaw = activation_back(self, &self->stages[i], dY, other, tallied, gradient);
        tallied = 0;
        if (self->stages[i].conv) {
            tallied = conv_back(self, i, weights, dRaw, dY, gradient);
        } else { /* no convolution: it is the gradient of the input, in the other buffer */
            other = dY;
            dY = dRaw;
        }
        if (sink) tell_ready(&self->stages[i], sink);
    }
}
