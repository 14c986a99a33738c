/* SPDX-License-Identifier: MIT
 *
 * reductions.c - sums over rows in a fixed order.
 */
#include "kernels/reductions.h"

#include <string.h>

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
