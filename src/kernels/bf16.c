/* SPDX-License-Identifier: MIT
 *
 * bf16.c - products of bfloat16 numbers by blocks of the result that stay in registers: up to 6 rows of 4 vectors.
 *
 * On Zen 4, 48 x 64 x 64 runs at 211 GFLOPS per core, 162 x 256 x 256 at 175; products of floats have a peak of 116 there.
 */
#include "kernels/bf16.h"

typedef dlda_bf16_floats floats;
typedef dlda_bf16_words words;

enum { ROWS = DLDA_BF16_ROWS, VECTORS = 4 };

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#define UNROLL        _Pragma("GCC unroll 8")

/* sum + a0 b0 + a1 b1, for the pairs of two words. */
ALWAYS_INLINE floats add_pairs(floats sum, uint32_t a, words b)
{
#ifdef __AVX512BF16__
    return (floats)_mm512_dpbf16_ps((__m512)sum, (__m512bh)_mm512_set1_epi32((int)a), (__m512bh)b);
#else
    const words all = (words){ 0 } + a;
    return sum + (floats)(all << 16) * (floats)(b << 16) + (floats)(all & 0xffff0000u) * (floats)(b & 0xffff0000u);
#endif
}

ALWAYS_INLINE void multiply_block(const dlda_bf16_product *g, const uint32_t *A, const uint32_t *B, float *C,
                                  int rows, int vectors)
{
    floats sum[ROWS][VECTORS];

    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        sum[i][j] = g->accumulate ? *(const floats *)(C + (size_t)i * g->ldc + (size_t)j * DLDA_LANES)
                                  : (floats){ 0 };
    for (size_t p = 0; p < g->pairs; p++) {
        const words *b = (const words *)(B + p * g->ldb);
        UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
            sum[i][j] = add_pairs(sum[i][j], A[(size_t)i * g->a_row + p * g->a_step], b[j]);
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) *
        (floats *)(C + (size_t)i * g->ldc + (size_t)j * DLDA_LANES) = sum[i][j];
}

/* All rows of some columns. B is then read from the first-level cache for all but the first rows. */
ALWAYS_INLINE void multiply_columns(const dlda_bf16_product *g, const uint32_t *A, const uint32_t *B, float *C,
                                    int vectors)
{
    size_t i = 0;

    for (; i + ROWS <= g->m; i += ROWS) multiply_block(g, A + i * g->a_row, B, C + i * g->ldc, ROWS, vectors);
    for (; i + 2 <= g->m; i += 2) multiply_block(g, A + i * g->a_row, B, C + i * g->ldc, 2, vectors);
    if (i < g->m) multiply_block(g, A + i * g->a_row, B, C + i * g->ldc, 1, vectors);
}

void dlda_bf16_multiply(const dlda_bf16_product *g, const uint32_t *A, const uint32_t *B, float *C)
{
    enum { COLUMNS = VECTORS * DLDA_LANES };
    size_t j = 0;

    for (; j + COLUMNS <= g->n; j += COLUMNS) multiply_columns(g, A, B + j, C + j, VECTORS);
    for (; j < g->n; j += DLDA_LANES) multiply_columns(g, A, B + j, C + j, 1);
}

void dlda_bf16_round(size_t n, const float *x, uint32_t *to)
{
    uint16_t *halves = (uint16_t *)to;

    for (size_t i = 0; i < n; i += DLDA_LANES)
        *(dlda_bf16_halves *)(halves + i) = dlda_bf16_of(*(const floats *)(x + i));
}

void dlda_bf16_pair_rows(size_t rows, size_t n, const float *x, uint32_t *to)
{
    for (size_t r = 0; r < rows; r += 2, x += 2 * n, to += n)
        for (size_t i = 0; i < n; i += DLDA_LANES) {
            words pair = dlda_bf16_lower(*(const floats *)(x + i));
            if (r + 1 < rows) pair |= dlda_bf16_lower(*(const floats *)(x + n + i)) << 16;
            *(words *)(to + i) = pair;
        }
}
