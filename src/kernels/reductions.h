/* SPDX-License-Identifier: MIT
 *
 * reductions.h - sums over rows that do not depend on the number of threads.
 *
 * The rows are split into at most DLDA_ROW_CHUNKS chunks, depending only on their number. Each chunk has its own
 * partial sums in double, which are added in order.
 */
#ifndef DLDA_KERNELS_REDUCTIONS_H
#define DLDA_KERNELS_REDUCTIONS_H

#include "base/parallel.h"
#include "kernels/isa.h"
#include "kernels/kernels.h"

enum { DLDA_ROW_CHUNKS = 64 };

/* Rows per chunk. */
static inline size_t dlda_row_grain(size_t rows)
{
    size_t grain = (rows + DLDA_ROW_CHUNKS - 1) / DLDA_ROW_CHUNKS;
    return grain < 64 ? 64 : grain;
}

/* Runs body on the chunks of rows. It adds to the partial sums of its chunk, which are initially zero: (double
 * *)exec->scratch + chunk->index * width. Returns the total [width], in scratch memory. */
double *dlda_reduce_rows(const dlda_exec *exec, size_t rows, size_t width, dlda_parallel_body *body, void *context);

/* sums [width] = the sum of partial [parts][width], in order. */
void dlda_add_partial_sums(size_t parts, size_t width, const double *partial, double *sums);

/* sums [C] = sums over the rows of X [rows][C]. */
void dlda_column_sums(const dlda_exec *exec, size_t rows, size_t C, const float *X, float *sums);

#endif
