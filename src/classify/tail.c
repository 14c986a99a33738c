/* SPDX-License-Identifier: MIT
 *
 * tail.c - the upper tail of a sample as a short table.
 *
 * The k-th largest of n values is exceeded by a further sample of the same kind with probability k/(n+1), whatever the
 * distribution. The table has k = n, n/1.4, n/1.4^2, ... 1. Between its rows, log share is linear in log value. Above the
 * largest value the share falls as a power, whose exponent is Hill's estimate from the largest tenth.
 */
#include "classify/tail.h"

#include <math.h>
#include <stdlib.h>

static const double ratio = 1.4, smallest = 1e-300, last_share = 1e-12, least_power = 1, most_power = 100;

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Equal values keep the first row, which has the largest share. */
static void add_row(dlda_tail *self, double value, double share)
{
    double v = fmax(value, smallest);

    if (self->count == DLDA_TAIL_ROWS || (self->count && v <= self->rows[self->count - 1][0])) return;
    self->rows[self->count][0] = v;
    self->rows[self->count][1] = share;
    self->count++;
}

/* Hill's estimate: the inverse of the mean of log(value / threshold) of the m values above the threshold. */
static double power_of(const double *sorted, size_t n)
{
    size_t m = n / 10 > 5 ? n / 10 : 5;
    double sum = 0;

    if (m > n - 1) m = n - 1;
    double threshold = fmax(sorted[n - 1 - m], smallest);
    for (size_t i = n - m; i < n; i++) sum += log(fmax(sorted[i], smallest) / threshold);
    return fmin(fmax((double)m / sum, least_power), most_power);
}

void dlda_tail_fit(dlda_tail *self, double *values, size_t n)
{
    self->count = 0;
    qsort(values, n, sizeof *values, compare);
    for (double k = (double)n; k >= 1; k = k > 1 ? fmin(floor(k / ratio), k - 1) : 0) {
        add_row(self, values[n - (size_t)k], k / ((double)n + 1));
        if (self->count == DLDA_TAIL_ROWS - 2 && k > 1)
            k = 2; /* leaves room for the largest, and for the estimate */
    }
    const double *last = self->rows[self->count - 1];
    add_row(self, last[0] * pow(last[1] / last_share, 1 / power_of(values, n)), last_share);
}

double dlda_tail_share(const dlda_tail *self, double value)
{
    size_t i = 1;

    if (!(value > self->rows[0][0])) return 1;
    while (i + 1 < self->count && value > self->rows[i][0]) i++;
    const double *a = self->rows[i - 1], *b = self->rows[i];
    double slope = log(b[1] / a[1]) / log(b[0] / a[0]);
    return fmin(1, a[1] * exp(slope * log(value / a[0])));
}
