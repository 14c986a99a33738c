/* SPDX-License-Identifier: MIT
 *
 * winograd.h - the transforms of Winograd's F(4x4, 3x3) (Lavin, Gray 2015), on blocks of tiles.
 *
 * An output tile of 4x4 pixels comes from an input tile d of 6x6: with m = (G g G') * (B' d B), elementwise and summed
 * over the channels, the tile is A' m A. Each of the 36 elements (frequencies) is a matrix product over all tiles and
 * channels: that is where the multiplications are, 4 times fewer than in the direct sum.
 *
 * In a block, frequencies come first: V [36][tiles][channels], M [36][tiles][filters], U [36][channels][filters].
 */
#ifndef DLDA_KERNELS_WINOGRAD_H
#define DLDA_KERNELS_WINOGRAD_H

#include "kernels/conv.h"

/* Of a dlda_conv: `block` is the number of tiles that the weights pass transforms at a time. If `groups` is more than
 * one, each group of tiles has a dU of its own and all its work stays in one thread's caches; else dU is too large for
 * that, exists once, and the threads share the frequencies of each block. */

enum { DLDA_FREQUENCIES = 36, DLDA_TILE = 4 };

/* Images cut into tiles of output pixels. */
typedef struct dlda_tiling {
    size_t height, width, channels; /* of the images that are read or written       */
    size_t pad;                     /* input tiles begin that far up and to the left */
    size_t rows, columns;           /* tiles per image                              */
} dlda_tiling;

/* Part of all tiles of all images: numbers first .. first+count-1. In V and M there is room for `stride` tiles. */
typedef struct dlda_tile_block {
    size_t first, count, stride;
} dlda_tile_block;

/* V = B' d B of the input tiles of X, seen through the view if it is not NULL; what lies outside an image is 0. */
void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V);
/* Y = A' m A; what lies outside an image is left out. */
void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y);
/* The adjoint of it: dM = A dY A'. */
void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM);
/* U [36][n] = G g G' of W [9][n], for elements begin .. end-1; and its adjoint dW = G' dU G. */
void dlda_winograd_weights(size_t n, size_t begin, size_t end, const float *W, float *U);
void dlda_winograd_weights_back(size_t n, size_t begin, size_t end, const float *dU, float *dW);

#endif
