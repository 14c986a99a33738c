/* SPDX-License-Identifier: MIT
 *
 * evaluate_separation.c - class separation of a fitted LDA, computed without data.
 *
 * In the discriminant space, Sw + lambda I is the identity: the squared Mahalanobis distance of two class means is
 * |A (m_a - m_b)|^2 = (m_a - m_b)(T_a - T_b)' with T = M A'A.
 */
#include "classify/lda_head.h"

#include <math.h>

double dlda_lda_mean_separation(const dlda_lda *self)
{
    double sum = 0;

    if (!self) return NAN;
    for (size_t k = 0; k < self->K; k++) sum += self->eigenvalues[k];
    return sum / (double)self->K;
}

static double squared_distance(const dlda_lda *self, size_t a, size_t b)
{
    const double *M = self->M, *T = self->T;
    double sum = 0;

    for (size_t i = 0, D = self->D; i < D; i++)
        sum += (M[a * D + i] - M[b * D + i]) * (T[a * D + i] - T[b * D + i]);
    return fmax(sum, 0);
}

double dlda_lda_nearest_classes(const dlda_lda *self, size_t *first, size_t *second)
{
    double least = INFINITY;

    if (!self || !first || !second) return NAN;
    for (size_t b = 0; b < self->C; b++)
        for (size_t a = 0; a < b; a++) {
            if (!dlda_lda_usable(self, a) || !dlda_lda_usable(self, b)) continue;
            double square = squared_distance(self, a, b);
            if (square >= least) continue;
            least = square;
            *first = a;
            *second = b;
        }
    return sqrt(least);
}
