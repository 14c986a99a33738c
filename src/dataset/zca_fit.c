/* SPDX-License-Identifier: MIT
 *
 * zca_fit.c - fits ZCA whitening: mean, covariance and its inverse square root, from portions of rows.
 *
 * Everything is in double: eigenvalues span five decades and the smallest matter most; sums in float would have
 * errors of that size. The covariance is divided into square tiles, of which those on and above the diagonal are
 * computed. Threads share the work by tiles, so the result does not depend on their number.
 */
#include "base/memory.h"
#include "dataset/zca.h"
#include "linalg/eigen.h"
#include "linalg/gemm.h"

#include <math.h>
#include <string.h>

enum { TILE = 256 };

struct dlda_moments {
    size_t d, tiles; /* tiles: per side */
    dlda_team *team;
    size_t count;       /* rows of the first pass            */
    double *sum;        /* [d]                               */
    double *S;          /* [d][d], on and above the diagonal */
    double *deviations; /* [most][d] of a portion            */
};

dlda_status dlda_moments_create(size_t d, size_t most, dlda_team *team, dlda_moments **moments)
{
    dlda_status status = DLDA_OK;
    dlda_moments *self = NULL;
    size_t square = 0, portion = 0;

    DLDA_TRY(dlda_multiply_sizes(d, d, "covariance", &square));
    DLDA_TRY(dlda_multiply_sizes(most, d, "covariance", &portion));
    DLDA_TRY(DLDA_TAKE(&self, 1, "covariance"));
    self->d = d;
    self->tiles = dlda_parallel_chunks(d, TILE);
    self->team = team;
    DLDA_TRY(DLDA_TAKE(&self->sum, d, "covariance"));
    DLDA_TRY(DLDA_TAKE(&self->S, square, "covariance"));
    DLDA_TRY(DLDA_TAKE(&self->deviations, portion, "covariance"));
    *moments = self;
    self = NULL;
done:
    dlda_moments_destroy(self);
    return status;
}

void dlda_moments_destroy(dlda_moments *self)
{
    if (!self) return;
    dlda_release(self->sum);
    dlda_release(self->S);
    dlda_release(self->deviations);
    dlda_release(self);
}

/* A portion of rows being processed by the threads. */
typedef struct portion {
    dlda_moments *moments;
    size_t n;
    const float *X; /* [n][d] */
} portion;

static void add_columns(void *context, const dlda_chunk *chunk)
{
    const portion *job = context;
    size_t d = job->moments->d;

    for (size_t i = 0; i < job->n; i++)
        for (size_t p = chunk->begin; p < chunk->end; p++) job->moments->sum[p] += job->X[i * d + p];
}

void dlda_moments_add(dlda_moments *self, size_t n, const float *X)
{
    dlda_parallel_for(self->team, self->d, TILE, add_columns, &(portion){ self, n, X });
    self->count += n;
}

static void centre_rows(void *context, const dlda_chunk *chunk)
{
    const portion *job = context;
    const dlda_moments *self = job->moments;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        for (size_t p = 0, at = i * self->d; p < self->d; p++, at++)
            self->deviations[at] = job->X[at] - self->sum[p] / (double)self->count;
}

/* Row and column of tile t, counting row by row on and above the diagonal. */
static void find_tile(size_t tiles, size_t t, size_t *row, size_t *column)
{
    for (*row = 0; t >= tiles - *row; ++*row) t -= tiles - *row;
    *column = *row + t;
}

static void add_tile(void *context, const dlda_chunk *chunk)
{
    const portion *job = context;
    const dlda_moments *self = job->moments;
    size_t row = 0, column = 0;

    find_tile(self->tiles, chunk->begin, &row, &column);
    row *= TILE;
    column *= TILE;
    size_t m = self->d - row < TILE ? self->d - row : TILE, n = self->d - column < TILE ? self->d - column : TILE;
    dlda_double_add_cross_products(m, n, job->n, self->deviations + row, self->deviations + column,
                                   self->S + row * self->d + column, self->d);
}

void dlda_moments_add_products(dlda_moments *self, size_t n, const float *X)
{
    enum { GRAIN = 16 };
    portion job = { self, n, X };

    dlda_parallel_for(self->team, n, GRAIN, centre_rows, &job);
    dlda_parallel_for(self->team, self->tiles * (self->tiles + 1) / 2, 1, add_tile, &job);
}

dlda_status dlda_moments_sum(dlda_moments *self, const dlda_comm *comm)
{
    double count = (double)self->count;
    dlda_status status = dlda_comm_sum(comm, self->sum, self->d);

    if (status == DLDA_OK) status = dlda_comm_sum(comm, &count, 1);
    self->count = (size_t)count;
    return status;
}

dlda_status dlda_moments_sum_products(dlda_moments *self, const dlda_comm *comm)
{
    return dlda_comm_sum(comm, self->S, self->d * self->d);
}

/* ---- Inverse square root ---- */

/* S becomes the full covariance matrix plus bias. */
static void finish_covariance(dlda_moments *self, double bias)
{
    size_t d = self->d;

    for (size_t i = 0; i < d; i++)
        for (size_t j = i; j < d; j++) {
            double value = self->S[i * d + j] / (double)self->count + (i == j ? bias : 0);
            self->S[i * d + j] = self->S[j * d + i] = value;
        }
}

/* P = W'W, where W has the rows e / v^(1/4). */
static dlda_status inverse_root(size_t d, double *E, const double *v, float *P)
{
    dlda_status status = DLDA_OK;
    double *root = NULL;

    DLDA_TRY(DLDA_TAKE(&root, d * d, "zca"));
    for (size_t j = 0; j < d; j++) {
        double factor = 1 / sqrt(sqrt(v[j]));
        for (size_t i = 0; i < d; i++) E[j * d + i] *= factor;
    }
    dlda_double_add_products(d, d, E, root);
    for (size_t i = 0; i < d * d; i++) P[i] = (float)root[i];
done:
    dlda_release(root);
    return status;
}

dlda_status dlda_zca_solve(dlda_zca *zca, dlda_moments *moments, double bias)
{
    dlda_status status = DLDA_OK;
    size_t d = zca->d;
    double *values = NULL;

    DLDA_TRY(DLDA_TAKE(&values, d, "zca"));
    for (size_t p = 0; p < d; p++) zca->mean[p] = (float)(moments->sum[p] / (double)moments->count);
    finish_covariance(moments, bias);
    DLDA_TRY(dlda_eigen_symmetric(d, moments->S, values));
    /* Null directions have eigenvalues of about 1e-16 of the largest from rounding; their
     * inverse root would be noise. */
    if (!(values[0] > 1e-12 * values[d - 1]))
        DLDA_FAIL(DLDA_E_NUMERIC,
                  "zca: the covariance has eigenvalues from %g to %g, expected positive ones; a larger zca-bias "
                  "helps",
                  values[0], values[d - 1]);
    DLDA_TRY(inverse_root(d, moments->S, values, zca->P));
done:
    dlda_release(values);
    return status;
}
