/* SPDX-License-Identifier: MIT
 *
 * pooling.c - maxima over windows, and means over whole images. One image is one item of work.
 */
#include "base/parallel.h"
#include "kernels/fast.h"

#include <string.h>

typedef struct pool_pass {
    const dlda_pool *pool;
    const float *X;
    float *Y;
    uint8_t *where;
} pool_pass;

/* p is the new maximum; a NaN always is, so that it is not lost. */
static inline int exceeds(float p, float y)
{
    return (p > y) | (p != p);
}

/* Maxima of one window, for all channels; the first of equal values wins. */
static void pool_window(const dlda_pool *pool, const float *x, float *y, uint8_t *where)
{
    size_t C = pool->channels;

    memcpy(y, x, C * sizeof *y);
    if (where) memset(where, 0, C);
    for (size_t k = 1; k < pool->size * pool->size; k++) {
        const float *p = x + (k / pool->size * pool->width + k % pool->size) * C;
        if (!where)
            for (size_t c = 0; c < C; c++) y[c] = exceeds(p[c], y[c]) ? p[c] : y[c];
        else
            for (size_t c = 0; c < C; c++) {
                where[c] = exceeds(p[c], y[c]) ? (uint8_t)k : where[c];
                y[c] = exceeds(p[c], y[c]) ? p[c] : y[c];
            }
    }
}

static void pool_images(void *context, const dlda_chunk *chunk)
{
    const pool_pass *pass = context;
    const dlda_pool *pool = pass->pool;
    size_t C = pool->channels, out = pool->out_height * pool->out_width;

    for (size_t i = chunk->begin * out; i < chunk->end * out; i++) {
        size_t n = i / out, y = i % out / pool->out_width, x = i % pool->out_width;
        size_t corner = (n * pool->height + y * pool->stride) * pool->width + x * pool->stride;
        pool_window(pool, pass->X + corner * C, pass->Y + i * C, pass->where ? pass->where + i * C : NULL);
    }
}

void dlda_pool_forward(const dlda_pool *pool, const dlda_run *run, size_t N, const float *X, float *Y, uint8_t *where)
{
    pool_pass pass = { pool, X, Y, where };
    dlda_parallel_for(run->threads, N, 1, pool_images, &pass);
}

static void pool_images_backward(void *context, const dlda_chunk *chunk)
{
    const pool_pass *pass = context;
    const dlda_pool *pool = pass->pool;
    size_t C = pool->channels, out = pool->out_height * pool->out_width, in = pool->height * pool->width * C;

    memset(pass->Y + chunk->begin * in, 0, (chunk->end - chunk->begin) * in * sizeof(float));
    for (size_t i = chunk->begin * out; i < chunk->end * out; i++) {
        size_t n = i / out, y = i % out / pool->out_width, x = i % pool->out_width;
        float *corner = pass->Y + ((n * pool->height + y * pool->stride) * pool->width + x * pool->stride) * C;
        for (size_t c = 0; c < C; c++) {
            size_t k = pass->where[i * C + c];
            corner[(k / pool->size * pool->width + k % pool->size) * C + c] += pass->X[i * C + c];
        }
    }
}

void dlda_pool_backward(const dlda_pool *pool, const dlda_run *run, size_t N, const uint8_t *where, const float *dY,
                        float *dX)
{
    pool_pass pass = { pool, dY, dX, (uint8_t *)where };
    dlda_parallel_for(run->threads, N, 1, pool_images_backward, &pass);
}

/* ---- Global average pooling ---- */

typedef struct gap_pass {
    size_t pixels, C;
    const float *from;
    float *to;
} gap_pass;

static void gap_images(void *context, const dlda_chunk *chunk)
{
    const gap_pass *pass = context;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        float *y = pass->to + n * pass->C;
        memset(y, 0, pass->C * sizeof *y);
        for (size_t p = 0; p < pass->pixels; p++)
            for (size_t c = 0; c < pass->C; c++) y[c] += pass->from[(n * pass->pixels + p) * pass->C + c];
        for (size_t c = 0; c < pass->C; c++) y[c] /= (float)pass->pixels;
    }
}

void dlda_gap_forward(const dlda_run *run, size_t N, size_t pixels, size_t C, const float *X, float *Y)
{
    gap_pass pass = { pixels, C, X, Y };
    dlda_parallel_for(run->threads, N, 16, gap_images, &pass);
}

static void gap_images_backward(void *context, const dlda_chunk *chunk)
{
    const gap_pass *pass = context;

    for (size_t n = chunk->begin; n < chunk->end; n++)
        for (size_t p = 0; p < pass->pixels; p++)
            for (size_t c = 0; c < pass->C; c++)
                pass->to[(n * pass->pixels + p) * pass->C + c] = pass->from[n * pass->C + c] / (float)pass->pixels;
}

void dlda_gap_backward(const dlda_run *run, size_t N, size_t pixels, size_t C, const float *dY, float *dX)
{
    gap_pass pass = { pixels, C, dY, dX };
    dlda_parallel_for(run->threads, N, 16, gap_images_backward, &pass);
}
