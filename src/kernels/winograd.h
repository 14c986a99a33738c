/* SPDX-License-Identifier: MIT
 *
 * winograd.h - the transforms of Winograd's F(t x t, 3x3) (Lavin, Gray 2015), on blocks of tiles.
 *
 * An output tile of t x t pixels comes from an input tile d of (t+2) x (t+2): with m = (G g G') * (B' d B), elementwise
 * and summed over the channels, the tile is A' m A. Each of the Q = (t+2)^2 elements (frequencies) is a matrix product
 * over all tiles and channels: that is where the multiplications are, for t = 4 four times fewer than in the direct sum.
 * t is 2, 4, 5 or 6: what fits an image's size best.
 *
 * In a block, frequencies come first: V [Q][tiles][channels], M [Q][tiles][filters], U [Q][channels][filters].
 */
#ifndef DLDA_KERNELS_WINOGRAD_H
#define DLDA_KERNELS_WINOGRAD_H

#include "kernels/conv.h"

/* Of a dlda_conv: `block` is the number of tiles that the weights pass transforms at a time. If `groups` is more than
 * one, each group of tiles has a dU of its own and all its work stays in one thread's caches; else dU is too large for
 * that, exists once, and the threads share the frequencies of each block. */

enum { DLDA_MOST_TILE = 6 };

/* Q of tiles of that size. */
static inline size_t dlda_frequencies(size_t tile)
{
    return (tile + 2) * (tile + 2);
}

/* Images cut into tiles of output pixels. */
typedef struct dlda_tiling {
    size_t height, width, channels; /* of the images that are read or written       */
    size_t pad;                     /* input tiles begin that far up and to the left */
    size_t tile;                    /* pixels of a tile's side                      */
    size_t rows, columns;           /* tiles per image                              */
} dlda_tiling;

/* Floats from one frequency of V or M, with room for some tiles, to the next: a cache line more than they take. Else most
 * steps would be multiples of 4096 bytes, and all frequencies of a tile would meet in the same few lines of the caches. */
static inline size_t dlda_frequency_step(size_t tiles, size_t channels)
{
    return tiles * channels + 16;
}

/* Part of all tiles of all images: numbers first .. first+count-1. In V and M there is room for `stride` tiles. */
typedef struct dlda_tile_block {
    size_t first, count, stride;
} dlda_tile_block;

/* V = B' d B of the input tiles of X, seen through the view if it is not NULL; what lies outside an image is 0. */
void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V);
/* The adjoint of it, added to dX: dX += B dV B'. */
void dlda_winograd_input_back(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX);
/* Y = A' m A; what lies outside an image is left out. */
void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y);
/* The adjoint of it: dM = A dY A'. */
void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM);
/* U [Q][n] = G g G' of W [9][n], for elements begin .. end-1; and its adjoint dW = G' dU G. */
void dlda_winograd_weights(size_t t, size_t n, size_t begin, size_t end, const float *W, float *U);
void dlda_winograd_weights_back(size_t t, size_t n, size_t begin, size_t end, const float *dU, float *dW);

#endif
