/* SPDX-License-Identifier: MIT
 *
 * bf16.h - products of bfloat16 numbers, summed in float.
 *
 * A bfloat16 is the upper half of a float: the same range, 8 bits of precision. The instructions for it (AVX512_BF16) multiply
 * pairs: C += a0 b0 + a1 b1, so operands are stored as words of two numbers that are neighbours in the summed dimension,
 * the first one in the lower half. Rows of a matrix whose columns are summed over are pairs already; if rows are summed over,
 * two rows are interleaved ("paired rows"). Other processors compute the same by shifts and floats, slowly.
 */
#ifndef DLDA_KERNELS_BF16_H
#define DLDA_KERNELS_BF16_H

#include "kernels/isa.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#ifdef __AVX512BF16__
#include <immintrin.h>
#endif

enum { DLDA_BF16_ROWS = 6 }; /* rows of a result that are computed together */

/* C [m][n] = A B, or += if it accumulates, with `pairs` words in each sum. Word p of row i of A is A[i * a_row + p * a_step], so
 * that A may be rows (a_step 1) or the transpose of paired rows (a_row 1). B is paired rows [pairs][n]. n is a multiple of 16. */
typedef struct dlda_bf16_product {
    size_t m, n, pairs;
    size_t a_row, a_step;
    size_t ldb, ldc;
    int accumulate;
} dlda_bf16_product;

void dlda_bf16_multiply(const dlda_bf16_product *product, const uint32_t *A, const uint32_t *B, float *C);

/* Rounds n floats, a multiple of 16, to n / 2 words. */
void dlda_bf16_round(size_t n, const float *x, uint32_t *to);
/* Rounds and interleaves rows of n floats, a multiple of 16: to [(rows + 1) / 2][n]. A last row without a partner is paired with 0. */
void dlda_bf16_pair_rows(size_t rows, size_t n, const float *x, uint32_t *to);

/* ---- Vectors ---- */

typedef float dlda_bf16_floats __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef uint32_t dlda_bf16_words __attribute__((vector_size(4 * DLDA_LANES), aligned(4)));
typedef uint16_t dlda_bf16_halves __attribute__((vector_size(2 * DLDA_LANES), aligned(2)));

/* To the nearest bfloat16, even if halfway; NaN stays NaN. */
static inline dlda_bf16_halves dlda_bf16_of(dlda_bf16_floats x)
{
#ifdef __AVX512BF16__
    return (dlda_bf16_halves)_mm512_cvtneps_pbh((__m512)x);
#else
    dlda_bf16_words bits = (dlda_bf16_words)x, is_nan = (dlda_bf16_words)(x != x);
    dlda_bf16_words rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    return __builtin_convertvector((is_nan & 0x7fc0) | (~is_nan & rounded), dlda_bf16_halves);
#endif
}

/* Words with x as their lower halves, and 0 above. */
static inline dlda_bf16_words dlda_bf16_lower(dlda_bf16_floats x)
{
    return __builtin_convertvector(dlda_bf16_of(x), dlda_bf16_words);
}

#endif
