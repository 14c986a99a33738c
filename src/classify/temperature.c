/* SPDX-License-Identifier: MIT
 *
 * temperature.c - fits a temperature: p = softmax(d / T + log prior), T > 0, by the log loss of held-out rows.
 *
 *     minimise   sum_i -log p_i(label_i) + (log T - log T0)^2 / 2
 *
 * The second term is a prior. It decides if the rows cannot: when all of them are classified correctly, the log loss
 * alone would take T to 0. It counts as much as one or two rows.
 */
#include "classify/temperature.h"

#include <math.h>

static const double least_log = -5, most_log = 10, coarse_step = 0.5;
enum { COARSE_STEPS = 31, FINE_STEPS = 40 };

typedef struct rows {
    const double *scores, *log_prior; /* [n][C], [C] */
    const int *labels;
    size_t n, C;
    double expected; /* logarithm of T0 */
} rows;

static double exponent(const rows *self, const double *d, size_t c, double T)
{
    return d[c] / T + (self->log_prior ? self->log_prior[c] : 0);
}

/* -log p of the true class. */
static double row_loss(const rows *self, size_t i, double T)
{
    const double *d = self->scores + i * self->C;
    double largest = -INFINITY, sum = 0;

    for (size_t c = 0; c < self->C; c++) largest = fmax(largest, exponent(self, d, c, T));
    for (size_t c = 0; c < self->C; c++) sum += exp(exponent(self, d, c, T) - largest);
    return largest + log(sum) - exponent(self, d, (size_t)self->labels[i], T);
}

static double cost(const rows *self, double log_T)
{
    double sum = (log_T - self->expected) * (log_T - self->expected) / 2;

    for (size_t i = 0; i < self->n; i++)
        if (!isinf(self->scores[i * self->C + (size_t)self->labels[i]])) sum += row_loss(self, i, exp(log_T));
    return sum;
}

/* The best of the coarse grid, then golden section between its neighbours. */
double dlda_temperature_fit(const double *scores, const double *log_prior, const int *labels, size_t n, size_t C,
                            double expected)
{
    const rows self = { scores, log_prior, labels, n, C, log(expected) };
    const double golden = (sqrt(5) - 1) / 2;
    double best = 0, least = INFINITY;

    for (int i = 0; i < COARSE_STEPS; i++) {
        double log_T = least_log + coarse_step * i, value = cost(&self, log_T);
        if (!(value < least)) continue;
        least = value;
        best = log_T;
    }
    double a = fmax(best - coarse_step, least_log), b = fmin(best + coarse_step, most_log);
    double x = b - golden * (b - a), y = a + golden * (b - a), at_x = cost(&self, x), at_y = cost(&self, y);
    for (int i = 0; i < FINE_STEPS; i++) {
        if (at_x < at_y) {
            b = y, y = x, at_y = at_x;
            at_x = cost(&self, x = b - golden * (b - a));
        } else {
            a = x, x = y, at_x = at_y;
            at_y = cost(&self, y = a + golden * (b - a));
        }
    }
    return exp((a + b) / 2);
}
