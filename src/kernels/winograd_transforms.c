/* SPDX-License-Identifier: MIT
 *
 * winograd_transforms.c - transforms tiles to and from the frequencies of F(m x m, 3x3), many channels at a time.
 *
 * A transform multiplies the columns and then the rows of a tile by a small matrix of winograd_matrices.h. The loops over
 * the elements of a column or row are unrolled, with constant sizes and matrices, so that the compiler keeps a line in
 * registers and removes the zeros. The loops over lines are not: eight times the code would not fit in the instruction cache.
 * There is a copy of each transform for each tile size.
 */
#include "kernels/bf16.h"
#include "kernels/products.h"
#include "kernels/winograd_matrices.h"
#include "kernels/winograd_tiles.h"

#include <stdint.h>
#include <string.h>

/* Stores past the caches, at a multiple of the size of a vector. */
INLINE void stream(float *p, vec v)
{
#if defined(__AVX512F__)
    _mm512_stream_ps(p, (__m512)v);
#elif defined(__AVX2__)
    _mm256_stream_ps(p, (__m256)v);
#elif defined(__SSE__)
    _mm_stream_ps(p, (__m128)v);
#else
    *(vec *)p = v;
#endif
}

/* Other threads see what was streamed. */
INLINE void end_stream(void)
{
#ifdef __SSE__
    _mm_sfence();
#endif
}

/* ---- One line of a tile ---- */

/* The sum of h[j * step] x[j] over n elements, h constant. */
INLINE vec combine(const float *h, int step, const vec *x, int n)
{
    vec sum = { 0 };
    int begun = 0;

    UNROLL for (int j = 0; j < n; j++)
    {
        if (h[j * step] == 0) continue;
        sum = begun ? sum + h[j * step] * x[j] : h[j * step] * x[j];
        begun = 1;
    }
    return sum;
}

/* Replaces elements (1, 2), (3, 4), ... by their sums and differences. */
INLINE void pair_up(vec *x, int pairs)
{
    UNROLL for (int p = 0; p < pairs; p++)
    {
        vec a = x[2 * p + 1], b = x[2 * p + 2];
        x[2 * p + 1] = a + b;
        x[2 * p + 2] = a - b;
    }
}

/* A matrix `rows` x `columns`, whose rows (1, 2), (3, 4), ... are to be paired up. */
typedef struct matrix {
    const float *elements;
    int rows, columns, pairs;
} matrix;

/* o = H x, or with the adjoint o = H' x, which changes x. */
INLINE void multiply(const matrix *H, int adjoint, vec *o, vec *x)
{
    if (adjoint) {
        pair_up(x, H->pairs);
        UNROLL for (int j = 0; j < H->columns; j++) o[j] = combine(H->elements + j, H->columns, x, H->rows);
    } else {
        UNROLL for (int i = 0; i < H->rows; i++) o[i] = combine(H->elements + i * H->columns, 1, x, H->columns);
        pair_up(o, H->pairs);
    }
}

/* ---- A whole tile ---- */

/* How a tile is stored. The last three are of frequencies rounded to bfloat16: as a row, or as the first or second of paired rows. */
typedef enum way { WRITES, ADDS, STREAMS, ROUNDS, BEGINS_PAIR, ENDS_PAIR } way;

/* The second of a pair finds the first one there. */
INLINE void store_element(const grid *to, int i, int j, vec v, way stores)
{
    float *at = element(to, i, j);

    switch (stores) {
    case WRITES: *(vec *)at = v; break;
    case ADDS: *(vec *)at += v; break;
    case STREAMS: stream(at, v); break;
    case ROUNDS:
        *(dlda_bf16_halves *)((uint16_t *)to->array + (to->first + i * to->row + j * to->column)) = dlda_bf16_of(v);
        break;
    case BEGINS_PAIR: *(dlda_bf16_words *)at = dlda_bf16_lower(v); break;
    case ENDS_PAIR: *(dlda_bf16_words *)at |= dlda_bf16_lower(v) << 16; break;
    }
}

/* The tiles of a transform: pixels of which some may not exist, which are read as 0 and not written, and frequencies. */
typedef struct ends {
    const grid *from, *to;
    const extent *exists; /* of the pixels; NULL, as a constant: all */
} ends;

INLINE int row_exists(const extent *e, int i)
{
    return !e || (i >= e->top && i < e->bottom);
}

INLINE int column_exists(const extent *e, int j)
{
    return !e || (j >= e->left && j < e->right);
}

/* Column j of `from`, seen through the view. Pixels are fetched ahead, frequencies are near. */
INLINE void read_column(const ends *tile, int pixels, const lens *view, int j, vec *x, int n)
{
    UNROLL for (int i = 0; i < n; i++)
    {
        if (pixels && !row_exists(tile->exists, i)) {
            x[i] = (vec){ 0 };
            continue;
        }
        const float *at = element(tile->from, i, j);
        x[i] = seen_through(view, *(const vec *)at);
        if (pixels) __builtin_prefetch(at + tile->from->ahead, 0, 2);
    }
}

INLINE void write_row(const ends *tile, int pixels, int i, const vec *o, int m, way stores, running_tally *tally)
{
    UNROLL for (int j = 0; j < m; j++)
    {
        if (pixels && !column_exists(tile->exists, j)) continue;
        float *at = element(tile->to, i, j);
        store_element(tile->to, i, j, o[j], stores);
        count_pixel(tally, tile->to, at - tile->to->array, o[j]);
        if (pixels) __builtin_prefetch(at + tile->to->ahead, 1, 2);
    }
}

/* to = H from H', or with the adjoint H' from H. */
INLINE void transform_whole(const matrix *H, int adjoint, const ends *tile, const lens *view, way stores,
                            running_tally *tally)
{
    int n = adjoint ? H->rows : H->columns, m = adjoint ? H->columns : H->rows;
    vec x[MOST_SIDE], o[MOST_SIDE];
    _Alignas(sizeof(vec)) vec e[MOST_FREQUENCIES]; /* [n][m]: the columns of `from`, multiplied */

    ROLLED for (int j = 0; j < n; j++)
    {
        if (!adjoint && !column_exists(tile->exists, j)) {
            UNROLL for (int i = 0; i < m; i++) e[j * m + i] = (vec){ 0 };
            continue;
        }
        read_column(tile, !adjoint, view, j, x, n);
        multiply(H, adjoint, o, x);
        UNROLL for (int i = 0; i < m; i++) e[j * m + i] = o[i];
    }
    ROLLED for (int i = 0; i < m; i++)
    {
        if (adjoint && !row_exists(tile->exists, i)) continue;
        UNROLL for (int j = 0; j < n; j++) x[j] = e[j * m + i];
        multiply(H, adjoint, o, x);
        write_row(tile, adjoint, i, o, m, stores, tally);
    }
}

/* The same with constants of what usually does not matter. */
INLINE void transform_ends(const matrix *H, int adjoint, const ends *tile, const lens *view, way stores,
                           running_tally *tally)
{
    running_tally none = no_tally;

    if (view->exists) transform_whole(H, adjoint, tile, view, stores, &none);
    else if (tally->kind != NO_TALLY) transform_whole(H, adjoint, tile, &no_lens, WRITES, tally);
    else transform_whole(H, adjoint, tile, &no_lens, stores, &none);
}

/* Fewer channels than a vector has lanes. */
INLINE void transform_copies(const matrix *H, int adjoint, const ends *tile, const lens *view, way stores,
                             running_tally *tally)
{
    int n = adjoint ? H->rows : H->columns, m = adjoint ? H->columns : H->rows;
    const extent all_in = whole_extent(n), all_out = whole_extent(m);
    running_tally none = no_tally;
    copied_tile in, out;
    const grid source = grid_of_copy(&in, n), target = grid_of_copy(&out, m);
    const ends copies = { &source, &target, NULL };

    copy_in(tile->from, tile->exists && !adjoint ? tile->exists : &all_in, view, &in, n);
    transform_whole(H, adjoint, &copies, &no_lens, WRITES, &none);
    copy_out(&out, tile->to, tile->exists && adjoint ? tile->exists : &all_out, stores == ADDS, m, tally);
}

/* `exists` is of the pixels: of `from`, or of `to` for the adjoint. */
INLINE void transform(const matrix *H, int adjoint, const grid *from, const lens *view, const grid *to,
                      const extent *exists, way stores, running_tally *tally)
{
    ends tile = { from, to, is_whole(exists, H->columns) ? NULL : exists };

    if (from->lanes < DLDA_LANES) transform_copies(H, adjoint, &tile, view, stores, tally);
    else if (tile.exists) transform_ends(H, adjoint, &tile, view, stores, tally);
    else {
        tile.exists = NULL;
        transform_ends(H, adjoint, &tile, view, stores, tally);
    }
}

/* ---- The matrices ---- */

INLINE matrix matrix_b(int m)
{
    const float *b = m == 2 ? b2 : m == 4 ? b4 : m == 5 ? b5 : b6;
    return (matrix){ b, m + 2, m + 2, m / 2 };
}

INLINE matrix matrix_a(int m)
{
    const float *a = m == 2 ? a2 : m == 4 ? a4 : m == 5 ? a5 : a6;
    return (matrix){ a, m + 2, m, m / 2 };
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

/* The same for tiles with frequencies of bfloat16, which larger tiles would round too much (conv_plan.c). */
#define FOR_BF16_TILE(m, body, ...)                                                                                \
    do {                                                                                                           \
        if ((m) == 2) body(__VA_ARGS__, 2);                                                                        \
        else body(__VA_ARGS__, 4);                                                                                 \
    } while (0)

/* ---- Tiles of images ---- */

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

static int between(ptrdiff_t value, int least, int most)
{
    return value < least ? least : value > most ? most : (int)value;
}

/* The pixels of a tile, of which some may not exist, and its frequencies: in that row of V, which has room for some tiles if it
 * is in panels, else 0. */
typedef struct image_tile {
    grid pixels, frequencies;
    extent exists;
    size_t row, room;
} image_tile;

static image_tile locate(const dlda_tiling *tiling, const tile *t, int side)
{
    ptrdiff_t H = (ptrdiff_t)tiling->height, W = (ptrdiff_t)tiling->width, C = (ptrdiff_t)tiling->channels;
    ptrdiff_t y = (ptrdiff_t)(t->row * tiling->tile) - (ptrdiff_t)tiling->pad;
    ptrdiff_t x = (ptrdiff_t)(t->column * tiling->tile) - (ptrdiff_t)tiling->pad;

    return (image_tile){ .pixels = { NULL, (((ptrdiff_t)t->image * H + y) * W + x) * C, W * C, C, DLDA_LANES, 0 },
                         .exists = { between(-y, 0, side), between(H - y, 0, side), between(-x, 0, side),
                                     between(W - x, 0, side) } };
}

/* The same tile, `lanes` of its channels from c on. */
INLINE grid channels_of(const grid *g, size_t c, size_t lanes)
{
    return (grid){ g->array, g->first + (ptrdiff_t)c, g->row, g->column, lanes, g->ahead };
}

/* How a block is transformed: `stores` and `kind` are constants. */
typedef struct transformation {
    matrix H;
    int adjoint;
    const dlda_view *view; /* of the pixels that are read    */
    way stores;
    tally_kind kind; /* of the pixels that are written */
    const dlda_tally *tally;
    size_t channels;
} transformation;

INLINE void transform_channels(const transformation *self, const image_tile *t, size_t c, size_t lanes)
{
    const matrix *H = &self->H;
    size_t place = t->room ? dlda_panel_place(self->channels, t->room, t->row, c) : t->row * self->channels + c;
    grid pixels = channels_of(&t->pixels, c, lanes), frequencies = channels_of(&t->frequencies, place, lanes);
    lens through = lens_of(self->view, c, lanes);
    running_tally tally = begin_tally(self->tally, self->kind, c, lanes);

    if (self->adjoint) transform(H, 1, &frequencies, &no_lens, &pixels, &t->exists, self->stores, &tally);
    else transform(H, 0, &pixels, &through, &frequencies, &t->exists, self->stores, &tally);
    end_tally(&tally, self->tally, self->channels, c, lanes);
}

INLINE void transform_tile(const transformation *self, const image_tile *t)
{
    size_t channels = self->channels, whole = channels / DLDA_LANES * DLDA_LANES;

    for (size_t c = 0; c < whole; c += DLDA_LANES) transform_channels(self, t, c, DLDA_LANES);
    if (whole < channels && self->stores < ROUNDS) /* with bfloat16, all vectors are whole */
        transform_channels(self, t, whole, channels - whole);
}

/* The view is NULL, or not, as a constant. */
INLINE void transform_seen(transformation self, const image_tile *t, way stores)
{
    self.stores = stores;
    if (self.view) transform_tile(&self, t);
    else {
        self.view = NULL;
        transform_tile(&self, t);
    }
}

/* From images to the frequencies V of a block, or with the adjoint back. */
INLINE void transform_block(transformation self, const dlda_tiling *tiling, const dlda_tile_block *block,
                            float *images, float *V)
{
    size_t C = self.channels = tiling->channels;
    int rounds = self.stores == ROUNDS, pairs = self.stores == BEGINS_PAIR;
    dlda_tile_form form = rounds ? DLDA_TILES_BF16 : pairs ? DLDA_TILES_BF16_PAIRED : DLDA_TILES_FLOAT;
    ptrdiff_t step = (ptrdiff_t)dlda_frequency_step_of(form, block->stride, C) << rounds; /* in halves of words */
    tile place = find_tile(tiling, block->first);
    image_tile next = locate(tiling, &place, self.H.columns);

    for (size_t i = 0; i < block->count; i++) {
        image_tile t = next;
        next_tile(tiling, &place);
        next = locate(tiling, &place, self.H.columns);
        t.pixels.array = images;
        t.pixels.ahead = next.pixels.first - t.pixels.first;
        t.frequencies = (grid){ V, 0, self.H.rows * step, step, DLDA_LANES, 0 };
        t.row = pairs ? (block->row + i) / 2 : block->row + i;
        t.room = block->form == DLDA_TILES_PANELS ? block->stride : 0;
        if (pairs && i % 2) transform_seen(self, &t, ENDS_PAIR);
        else transform_seen(self, &t, self.stores);
    }
}

/* Calls body(..., way, m) with a constant m and the constant way of a form. */
#define FOR_FORM(form, m, body, ...)                                                                               \
    do {                                                                                                           \
        switch (form) {                                                                                            \
        case DLDA_TILES_FLOAT:                                                                                     \
        case DLDA_TILES_PANELS: FOR_TILE(m, body, __VA_ARGS__, WRITES); break;                                     \
        case DLDA_TILES_BF16: FOR_BF16_TILE(m, body, __VA_ARGS__, ROUNDS); break;                                  \
        case DLDA_TILES_BF16_PAIRED: FOR_BF16_TILE(m, body, __VA_ARGS__, BEGINS_PAIR); break;                      \
        }                                                                                                          \
    } while (0)

INLINE void input_block(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                        float *V, way stores, int m)
{
    const transformation way_in = { .H = matrix_b(m), .view = view, .stores = stores };
    transform_block(way_in, in, block, (float *)X, V);
}

void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V)
{
    FOR_FORM(block->form, in->tile, input_block, in, block, X, view, V);
}

INLINE void input_back_block(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX, int m)
{
    const transformation back = { .H = matrix_b(m), .adjoint = 1, .stores = ADDS };
    transform_block(back, in, block, dX, (float *)dV);
}

void dlda_winograd_input_back(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX)
{
    FOR_TILE(in->tile, input_back_block, in, block, dV, dX);
}

INLINE void output_block(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y,
                         const dlda_tally *tally, tally_kind kind, int m)
{
    const transformation way_out = {
        .H = matrix_a(m), .adjoint = 1, .stores = WRITES, .kind = kind, .tally = tally
    };
    transform_block(way_out, out, block, Y, (float *)M);
}

void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y,
                          const dlda_tally *tally)
{
    if (!tally) FOR_TILE(out->tile, output_block, out, block, M, Y, tally, NO_TALLY);
    else if (!tally->activation) FOR_TILE(out->tile, output_block, out, block, M, Y, tally, MOMENTS);
    else FOR_TILE(out->tile, output_block, out, block, M, Y, tally, GRADIENTS);
}

INLINE void gradient_block(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM,
                           way stores, int m)
{
    const transformation way_in = { .H = matrix_a(m), .stores = stores };
    transform_block(way_in, out, block, (float *)dY, dM);
}

void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM)
{
    FOR_FORM(block->form, out->tile, gradient_block, out, block, dY, dM);
}

/* ---- Weights ---- */

/* U that exceeds the caches is streamed: otherwise the old values would be read first, and other data displaced. */
static const size_t least_streamed = 8 << 20;

static int is_streamed(size_t frequencies, size_t n, const float *U)
{
    return frequencies * n * sizeof *U >= least_streamed && n % DLDA_LANES == 0 && (uintptr_t)U % sizeof(vec) == 0;
}

/* Elements begin .. end-1 of W [9][n] to U [Q][n], or with the adjoint back. */
INLINE void transform_weights(matrix H, int adjoint, size_t n, size_t begin, size_t end, float *W, float *U,
                              way stores)
{
    const extent nine = whole_extent(H.columns);
    running_tally none = no_tally;
    ptrdiff_t step = (ptrdiff_t)n;

    for (size_t i = begin; i < end; i += DLDA_LANES) {
        size_t lanes = end - i < DLDA_LANES ? end - i : DLDA_LANES;
        grid weights = { W, (ptrdiff_t)i, H.columns * step, step, lanes, 0 };
        grid frequencies = { U, (ptrdiff_t)i, H.rows * step, step, lanes, 0 };
        if (adjoint) transform(&H, 1, &frequencies, &no_lens, &weights, &nine, stores, &none);
        else transform(&H, 0, &weights, &no_lens, &frequencies, &nine, stores, &none);
    }
}

INLINE void weights_range(size_t n, size_t begin, size_t end, const float *W, float *U, int m)
{
    if (is_streamed(dlda_frequencies((size_t)m), n, U + begin)) {
        transform_weights(matrix_g(m), 0, n, begin, end, (float *)W, U, STREAMS);
        end_stream();
    } else transform_weights(matrix_g(m), 0, n, begin, end, (float *)W, U, WRITES);
}

void dlda_winograd_weights(size_t t, size_t n, size_t begin, size_t end, const float *W, float *U)
{
    FOR_TILE(t, weights_range, n, begin, end, W, U);
}

INLINE void weights_paired_rows(size_t rows, size_t n, size_t begin, size_t end, const float *W, uint32_t *U, int m)
{
    const matrix H = matrix_g(m);
    const extent nine = whole_extent(H.columns);
    const ptrdiff_t from = (ptrdiff_t)(rows * n), to = (ptrdiff_t)(rows / 2 * n);
    running_tally none = no_tally;

    for (size_t r = begin; r < end; r++)
        for (size_t i = 0; i < n; i += DLDA_LANES) {
            grid weights = { (float *)W, (ptrdiff_t)(r * n + i), H.columns * from, from, DLDA_LANES, 0 };
            grid frequencies = { (float *)U, (ptrdiff_t)(r / 2 * n + i), H.rows * to, to, DLDA_LANES, 0 };
            if (r % 2) transform(&H, 0, &weights, &no_lens, &frequencies, &nine, ENDS_PAIR, &none);
            else transform(&H, 0, &weights, &no_lens, &frequencies, &nine, BEGINS_PAIR, &none);
        }
}

void dlda_winograd_weights_paired(size_t t, size_t rows, size_t n, size_t begin, size_t end, const float *W,
                                  uint32_t *U)
{
    FOR_BF16_TILE(t, weights_paired_rows, rows, n, begin, end, W, U);
}

INLINE void weights_back_range(size_t n, size_t begin, size_t end, const float *dU, float *dW, int m)
{
    transform_weights(matrix_g(m), 1, n, begin, end, dW, (float *)dU, WRITES);
}

void dlda_winograd_weights_back(size_t t, size_t n, size_t begin, size_t end, const float *dU, float *dW)
{
    FOR_TILE(t, weights_back_range, n, begin, end, dU, dW);
}
