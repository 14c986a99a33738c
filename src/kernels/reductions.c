/* SPDX-License-Identifier: MIT
 *
 * reductions.c - sums over rows in a fixed order.
 */
#include "kernels/reductions.h"
#include "kernels/fast.h"

#include <string.h>

void dlda_add_partial_sums(size_t parts, size_t width, const double *partial, double *sums)
{
    memset(sums, 0, width * sizeof *sums);
    for (size_t i = 0; i < parts; i++)
        for (size_t j = 0; j < width; j++) sums[j] += partial[i * width + j];
}

double *dlda_reduce_rows(const dlda_exec *exec, size_t rows, size_t width, dlda_parallel_body *body, void *context)
{
    size_t grain = dlda_row_grain(rows), chunks = dlda_parallel_chunks(rows, grain);
    double *partial = exec->scratch;

    memset(partial, 0, (chunks ? chunks : 1) * width * sizeof *partial);
    dlda_parallel_for(exec->team, rows, grain, body, context);
    for (size_t i = 1; i < chunks; i++)
        for (size_t j = 0; j < width; j++) partial[j] += partial[i * width + j];
    return partial;
}

typedef struct column_sums {
    size_t C;
    const float *X;
    double *partial;
} column_sums;

static void add_columns(void *context, const dlda_chunk *chunk)
{
    const column_sums *sums = context;
    double *sum = sums->partial + chunk->index * sums->C;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t c = 0; c < sums->C; c++) sum[c] += sums->X[i * sums->C + c];
}

void dlda_column_sums(const dlda_exec *exec, size_t rows, size_t C, const float *X, float *sums)
{
    column_sums context = { C, X, exec->scratch };
    const double *total = dlda_reduce_rows(exec, rows, C, add_columns, &context);

    for (size_t c = 0; c < C; c++) sums[c] = (float)total[c];
}

/* ---- Moments ---- */

typedef struct moments_pass {
    size_t C;
    const float *X;
    double *partial;
} moments_pass;

typedef float narrow __attribute__((vector_size(2 * DLDA_LANES), aligned(4)));
typedef double wide __attribute__((vector_size(4 * DLDA_LANES), aligned(8)));

enum {
    WIDE = DLDA_LANES / 2, /* channels of a vector */
    AT_ONCE = 4,           /* vectors              */
    ROWS_AT_ONCE = 64      /* rows in the cache    */
};

/* Of AT_ONCE * WIDE channels, whose sums stay in registers. */
static void add_moments_of_vectors(const float *x, size_t rows, size_t C, double *sum, double *squares)
{
    wide s[AT_ONCE], q[AT_ONCE];

    memcpy(s, sum, sizeof s);
    memcpy(q, squares, sizeof q);
    for (size_t i = 0; i < rows; i++, x += C)
        for (int k = 0; k < AT_ONCE; k++) {
            wide value = __builtin_convertvector(*(const narrow *)(x + k * WIDE), wide);
            s[k] += value;
            q[k] += value * value;
        }
    memcpy(sum, s, sizeof s);
    memcpy(squares, q, sizeof q);
}

static void add_moments_of_channels(const float *x, size_t rows, size_t C, size_t n, double *sum, double *squares)
{
    for (size_t i = 0; i < rows; i++, x += C)
        for (size_t c = 0; c < n; c++) {
            double value = x[c];
            sum[c] += value;
            squares[c] += value * value;
        }
}

/* Sums x and x^2 in double, which is exact enough for floats. */
static void add_moments(void *context, const dlda_chunk *chunk)
{
    const moments_pass *pass = context;
    size_t C = pass->C, whole = C / (AT_ONCE * WIDE) * (AT_ONCE * WIDE);
    double *sum = pass->partial + chunk->index * 2 * C, *squares = sum + C;

    for (size_t i = chunk->begin; i < chunk->end; i += ROWS_AT_ONCE) {
        const float *x = pass->X + i * C;
        size_t rows = chunk->end - i < ROWS_AT_ONCE ? chunk->end - i : ROWS_AT_ONCE;
        for (size_t c = 0; c < whole; c += AT_ONCE * WIDE)
            add_moments_of_vectors(x + c, rows, C, sum + c, squares + c);
        add_moments_of_channels(x + whole, rows, C, C - whole, sum + whole, squares + whole);
    }
}

void dlda_moments(const dlda_exec *exec, size_t rows, size_t C, const float *X, double *sums)
{
    moments_pass pass = { C, X, exec->scratch };
    memcpy(sums, dlda_reduce_rows(exec, rows, 2 * C, add_moments, &pass), 2 * C * sizeof *sums);
}
