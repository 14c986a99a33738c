/* SPDX-License-Identifier: MIT
 *
 * shrinkage.c - the optimal shrinkage of class covariances (Ledoit and Wolf 2004; docs/method.md, step 10).
 *
 * With z the rows of a class, standardised within it, R their correlation matrix and m = tr(R)/D, the covariance
 * (1 - s) R + s m I with the least expected squared error has s = b / d, where
 *     d = |R - m I|^2 / D,     b = min(d, (sum |z|^4 / n - |R|^2) / (n D)),     |.| the Frobenius norm.
 * All but the sum of |z|^4 is known from the scatter.
 */
#include "classify/shrinkage.h"
#include "base/memory.h"

#include <math.h>

struct dlda_shrinkage {
    const dlda_scatter *scatter;
    double *inverse; /* [C][D]  1 / standard deviation of the features in each class */
    double *fourth;  /* [C]     sums of |z|^4                                        */
    size_t *counts;  /* [C]     rows added                                           */
};

double dlda_class_deviation(const dlda_scatter *scatter, size_t c, size_t j)
{
    size_t D = scatter->D;
    double variance = scatter->moments[c * D * D + j * D + j] / (double)scatter->counts[c];

    return variance > 0 ? sqrt(variance) : 1;
}

dlda_status dlda_shrinkage_create(const dlda_scatter *scatter, dlda_shrinkage **shrinkage)
{
    dlda_status status = DLDA_OK;
    dlda_shrinkage *self = NULL;
    size_t C = 0, D = 0;

    DLDA_NEED(scatter, shrinkage);
    if (scatter->pooled)
        DLDA_FAIL(DLDA_E_ARGUMENT, "shrinkage: a pooled scatter, expected one with the moments of each class");
    C = scatter->C, D = scatter->D;
    DLDA_TRY(DLDA_TAKE(&self, 1, "shrinkage"));
    self->scatter = scatter;
    DLDA_TRY(DLDA_TAKE(&self->inverse, C * D, "shrinkage"));
    DLDA_TRY(DLDA_TAKE(&self->fourth, C, "shrinkage"));
    DLDA_TRY(DLDA_TAKE(&self->counts, C, "shrinkage"));
    for (size_t c = 0; c < C; c++)
        for (size_t j = 0; j < D; j++) self->inverse[c * D + j] = 1 / dlda_class_deviation(scatter, c, j);
    *shrinkage = self;
    self = NULL;
done:
    dlda_shrinkage_destroy(self);
    return status;
}

void dlda_shrinkage_destroy(dlda_shrinkage *self)
{
    if (!self) return;
    dlda_release(self->inverse);
    dlda_release(self->fourth);
    dlda_release(self->counts);
    dlda_release(self);
}

/* ---- Rows ---- */

static dlda_status check_label(const dlda_shrinkage *self, size_t i, int label)
{
    if (label >= 0 && (size_t)label < self->scatter->C) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT, "row %zu: label %d, expected 0 to %zu", i, label, self->scatter->C - 1);
}

static void add_length(dlda_shrinkage *self, int label, double square)
{
    self->fourth[label] += square * square;
    self->counts[label]++;
}

dlda_status dlda_shrinkage_add(dlda_shrinkage *self, const float *H, const int *labels, size_t n)
{
    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(H, labels);
    dlda_status status = DLDA_OK;
    size_t D = self->scatter->D;

    for (size_t i = 0; i < n && (status = check_label(self, i, labels[i])) == DLDA_OK; i++) {
        const double *mean = self->scatter->means + (size_t)labels[i] * D;
        const double *inverse = self->inverse + (size_t)labels[i] * D;
        double square = 0;
        for (size_t j = 0; j < D; j++) {
            double z = ((double)H[i * D + j] - mean[j]) * inverse[j];
            square += z * z;
        }
        add_length(self, labels[i], square);
    }
    return status;
}

dlda_status dlda_shrinkage_add_double(dlda_shrinkage *self, const double *H, const int *labels, size_t n)
{
    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(H, labels);
    dlda_status status = DLDA_OK;
    size_t D = self->scatter->D;

    for (size_t i = 0; i < n && (status = check_label(self, i, labels[i])) == DLDA_OK; i++) {
        const double *mean = self->scatter->means + (size_t)labels[i] * D;
        const double *inverse = self->inverse + (size_t)labels[i] * D;
        double square = 0;
        for (size_t j = 0; j < D; j++) {
            double z = (H[i * D + j] - mean[j]) * inverse[j];
            square += z * z;
        }
        add_length(self, labels[i], square);
    }
    return status;
}

dlda_status dlda_shrinkage_sum(dlda_shrinkage *self, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    size_t C = self->scatter->C;
    double *sums = NULL;

    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&sums, 2 * C, "shrinkage"));
    for (size_t c = 0; c < C; c++) sums[c] = self->fourth[c], sums[C + c] = (double)self->counts[c];
    DLDA_TRY(dlda_comm_sum(comm, sums, 2 * C));
    for (size_t c = 0; c < C; c++) self->fourth[c] = sums[c], self->counts[c] = (size_t)sums[C + c];
done:
    dlda_release(sums);
    return status;
}

/* ---- The estimate ---- */

static double estimate_class(const dlda_shrinkage *self, size_t c)
{
    const dlda_scatter *scatter = self->scatter;
    size_t D = scatter->D;
    const double *M = scatter->moments + c * D * D, *inverse = self->inverse + c * D;
    double n = (double)scatter->counts[c], squares = 0, trace = 0;

    if (D == 1 || n < 2) return 0;
    for (size_t i = 0; i < D; i++) {
        trace += M[i * D + i] * inverse[i] * inverse[i] / n;
        for (size_t j = 0; j < D; j++) {
            double R = M[i * D + j] * inverse[i] * inverse[j] / n;
            squares += R * R;
        }
    }
    double d = squares - trace * trace / (double)D, b = (self->fourth[c] / n - squares) / n;
    if (!(d > 0) || !(b > 0)) return 0;
    return b < d ? b / d : 1;
}

dlda_status dlda_shrinkage_estimate(const dlda_shrinkage *self, double *values)
{
    DLDA_NEED(self, values);
    for (size_t c = 0; c < self->scatter->C; c++)
        if (self->counts[c] != self->scatter->counts[c])
            return dlda_fail(DLDA_E_ARGUMENT, "shrinkage: %zu rows of class %zu, expected the %zu of the scatter",
                             self->counts[c], c, self->scatter->counts[c]);
    for (size_t c = 0; c < self->scatter->C; c++) values[c] = estimate_class(self, c);
    return DLDA_OK;
}
