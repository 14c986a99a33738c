/* SPDX-License-Identifier: MIT
 *
 * batch_norm.c - y = scale (x - mean) inverse + shift, per channel, and its gradient.
 *
 * Backward, with n rows and xhat = (x - mean) inverse:
 *     dshift = sum dy,  dscale = sum dy xhat,  dx = scale inverse (dy - dshift/n - xhat dscale/n).
 */
#include "kernels/fast.h"
#include "kernels/reductions.h"

#include <math.h>

typedef struct norm_pass {
    const dlda_norm *norm;
    const float *X, *dY;
    const float *mean, *inverse; /* [channels] */
    const float *a, *b, *c;      /* [channels] factors of a linear map */
    float *Y;
    double *partial;
} norm_pass;

/* Sums of x and of x^2. In double they keep all digits of floats. */
static void add_moments(void *context, const dlda_chunk *chunk)
{
    const norm_pass *pass = context;
    size_t C = pass->norm->channels;
    double *sum = pass->partial + chunk->index * 2 * C, *squares = sum + C;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t c = 0; c < C; c++) {
            double x = pass->X[i * C + c];
            sum[c] += x;
            squares[c] += x * x;
        }
}

/* Y = a X + b */
static void apply_linear(void *context, const dlda_chunk *chunk)
{
    const norm_pass *pass = context;
    size_t C = pass->norm->channels;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t c = 0; c < C; c++) pass->Y[i * C + c] = pass->a[c] * pass->X[i * C + c] + pass->b[c];
}

static void run_linear(const dlda_run *run, norm_pass *pass, float *a, float *b)
{
    pass->a = a;
    pass->b = b;
    dlda_parallel_for(run->threads, pass->norm->rows, dlda_row_grain(pass->norm->rows), apply_linear, pass);
}

void dlda_norm_forward(const dlda_norm *norm, const dlda_run *run, const float *X, float *Y, float *mean,
                       float *inverse, float *variance)
{
    norm_pass pass = { .norm = norm, .X = X, .Y = Y, .partial = run->scratch };
    size_t C = norm->channels;
    double n = (double)norm->rows;
    const double *sums = dlda_reduce_rows(run, norm->rows, 2 * C, add_moments, &pass);

    for (size_t c = 0; c < C; c++) {
        double m = sums[c] / n, biased = fmax(sums[C + c] / n - m * m, 0);
        mean[c] = (float)m;
        inverse[c] = (float)(1 / sqrt(biased + norm->epsilon));
        variance[c] = (float)(norm->rows > 1 ? biased * n / (n - 1) : biased);
    }
    /* The sums are used up: their place holds the factors. */
    float *a = run->scratch, *b = a + C;
    for (size_t c = 0; c < C; c++) {
        a[c] = norm->scale[c] * inverse[c];
        b[c] = norm->shift[c] - mean[c] * a[c];
    }
    run_linear(run, &pass, a, b);
}

void dlda_norm_apply(const dlda_norm *norm, const dlda_run *run, const float *X, const float *mean,
                     const float *variance, float *Y)
{
    norm_pass pass = { .norm = norm, .X = X, .Y = Y };
    float *a = run->scratch, *b = a + norm->channels;

    for (size_t c = 0; c < norm->channels; c++) {
        a[c] = norm->scale[c] * (float)(1 / sqrt((double)variance[c] + norm->epsilon));
        b[c] = norm->shift[c] - mean[c] * a[c];
    }
    run_linear(run, &pass, a, b);
}

/* Sums of dy and of dy (x - mean). */
static void add_gradients(void *context, const dlda_chunk *chunk)
{
    const norm_pass *pass = context;
    size_t C = pass->norm->channels;
    double *sum = pass->partial + chunk->index * 2 * C, *products = sum + C;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t c = 0; c < C; c++) {
            float dy = pass->dY[i * C + c];
            sum[c] += dy;
            products[c] += (double)dy * (double)(pass->X[i * C + c] - pass->mean[c]);
        }
}

/* dX = a dY + b (X - mean) + c */
static void apply_gradient(void *context, const dlda_chunk *chunk)
{
    const norm_pass *pass = context;
    size_t C = pass->norm->channels;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t c = 0; c < C; c++)
            pass->Y[i * C + c] =
                pass->a[c] * pass->dY[i * C + c] + pass->b[c] * (pass->X[i * C + c] - pass->mean[c]) + pass->c[c];
}

void dlda_norm_backward(const dlda_norm *norm, const dlda_run *run, const float *X, const float *mean,
                        const float *inverse, const float *dY, float *dX, float *dscale, float *dshift)
{
    norm_pass pass = { .norm = norm, .X = X, .dY = dY, .mean = mean, .inverse = inverse, .Y = dX,
                       .partial = run->scratch };
    size_t C = norm->channels;
    double n = (double)norm->rows;
    const double *sums = dlda_reduce_rows(run, norm->rows, 2 * C, add_gradients, &pass);

    for (size_t c = 0; c < C; c++) {
        dshift[c] = (float)sums[c];
        dscale[c] = (float)(sums[C + c] * inverse[c]);
    }
    float *a = run->scratch, *b = a + C, *d = b + C;
    for (size_t c = 0; c < C; c++) {
        double factor = (double)norm->scale[c] * inverse[c];
        a[c] = (float)factor;
        b[c] = (float)(-factor * inverse[c] * dscale[c] / n);
        d[c] = (float)(-factor * dshift[c] / n);
    }
    pass.a = a;
    pass.b = b;
    pass.c = d;
    dlda_parallel_for(run->threads, norm->rows, dlda_row_grain(norm->rows), apply_gradient, &pass);
}
