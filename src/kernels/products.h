/* SPDX-License-Identifier: MIT
 *
 * products.h - matrix products of floats, C = A B, by one thread.
 *
 * A matrix may be stored in panels of DLDA_PANEL columns, one after the other, the last one narrower. A panel is what a product
 * reads at a time, row by row. Rows of a wide matrix are far from each other, and those a power of 2 apart displace each
 * other in the caches: B of 256 x 1024 is multiplied three times as fast in panels.
 */
#ifndef DLDA_KERNELS_PRODUCTS_H
#define DLDA_KERNELS_PRODUCTS_H

#include "kernels/isa.h"
#include "kernels/kernels.h"

/* Vectors that fill the registers together with 6 rows of the result: 24 of 32, or 12 of 16. */
enum { DLDA_PANEL_VECTORS = DLDA_LANES == 16 ? 4 : 2, DLDA_PANEL = DLDA_PANEL_VECTORS * DLDA_LANES };

/* The place of an element of a matrix of n columns in panels with room for some rows. */
static inline size_t dlda_panel_place(size_t n, size_t room, size_t row, size_t column)
{
    size_t first = column - column % DLDA_PANEL, width = n - first < DLDA_PANEL ? n - first : DLDA_PANEL;
    return first * room + row * width + column % DLDA_PANEL;
}

void dlda_multiply(const dlda_product *product, const float *A, const float *B, float *C);

#endif
