/* SPDX-License-Identifier: MIT
 *
 * winograd.h - the transforms of Winograd's F(t x t, 3x3) (Lavin, Gray 2015), on blocks of tiles.
 *
 * An output tile of t x t pixels depends on an input tile d of (t+2) x (t+2). With m = (G g G') * (B' d B),
 * elementwise and summed over the channels, the output tile is A' m A. Each of the Q = (t+2)^2 elements
 * (frequencies) is a matrix product over all tiles and channels. These products have most of the multiplications;
 * for t = 4, four times fewer than the direct sum. t is 2, 4, 5 or 6, whichever fits the image size best.
 *
 * In a block, frequencies come first: V [Q][tiles][channels], M [Q][tiles][filters], U [Q][channels][filters] in
 * panels.
 */
#ifndef DLDA_KERNELS_WINOGRAD_H
#define DLDA_KERNELS_WINOGRAD_H

#include "kernels/conv.h"

/* In a dlda_conv, `block` is the number of tiles that the weights pass transforms at a time. If `groups` is more
 * than one, each group of tiles has its own dU and is processed in one thread's caches; else dU is too large for
 * that, exists once, and the threads share the frequencies of each block. */

enum { DLDA_MOST_TILE = 6 };

/* Number of frequencies Q for tiles of that size. */
static inline size_t dlda_frequencies(size_t tile)
{
    return (tile + 2) * (tile + 2);
}

/* Images divided into tiles of output pixels. */
typedef struct dlda_tiling {
    size_t height, width, channels; /* of the images read or written          */
    size_t pad;                     /* input tiles begin this far up and left */
    size_t tile;                    /* side of a tile in pixels               */
    size_t rows, columns;           /* tiles per image                        */
} dlda_tiling;

/* How the tiles of a frequency are stored: as rows of floats, in panels (products.h), or rounded to bfloat16 (bf16.h), as rows or
 * paired rows. */
typedef enum dlda_tile_form {
    DLDA_TILES_FLOAT,
    DLDA_TILES_PANELS,
    DLDA_TILES_BF16,
    DLDA_TILES_BF16_PAIRED
} dlda_tile_form;

/* Floats between frequencies of V or M, with room for some tiles: one cache line more than they need.
 * Otherwise most steps would be multiples of 4096 bytes, and all frequencies of a tile would map to
 * the same few cache sets. */
static inline size_t dlda_frequency_step(size_t tiles, size_t channels)
{
    return tiles * channels + 16;
}

/* The same for words of two bfloat16 numbers. */
static inline size_t dlda_frequency_step_of(dlda_tile_form form, size_t tiles, size_t channels)
{
    return dlda_frequency_step(form < DLDA_TILES_BF16 ? tiles : (tiles + 1) / 2, channels);
}

/* A range of the tiles of all images: numbers first .. first+count-1. V and M have room for `stride` tiles, of which these begin
 * with number `row`. `form` is that of the frequencies that are written. Those that are read are rows of floats. */
typedef struct dlda_tile_block {
    size_t first, count, row, stride;
    dlda_tile_form form;
} dlda_tile_block;

/* V = B' d B of the input tiles of X, read through the view unless it is NULL; pixels outside an image are 0. */
void dlda_winograd_input(const dlda_tiling *in, const dlda_tile_block *block, const float *X, const dlda_view *view,
                         float *V);
/* The adjoint, added to dX: dX += B dV B'. */
void dlda_winograd_input_back(const dlda_tiling *in, const dlda_tile_block *block, const float *dV, float *dX);
/* Y = A' m A; pixels outside an image are not written. The sums of the tally, unless it is NULL, are added to. */
void dlda_winograd_output(const dlda_tiling *out, const dlda_tile_block *block, const float *M, float *Y,
                          const dlda_tally *tally);
/* The adjoint: dM = A dY A'. */
void dlda_winograd_gradient(const dlda_tiling *out, const dlda_tile_block *block, const float *dY, float *dM);
/* U [Q][n] = G g G' of W [9][n], for elements begin .. end-1; and its adjoint dW = G' dU G. */
void dlda_winograd_weights(size_t t, size_t n, size_t begin, size_t end, const float *W, float *U);
/* U as paired rows of bfloat16 numbers, [Q][rows / 2][n], of W [9][rows][n]: rows begin .. end-1, both even. */
void dlda_winograd_weights_paired(size_t t, size_t rows, size_t n, size_t begin, size_t end, const float *W,
                                  uint32_t *U);
void dlda_winograd_weights_back(size_t t, size_t n, size_t begin, size_t end, const float *dU, float *dW);

#endif
