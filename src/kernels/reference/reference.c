/* SPDX-License-Identifier: MIT
 *
 * reference.c - every kernel as plain loops with sums in double, in one thread: they define what is correct.
 *
 * They share no code with the fast kernels, except the random number generator.
 */
#include "base/random.h"
#include "kernels/kernels.h"

#include <math.h>
#include <string.h>

/* Value of pixel (y, x), channel c of image n; 0 outside. */
static double padded(const dlda_conv *conv, const float *X, size_t n, ptrdiff_t y, ptrdiff_t x, size_t c)
{
    if (y < 0 || x < 0 || y >= (ptrdiff_t)conv->height || x >= (ptrdiff_t)conv->width) return 0;
    return X[((n * conv->height + (size_t)y) * conv->width + (size_t)x) * conv->channels + c];
}

static ptrdiff_t input_at(const dlda_conv *conv, size_t output, size_t k)
{
    return (ptrdiff_t)(output * conv->stride + k) - (ptrdiff_t)conv->pad;
}

static void conv_forward(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const float *W,
                         const float *bias, float *Y)
{
    size_t K = conv->kernel, C = conv->channels, F = conv->filters, OH = conv->out_height, OW = conv->out_width;

    (void)run;
    for (size_t n = 0; n < N; n++)
        for (size_t oy = 0; oy < OH; oy++)
            for (size_t ox = 0; ox < OW; ox++)
                for (size_t f = 0; f < F; f++) {
                    double sum = bias ? bias[f] : 0;
                    for (size_t k = 0; k < K * K * C; k++) {
                        size_t ky = k / (K * C), kx = k / C % K, c = k % C;
                        sum += padded(conv, X, n, input_at(conv, oy, ky), input_at(conv, ox, kx), c) * W[k * F + f];
                    }
                    Y[((n * OH + oy) * OW + ox) * F + f] = (float)sum;
                }
}

/* dX at one input value: the sum over all outputs that it took part in. */
static double data_gradient(const dlda_conv *conv, size_t n, size_t y, size_t x, size_t c, const float *dY, const float *W)
{
    size_t K = conv->kernel, C = conv->channels, F = conv->filters, OH = conv->out_height, OW = conv->out_width;
    double sum = 0;

    for (size_t ky = 0; ky < K; ky++)
        for (size_t kx = 0; kx < K; kx++) {
            ptrdiff_t top = (ptrdiff_t)(y + conv->pad) - (ptrdiff_t)ky, left = (ptrdiff_t)(x + conv->pad) - (ptrdiff_t)kx;
            if (top < 0 || left < 0 || (size_t)top % conv->stride || (size_t)left % conv->stride) continue;
            size_t oy = (size_t)top / conv->stride, ox = (size_t)left / conv->stride;
            if (oy >= OH || ox >= OW) continue;
            for (size_t f = 0; f < F; f++)
                sum += (double)dY[((n * OH + oy) * OW + ox) * F + f] * W[((ky * K + kx) * C + c) * F + f];
        }
    return sum;
}

static void conv_backward_data(const dlda_conv *conv, const dlda_run *run, size_t N, const float *dY, const float *W,
                               float *dX)
{
    size_t H = conv->height, V = conv->width, C = conv->channels;

    (void)run;
    for (size_t i = 0; i < N * H * V * C; i++)
        dX[i] = (float)data_gradient(conv, i / (H * V * C), i / (V * C) % H, i / C % V, i % C, dY, W);
}

static double weight_gradient(const dlda_conv *conv, size_t N, size_t k, size_t f, const float *X, const float *dY)
{
    size_t K = conv->kernel, C = conv->channels, OH = conv->out_height, OW = conv->out_width;
    size_t ky = k / (K * C), kx = k / C % K, c = k % C;
    double sum = 0;

    for (size_t p = 0; p < N * OH * OW; p++) {
        size_t n = p / (OH * OW), oy = p / OW % OH, ox = p % OW;
        sum += padded(conv, X, n, input_at(conv, oy, ky), input_at(conv, ox, kx), c) * dY[p * conv->filters + f];
    }
    return sum;
}

static void conv_backward_weights(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const float *dY,
                                  float *dW, float *dbias)
{
    size_t depth = conv->kernel * conv->kernel * conv->channels, F = conv->filters;
    size_t rows = N * conv->out_height * conv->out_width;

    (void)run;
    for (size_t i = 0; i < depth * F; i++) dW[i] = (float)weight_gradient(conv, N, i / F, i % F, X, dY);
    for (size_t f = 0; dbias && f < F; f++) {
        double sum = 0;
        for (size_t i = 0; i < rows; i++) sum += dY[i * F + f];
        dbias[f] = (float)sum;
    }
}

/* ---- Batch norm ---- */

static void norm_forward(const dlda_norm *norm, const dlda_run *run, const float *X, float *Y, float *mean,
                         float *inverse, float *variance)
{
    size_t C = norm->channels;
    double n = (double)norm->rows;

    (void)run;
    for (size_t c = 0; c < C; c++) {
        double m = 0, squares = 0;
        for (size_t i = 0; i < norm->rows; i++) m += X[i * C + c] / n;
        for (size_t i = 0; i < norm->rows; i++) squares += (X[i * C + c] - m) * (X[i * C + c] - m);
        double deviation = sqrt(squares / n + norm->epsilon);
        for (size_t i = 0; i < norm->rows; i++)
            Y[i * C + c] = (float)(norm->scale[c] * (X[i * C + c] - m) / deviation + norm->shift[c]);
        mean[c] = (float)m;
        inverse[c] = (float)(1 / deviation);
        variance[c] = (float)(norm->rows > 1 ? squares / (n - 1) : 0);
    }
}

static void norm_backward(const dlda_norm *norm, const dlda_run *run, const float *X, const float *mean,
                          const float *inverse, const float *dY, float *dX, float *dscale, float *dshift)
{
    size_t C = norm->channels;
    double n = (double)norm->rows;

    (void)run;
    for (size_t c = 0; c < C; c++) {
        double sum = 0, products = 0;
        for (size_t i = 0; i < norm->rows; i++) {
            sum += dY[i * C + c];
            products += dY[i * C + c] * ((double)X[i * C + c] - mean[c]) * inverse[c];
        }
        for (size_t i = 0; i < norm->rows; i++) {
            double xhat = ((double)X[i * C + c] - mean[c]) * inverse[c];
            dX[i * C + c] = (float)(norm->scale[c] * inverse[c] * (dY[i * C + c] - sum / n - xhat * products / n));
        }
        dshift[c] = (float)sum;
        dscale[c] = (float)products;
    }
}

static void norm_apply(const dlda_norm *norm, const dlda_run *run, const float *X, const float *mean,
                       const float *variance, float *Y)
{
    size_t C = norm->channels;

    (void)run;
    for (size_t i = 0; i < norm->rows * C; i++) {
        double deviation = sqrt(variance[i % C] + norm->epsilon);
        Y[i] = (float)(norm->scale[i % C] * ((double)X[i] - mean[i % C]) / deviation + norm->shift[i % C]);
    }
}

/* ---- The others ---- */

static void relu_forward(const dlda_run *run, size_t n, float *X)
{
    (void)run;
    for (size_t i = 0; i < n; i++)
        if (X[i] < 0) X[i] = 0;
}

static void relu_backward(const dlda_run *run, size_t n, const float *Y, float *dY)
{
    (void)run;
    for (size_t i = 0; i < n; i++)
        if (!(Y[i] > 0)) dY[i] = 0;
}

/* Index in X of position k of the window of output i (which counts pixels and channels). */
static size_t window_index(const dlda_pool *pool, size_t i, size_t k)
{
    size_t C = pool->channels, OW = pool->out_width, OH = pool->out_height;
    size_t n = i / (OH * OW * C), oy = i / (OW * C) % OH, ox = i / C % OW;
    size_t y = oy * pool->stride + k / pool->size, x = ox * pool->stride + k % pool->size;

    return ((n * pool->height + y) * pool->width + x) * C + i % C;
}

static void pool_forward(const dlda_pool *pool, const dlda_run *run, size_t N, const float *X, float *Y, uint8_t *where)
{
    (void)run;
    for (size_t i = 0; i < N * pool->out_height * pool->out_width * pool->channels; i++) {
        size_t best = 0;
        for (size_t k = 1; k < pool->size * pool->size; k++) {
            float x = X[window_index(pool, i, k)];
            if (x > X[window_index(pool, i, best)] || isnan(x)) best = k; /* a NaN must not be lost */
        }
        Y[i] = X[window_index(pool, i, best)];
        if (where) where[i] = (uint8_t)best;
    }
}

static void pool_backward(const dlda_pool *pool, const dlda_run *run, size_t N, const uint8_t *where, const float *dY,
                          float *dX)
{
    (void)run;
    memset(dX, 0, N * pool->height * pool->width * pool->channels * sizeof *dX);
    for (size_t i = 0; i < N * pool->out_height * pool->out_width * pool->channels; i++)
        dX[window_index(pool, i, where[i])] += dY[i];
}

static void gap_forward(const dlda_run *run, size_t N, size_t pixels, size_t C, const float *X, float *Y)
{
    (void)run;
    for (size_t i = 0; i < N * C; i++) {
        double sum = 0;
        for (size_t p = 0; p < pixels; p++) sum += X[(i / C * pixels + p) * C + i % C];
        Y[i] = (float)(sum / (double)pixels);
    }
}

static void gap_backward(const dlda_run *run, size_t N, size_t pixels, size_t C, const float *dY, float *dX)
{
    (void)run;
    for (size_t i = 0; i < N * pixels * C; i++) dX[i] = (float)((double)dY[i / (pixels * C) * C + i % C] / (double)pixels);
}

static void dropout(const dlda_dropout *drop, const dlda_run *run, size_t N, float *X)
{
    (void)run;
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
    "reference",  conv_forward,  conv_backward_data, conv_backward_weights, norm_forward, norm_backward, norm_apply,
    relu_forward, relu_backward, pool_forward,       pool_backward,         gap_forward,  gap_backward,  dropout,
};
