/* SPDX-License-Identifier: MIT
 *
 * table_scores.c - classifies the rows of a table, each by two LDAs: of all rows, and without the row's fold.
 */
#include "base/memory.h"
#include "classify/lda_head.h"
#include "classify/table_fit.h"
#include "dataset/feature_table.h"
#include "linalg/gemm.h"

#include <string.h>

enum { ROWS_AT_ONCE = 128, MOST_CONFUSED = 1000 };

/* Scores are x T' + bias; one product computes those of both LDAs. */
static void prepare_scores(dlda_fitting *self, size_t f)
{
    size_t C = self->folds.C, D = self->folds.D;

    for (size_t which = 0; which < 2; which++) {
        const dlda_lda *lda = self->ldas[which || self->folds.F == 1 ? self->folds.F : f];
        memcpy(self->T + (2 * f + which) * C * D, lda->T, C * D * sizeof *lda->T);
        for (size_t c = 0; c < C; c++)
            self->bias[(2 * f + which) * C + c] = lda->offset[c] + lda->log_prior[c]; /* -inf: never predicted */
    }
}

static size_t best_class(const double *scores, const double *bias, size_t C)
{
    size_t best = 0;

    for (size_t c = 1; c < C; c++)
        if (scores[c] + bias[c] > scores[best] + bias[best]) best = c;
    return best;
}

/* Converts rows index[0 .. n-1] to double. */
static void widen_rows(const float *X, size_t D, const size_t *index, size_t n, double *rows)
{
    for (size_t i = 0; i < n; i++) {
        const float *x = X + index[i] * D;
        for (size_t j = 0; j < D; j++) rows[i * D + j] = x[j];
    }
}

/* Classifies rows order[begin .. end-1], all of fold f, at most ROWS_AT_ONCE. */
static void classify_rows(dlda_fitting *self, size_t f, size_t begin, size_t end, double *scratch)
{
    const dlda_folds *folds = &self->folds;
    size_t C = folds->C, D = folds->D, n = end - begin, right[2] = { 0, 0 };
    double *scores = scratch + ROWS_AT_ONCE * D;
    const double *bias = self->bias + 2 * f * C;

    widen_rows(folds->X, D, folds->order + begin, n, scratch);
    dlda_double_gemm(n, 2 * C, D, scratch, self->T + 2 * f * C * D, 1, scores);
    for (size_t i = 0; i < n; i++)
        for (size_t which = 0; which < 2; which++) {
            size_t best = best_class(scores + (2 * i + which) * C, bias + which * C, C);
            size_t truth = (size_t)folds->labels[folds->order[begin + i]];
            right[which] += best == truth;
            if (self->confusion) atomic_fetch_add(&self->confusion[(which * C + truth) * C + best], 1);
        }
    atomic_fetch_add(&self->fold_correct[f], right[0]);
    atomic_fetch_add(&self->correct, right[1]);
}

static void classify_chunk(void *context, const dlda_chunk *chunk)
{
    dlda_fitting *self = context;
    const size_t *start = self->folds.start;
    double *scratch = self->scratch + chunk->worker * ROWS_AT_ONCE * (self->folds.D + 2 * self->folds.C);
    size_t f = 0;

    for (size_t begin = chunk->begin; begin < chunk->end;) {
        while (start[f + 1] <= begin) f++;
        size_t end = start[f + 1] < chunk->end ? start[f + 1] : chunk->end;
        classify_rows(self, f, begin, end, scratch);
        begin = end;
    }
}

static dlda_status take_scores(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    size_t C = self->folds.C, D = self->folds.D, F = self->folds.F, n = 0, scratch = 0;

    DLDA_TRY(dlda_multiply_sizes(2 * F * C, D, "class scores", &n));
    DLDA_TRY(
        dlda_multiply_sizes(dlda_team_threads(self->team) * ROWS_AT_ONCE, D + 2 * C, "class scores", &scratch));
    DLDA_TRY(DLDA_TAKE(&self->T, n, "class scores"));
    DLDA_TRY(DLDA_TAKE(&self->bias, 2 * F * C, "class scores"));
    DLDA_TRY(DLDA_TAKE(&self->scratch, scratch, "class scores"));
    DLDA_TRY(DLDA_TAKE(&self->fold_correct, F, "folds"));
    DLDA_TRY(DLDA_TAKE(&self->fold_tested, F, "folds"));
    if (C <= MOST_CONFUSED) DLDA_TRY(DLDA_TAKE(&self->confusion, 2 * C * C, "confusion"));
done:
    return status;
}

/* Adds n counters over all ranks. */
static dlda_status sum_counters(const dlda_comm *comm, atomic_size_t *counters, size_t n)
{
    dlda_status status = DLDA_OK;
    double *sums = NULL;

    if (!comm || n == 0) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&sums, n, "counters"));
    for (size_t i = 0; i < n; i++) sums[i] = (double)atomic_load(&counters[i]);
    DLDA_TRY(dlda_comm_sum(comm, sums, n));
    for (size_t i = 0; i < n; i++) atomic_store(&counters[i], (size_t)sums[i]);
done:
    dlda_release(sums);
    return status;
}

static dlda_status sum_scores(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    const dlda_comm *comm = dlda_table_comm(self->folds.table);
    size_t F = self->folds.F, C = self->folds.C;

    DLDA_TRY(sum_counters(comm, &self->correct, 1));
    DLDA_TRY(sum_counters(comm, self->fold_correct, F));
    DLDA_TRY(sum_counters(comm, self->fold_tested, F));
    DLDA_TRY(sum_counters(comm, self->confusion, self->confusion ? 2 * C * C : 0));
done:
    return status;
}

dlda_status dlda_fitting_classify(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(take_scores(self));
    for (size_t f = 0; f < self->folds.F; f++) prepare_scores(self, f);
    DLDA_TRY(dlda_folds_rewind(&self->folds));
    DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    while (self->folds.n > 0) {
        dlda_parallel_for(self->team, self->folds.n, ROWS_AT_ONCE, classify_chunk, self);
        for (size_t f = 0; f < self->folds.F; f++)
            atomic_fetch_add(&self->fold_tested[f], self->folds.start[f + 1] - self->folds.start[f]);
        DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    }
    DLDA_TRY(sum_scores(self));
done:
    return status;
}
