/* SPDX-License-Identifier: MIT
 *
 * winograd_transforms.c - into and out of the frequencies of F(4x4, 3x3), many channels at a time.
 *
 * Each transform is the same short list of sums along the rows and along the columns of a tile. The functions on one
 * line of a tile take a step s between its elements, so that they serve for both.
 */
#include "kernels/winograd.h"

#include <string.h>

typedef float vec __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef int mask __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));

#define INLINE static inline __attribute__((always_inline))

/* n <= DLDA_LANES floats; the rest of the vector is 0. With n constant this is one instruction. */
INLINE vec load(const float *p, size_t n)
{
    vec v = { 0 };

    if (n == DLDA_LANES) return *(const vec *)p;
    memcpy(&v, p, n * sizeof *p);
    return v;
}

INLINE void store(float *p, vec v, size_t n)
{
    if (n == DLDA_LANES) *(vec *)p = v;
    else memcpy(p, &v, n * sizeof *p);
}

/* ---- One line of a tile ---- */

INLINE void input_line(vec *o, const vec *d, int s) /* B' d */
{
    vec d0 = d[0], d1 = d[s], d2 = d[2 * s], d3 = d[3 * s], d4 = d[4 * s], d5 = d[5 * s];
    vec a = d4 - 4 * d2, b = d3 - 4 * d1, c = d4 - d2, e = 2 * (d3 - d1);

    o[0] = 4 * d0 - 5 * d2 + d4;
    o[s] = a + b;
    o[2 * s] = a - b;
    o[3 * s] = c + e;
    o[4 * s] = c - e;
    o[5 * s] = 4 * d1 - 5 * d3 + d5;
}

INLINE void output_line(vec *o, int os, const vec *m, int s) /* A' m */
{
    vec a = m[s] + m[2 * s], b = m[s] - m[2 * s], c = m[3 * s] + m[4 * s], d = m[3 * s] - m[4 * s];

    o[0] = m[0] + a + c;
    o[os] = b + 2 * d;
    o[2 * os] = a + 4 * c;
    o[3 * os] = b + 8 * d + m[5 * s];
}

INLINE void gradient_line(vec *o, int os, const vec *y, int s) /* A y */
{
    vec even = y[0] + y[2 * s], odd = y[s] + y[3 * s];
    vec even4 = y[0] + 4 * y[2 * s], odd4 = 2 * y[s] + 8 * y[3 * s];

    o[0] = y[0];
    o[os] = even + odd;
    o[2 * os] = even - odd;
    o[3 * os] = even4 + odd4;
    o[4 * os] = even4 - odd4;
    o[5 * os] = y[3 * s];
}

INLINE void weights_line(vec *o, int os, const vec *g, int s) /* G g */
{
    vec sum = (g[0] + g[2 * s]) * (-1.0f / 6), wide = g[0] * (1.0f / 24) + g[2 * s] * (1.0f / 6);
    vec narrow = g[s] * (1.0f / 6), half = g[s] * (1.0f / 12);

    o[0] = g[0] * 0.25f;
    o[os] = sum - narrow;
    o[2 * os] = sum + narrow;
    o[3 * os] = wide + half;
    o[4 * os] = wide - half;
    o[5 * os] = g[2 * s];
}

INLINE void weights_back_line(vec *o, int os, const vec *u, int s) /* G' u */
{
    vec a = (u[s] + u[2 * s]) * (1.0f / 6), b = (u[2 * s] - u[s]) * (1.0f / 6);
    vec c = u[3 * s] + u[4 * s], d = u[3 * s] - u[4 * s];

    o[0] = u[0] * 0.25f - a + c * (1.0f / 24);
    o[os] = b + d * (1.0f / 12);
    o[2 * os] = c * (1.0f / 6) - a + u[5 * s];
}

/* ---- Where a tile is ---- */

typedef struct tile {
    size_t image, row, column;
} tile;

static tile find_tile(const dlda_tiling *tiling, size_t number)
{
    size_t per_image = tiling->rows * tiling->columns, rest = number % per_image;
    return (tile){ number / per_image, rest / tiling->columns, rest % tiling->columns };
}

static void next_tile(const dlda_tiling *tiling, tile *t)
{
    if (++t->column < tiling->columns) return;
    t->column = 0;
    if (++t->row < tiling->rows) return;
    t->row = 0;
    t->image++;
}

/* ---- Input ---- */

/* An input tile: its image, its upper left pixel, and whether all of it lies in the image. */
typedef struct input_tile {
    const float *image;
    ptrdiff_t y, x;
    int inside;
} input_tile;

INLINE vec larger(vec v, float least) /* v < least ? least : v, which keeps a NaN */
{
    vec limit = (vec){ 0 } + least;
    mask below = v < limit;
    return (vec)((below & (mask)limit) | (~below & (mask)v));
}

INLINE void load_tile(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t c, size_t n, vec *d)
{
    ptrdiff_t H = (ptrdiff_t)in->height, W = (ptrdiff_t)in->width, C = (ptrdiff_t)in->channels;
    vec scale = { 0 }, shift = { 0 };

    if (view) {
        scale = load(view->scale + c, n);
        shift = load(view->shift + c, n);
    }
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) {
            int out = !t->inside && (t->y + i < 0 || t->y + i >= H || t->x + j < 0 || t->x + j >= W);
            vec v = { 0 };
            if (!out) v = load(t->image + ((t->y + i) * W + t->x + j) * C + (ptrdiff_t)c, n);
            if (!out && view) v = larger(scale * v + shift, view->least);
            d[i * 6 + j] = v;
        }
}

INLINE void input_channels(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t c, size_t n,
                           size_t step, float *V)
{
    vec d[36], e[36];

    load_tile(in, t, view, c, n, d);
    for (int j = 0; j < 6; j++) input_line(e + j, d + j, 6);
    for (int i = 0; i < 6; i++) input_line(d + 6 * i, e + 6 * i, 1);
    for (int q = 0; q < 36; q++) store(V + (size_t)q * step + c, d[q], n);
}

/* The common cases get a copy of their own, without the questions. */
INLINE void input_vectors(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t step, float *V)
{
    size_t whole = in->channels / DLDA_LANES * DLDA_LANES;
    input_tile inner = *t;

    inner.inside = 1;
    if (t->inside)
        for (size_t c = 0; c < whole; c += DLDA_LANES) input_channels(in, &inner, view, c, DLDA_LANES, step, V);
    else
        for (size_t c = 0; c < whole; c += DLDA_LANES) input_channels(in, t, view, c, DLDA_LANES, step, V);
}

void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V)
{
    size_t C = in->channels, step = block->stride * C, whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(in, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(in, &t)) {
        input_tile from = { X + t.image * in->height * in->width * C,
                            (ptrdiff_t)(t.row * DLDA_TILE) - (ptrdiff_t)in->pad,
                            (ptrdiff_t)(t.column * DLDA_TILE) - (ptrdiff_t)in->pad, 0 };
        from.inside = from.y >= 0 && from.x >= 0 && from.y + 6 <= (ptrdiff_t)in->height &&
                      from.x + 6 <= (ptrdiff_t)in->width;
        if (view) input_vectors(in, &from, view, step, V + i * C);
        else input_vectors(in, &from, NULL, step, V + i * C);
        if (whole < C) input_channels(in, &from, view, whole, C - whole, step, V + i * C);
    }
}

/* ---- Output ---- */

/* Pixels of an output tile that lie in the image. */
typedef struct tile_size {
    size_t height, width;
} tile_size;

static tile_size size_of(const dlda_tiling *out, const tile *t)
{
    size_t down = out->height - t->row * DLDA_TILE, right = out->width - t->column * DLDA_TILE;
    return (tile_size){ down < DLDA_TILE ? down : DLDA_TILE, right < DLDA_TILE ? right : DLDA_TILE };
}

INLINE void output_channels(const dlda_tiling *out, tile_size size, size_t c, size_t n, size_t step, const float *M,
                            float *corner)
{
    vec m[36], e[24], o[16];

    for (int q = 0; q < 36; q++) m[q] = load(M + (size_t)q * step + c, n);
    for (int j = 0; j < 6; j++) output_line(e + j, 6, m + j, 6);
    for (int i = 0; i < 4; i++) output_line(o + 4 * i, 1, e + 6 * i, 1);
    if (size.height == DLDA_TILE && size.width == DLDA_TILE) {
        for (size_t i = 0; i < DLDA_TILE; i++)
            for (size_t j = 0; j < DLDA_TILE; j++)
                store(corner + (i * out->width + j) * out->channels + c, o[i * DLDA_TILE + j], n);
        return;
    }
    for (size_t i = 0; i < size.height; i++)
        for (size_t j = 0; j < size.width; j++)
            store(corner + (i * out->width + j) * out->channels + c, o[i * DLDA_TILE + j], n);
}

void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y)
{
    size_t C = out->channels, step = block->stride * C, whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(out, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(out, &t)) {
        tile_size size = size_of(out, &t);
        float *corner = Y + ((t.image * out->height + t.row * DLDA_TILE) * out->width + t.column * DLDA_TILE) * C;
        for (size_t c = 0; c < whole; c += DLDA_LANES)
            output_channels(out, size, c, DLDA_LANES, step, M + i * C, corner);
        if (whole < C) output_channels(out, size, whole, C - whole, step, M + i * C, corner);
    }
}

INLINE void gradient_channels(const dlda_tiling *out, tile_size size, size_t c, size_t n, size_t step,
                              const float *corner, float *dM)
{
    vec y[16] = { 0 }, e[24], m[36];

    for (size_t i = 0; i < size.height; i++)
        for (size_t j = 0; j < size.width; j++)
            y[i * DLDA_TILE + j] = load(corner + (i * out->width + j) * out->channels + c, n);
    for (int j = 0; j < 4; j++) gradient_line(e + j, 4, y + j, 4);
    for (int i = 0; i < 6; i++) gradient_line(m + 6 * i, 1, e + 4 * i, 1);
    for (int q = 0; q < 36; q++) store(dM + (size_t)q * step + c, m[q], n);
}

void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM)
{
    static const tile_size full = { DLDA_TILE, DLDA_TILE };
    size_t C = out->channels, step = block->stride * C, whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(out, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(out, &t)) {
        tile_size size = size_of(out, &t);
        const float *corner = dY +
                              ((t.image * out->height + t.row * DLDA_TILE) * out->width + t.column * DLDA_TILE) * C;
        int is_full = size.height == DLDA_TILE && size.width == DLDA_TILE;
        for (size_t c = 0; c < whole; c += DLDA_LANES) {
            if (is_full) gradient_channels(out, full, c, DLDA_LANES, step, corner, dM + i * C);
            else gradient_channels(out, size, c, DLDA_LANES, step, corner, dM + i * C);
        }
        if (whole < C) gradient_channels(out, size, whole, C - whole, step, corner, dM + i * C);
    }
}

/* ---- Weights ---- */

INLINE void weights_elements(size_t n, size_t i, size_t count, const float *W, float *U)
{
    vec g[9], e[18], u[36];

    for (int k = 0; k < 9; k++) g[k] = load(W + (size_t)k * n + i, count);
    for (int j = 0; j < 3; j++) weights_line(e + j, 3, g + j, 3);
    for (int k = 0; k < 6; k++) weights_line(u + 6 * k, 1, e + 3 * k, 1);
    for (int q = 0; q < 36; q++) store(U + (size_t)q * n + i, u[q], count);
}

void dlda_winograd_weights(size_t n, size_t begin, size_t end, const float *W, float *U)
{
    size_t i = begin;

    for (; i + DLDA_LANES <= end; i += DLDA_LANES) weights_elements(n, i, DLDA_LANES, W, U);
    if (i < end) weights_elements(n, i, end - i, W, U);
}

INLINE void weights_back_elements(size_t n, size_t i, size_t count, const float *dU, float *dW)
{
    vec u[36], e[18], w[9];

    for (int q = 0; q < 36; q++) u[q] = load(dU + (size_t)q * n + i, count);
    for (int j = 0; j < 6; j++) weights_back_line(e + j, 6, u + j, 6);
    for (int k = 0; k < 3; k++) weights_back_line(w + 3 * k, 1, e + 6 * k, 1);
    for (int k = 0; k < 9; k++) store(dW + (size_t)k * n + i, w[k], count);
}

void dlda_winograd_weights_back(size_t n, size_t begin, size_t end, const float *dU, float *dW)
{
    size_t i = begin;

    for (; i + DLDA_LANES <= end; i += DLDA_LANES) weights_back_elements(n, i, DLDA_LANES, dU, dW);
    if (i < end) weights_back_elements(n, i, end - i, dU, dW);
}
