/* SPDX-License-Identifier: MIT
 *
 * products.c - matrix products by blocks of the result that stay in registers: 6 rows of a whole panel of B, or 12 of a narrower
 * one. Some rows of a panel are processed at a time, a piece, which stays in the caches while all rows of A are multiplied by it.
 *
 * Each element is summed in order of k, piece by piece, whatever the number of rows and columns.
 */
#include "kernels/products.h"
#include "kernels/vectors.h"

enum {
    ROWS = 6,
    MOST_ROWS = 2 * ROWS,
    PIECE = 256,
    PANELS_PIECE = 64, /* A and B are in panels; both pieces fit in a first-level cache */
    WIDE = 128,        /* rows of A, in floats, of which the hardware does not foresee the next */
};

#define UNROLL _Pragma("GCC unroll 16")

/* The part of a product that has one panel and one piece: element (i, p) of A is A[i * a_row + p * a_step]. */
typedef struct part {
    size_t m, k, a_row, a_step, b_step, ldc;
    int accumulate;
    size_t ahead; /* rows of both panels to the next piece; 0: none, or no panels */
} part;

/* At step p of a block: fetches the next rows of A, 16 elements of each, or a line of each panel's next piece; and a vector of the
 * next rows of C, which are far away in the sums of many frequencies. */
ALWAYS_INLINE void fetch_next(const part *g, size_t p, const float *A, const float *B, const float *C, size_t rows)
{
    if (g->a_step == 1) {
        if (p % 16 == 0 && g->a_row >= WIDE)
            UNROLL for (size_t i = 0; i < rows; i++) __builtin_prefetch(A + (i + rows) * g->a_row);
        return;
    }
    if (g->ahead) {
        __builtin_prefetch(A + g->ahead * g->a_step);
        __builtin_prefetch(B + g->ahead * g->b_step);
    }
    if (p < rows * DLDA_PANEL_VECTORS)
        __builtin_prefetch(C + (rows + p / DLDA_PANEL_VECTORS) * g->ldc + p % DLDA_PANEL_VECTORS * DLDA_LANES, 1);
}

/* Of the last vector, only the first `lanes` columns are results. */
ALWAYS_INLINE void multiply_block(const part *g, const float *A, const float *B, float *C, int rows, int vectors,
                                  size_t lanes)
{
    const size_t a_row = g->a_row, a_step = g->a_step, b_step = g->b_step;
    vec sum[MOST_ROWS][DLDA_PANEL_VECTORS];

    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        sum[i][j] = g->accumulate ? load(C + (size_t)i * g->ldc + j * DLDA_LANES, lanes) : (vec){ 0 };
    for (size_t p = 0; p < g->k; p++, A += a_step, B += b_step) {
        vec b[DLDA_PANEL_VECTORS];
        fetch_next(g, p, A, B, C, (size_t)rows);
        UNROLL for (int j = 0; j < vectors; j++) b[j] = *(const vec *)(B + j * DLDA_LANES);
        UNROLL for (int i = 0; i < rows; i++)
        {
            const vec a = everywhere(A[(size_t)i * a_row]);
            UNROLL for (int j = 0; j < vectors; j++) sum[i][j] += a * b[j];
        }
    }
    UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)
        store(C + (size_t)i * g->ldc + j * DLDA_LANES, sum[i][j], lanes);
}

/* All rows of some columns. */
ALWAYS_INLINE void multiply_columns(const part *g, const float *A, const float *B, float *C, int vectors,
                                    size_t lanes)
{
    const int rows = vectors < DLDA_PANEL_VECTORS ? MOST_ROWS : ROWS;
    size_t i = 0;

    for (; i + (size_t)rows <= g->m; i += (size_t)rows)
        multiply_block(g, A + i * g->a_row, B, C + i * g->ldc, rows, vectors, lanes);
    if (rows > ROWS && i + ROWS <= g->m) {
        multiply_block(g, A + i * g->a_row, B, C + i * g->ldc, ROWS, vectors, lanes);
        i += ROWS;
    }
    A += i * g->a_row;
    C += i * g->ldc;
    switch (g->m - i) {
    case 5: multiply_block(g, A, B, C, 5, vectors, lanes); break;
    case 4: multiply_block(g, A, B, C, 4, vectors, lanes); break;
    case 3: multiply_block(g, A, B, C, 3, vectors, lanes); break;
    case 2: multiply_block(g, A, B, C, 2, vectors, lanes); break;
    case 1: multiply_block(g, A, B, C, 1, vectors, lanes); break;
    default: break;
    }
}

/* Fewer columns than a vector has lanes: a copy of B with zeros beside them. */
static void multiply_last_columns(const part *g, const float *A, const float *B, float *C, size_t lanes)
{
    float copy[PIECE * DLDA_LANES];
    part last = *g;

    for (size_t p = 0; p < g->k; p++) store(copy + p * DLDA_LANES, load(B + p * g->b_step, lanes), DLDA_LANES);
    last.b_step = DLDA_LANES;
    multiply_columns(&last, A, copy, C, 1, lanes);
}

/* The columns of a panel; only the last one has fewer than DLDA_PANEL. */
static void multiply_panel(const part *g, size_t width, const float *A, const float *B, float *C)
{
    size_t j = 0;

    if (width == DLDA_PANEL) {
        multiply_columns(g, A, B, C, DLDA_PANEL_VECTORS, DLDA_LANES);
        return;
    }
    for (; j + 2 * DLDA_LANES <= width; j += 2 * DLDA_LANES) multiply_columns(g, A, B + j, C + j, 2, DLDA_LANES);
    for (; j + DLDA_LANES <= width; j += DLDA_LANES) multiply_columns(g, A, B + j, C + j, 1, DLDA_LANES);
    if (j < width) multiply_last_columns(g, A, B + j, C + j, width - j);
}

static size_t at_most(size_t n, size_t most)
{
    return n < most ? n : most;
}

/* m rows of the result, A from them on. */
static void multiply_rows(const dlda_product *g, size_t m, size_t a_row, size_t a_step, const float *A,
                          const float *B, float *C)
{
    const size_t piece = g->a_transposed && !g->lda ? PANELS_PIECE : PIECE;

    for (size_t j = 0; m > 0 && j < g->n; j += DLDA_PANEL) {
        size_t width = at_most(g->n - j, DLDA_PANEL), b_step = g->ldb ? g->ldb : width, p = 0;
        const float *b = B + (g->ldb ? j : j * g->room);
        do { /* once without a sum, for its zeros */
            const part now = { m, at_most(g->k - p, piece), a_row, a_step, b_step, g->ldc, g->accumulate || p > 0,
                               piece < PIECE && g->k - p > piece ? piece : 0 };
            multiply_panel(&now, width, A + p * a_step, b + p * b_step, C + j);
            p += piece;
        } while (p < g->k);
    }
}

void dlda_multiply(const dlda_product *g, const float *A, const float *B, float *C)
{
    if (!g->a_transposed) multiply_rows(g, g->m, g->lda, 1, A, B, C);
    else if (g->lda) multiply_rows(g, g->m, 1, g->lda, A, B, C);
    else
        for (size_t i = 0; i < g->m; i += DLDA_PANEL) {
            size_t width = at_most(g->m - i, DLDA_PANEL);
            multiply_rows(g, width, 1, width, A + i * g->room, B, C + i * g->ldc);
        }
}
