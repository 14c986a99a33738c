/* SPDX-License-Identifier: MIT
 *
 * winograd_transforms.c - transforms tiles to and from the frequencies of F(m x m, 3x3), many channels at a time.
 *
 * A transform multiplies the columns and then the rows of a tile by a small matrix of winograd_matrices.h. These
 * functions are inlined with constant sizes and matrices, so that the compiler unrolls all loops over a tile and
 * removes the zeros. There is a copy of each transform for each tile size.
 */
#include "base/sanitizers.h"
#include "kernels/winograd.h"
#include "kernels/winograd_matrices.h"

#include <string.h>

typedef float vec __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef int mask __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));

/* Sanitizers check every index; unrolled, that would take minutes to compile. */
#if DLDA_ADDRESS_SANITIZER || DLDA_THREAD_SANITIZER
#define INLINE static
#define UNROLL
#elif defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#else
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#endif

enum { MOST_SIDE = DLDA_MOST_TILE + 2, MOST_FREQUENCIES = MOST_SIDE * MOST_SIDE };

/* Loads n <= DLDA_LANES floats; the rest of the vector is 0. With constant n this is one instruction. */
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

/* The sum of h[j * hs] d[j * s] over n elements, h constant. */
INLINE vec combine(const float *h, int hs, const vec *d, int s, int n)
{
    vec sum = { 0 };
    int begun = 0;

    UNROLL for (int j = 0; j < n; j++)
    {
        if (h[j * hs] == 0) continue;
        sum = begun ? sum + h[j * hs] * d[j * s] : h[j * hs] * d[j * s];
        begun = 1;
    }
    return sum;
}

/* Replaces elements (1, 2), (3, 4), ... by their sums and differences. */
INLINE void pair_up(vec *o, int s, int pairs)
{
    UNROLL for (int p = 0; p < pairs; p++)
    {
        vec a = o[(2 * p + 1) * s], b = o[(2 * p + 2) * s];
        o[(2 * p + 1) * s] = a + b;
        o[(2 * p + 2) * s] = a - b;
    }
}

/* A matrix `rows` x `columns`, whose rows (1, 2), (3, 4), ... are to be paired up. */
typedef struct matrix {
    const float *elements;
    int rows, columns, pairs;
} matrix;

INLINE void multiply(matrix H, vec *o, int os, const vec *d, int s)
{
    UNROLL for (int i = 0; i < H.rows; i++) o[i * os] = combine(H.elements + i * H.columns, 1, d, s, H.columns);
    pair_up(o, os, H.pairs);
}

INLINE void multiply_transposed(matrix H, vec *o, int os, const vec *d, int s)
{
    vec x[MOST_SIDE];

    UNROLL for (int i = 0; i < H.rows; i++) x[i] = d[i * s];
    pair_up(x, 1, H.pairs);
    UNROLL for (int j = 0; j < H.columns; j++) o[j * os] = combine(H.elements + j, H.columns, x, 1, H.rows);
}

/* o = H d H', o = H' d H, for whole tiles. */
INLINE void transform(matrix H, vec *o, const vec *d)
{
    vec e[MOST_FREQUENCIES];

    UNROLL for (int j = 0; j < H.columns; j++) multiply(H, e + j, H.columns, d + j, H.columns);
    UNROLL for (int i = 0; i < H.rows; i++) multiply(H, o + i * H.rows, 1, e + i * H.columns, 1);
}

INLINE void transform_back(matrix H, vec *o, const vec *d)
{
    vec e[MOST_FREQUENCIES];

    UNROLL for (int j = 0; j < H.rows; j++) multiply_transposed(H, e + j, H.rows, d + j, H.rows);
    UNROLL for (int i = 0; i < H.columns; i++) multiply_transposed(H, o + i * H.columns, 1, e + i * H.rows, 1);
}

INLINE int pairs_of(int m)
{
    return m / 2;
}

INLINE matrix matrix_b(int m)
{
    const float *b = m == 2 ? b2 : m == 4 ? b4 : m == 5 ? b5 : b6;
    return (matrix){ b, m + 2, m + 2, pairs_of(m) };
}

INLINE matrix matrix_a(int m)
{
    const float *a = m == 2 ? a2 : m == 4 ? a4 : m == 5 ? a5 : a6;
    return (matrix){ a, m + 2, m, pairs_of(m) };
}

INLINE matrix matrix_g(int m)
{
    const float *g = m == 2 ? g2 : m == 4 ? g4 : m == 5 ? g5 : g6;
    return (matrix){ g, m + 2, 3, 0 };
}

/* Calls body(..., m) with a constant m. */
#define FOR_TILE(m, body, ...)                                                                                     \
    do {                                                                                                           \
        switch (m) {                                                                                               \
        case 2: body(__VA_ARGS__, 2); break;                                                                       \
        case 4: body(__VA_ARGS__, 4); break;                                                                       \
        case 5: body(__VA_ARGS__, 5); break;                                                                       \
        default: body(__VA_ARGS__, 6); break;                                                                      \
        }                                                                                                          \
    } while (0)

/* ---- Position of a tile ---- */

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

/* An input tile: its image, its upper left pixel, and whether it lies inside the image. */
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

INLINE void load_tile(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t c, size_t n, vec *d,
                      int m)
{
    ptrdiff_t H = (ptrdiff_t)in->height, W = (ptrdiff_t)in->width, C = (ptrdiff_t)in->channels;
    vec scale = { 0 }, shift = { 0 };

    if (view) {
        scale = load(view->scale + c, n);
        shift = load(view->shift + c, n);
    }
    for (int i = 0; i < m + 2; i++)
        for (int j = 0; j < m + 2; j++) {
            int out = !t->inside && (t->y + i < 0 || t->y + i >= H || t->x + j < 0 || t->x + j >= W);
            vec v = { 0 };
            if (!out) v = load(t->image + ((t->y + i) * W + t->x + j) * C + (ptrdiff_t)c, n);
            if (!out && view) v = larger(scale * v + shift, view->least);
            d[i * (m + 2) + j] = v;
        }
}

INLINE void input_channels(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t c, size_t n,
                           size_t step, float *V, int m)
{
    vec d[MOST_FREQUENCIES], v[MOST_FREQUENCIES];

    load_tile(in, t, view, c, n, d, m);
    transform(matrix_b(m), v, d);
    for (int q = 0; q < (m + 2) * (m + 2); q++) store(V + (size_t)q * step + c, v[q], n);
}

/* The common cases have specialised copies without branches. */
INLINE void input_vectors(const dlda_tiling *in, const input_tile *t, const dlda_view *view, size_t step, float *V,
                          int m)
{
    size_t whole = in->channels / DLDA_LANES * DLDA_LANES;
    input_tile inner = *t;

    inner.inside = 1;
    if (t->inside)
        for (size_t c = 0; c < whole; c += DLDA_LANES) input_channels(in, &inner, view, c, DLDA_LANES, step, V, m);
    else
        for (size_t c = 0; c < whole; c += DLDA_LANES) input_channels(in, t, view, c, DLDA_LANES, step, V, m);
}

static input_tile input_tile_at(const dlda_tiling *in, const tile *t, const float *X)
{
    ptrdiff_t side = (ptrdiff_t)in->tile + 2;
    input_tile from = { X + t->image * in->height * in->width * in->channels,
                        (ptrdiff_t)(t->row * in->tile) - (ptrdiff_t)in->pad,
                        (ptrdiff_t)(t->column * in->tile) - (ptrdiff_t)in->pad, 0 };

    from.inside = from.y >= 0 && from.x >= 0 && from.y + side <= (ptrdiff_t)in->height &&
                  from.x + side <= (ptrdiff_t)in->width;
    return from;
}

INLINE void input_block(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                        float *V, int m)
{
    size_t C = in->channels, step = dlda_frequency_step(block->stride, C), whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(in, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(in, &t)) {
        input_tile from = input_tile_at(in, &t, X);
        if (view) input_vectors(in, &from, view, step, V + i * C, m);
        else input_vectors(in, &from, NULL, step, V + i * C, m);
        if (whole < C) input_channels(in, &from, view, whole, C - whole, step, V + i * C, m);
    }
}

void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V)
{
    FOR_TILE(in->tile, input_block, in, block, X, view, V);
}

/* ---- Adjoint of the input transform ---- */

INLINE void input_back_channels(const dlda_tiling *in, const input_tile *t, size_t c, size_t n, size_t step,
                                const float *dV, float *dX, int m)
{
    ptrdiff_t H = (ptrdiff_t)in->height, W = (ptrdiff_t)in->width, C = (ptrdiff_t)in->channels;
    vec v[MOST_FREQUENCIES], d[MOST_FREQUENCIES];

    for (int q = 0; q < (m + 2) * (m + 2); q++) v[q] = load(dV + (size_t)q * step + c, n);
    transform_back(matrix_b(m), d, v);
    for (int i = 0; i < m + 2; i++)
        for (int j = 0; j < m + 2; j++) {
            if (!t->inside && (t->y + i < 0 || t->y + i >= H || t->x + j < 0 || t->x + j >= W)) continue;
            float *x = dX + ((t->y + i) * W + t->x + j) * C + (ptrdiff_t)c;
            store(x, load(x, n) + d[i * (m + 2) + j], n);
        }
}

INLINE void input_back_block(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX, int m)
{
    size_t C = in->channels, step = dlda_frequency_step(block->stride, C), whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(in, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(in, &t)) {
        input_tile to = input_tile_at(in, &t, dX);
        float *image = dX + t.image * in->height * in->width * C;
        for (size_t c = 0; c < whole; c += DLDA_LANES)
            input_back_channels(in, &to, c, DLDA_LANES, step, dV + i * C, image, m);
        if (whole < C) input_back_channels(in, &to, whole, C - whole, step, dV + i * C, image, m);
    }
}

void dlda_winograd_input_back(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX)
{
    FOR_TILE(in->tile, input_back_block, in, block, dV, dX);
}

/* ---- Output ---- */

/* Size of the part of an output tile inside the image. */
typedef struct tile_size {
    size_t height, width;
} tile_size;

static tile_size size_of(const dlda_tiling *out, const tile *t)
{
    size_t m = out->tile, down = out->height - t->row * m, right = out->width - t->column * m;
    return (tile_size){ down < m ? down : m, right < m ? right : m };
}

static size_t corner_of(const dlda_tiling *out, const tile *t)
{
    return ((t->image * out->height + t->row * out->tile) * out->width + t->column * out->tile) * out->channels;
}

INLINE void output_channels(const dlda_tiling *out, tile_size size, size_t c, size_t n, size_t step, const float *M,
                            float *corner, int m)
{
    vec v[MOST_FREQUENCIES], o[MOST_FREQUENCIES];
    size_t side = (size_t)m;

    for (int q = 0; q < (m + 2) * (m + 2); q++) v[q] = load(M + (size_t)q * step + c, n);
    transform_back(matrix_a(m), o, v);
    if (size.height == side && size.width == side) {
        for (size_t i = 0; i < side; i++)
            for (size_t j = 0; j < side; j++)
                store(corner + (i * out->width + j) * out->channels + c, o[i * side + j], n);
        return;
    }
    for (size_t i = 0; i < size.height; i++)
        for (size_t j = 0; j < size.width; j++)
            store(corner + (i * out->width + j) * out->channels + c, o[i * side + j], n);
}

INLINE void output_block(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y, int m)
{
    size_t C = out->channels, step = dlda_frequency_step(block->stride, C), whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(out, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(out, &t)) {
        tile_size size = size_of(out, &t);
        float *corner = Y + corner_of(out, &t);
        for (size_t c = 0; c < whole; c += DLDA_LANES)
            output_channels(out, size, c, DLDA_LANES, step, M + i * C, corner, m);
        if (whole < C) output_channels(out, size, whole, C - whole, step, M + i * C, corner, m);
    }
}

void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y)
{
    FOR_TILE(out->tile, output_block, out, block, M, Y);
}

INLINE void gradient_channels(const dlda_tiling *out, tile_size size, size_t c, size_t n, size_t step,
                              const float *corner, float *dM, int m)
{
    vec y[MOST_FREQUENCIES] = { 0 }, v[MOST_FREQUENCIES];

    for (size_t i = 0; i < size.height; i++)
        for (size_t j = 0; j < size.width; j++)
            y[i * (size_t)m + j] = load(corner + (i * out->width + j) * out->channels + c, n);
    transform(matrix_a(m), v, y);
    for (int q = 0; q < (m + 2) * (m + 2); q++) store(dM + (size_t)q * step + c, v[q], n);
}

INLINE void gradient_block(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM, int m)
{
    const tile_size full = { (size_t)m, (size_t)m };
    size_t C = out->channels, step = dlda_frequency_step(block->stride, C), whole = C / DLDA_LANES * DLDA_LANES;
    tile t = find_tile(out, block->first);

    for (size_t i = 0; i < block->count; i++, next_tile(out, &t)) {
        tile_size size = size_of(out, &t);
        const float *corner = dY + corner_of(out, &t);
        int is_full = size.height == full.height && size.width == full.width;
        for (size_t c = 0; c < whole; c += DLDA_LANES) {
            if (is_full) gradient_channels(out, full, c, DLDA_LANES, step, corner, dM + i * C, m);
            else gradient_channels(out, size, c, DLDA_LANES, step, corner, dM + i * C, m);
        }
        if (whole < C) gradient_channels(out, size, whole, C - whole, step, corner, dM + i * C, m);
    }
}

void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM)
{
    FOR_TILE(out->tile, gradient_block, out, block, dY, dM);
}

/* ---- Weights ---- */

INLINE void weights_elements(size_t n, size_t i, size_t count, const float *W, float *U, int m)
{
    vec g[9], u[MOST_FREQUENCIES];

    for (int k = 0; k < 9; k++) g[k] = load(W + (size_t)k * n + i, count);
    transform(matrix_g(m), u, g);
    for (int q = 0; q < (m + 2) * (m + 2); q++) store(U + (size_t)q * n + i, u[q], count);
}

INLINE void weights_range(size_t n, size_t begin, size_t end, const float *W, float *U, int m)
{
    size_t i = begin;

    for (; i + DLDA_LANES <= end; i += DLDA_LANES) weights_elements(n, i, DLDA_LANES, W, U, m);
    if (i < end) weights_elements(n, i, end - i, W, U, m);
}

void dlda_winograd_weights(size_t t, size_t n, size_t begin, size_t end, const float *W, float *U)
{
    FOR_TILE(t, weights_range, n, begin, end, W, U);
}

INLINE void weights_back_elements(size_t n, size_t i, size_t count, const float *dU, float *dW, int m)
{
    vec u[MOST_FREQUENCIES], w[9];

    for (int q = 0; q < (m + 2) * (m + 2); q++) u[q] = load(dU + (size_t)q * n + i, count);
    transform_back(matrix_g(m), w, u);
    for (int k = 0; k < 9; k++) store(dW + (size_t)k * n + i, w[k], count);
}

INLINE void weights_back_range(size_t n, size_t begin, size_t end, const float *dU, float *dW, int m)
{
    size_t i = begin;

    for (; i + DLDA_LANES <= end; i += DLDA_LANES) weights_back_elements(n, i, DLDA_LANES, dU, dW, m);
    if (i < end) weights_back_elements(n, i, end - i, dU, dW, m);
}

void dlda_winograd_weights_back(size_t t, size_t n, size_t begin, size_t end, const float *dU, float *dW)
{
    FOR_TILE(t, weights_back_range, n, begin, end, dU, dW);
}
