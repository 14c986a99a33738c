/* SPDX-License-Identifier: MIT
 *
 * class_rows.c - means of the classes of some rows, and the rows minus these means.
 *
 * Rows are visited in their order, which is the fastest way through memory. The first visit of a portion that fits in a
 * cache waits for memory; the second one does not.
 */
#include "kernels/fast.h"

#include <string.h>

void dlda_class_means(const dlda_class_rows *rows, size_t first, size_t n, size_t C, size_t D, size_t *counts,
                      double *means)
{
    memset(counts, 0, C * sizeof *counts);
    for (size_t i = first; i < first + n; i++) {
        size_t at = dlda_row_at(rows, i), c = (size_t)rows->labels[at];
        double *restrict sum = means + c * D;
        if (counts[c]++ == 0) memset(sum, 0, D * sizeof *sum);
        if (rows->doubles)
            for (size_t j = 0; j < D; j++) sum[j] += rows->doubles[at * D + j];
        else
            for (size_t j = 0; j < D; j++) sum[j] += rows->floats[at * D + j];
    }
    for (size_t c = 0; c < C; c++)
        for (size_t j = 0; counts[c] > 0 && j < D; j++) means[c * D + j] /= (double)counts[c];
}

void dlda_class_centre(const dlda_class_rows *rows, size_t first, size_t n, size_t D, const double *means,
                       double *centred)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = dlda_row_at(rows, first + i);
        const double *mean = means + (size_t)rows->labels[at] * D;
        double *restrict to = centred + i * D;
        if (rows->doubles)
            for (size_t j = 0; j < D; j++) to[j] = rows->doubles[at * D + j] - mean[j];
        else
            for (size_t j = 0; j < D; j++) to[j] = rows->floats[at * D + j] - mean[j];
    }
}
