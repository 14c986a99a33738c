/* SPDX-License-Identifier: MIT
 *
 * winograd_tiles.h - tiles in memory, for winograd_transforms.c: where their pixels and frequencies are, copies of the last few
 * channels, and the sums over the pixels that are written.
 */
#ifndef DLDA_KERNELS_WINOGRAD_TILES_H
#define DLDA_KERNELS_WINOGRAD_TILES_H

#include "base/sanitizers.h"
#include "kernels/vectors.h"
#include "kernels/winograd.h"

/* Sanitizers check every index; unrolled, that would take minutes to compile. */
#if DLDA_ADDRESS_SANITIZER || DLDA_THREAD_SANITIZER
#define INLINE static
#define UNROLL
#define ROLLED
#elif defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll(8)")
#define ROLLED _Pragma("nounroll")
#else
#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 8")
#define ROLLED _Pragma("GCC unroll 1")
#endif

enum { MOST_SIDE = DLDA_MOST_TILE + 2, MOST_FREQUENCIES = MOST_SIDE * MOST_SIDE };

/* ---- Tiles in memory ---- */

/* A tile of an array: element (i, j) is array[first + i * row + j * column], and `lanes` channels from there on. The next
 * tile begins `ahead` floats further; transforms bring it into the cache, where the next one would wait for it. */
typedef struct grid {
    float *array;
    ptrdiff_t first, row, column;
    size_t lanes;
    ptrdiff_t ahead;
} grid;

INLINE float *element(const grid *g, int i, int j)
{
    return g->array + (g->first + i * g->row + j * g->column);
}

/* A copy of a tile of the last few channels, which do not fill a vector. */
typedef struct copied_tile {
    _Alignas(sizeof(vec)) vec elements[MOST_FREQUENCIES];
} copied_tile;

INLINE grid grid_of_copy(copied_tile *copy, int side)
{
    return (grid){ (float *)copy->elements, 0, side * DLDA_LANES, DLDA_LANES, DLDA_LANES, 0 };
}

/* The elements of a tile that exist: rows top .. bottom-1, columns left .. right-1. */
typedef struct extent {
    int top, bottom, left, right;
} extent;

INLINE extent whole_extent(int side)
{
    return (extent){ 0, side, 0, side };
}

INLINE int is_whole(const extent *e, int side)
{
    return e->top == 0 && e->left == 0 && e->bottom == side && e->right == side;
}

/* A dlda_view of these channels: values are seen as max(scale x + shift, least), or as they are. */
typedef struct lens {
    int exists;
    vec scale, shift, least;
} lens;

static const lens no_lens = { 0 };

INLINE lens lens_of(const dlda_view *view, size_t c, size_t lanes)
{
    if (!view) return no_lens;
    return (lens){ 1, load(view->scale + c, lanes), load(view->shift + c, lanes), everywhere(view->least) };
}

INLINE vec seen_through(const lens *l, vec v)
{
    return l->exists ? at_least(l->least, l->scale * v + l->shift) : v;
}

/* ---- Sums over the pixels that are written ---- */

typedef enum tally_kind { NO_TALLY, MOMENTS, GRADIENTS } tally_kind;

/* A dlda_tally of some channels, over the pixels of a tile. */
typedef struct running_tally {
    tally_kind kind;
    lens view;
    vec mean, sum, products;
    const float *X; /* of the tally */
} running_tally;

static const running_tally no_tally = { .kind = NO_TALLY };

INLINE running_tally begin_tally(const dlda_tally *tally, tally_kind kind, size_t c, size_t lanes)
{
    running_tally running = { .kind = kind };

    if (kind != GRADIENTS) return running;
    running.view = lens_of(&tally->activation->view, c, lanes);
    running.mean = load(tally->activation->mean + c, lanes);
    running.X = tally->X;
    return running;
}

/* Adds a pixel, which is at that place in its array and in X. */
INLINE void count_pixel(running_tally *t, const grid *to, ptrdiff_t place, vec v)
{
    if (t->kind == MOMENTS) {
        t->sum += v;
        t->products += v * v;
    }
    if (t->kind == GRADIENTS) {
        vec x = load(t->X + place, to->lanes);
        mask passes = t->view.scale * x + t->view.shift > t->view.least;
        vec dz = (vec)((mask)v & passes);
        t->sum += dz;
        t->products += dz * (x - t->mean);
        __builtin_prefetch(t->X + place + to->ahead, 0, 2);
    }
}

/* Adds the sums of a tile to those in double. */
INLINE void end_tally(const running_tally *t, const dlda_tally *tally, size_t channels, size_t c, size_t lanes)
{
    if (t->kind == NO_TALLY) return;
    add_to_sums(tally->sums + c, t->sum, lanes);
    add_to_sums(tally->sums + channels + c, t->products, lanes);
}

/* ---- Copies of tiles ---- */

INLINE void copy_in(const grid *from, const extent *exists, const lens *view, copied_tile *copy, int side)
{
    memset(copy, 0, (size_t)(side * side) * sizeof(vec));
    for (int i = exists->top; i < exists->bottom; i++)
        for (int j = exists->left; j < exists->right; j++) {
            const float *at = element(from, i, j);
            copy->elements[i * side + j] = seen_through(view, load(at, from->lanes));
            __builtin_prefetch(at + from->ahead, 0, 2);
        }
}

INLINE void copy_out(const copied_tile *copy, const grid *to, const extent *exists, int adds, int side,
                     running_tally *tally)
{
    for (int i = exists->top; i < exists->bottom; i++)
        for (int j = exists->left; j < exists->right; j++) {
            float *at = element(to, i, j);
            vec v = copy->elements[i * side + j];
            count_pixel(tally, to, at - to->array, v);
            store(at, adds ? load(at, to->lanes) + v : v, to->lanes);
            __builtin_prefetch(at + to->ahead, 1, 2);
        }
}

#endif
