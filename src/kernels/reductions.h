/* SPDX-License-Identifier: MIT
 *
 * reductions.h - sums over rows, the same for any number of threads.
 *
 * The rows are cut into at most DLDA_ROW_CHUNKS chunks by their number alone; each chunk has its own partial sums
 * in double, which are added in order.
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

/* Runs body on the chunks of rows; body adds into the partial sums of its chunk, which are zero at first:
 * (double *)run->scratch + chunk->index * width. Returns the sum of them all, [width], in the scratch memory. */
double *dlda_reduce_rows(const dlda_run *run, size_t rows, size_t width, dlda_parallel_body *body, void *context);

/* sums [C] = sums over the rows of X [rows][C]. */
void dlda_column_sums(const dlda_run *run, size_t rows, size_t C, const float *X, float *sums);

#endif
