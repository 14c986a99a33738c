/* SPDX-License-Identifier: MIT
 *
 * scatter.c - streaming, mergeable class sums (docs/method.md, steps 1 and 2).
 *
 * Sums of raw squares would lose all digits when the features share a large offset. So each portion of rows
 * is centred at its own class means, and moments around different means are joined by
 *     M = M1 + M2 + n1 n2 / (n1 + n2) (m1 - m2)(m1 - m2)'          (Chan, Golub, LeVeque 1979).
 */
#include "objective/scatter.h"
#include "base/memory.h"
#include "linalg/gemm.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dlda_status dlda_scatter_create(size_t classes, size_t features, dlda_scatter **scatter)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *self = NULL;
    size_t n_means = 0, n_moments = 0, n_portion = 0;

    if (classes < 1 || features < 1)
        DLDA_FAIL(DLDA_E_ARGUMENT, "scatter: %zu classes of %zu features, expected at least 1 of 1", classes,
                  features);
    DLDA_TRY(dlda_multiply_sizes(classes, features, "class means", &n_means));
    DLDA_TRY(dlda_multiply_sizes(n_means, features, "class moments", &n_moments));
    DLDA_TRY(dlda_multiply_sizes(DLDA_SCATTER_PORTION, features, "scatter rows", &n_portion));
    DLDA_TRY(DLDA_TAKE(&self, 1, "scatter"));
    self->C = classes;
    self->D = features;
    DLDA_TRY(DLDA_TAKE(&self->counts, classes, "class counts"));
    DLDA_TRY(DLDA_TAKE(&self->means, n_means, "class means"));
    DLDA_TRY(DLDA_TAKE(&self->moments, n_moments, "class moments"));
    DLDA_TRY(DLDA_TAKE(&self->rows, n_portion, "scatter rows"));
    DLDA_TRY(DLDA_TAKE(&self->grouped, n_portion, "scatter rows"));
    DLDA_TRY(DLDA_TAKE(&self->shift, features, "scatter rows"));
    *scatter = self;
    self = NULL;
done:
    dlda_scatter_destroy(self);
    return status;
}

void dlda_scatter_destroy(dlda_scatter *self)
{
    if (!self) return;
    dlda_release(self->counts);
    dlda_release(self->means);
    dlda_release(self->moments);
    dlda_release(self->rows);
    dlda_release(self->grouped);
    dlda_release(self->shift);
    dlda_release(self);
}

void dlda_scatter_reset(dlda_scatter *self)
{
    memset(self->counts, 0, self->C * sizeof *self->counts);
    memset(self->means, 0, self->C * self->D * sizeof *self->means);
    memset(self->moments, 0, self->C * self->D * self->D * sizeof *self->moments);
}

/* ---- Adding rows ---- */

/* Joins n rows with mean `shift` (their moments are already in `moments`) to class c. */
static void join_class(dlda_scatter *self, size_t c, size_t n, const double *mean)
{
    size_t D = self->D;
    double *m = self->means + c * D, *M = self->moments + c * D * D;
    double n1 = (double)self->counts[c], n2 = (double)n;
    double weight = n1 * n2 / (n1 + n2);

    for (size_t i = 0; i < D; i++) {
        double difference = weight * (mean[i] - m[i]);
        for (size_t j = 0; j < D; j++) M[i * D + j] += difference * (mean[j] - m[j]);
    }
    for (size_t i = 0; i < D; i++) m[i] += (mean[i] - m[i]) * (n2 / (n1 + n2));
    self->counts[c] += n;
}

/* Adds the rows order[0 .. n-1] of the portion, all of class c. */
static void add_class_rows(dlda_scatter *self, size_t c, const size_t *order, size_t n)
{
    size_t D = self->D;
    double *shift = self->shift;

    memset(shift, 0, D * sizeof *shift);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++) shift[j] += self->rows[order[i] * D + j];
    for (size_t j = 0; j < D; j++) shift[j] /= (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++) self->grouped[i * D + j] = self->rows[order[i] * D + j] - shift[j];
    dlda_double_add_products(n, D, self->grouped, self->moments + c * D * D);
    join_class(self, c, n, shift);
}

/* Adds the n rows in self->rows; the classes come in ascending order, the rows of a class in theirs. */
static void add_portion(dlda_scatter *self, const int *labels, size_t n)
{
    size_t left = n;

    for (size_t i = 0; i < n; i++) self->order[i] = i;
    for (size_t c = 0; c < self->C && left > 0; c++) {
        /* A stable partition of what is left into class c (in front) and the rest. */
        size_t *rest = self->order + (n - left), skipped[DLDA_SCATTER_PORTION], found = 0, others = 0;
        for (size_t i = 0; i < left; i++) {
            if ((size_t)labels[rest[i]] == c) rest[found++] = rest[i];
            else skipped[others++] = rest[i];
        }
        memcpy(rest + found, skipped, others * sizeof *rest);
        if (found > 0) add_class_rows(self, c, rest, found);
        left = others;
    }
}

static dlda_status check_labels(const dlda_scatter *self, const int *labels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= self->C)
            return dlda_fail(DLDA_E_ARGUMENT, "row %zu: label %d, expected 0 to %zu", i, labels[i], self->C - 1);
    return DLDA_OK;
}

static dlda_status not_finite(size_t position, size_t D, double value)
{
    return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value", position / D,
                     position % D, value);
}

dlda_status dlda_scatter_add_double(dlda_scatter *self, const double *H, const int *labels, size_t n)
{
    size_t D = self->D;
    dlda_status status = check_labels(self, labels, n);

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < n * D; i++)
        if (!isfinite(H[i])) return not_finite(i, D, H[i]);
    for (size_t first = 0; first < n; first += DLDA_SCATTER_PORTION) {
        size_t rows = n - first < DLDA_SCATTER_PORTION ? n - first : DLDA_SCATTER_PORTION;
        memcpy(self->rows, H + first * D, rows * D * sizeof *H);
        add_portion(self, labels + first, rows);
    }
    return DLDA_OK;
}

dlda_status dlda_scatter_add(dlda_scatter *self, const float *H, const int *labels, size_t n)
{
    size_t D = self->D;
    dlda_status status = check_labels(self, labels, n);

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < n * D; i++)
        if (!isfinite(H[i])) return not_finite(i, D, H[i]);
    for (size_t first = 0; first < n; first += DLDA_SCATTER_PORTION) {
        size_t rows = n - first < DLDA_SCATTER_PORTION ? n - first : DLDA_SCATTER_PORTION;
        for (size_t i = 0; i < rows * D; i++) self->rows[i] = H[first * D + i];
        add_portion(self, labels + first, rows);
    }
    return DLDA_OK;
}

dlda_status dlda_scatter_merge(dlda_scatter *self, const dlda_scatter *other)
{
    size_t square = self->D * self->D;

    if (self->C != other->C || self->D != other->D)
        return dlda_fail(DLDA_E_SHAPE, "scatter merge: %zu classes of %zu features, expected %zu of %zu", other->C,
                         other->D, self->C, self->D);
    for (size_t c = 0; c < self->C; c++) {
        if (other->counts[c] == 0) continue;
        for (size_t i = 0; i < square; i++) self->moments[c * square + i] += other->moments[c * square + i];
        join_class(self, c, other->counts[c], other->means + c * self->D);
    }
    return DLDA_OK;
}

/* ---- The matrices ---- */

size_t dlda_scatter_rows(const dlda_scatter *self)
{
    size_t rows = 0;
    for (size_t c = 0; c < self->C; c++) rows += self->counts[c];
    return rows;
}

size_t dlda_scatter_usable(const dlda_scatter *self)
{
    size_t usable = 0;
    for (size_t c = 0; c < self->C; c++) usable += self->counts[c] >= 2;
    return usable;
}

static dlda_status too_few_classes(const dlda_scatter *self)
{
    char list[512] = "";
    size_t length = 0;

    for (size_t c = 0; c < self->C && length < sizeof list - 48; c++)
        if (self->counts[c] > 0)
            length += (size_t)snprintf(list + length, sizeof list - length, "%sclass %zu has %zu row%s",
                                       length ? ", " : "", c, self->counts[c], self->counts[c] == 1 ? "" : "s");
    return dlda_fail(DLDA_E_CLASS, "LDA needs at least two classes with two rows each; found %zu of %zu (%s)",
                     dlda_scatter_usable(self), self->C, length ? list : "no rows at all");
}

static void overall_mean(const dlda_scatter *self, double *m)
{
    double N = (double)dlda_scatter_rows(self);

    memset(m, 0, self->D * sizeof *m);
    for (size_t c = 0; c < self->C; c++)
        for (size_t i = 0; i < self->D; i++) m[i] += self->means[c * self->D + i] * ((double)self->counts[c] / N);
}

/* Sw += M_c / (C'(N_c - 1)) for a usable class; St += (M_c + N_c (m_c - m)(m_c - m)') / (N - 1). */
static void add_class_to_matrices(const dlda_scatter *self, size_t c, const double *m, double *Sw, double *St)
{
    size_t D = self->D, n = self->counts[c];
    const double *mean = self->means + c * D, *M = self->moments + c * D * D;
    double within = n >= 2 ? 1 / ((double)dlda_scatter_usable(self) * (double)(n - 1)) : 0;
    double total = 1 / ((double)dlda_scatter_rows(self) - 1);

    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            Sw[i * D + j] += within * M[i * D + j];
            St[i * D + j] += total * (M[i * D + j] + (double)n * (mean[i] - m[i]) * (mean[j] - m[j]));
        }
}

dlda_status dlda_scatter_matrices(const dlda_scatter *self, double *Sw, double *Sb, double *m)
{
    size_t square = self->D * self->D;

    if (dlda_scatter_usable(self) < 2) return too_few_classes(self);
    overall_mean(self, m);
    memset(Sw, 0, square * sizeof *Sw);
    memset(Sb, 0, square * sizeof *Sb);
    for (size_t c = 0; c < self->C; c++)
        if (self->counts[c] > 0) add_class_to_matrices(self, c, m, Sw, Sb);
    for (size_t i = 0; i < square; i++) Sb[i] -= Sw[i];
    return DLDA_OK;
}
