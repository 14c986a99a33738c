/* SPDX-License-Identifier: MIT
 *
 * lda_extend.c - adds one class to a fitted LDA, in closed form (docs/evaluation.md, "Adding a class").
 *
 * With C' usable classes and N rows of mean m so far, and n rows of mean m_a and covariance S_a of the added class:
 *     Sw <- (C' Sw + S_a) / (C' + 1)
 *     St <- ((N-1) St + (w-1) S_a + N w/(N+w) (m_a-m)(m_a-m)') / (N + w - 1)
 * With w = n this equals a fit on all rows together. A handful of rows would have little weight in St, and the
 * direction that separates the added class would be lost; so w is at least the mean count of the other classes.
 */
#include "base/memory.h"
#include "classify/lda_head.h"
#include "linalg/eigen.h"
#include "objective/scatter.h"

#include <math.h>
#include <string.h>

/* The LDA so far, and the sums over its classes. */
typedef struct extension {
    const dlda_lda *old;
    const double *mean, *moments; /* [D], [D][D] of the added rows        */
    double n, w;                  /* number and weight of the added rows  */
    double N, usable;             /* rows and usable classes so far       */
    double *m;                    /* [D]     mean of all rows so far      */
    double *A, *B;                /* [D][D]  matrices of the eigenproblem */
    dlda_eigen *eigen;
} extension;

static void sum_up(extension *self)
{
    const dlda_lda *old = self->old;
    double counted = 0;

    for (size_t c = 0; c < old->C; c++) {
        self->N += old->counts[c];
        if (!dlda_lda_usable(old, c)) continue;
        self->usable++;
        counted += old->counts[c];
    }
    self->w = fmax(self->n, floor(counted / self->usable + 0.5));
    for (size_t c = 0; c < old->C; c++)
        for (size_t i = 0; i < old->D; i++) self->m[i] += old->M[c * old->D + i] * (old->counts[c] / self->N);
}

/* Updates Sw and St. */
static void extend_matrices(const extension *self, double *Sw, double *St)
{
    size_t D = self->old->D;
    double joined = self->N * self->w / (self->N + self->w);

    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            size_t at = i * D + j;
            double S = self->moments[at] / (self->n - 1);
            double between = (self->mean[i] - self->m[i]) * (self->mean[j] - self->m[j]);
            Sw[at] = (self->usable * self->old->Sw[at] + S) / (self->usable + 1);
            St[at] = ((self->N - 1) * self->old->St[at] + (self->w - 1) * S + joined * between) /
                     (self->N + self->w - 1);
        }
}

static dlda_status solve(const extension *self, double lambda, dlda_lda *lda)
{
    size_t D = lda->D;

    for (size_t i = 0; i < D * D; i++) {
        self->A[i] = lda->St[i] - lda->Sw[i];
        self->B[i] = lda->Sw[i] + (i % (D + 1) == 0 ? lambda : 0);
    }
    return dlda_eigen_solve(self->eigen, self->A, self->B, lda->K, lda->eigenvalues, lda->A);
}

/* Given priors keep their proportions; the added class gets an equal share. */
static dlda_status extend_priors(const extension *self, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;
    const dlda_lda *old = self->old;
    double sum = 0;

    if (!old->priors) return DLDA_OK;
    DLDA_TRY(dlda_lda_take_priors(lda));
    for (size_t c = 0; c < old->C; c++) sum += dlda_lda_usable(old, c) ? old->priors[c] : 0;
    memcpy(lda->priors, old->priors, old->C * sizeof *old->priors);
    lda->priors[old->C] = sum / self->usable;
done:
    return status;
}

static dlda_status take(extension *self)
{
    dlda_status status = DLDA_OK;
    size_t D = self->old->D;

    DLDA_TRY(DLDA_TAKE(&self->m, D, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->A, D * D, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->B, D * D, "LDA"));
    DLDA_TRY(dlda_eigen_create(D, &self->eigen));
done:
    return status;
}

static void release(extension *self)
{
    dlda_release(self->m);
    dlda_release(self->A);
    dlda_release(self->B);
    dlda_eigen_destroy(self->eigen);
}

dlda_status dlda_lda_extend(const dlda_lda *old, const dlda_scatter *added, double lambda, dlda_lda **extended)
{
    dlda_status status = DLDA_OK;
    extension self = { .old = old, .mean = added->means, .moments = added->moments, .n = (double)added->counts[0] };
    dlda_lda *lda = NULL;
    size_t C = old->C, D = old->D;

    if (!(lambda >= 0)) DLDA_FAIL(DLDA_E_ARGUMENT, "LDA: lambda %g, expected 0 or more", lambda);
    if (!old->Sw) DLDA_FAIL(DLDA_E_ARGUMENT, "LDA: its scatter matrices were not kept, so no class can be added");
    if (added->counts[0] < 2)
        DLDA_FAIL(DLDA_E_CLASS, "LDA: %zu samples of the new class, expected at least 2", added->counts[0]);
    DLDA_TRY(take(&self));
    sum_up(&self);
    size_t K = (size_t)self.usable < D ? (size_t)self.usable : D;
    DLDA_TRY(dlda_lda_create(C + 1, D, K, &lda));
    DLDA_TRY(dlda_lda_take_scatter(lda));
    lda->lambda = lambda;
    memcpy(lda->counts, old->counts, C * sizeof *lda->counts);
    lda->counts[C] = self.w;
    memcpy(lda->M, old->M, C * D * sizeof *lda->M);
    memcpy(lda->M + C * D, self.mean, D * sizeof *lda->M);
    extend_matrices(&self, lda->Sw, lda->St);
    DLDA_TRY(solve(&self, lambda, lda));
    DLDA_TRY(extend_priors(&self, lda));
    dlda_lda_prepare(lda);
    *extended = lda;
    lda = NULL;
done:
    release(&self);
    dlda_lda_destroy(lda);
    return status;
}
