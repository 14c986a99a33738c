/* SPDX-License-Identifier: MIT
 *
 * spectrum.c - the functions of the LDA eigenvalues that the objectives maximise (docs/method.md, step 4). All but the
 * mean reward directions that separate equally well.
 */
#include "objective/spectrum.h"

#include <math.h>

static double smallest_of(const double *v, size_t K)
{
    double smallest = v[0];
    for (size_t j = 1; j < K; j++) smallest = fmin(smallest, v[j]);
    return smallest;
}

/* The paper's: mean of the eigenvalues below min v + epsilon, so that no direction is neglected. */
static double mean_of_smallest(const double *v, size_t K, double epsilon, double *w)
{
    double smallest = smallest_of(v, K), sum = 0;
    size_t count = 0;

    /* The smallest is included even if epsilon is 0. */
    for (size_t j = 0; j < K; j++) {
        w[j] = v[j] < smallest + epsilon || v[j] == smallest;
        sum += w[j] * v[j];
        count += w[j] != 0;
    }
    for (size_t j = 0; j < K; j++) w[j] /= (double)count;
    return sum / (double)count;
}

static double mean_of_all(const double *v, size_t K, double *w)
{
    double sum = 0;

    for (size_t j = 0; j < K; j++) {
        w[j] = 1 / (double)K;
        sum += v[j];
    }
    return sum / (double)K;
}

/* Mean of log(v + 0.1). Eigenvalues of null directions are slightly negative and must keep their gradient, so they
 * are not clipped at zero. Below an argument of 0.01 the logarithm is continued by its tangent. */
static double mean_of_logarithms(const double *v, size_t K, double *w)
{
    const double offset = 0.1, least = 0.01;
    double sum = 0;

    for (size_t j = 0; j < K; j++) {
        double a = v[j] + offset, guarded = fmax(a, least);
        sum += log(guarded) + (a - guarded) / guarded;
        w[j] = 1 / (guarded * (double)K);
    }
    return sum / (double)K;
}

/* Mean of v / (1 + v), Pillai's trace divided by K: the share of the variance along a direction that lies between the classes.
 * 1 + v = e'(St + lambda I)e is positive; the guard is for its rounding. */
static double mean_of_shares(const double *v, size_t K, double *w)
{
    const double least = 0.01;
    double sum = 0;

    for (size_t j = 0; j < K; j++) {
        double a = 1 + v[j], guarded = fmax(a, least);
        sum += 1 - 1 / guarded + (a - guarded) / (guarded * guarded);
        w[j] = 1 / (guarded * guarded * (double)K);
    }
    return sum / (double)K;
}

/* Weights softmax(-v), treated as constants: smooth where the paper's selection is discontinuous. */
static double soft_minimum(const double *v, size_t K, double *w)
{
    double smallest = smallest_of(v, K), total = 0, sum = 0;

    for (size_t j = 0; j < K; j++) total += w[j] = exp(smallest - v[j]);
    for (size_t j = 0; j < K; j++) {
        w[j] /= total;
        sum += w[j] * v[j];
    }
    return sum;
}

double dlda_spectrum_separation(dlda_objective_kind kind, const double *v, size_t K, double epsilon, double *w)
{
    switch (kind) {
    case DLDA_OBJECTIVE_LDA_MEAN: return mean_of_all(v, K, w);
    case DLDA_OBJECTIVE_LDA_LOG: return mean_of_logarithms(v, K, w);
    case DLDA_OBJECTIVE_LDA_SOFT: return soft_minimum(v, K, w);
    case DLDA_OBJECTIVE_LDA_TRACE: return mean_of_shares(v, K, w);
    case DLDA_OBJECTIVE_LDA:
    case DLDA_OBJECTIVE_LDA_BAYES:
    case DLDA_OBJECTIVE_CCE:
    case DLDA_OBJECTIVE_LDA_CCE: break; /* the last three are not functions of the spectrum */
    }
    return mean_of_smallest(v, K, epsilon, w);
}
