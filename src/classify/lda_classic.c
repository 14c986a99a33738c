/* SPDX-License-Identifier: MIT
 *
 * lda_classic.c - the LDA of textbooks (docs/method.md, step 10).
 *
 * With W and B the sums of squares and products within and between the classes, Sw = W / (N - C) and Sb = B / (N - C):
 * the eigenvalues are those of W^-1 B, and e'Sw e = 1. Only classes with two rows or more count.
 *
 * The eigenproblem is solved in units in which the diagonal of Sw + lambda I is 1, so the results do not depend on the
 * units of the features, and one of them may be millions of times as large as another.
 */
#include "base/memory.h"
#include "classify/lda_head.h"
#include "classify/shrinkage.h"
#include "linalg/eigen.h"
#include "objective/scatter.h"

#include <math.h>
#include <string.h>

/* Below this smallest eigenvalue of the within-class correlations, Sw counts as singular: as in R's MASS::lda, whose limit
 * is 0.0001 for the standard deviation. The rounding of floats is far below it, correlations of 0.99999 are above. */
static const double singular = 1e-8;
static const double relative_lambda = 1e-3;

typedef struct classic {
    const dlda_scatter *scatter;
    const dlda_classic_spec *spec;
    size_t C, D, K;
    double rows, divisor; /* of the usable classes; Sw = W / divisor        */
    double lambda;
    double *weight; /* [C]     of the class means in B; 0: not usable       */
    double *m;      /* [D]     their mean                                   */
    double *Sw;     /* [D][D]  shrunk                                       */
    double *St;     /* [D][D]  covariance of all rows, not shrunk           */
    double *Sb;     /* [D][D]  later in the units of the eigenproblem       */
    double *G;      /* [D][D]  Sw + lambda I, later in these units          */
    double *unit;   /* [D]     standard deviations, or 1                    */
    double *values, *E;
    dlda_eigen *eigen;
} classic;

/* ---- The matrices ---- */

static int is_usable(const classic *self, size_t c)
{
    return self->scatter->counts[c] >= 2;
}

static dlda_status weigh_classes(classic *self, const double *priors)
{
    double sum = 0, usable = 0;

    for (size_t c = 0; c < self->C; c++) {
        if (priors && !(priors[c] > 0 && isfinite(priors[c])))
            return dlda_fail(DLDA_E_ARGUMENT, "LDA: prior %zu is %g, expected more than 0", c, priors[c]);
        if (!is_usable(self, c)) continue;
        usable++;
        self->rows += (double)self->scatter->counts[c];
        sum += self->weight[c] = priors ? priors[c] : (double)self->scatter->counts[c];
    }
    self->divisor = self->spec->biased ? self->rows : self->rows - usable;
    for (size_t c = 0; c < self->C; c++) self->weight[c] *= self->rows / sum;
    return DLDA_OK;
}

/* The upper triangle of W is complete in both kinds of scatter. */
static void add_within(const classic *self, double *W)
{
    const dlda_scatter *scatter = self->scatter;
    size_t D = self->D;

    for (size_t c = 0; c < (scatter->pooled ? 1 : self->C); c++) {
        const double *M = scatter->moments + c * D * D;
        if (!scatter->pooled && !is_usable(self, c)) continue;
        for (size_t i = 0; i < D; i++)
            for (size_t j = i; j < D; j++) W[i * D + j] += M[i * D + j];
    }
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < i; j++) W[i * D + j] = W[j * D + i];
}

/* B = sum over classes of weight (m_c - m)(m_c - m)'. */
static void add_between(const classic *self, const double *weight, double *m, double factor, double *B)
{
    size_t D = self->D;
    const double *means = self->scatter->means;

    memset(m, 0, D * sizeof *m);
    for (size_t c = 0; c < self->C; c++)
        for (size_t i = 0; i < D; i++) m[i] += means[c * D + i] * (weight[c] / self->rows);
    for (size_t c = 0; c < self->C; c++)
        for (size_t i = 0; weight[c] > 0 && i < D; i++) {
            double left = factor * weight[c] * (means[c * D + i] - m[i]);
            for (size_t j = 0; j < D; j++) B[i * D + j] += left * (means[c * D + j] - m[j]);
        }
}

static dlda_status make_matrices(classic *self)
{
    dlda_status status = DLDA_OK;
    size_t D = self->D;

    DLDA_TRY(weigh_classes(self, NULL)); /* the total covariance is that of the rows, whatever the priors */
    add_within(self, self->Sw);
    for (size_t i = 0; i < D * D; i++) {
        self->St[i] = self->Sw[i] / (self->rows - 1);
        self->Sw[i] /= self->divisor;
    }
    add_between(self, self->weight, self->m, 1 / (self->rows - 1), self->St);
    if (self->spec->priors) {
        memset(self->weight, 0, self->C * sizeof *self->weight);
        self->rows = 0;
        DLDA_TRY(weigh_classes(self, self->spec->priors));
    }
    add_between(self, self->weight, self->m, 1 / self->divisor, self->Sb);
done:
    return status;
}

/* ---- Shrinkage ---- */

/* Adds s (m_c diag(S_c) - S_c) of class c, in the class's own units: Sw becomes the mean of the shrunk covariances. */
static void shrink_class(classic *self, size_t c, double s)
{
    const dlda_scatter *scatter = self->scatter;
    size_t D = self->D;
    const double *M = scatter->moments + c * D * D;
    double n = (double)scatter->counts[c], varying = 0;

    for (size_t i = 0; i < D; i++) varying += M[i * D + i] > 0;
    for (size_t i = 0; i < D; i++) {
        double deviation = dlda_class_deviation(scatter, c, i);
        for (size_t j = 0; j < D; j++) self->Sw[i * D + j] -= s * M[i * D + j] / self->divisor;
        self->Sw[i * D + i] += s * n * (varying / (double)D) * deviation * deviation / self->divisor;
    }
}

/* tr(Sw) / D in the units of the features. */
static double mean_variance(const classic *self)
{
    double sum = 0;

    for (size_t i = 0; i < self->D; i++) sum += self->Sw[i * self->D + i] / (self->unit[i] * self->unit[i]);
    return sum / (double)self->D;
}

static void shrink(classic *self)
{
    size_t D = self->D;
    double S = self->spec->shrinkage, target = S * mean_variance(self);

    for (size_t c = 0; self->spec->class_shrinkage && c < self->C; c++)
        if (is_usable(self, c)) shrink_class(self, c, self->spec->class_shrinkage[c]);
    if (self->spec->class_shrinkage || S == 0) return;
    for (size_t i = 0; i < D; i++) {
        for (size_t j = 0; j < D; j++) self->Sw[i * D + j] *= 1 - S;
        self->Sw[i * D + i] += target * self->unit[i] * self->unit[i];
    }
}

/* ---- The eigenproblem ---- */

/* G = Sw + lambda I, and Sb, both in units in which the diagonal of G is 1; `unit` becomes these units. */
static dlda_status change_units(classic *self)
{
    size_t D = self->D;

    for (size_t i = 0; i < D; i++) {
        double variance = self->Sw[i * D + i] + self->lambda * self->unit[i] * self->unit[i];
        if (!(variance > 0))
            return dlda_fail(DLDA_E_NUMERIC,
                             "LDA: feature %zu is constant within every class; a larger lambda helps", i + 1);
        self->G[i * D + i] = sqrt(variance);
    }
    for (size_t i = 0; i < D; i++) self->unit[i] = self->G[i * D + i];
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double scale = self->unit[i] * self->unit[j];
            self->G[i * D + j] = i == j ? 1 : self->Sw[i * D + j] / scale;
            self->Sb[i * D + j] /= scale;
        }
    return DLDA_OK;
}

/* 1 if Sw is singular or nearly so, in the units of its own standard deviations. */
static dlda_status is_singular(classic *self, int *yes)
{
    dlda_status status = DLDA_OK;
    size_t D = self->D;
    double smallest = 0;

    *yes = 1;
    for (size_t i = 0; i < D; i++)
        if (!(self->Sw[i * D + i] > 0)) return DLDA_OK;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++)
            self->G[i * D + j] = self->Sw[i * D + j] / sqrt(self->Sw[i * D + i] * self->Sw[j * D + j]);
    DLDA_TRY(dlda_eigen_smallest(D, self->G, &smallest));
    *yes = smallest < singular;
done:
    return status;
}

static dlda_status choose_lambda(classic *self)
{
    dlda_status status = DLDA_OK;
    int yes = 0;

    self->lambda = self->spec->lambda;
    if (self->lambda > 0) return DLDA_OK;
    DLDA_TRY(is_singular(self, &yes));
    if (!yes) return DLDA_OK;
    if (!self->spec->regularise)
        DLDA_FAIL(DLDA_E_NUMERIC,
                  "LDA: Sw is singular or nearly so: features are constant within the classes, or sums of others; "
                  "a lambda above 0 or shrinkage helps");
    self->lambda = relative_lambda * mean_variance(self);
    if (!(self->lambda > 0))
        DLDA_FAIL(DLDA_E_NUMERIC, "LDA: every feature is constant within every class, expected some variance");
done:
    return status;
}

/* Back to the units of the features; the largest component of each direction is positive. */
static void restore_units(classic *self)
{
    size_t D = self->D;

    for (size_t k = 0; k < D; k++) {
        double *e = self->E + k * D, largest = 0;
        for (size_t i = 0; i < D; i++) {
            e[i] /= self->unit[i];
            if (fabs(e[i]) > fabs(largest)) largest = e[i];
        }
        for (size_t i = 0; largest < 0 && i < D; i++) e[i] = -e[i];
        self->values[k] = fmax(self->values[k], 0); /* B has no negative ones but by rounding */
    }
}

static dlda_status solve(classic *self)
{
    dlda_status status = DLDA_OK;
    size_t D = self->D, usable = dlda_scatter_usable(self->scatter);

    for (size_t i = 0; i < D; i++) {
        double variance = self->St[i * D + i];
        self->unit[i] = self->spec->standardise && variance > 0 ? sqrt(variance) : 1;
    }
    shrink(self);
    DLDA_TRY(choose_lambda(self));
    DLDA_TRY(change_units(self));
    self->K = usable - 1 < D ? usable - 1 : D;
    DLDA_TRY(dlda_eigen_solve(self->eigen, self->Sb, self->G, D, self->values, self->E));
    restore_units(self);
done:
    return status;
}

/* ---- The fit ---- */

static dlda_status check_spec(const dlda_scatter *scatter, const dlda_classic_spec *spec)
{
    if (!(spec->lambda >= 0) || isinf(spec->lambda))
        return dlda_fail(DLDA_E_ARGUMENT, "LDA: lambda %g, expected 0 or more", spec->lambda);
    if (!(spec->shrinkage >= 0 && spec->shrinkage <= 1))
        return dlda_fail(DLDA_E_ARGUMENT, "LDA: shrinkage %g, expected 0 to 1", spec->shrinkage);
    if (spec->class_shrinkage && scatter->pooled)
        return dlda_fail(DLDA_E_ARGUMENT, "LDA: class_shrinkage and a pooled scatter, expected one that is not");
    for (size_t c = 0; spec->class_shrinkage && c < scatter->C; c++)
        if (!(spec->class_shrinkage[c] >= 0 && spec->class_shrinkage[c] <= 1))
            return dlda_fail(DLDA_E_ARGUMENT, "LDA: shrinkage of class %zu is %g, expected 0 to 1", c,
                             spec->class_shrinkage[c]);
    return dlda_scatter_check(scatter);
}

static dlda_status take_memory(classic *self)
{
    dlda_status status = DLDA_OK;
    size_t square = 0;

    DLDA_TRY(dlda_multiply_sizes(self->D, self->D, "LDA matrices", &square));
    DLDA_TRY(DLDA_TAKE(&self->weight, self->C, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->m, self->D, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->unit, self->D, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->values, self->D, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->Sw, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->St, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->Sb, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->G, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->E, square, "LDA matrices"));
    DLDA_TRY(dlda_eigen_create(self->D, &self->eigen));
done:
    return status;
}

static void release_memory(classic *self)
{
    double *const arrays[] = { self->weight, self->m,  self->unit, self->values, self->Sw,
                               self->St,     self->Sb, self->G,    self->E };

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) dlda_release(arrays[i]);
    dlda_eigen_destroy(self->eigen);
}

/* The scores use K directions, in which the class means differ. The others add g = sum of e (e'm) to the coefficients of
 * every class and -m'g / 2 to its intercept: (Sw + lambda I)^-1 is the sum of e e' over all D directions. */
static dlda_status find_common(const classic *self, dlda_lda *made)
{
    dlda_status status = DLDA_OK;
    size_t D = self->D;

    DLDA_TRY(DLDA_TAKE(&made->common, D + 1, "LDA"));
    for (size_t k = self->K; k < D; k++) {
        const double *e = self->E + k * D;
        double coordinate = 0;
        for (size_t i = 0; i < D; i++) coordinate += e[i] * self->m[i];
        for (size_t i = 0; i < D; i++) made->common[i] += coordinate * e[i];
        made->common[D] -= coordinate * coordinate / 2;
    }
done:
    return status;
}

static dlda_status make_lda(classic *self, int keeps_matrices, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    dlda_lda *made = NULL;
    size_t C = self->C, D = self->D;

    DLDA_TRY(dlda_lda_create(C, D, self->K, &made));
    made->lambda = self->lambda;
    for (size_t c = 0; c < C; c++) made->counts[c] = (double)self->scatter->counts[c];
    memcpy(made->M, self->scatter->means, C * D * sizeof *made->M);
    memcpy(made->A, self->E, self->K * D * sizeof *made->A);
    memcpy(made->eigenvalues, self->values, self->K * sizeof *made->eigenvalues);
    if (self->spec->priors) {
        DLDA_TRY(dlda_lda_take_priors(made));
        memcpy(made->priors, self->spec->priors, C * sizeof *made->priors);
    }
    if (keeps_matrices) {
        DLDA_TRY(find_common(self, made));
        made->Sw = self->Sw;
        made->St = self->St;
        self->Sw = self->St = NULL;
    }
    dlda_lda_prepare(made);
    *lda = made;
    made = NULL;
done:
    dlda_lda_destroy(made);
    return status;
}

dlda_status dlda_lda_fit_classic_as(const dlda_scatter *scatter, const dlda_classic_spec *spec, int keeps_matrices,
                                    dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    classic self = { .scatter = scatter, .spec = spec, .C = scatter->C, .D = scatter->D };

    DLDA_TRY(check_spec(scatter, spec));
    DLDA_TRY(take_memory(&self));
    DLDA_TRY(make_matrices(&self));
    DLDA_TRY(solve(&self));
    DLDA_TRY(make_lda(&self, keeps_matrices, lda));
done:
    release_memory(&self);
    return status;
}

dlda_status dlda_lda_fit_classic(const dlda_scatter *scatter, const dlda_classic_spec *spec, dlda_lda **lda)
{
    DLDA_NEED(scatter, spec, lda);
    return dlda_lda_fit_classic_as(scatter, spec, 1, lda);
}
