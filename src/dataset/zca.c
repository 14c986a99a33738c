/* SPDX-License-Identifier: MIT
 *
 * zca.c - applies ZCA whitening: y = (x - mean) P, as a matrix product of rows.
 *
 * The result of a row must not depend on the number of rows, or a prediction would differ from the training; that of a product
 * does not. A tile of 128 rows shares a panel of P, which is copied first to avoid cache conflicts between its distant rows.
 */
#include "dataset/zca.h"
#include "base/memory.h"
#include "kernels/kernels.h"

#include <string.h>

enum { ROWS = 128, COLUMNS = 64, DEPTH = 128 };

/* Distance between rows of scratch; not a power of 2, which d often is a multiple of, to avoid cache conflicts. */
static size_t stride_of(const dlda_zca *self)
{
    return self->d + 16;
}

dlda_status dlda_zca_create(size_t d, dlda_zca **zca)
{
    dlda_status status = DLDA_OK;
    dlda_zca *self = NULL;

    if (d < 1 || d > DLDA_ZCA_MOST)
        DLDA_FAIL(DLDA_E_ARGUMENT,
                  "zca: images of %zu values, expected 1 to %d; option resize makes images smaller", d,
                  DLDA_ZCA_MOST);
    DLDA_TRY(DLDA_TAKE(&self, 1, "zca"));
    self->d = d;
    DLDA_TRY(DLDA_TAKE(&self->mean, d, "zca"));
    DLDA_TRY(DLDA_TAKE(&self->P, d * d, "zca"));
    *zca = self;
    self = NULL;
done:
    dlda_zca_destroy(self);
    return status;
}

void dlda_zca_destroy(dlda_zca *self)
{
    if (!self) return;
    dlda_release(self->mean);
    dlda_release(self->P);
    dlda_release(self);
}

size_t dlda_zca_scratch(const dlda_zca *self, size_t n)
{
    return n * stride_of(self);
}

typedef struct whitening {
    const dlda_zca *zca;
    size_t n, panels; /* rows; number of tiles side by side          */
    float *X;         /* [n][d]                                      */
    float *centred;   /* [n][d], rows stride_of apart                */
} whitening;

static void centre_rows(void *context, const dlda_chunk *chunk)
{
    const whitening *job = context;
    size_t d = job->zca->d;

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        float *row = job->centred + i * stride_of(job->zca);
        for (size_t p = 0; p < d; p++) row[p] = job->X[i * d + p] - job->zca->mean[p];
    }
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* tile [rows][COLUMNS] = centred rows from `first` on, times the columns of P from `column` on. */
static void multiply_tile(const whitening *job, size_t first, size_t rows, size_t column, float *tile)
{
    const dlda_zca *zca = job->zca;
    size_t d = zca->d;
    float panel[DEPTH * COLUMNS];
    dlda_product product = {
        .m = rows, .n = smaller(d - column, COLUMNS), .lda = stride_of(zca), .ldb = COLUMNS, .ldc = COLUMNS
    };

    for (size_t k = 0; k < d; k += DEPTH) {
        product.k = smaller(d - k, DEPTH);
        product.accumulate = k > 0;
        for (size_t i = 0; i < product.k; i++)
            memcpy(panel + i * COLUMNS, zca->P + (k + i) * d + column, product.n * sizeof *panel);
        dlda_kernels_fast()->multiply(&product, job->centred + first * stride_of(zca) + k, panel, tile);
    }
}

static void whiten_tile(void *context, const dlda_chunk *chunk)
{
    const whitening *job = context;
    size_t d = job->zca->d;
    float tile[ROWS * COLUMNS];

    for (size_t t = chunk->begin; t < chunk->end; t++) {
        size_t first = t / job->panels * ROWS, column = t % job->panels * COLUMNS;
        size_t rows = smaller(job->n - first, ROWS), columns = smaller(d - column, COLUMNS);
        multiply_tile(job, first, rows, column, tile);
        for (size_t i = 0; i < rows; i++)
            memcpy(job->X + (first + i) * d + column, tile + i * COLUMNS, columns * sizeof *tile);
    }
}

void dlda_zca_run(const dlda_zca *self, dlda_team *team, size_t n, float *X, float *scratch)
{
    enum { GRAIN = 16 };
    size_t panels = dlda_parallel_chunks(self->d, COLUMNS), blocks = dlda_parallel_chunks(n, ROWS);
    whitening job = { self, n, panels, X, scratch };

    dlda_parallel_for(team, n, GRAIN, centre_rows, &job);
    dlda_parallel_for(team, blocks * panels, 1, whiten_tile, &job);
}
