/* SPDX-License-Identifier: MIT
 *
 * reference.c - every kernel as plain loops with sums in double: they define the correct result.
 *
 * They share no code with the fast kernels, except the random number generator.
 */
#include "base/parallel.h"
#include "base/random.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

static double seen(const dlda_view *view, double x, size_t c)
{
    double z = view->scale[c] * x + view->shift[c];
    return z < view->least ? view->least : z;
}

/* Value of pixel (y, x), channel c of image n, through the view; 0 outside. */
static double padded(const dlda_conv *conv, const float *X, const dlda_view *view, size_t n, ptrdiff_t y,
                     ptrdiff_t x, size_t c)
{
    if (y < 0 || x < 0 || y >= (ptrdiff_t)conv->height || x >= (ptrdiff_t)conv->width) return 0;
    double value = X[((n * conv->height + (size_t)y) * conv->width + (size_t)x) * conv->channels + c];
    return view ? seen(view, value, c) : value;
}

static ptrdiff_t input_at(const dlda_conv *conv, size_t output, size_t k)
{
    return (ptrdiff_t)(output * conv->stride + k) - (ptrdiff_t)conv->pad;
}

/* ---- Sums of batch norm ---- */

static void moments(const dlda_exec *exec, size_t rows, size_t C, const float *X, double *sums)
{
    (void)exec;
    memset(sums, 0, 2 * C * sizeof *sums);
    for (size_t i = 0; i < rows * C; i++) {
        sums[i % C] += X[i];
        sums[C + i % C] += (double)X[i] * X[i];
    }
}

static void activation_sums(const dlda_activation *, const dlda_exec *, size_t N, const float *X,
                            const uint8_t *where, const float *dY, double *sums);

/* A convolution with its arrays. The threads share the outputs; each output is one sum in a fixed order. */
typedef struct conv_job {
    const dlda_conv *conv;
    const dlda_view *view;
    size_t N;
    const float *X, *dY, *W, *bias;
    float *out;
} conv_job;

enum { SUMS = 32 }; /* filters at a time, so that the compiler can vectorise */

static size_t sums_at(size_t f, size_t F)
{
    return F - f < SUMS ? F - f : SUMS;
}

static void add_scaled(double *sum, double scale, const float *x, size_t n)
{
    if (n == SUMS)
        for (size_t i = 0; i < SUMS; i++) sum[i] += scale * x[i];
    else
        for (size_t i = 0; i < n; i++) sum[i] += scale * x[i];
}

/* ---- Convolution, forward ---- */

/* Filters f .. f+count-1 of output pixel (oy, ox) of image n. */
static void filter_sums(const conv_job *job, size_t n, size_t oy, size_t ox, size_t f, size_t count, double *sum)
{
    const dlda_conv *conv = job->conv;
    size_t K = conv->kernel, C = conv->channels, F = conv->filters;

    for (size_t i = 0; i < count; i++) sum[i] = job->bias ? job->bias[f + i] : 0;
    for (size_t ky = 0; ky < K; ky++)
        for (size_t kx = 0; kx < K; kx++)
            for (size_t c = 0; c < C; c++) {
                double x = padded(conv, job->X, job->view, n, input_at(conv, oy, ky), input_at(conv, ox, kx), c);
                add_scaled(sum, x, job->W + ((ky * K + kx) * C + c) * F + f, count);
            }
}

static void forward_pixels(void *context, const dlda_chunk *chunk)
{
    const conv_job *job = context;
    size_t F = job->conv->filters, OH = job->conv->out_height, OW = job->conv->out_width;

    for (size_t p = chunk->begin; p < chunk->end; p++)
        for (size_t f = 0; f < F; f += SUMS) {
            double sum[SUMS];
            size_t count = sums_at(f, F);
            filter_sums(job, p / (OH * OW), p / OW % OH, p % OW, f, count, sum);
            for (size_t i = 0; i < count; i++) job->out[p * F + f + i] = (float)sum[i];
        }
}

static void conv_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                         const dlda_view *view, const float *W, const float *bias, float *Y,
                         const dlda_tally *tally)
{
    conv_job job = { .conv = conv, .view = view, .N = N, .X = X, .W = W, .bias = bias, .out = Y };
    size_t pixels = N * conv->out_height * conv->out_width;

    dlda_parallel_for(exec->team, pixels, 16, forward_pixels, &job);
    if (tally) moments(exec, pixels, conv->filters, Y, tally->sums);
}

/* ---- Backward, data ---- */

/* Eight partial sums, for vectorisation. */
static double dot(const float *a, const float *b, size_t n)
{
    double part[8] = { 0 }, rest = 0;
    size_t whole = n / 8 * 8;

    for (size_t i = 0; i < whole; i += 8)
        for (size_t j = 0; j < 8; j++) part[j] += (double)a[i + j] * b[i + j];
    for (size_t i = whole; i < n; i++) rest += (double)a[i] * b[i];
    for (size_t j = 0; j < 8; j++) rest += part[j];
    return rest;
}

/* dX at one input value: the sum over all outputs that depend on it. */
static double data_gradient(const conv_job *job, size_t n, size_t y, size_t x, size_t c)
{
    const dlda_conv *conv = job->conv;
    size_t K = conv->kernel, C = conv->channels, F = conv->filters, OH = conv->out_height, OW = conv->out_width;
    double sum = 0;

    for (size_t ky = 0; ky < K; ky++)
        for (size_t kx = 0; kx < K; kx++) {
            ptrdiff_t top = (ptrdiff_t)(y + conv->pad) - (ptrdiff_t)ky,
                      left = (ptrdiff_t)(x + conv->pad) - (ptrdiff_t)kx;
            if (top < 0 || left < 0 || (size_t)top % conv->stride || (size_t)left % conv->stride) continue;
            size_t oy = (size_t)top / conv->stride, ox = (size_t)left / conv->stride;
            if (oy >= OH || ox >= OW) continue;
            sum += dot(job->dY + ((n * OH + oy) * OW + ox) * F, job->W + ((ky * K + kx) * C + c) * F, F);
        }
    return sum;
}

static void data_values(void *context, const dlda_chunk *chunk)
{
    const conv_job *job = context;
    size_t H = job->conv->height, V = job->conv->width, C = job->conv->channels;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        job->out[i] = (float)data_gradient(job, i / (H * V * C), i / (V * C) % H, i / C % V, i % C);
}

static void conv_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                               const float *W, float *dX, const dlda_tally *tally)
{
    conv_job job = { .conv = conv, .N = N, .dY = dY, .W = W, .out = dX };

    dlda_parallel_for(exec->team, N * conv->height * conv->width * conv->channels, 1024, data_values, &job);
    if (tally) activation_sums(tally->activation, exec, N, tally->X, NULL, dX, tally->sums);
}

/* ---- Backward, weights ---- */

/* Filters f .. f+count-1 of row k of dW: the sum over all output pixels. */
static void weight_sums(const conv_job *job, size_t k, size_t f, size_t count, double *sum)
{
    const dlda_conv *conv = job->conv;
    size_t K = conv->kernel, C = conv->channels, OH = conv->out_height, OW = conv->out_width, p = 0;
    size_t ky = k / (K * C), kx = k / C % K, c = k % C;

    for (size_t i = 0; i < count; i++) sum[i] = 0;
    for (size_t n = 0; n < job->N; n++)
        for (size_t oy = 0; oy < OH; oy++)
            for (size_t ox = 0; ox < OW; ox++, p++) {
                double x = padded(conv, job->X, job->view, n, input_at(conv, oy, ky), input_at(conv, ox, kx), c);
                add_scaled(sum, x, job->dY + p * conv->filters + f, count);
            }
}

static void weight_rows(void *context, const dlda_chunk *chunk)
{
    const conv_job *job = context;
    size_t F = job->conv->filters;

    for (size_t k = chunk->begin; k < chunk->end; k++)
        for (size_t f = 0; f < F; f += SUMS) {
            double sum[SUMS];
            size_t count = sums_at(f, F);
            weight_sums(job, k, f, count, sum);
            for (size_t i = 0; i < count; i++) job->out[k * F + f + i] = (float)sum[i];
        }
}

static void conv_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                  const dlda_view *view, const float *dY, float *dW, float *dbias)
{
    conv_job job = { .conv = conv, .view = view, .N = N, .X = X, .dY = dY, .out = dW };
    size_t F = conv->filters, rows = N * conv->out_height * conv->out_width;

    dlda_parallel_for(exec->team, conv->kernel * conv->kernel * conv->channels, 1, weight_rows, &job);
    for (size_t f = 0; dbias && f < F; f++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += dY[i * F + f];
        dbias[f] = (float)sum;
    }
}

/* ---- Batch norm, ReLU, pooling ---- */

/* Index of an input value: image, row, column, channel. */
typedef struct place {
    size_t n, y, x, c;
} place;

static size_t input_index(const dlda_activation *a, place p)
{
    return ((p.n * a->height + p.y) * a->width + p.x) * a->channels + p.c;
}

static place place_of(const dlda_activation *a, size_t index)
{
    size_t C = a->channels;
    return (place){ index / (a->height * a->width * C), index / (a->width * C) % a->height, index / C % a->width,
                    index % C };
}

/* Maximum over the window of output (n, oy, ox, c), before ReLU, and its position. */
static double window_maximum(const dlda_activation *a, const float *X, place out, size_t *position)
{
    double best = NAN;

    for (size_t k = 0; k < a->size * a->size; k++) {
        place in = { out.n, out.y * a->stride + k / a->size, out.x * a->stride + k % a->size, out.c };
        double z = a->view.scale[in.c] * (double)X[input_index(a, in)] + a->view.shift[in.c];
        if (k > 0 && !(z > best) && !isnan(z)) continue;
        best = z;
        *position = k;
    }
    return best;
}

static double image_mean(const dlda_activation *a, const float *X, place out)
{
    double sum = 0;

    for (size_t y = 0; y < a->height; y++)
        for (size_t x = 0; x < a->width; x++)
            sum += seen(&a->view, X[input_index(a, (place){ out.n, y, x, out.c })], out.c);
    return sum / (double)(a->height * a->width);
}

static void activation_forward(const dlda_activation *a, const dlda_exec *exec, size_t N, const float *X, float *Y,
                               uint8_t *where)
{
    size_t OH = a->out_height, OW = a->out_width, C = a->channels;

    (void)exec;
    for (size_t i = 0; i < N * OH * OW * C; i++) {
        place out = { i / (OH * OW * C), i / (OW * C) % OH, i / C % OW, i % C };
        size_t position = 0;
        if (a->window == DLDA_NO_WINDOW) Y[i] = (float)seen(&a->view, X[i], out.c);
        if (a->window == DLDA_MEAN_WINDOW) Y[i] = (float)image_mean(a, X, out);
        if (a->window == DLDA_MAX_WINDOW) {
            double z = window_maximum(a, X, out, &position);
            Y[i] = (float)(z < a->view.least ? a->view.least : z);
            if (where) where[i] = (uint8_t)position;
        }
    }
}

/* The gradient that an input value receives as the maximum of its windows. */
static double from_maxima(const dlda_activation *a, place in, const uint8_t *where, const float *dY)
{
    double sum = 0;

    for (size_t k = 0; k < a->size * a->size; k++) { /* the window that contains it at position k */
        size_t ky = k / a->size, kx = k % a->size;
        if (in.y < ky || in.x < kx || (in.y - ky) % a->stride || (in.x - kx) % a->stride) continue;
        size_t oy = (in.y - ky) / a->stride, ox = (in.x - kx) / a->stride;
        if (oy >= a->out_height || ox >= a->out_width) continue;
        size_t out = ((in.n * a->out_height + oy) * a->out_width + ox) * a->channels + in.c;
        if (where[out] == k) sum += dY[out];
    }
    return sum;
}

/* The part of dY that reaches input value i. */
static double reaching(const dlda_activation *a, size_t i, float x, const uint8_t *where, const float *dY)
{
    place in = place_of(a, i);

    if (!(a->view.scale[in.c] * (double)x + a->view.shift[in.c] > a->view.least)) return 0;
    if (a->window == DLDA_NO_WINDOW) return dY[i];
    if (a->window == DLDA_MEAN_WINDOW) return dY[in.n * a->channels + in.c] / (double)(a->height * a->width);
    return from_maxima(a, in, where, dY);
}

static void activation_sums(const dlda_activation *a, const dlda_exec *exec, size_t N, const float *X,
                            const uint8_t *where, const float *dY, double *sums)
{
    size_t C = a->channels;

    (void)exec;
    memset(sums, 0, 2 * C * sizeof *sums);
    for (size_t i = 0; i < N * a->height * a->width * C; i++) {
        double dz = reaching(a, i, X[i], where, dY);
        sums[i % C] += dz;
        sums[C + i % C] += dz * ((double)X[i] - a->mean[i % C]);
    }
}

static void activation_backward(const dlda_activation *a, const dlda_exec *exec, size_t N, const float *X,
                                const uint8_t *where, const float *dY, float *dX, const double *sums)
{
    size_t C = a->channels;

    (void)exec;
    for (size_t i = 0; i < N * a->height * a->width * C; i++) {
        size_t c = i % C;
        double dz = reaching(a, i, X[i], where, dY), through_norm = 0,
               slope = a->inverse[c] * (double)a->inverse[c];
        if (a->normalises) through_norm = (sums[c] + slope * ((double)X[i] - a->mean[c]) * sums[C + c]) / a->rows;
        dX[i] = (float)(a->view.scale[c] * (dz - through_norm));
    }
}

static void dropout(const dlda_dropout *drop, const dlda_exec *exec, size_t N, float *X)
{
    (void)exec;
    for (size_t i = 0; i < N * drop->size; i++) {
        size_t j = i % drop->size, sample = drop->samples[i / drop->size];
        dlda_random random = dlda_random_stream(drop->seed, DLDA_RANDOM_DROPOUT, drop->epoch, (uint32_t)sample);
        uint32_t words[4];
        random.counter[0] = (uint32_t)(j / 8);
        random.counter[1] = drop->layer;
        dlda_philox(random.counter, random.key, words);
        uint32_t drawn = words[j % 8 / 2] >> 16 * (j % 2) & 0xffff;
        X[i] = drawn < drop->rate * 65536 ? 0 : (float)(X[i] / (1 - drop->rate));
    }
}

const dlda_kernel_set dlda_reference_kernels = {
    .name = "reference",
    .conv_forward = conv_forward,
    .conv_backward_data = conv_backward_data,
    .conv_backward_weights = conv_backward_weights,
    .moments = moments,
    .activation_forward = activation_forward,
    .activation_sums = activation_sums,
    .activation_backward = activation_backward,
    .dropout = dropout,
};
