/* SPDX-License-Identifier: MIT
 *
 * upper_products.c - S += X'X in double, the upper triangle: blocks of 6 rows of S that stay in registers while some rows of X,
 * which stay in the caches, are added.
 *
 * With few columns, a BLAS spends more time on packing than on products. With many, S does not fit in a cache, and the BLAS is
 * better.
 */
#include "kernels/fast.h"
#include "kernels/vectors.h"
#include "linalg/gemm.h"

enum { LANES = DLDA_LANES / 2, VECTORS = DLDA_LANES == 16 ? 4 : 2, ROWS = 6, PIECE = 64, MOST_COLUMNS = 256 };

#define UNROLL _Pragma("GCC unroll 8")

typedef double vec2 __attribute__((vector_size(8 * LANES), aligned(8)));

/* Rows of X that are added, of d columns each. */
typedef struct piece {
    const double *X;
    size_t n, d;
} piece;

/* Rows i .. i+rows-1 of S, so many vectors from column j on. Of a single vector, only some lanes may be wanted. */
ALWAYS_INLINE void add_block(const piece *p, size_t i, size_t j, double *S, int rows, int vectors, size_t lanes)
{
    const double *x = p->X + i, *y = p->X + j;
    vec2 sum[ROWS][VECTORS] = { { { 0 } } };

    S += i * p->d + j;
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++)
        memcpy(&sum[r][v], S + (size_t)r * p->d + v * LANES, lanes * sizeof *S);
    for (size_t k = 0; k < p->n; k++, x += p->d, y += p->d) {
        vec2 b[VECTORS];
        UNROLL for (int v = 0; v < vectors; v++) b[v] = *(const vec2 *)(y + v * LANES);
        UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++) sum[r][v] += x[r] * b[v];
    }
    UNROLL for (int r = 0; r < rows; r++) UNROLL for (int v = 0; v < vectors; v++)
        memcpy(S + (size_t)r * p->d + v * LANES, &sum[r][v], lanes * sizeof *S);
}

/* These rows of S from the diagonal on. The vectors end with the row; the first may begin left of the diagonal. If it would begin left of
 * the row, it takes columns that the next one takes too, and keeps the others. */
ALWAYS_INLINE void add_rows(const piece *p, size_t i, double *S, int rows)
{
    size_t whole = (p->d - i + LANES - 1) / LANES, first = p->d % LANES;

    if (whole * LANES > p->d) {
        whole--;
        add_block(p, i, 0, S, rows, 1, first);
    }
    size_t j = p->d - whole * LANES;
    for (; j + VECTORS * LANES <= p->d; j += VECTORS * LANES) add_block(p, i, j, S, rows, VECTORS, LANES);
    for (; j < p->d; j += LANES) add_block(p, i, j, S, rows, 1, LANES);
}

static void add_piece(const piece *p, double *S)
{
    size_t i = 0;

    for (; i + ROWS <= p->d; i += ROWS) add_rows(p, i, S, ROWS);
    switch (p->d - i) {
    case 5: add_rows(p, i, S, 5); break;
    case 4: add_rows(p, i, S, 4); break;
    case 3: add_rows(p, i, S, 3); break;
    case 2: add_rows(p, i, S, 2); break;
    case 1: add_rows(p, i, S, 1); break;
    default: break;
    }
}

static void add_to_few_columns(size_t n, size_t d, const double *X, double *S)
{
    for (size_t k = 0; k < n; k++, X += d)
        for (size_t i = 0; i < d; i++)
            for (size_t j = i; j < d; j++) S[i * d + j] += X[i] * X[j];
}

void dlda_add_upper_products(size_t n, size_t d, const double *X, double *S)
{
    if (d < LANES) add_to_few_columns(n, d, X, S);
    else if (d > MOST_COLUMNS) dlda_double_add_upper_products(n, d, X, S);
    else
        for (size_t k = 0; k < n; k += PIECE) add_piece(&(piece){ X + k * d, n - k < PIECE ? n - k : PIECE, d }, S);
}
