/* SPDX-License-Identifier: MIT
 *
 * table_lda.c - classic LDA of a table: fit, cross-validation and accuracy, in blocks of rows.
 *
 * Scatters are additive: one pass computes those of the folds, and the LDA without fold f is fitted on
 * the sum of all others. A second pass classifies each row twice, by the LDA of all rows and by the one
 * fitted without its fold.
 *
 * Results do not depend on the number of threads: the rows of a block are split into a fixed number of parts, each
 * part has its own scatter, and scatters are added in order.
 */
#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "classify/lda_head.h"
#include "classify/table_folds.h"
#include "dataset/feature_table.h"
#include "dataset/npy.h"
#include "linalg/gemm.h"
#include "objective/scatter.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { MOST_FEATURES = 30000, ROWS_AT_ONCE = 128 };

/* Error messages are per thread; they are copied here for the caller's thread. */
typedef struct problem {
    dlda_status status;
    char message[512];
} problem;

typedef struct fitting {
    const dlda_table_fit_spec *spec;
    dlda_team *team;
    dlda_folds folds;
    size_t lanes;                         /* parts of each fold                                    */
    dlda_scatter **parts;                 /* [F][lanes]                                            */
    dlda_lda **ldas;                      /* [F + 1]: without fold f; the last one of all rows     */
    problem *problems;                    /* [F + 1]: error of each fit                            */
    double *scratch;                      /* [threads][ROWS_AT_ONCE][D + 2C]                       */
    double *T;                            /* [F][2C][D]  of both LDAs that classify rows of fold f */
    double *bias;                         /* [F][2C]                                               */
    atomic_size_t correct, *fold_correct; /* [F]                                                   */
    size_t *fold_rows;                    /* [F]                                                   */
} fitting;

/* ---- Scatters ---- */

/* Enough parts for many threads, but fewer if the matrices are large. */
static size_t lanes_of(size_t F, size_t D)
{
    enum { PARTS = 8 };
    const size_t most_values = (size_t)1 << 25;
    size_t lanes = (PARTS + F - 1) / F;

    while (lanes > 1 && lanes * F * D * D > most_values) lanes--;
    return lanes;
}

static dlda_status take_parts(fitting *self)
{
    dlda_status status = DLDA_OK;
    const dlda_folds *folds = &self->folds;

    self->lanes = lanes_of(folds->F, folds->D);
    DLDA_TRY(DLDA_TAKE(&self->parts, folds->F * self->lanes, "scatters"));
    for (size_t p = 0; p < folds->F * self->lanes; p++)
        DLDA_TRY(dlda_scatter_create_pooled(folds->C, folds->D, &self->parts[p]));
done:
    return status;
}

static void add_part(void *context, const dlda_chunk *chunk)
{
    fitting *self = context;
    const dlda_folds *folds = &self->folds;
    size_t f = chunk->index / self->lanes, lane = chunk->index % self->lanes;
    size_t first = folds->start[f], n = folds->start[f + 1] - first;
    size_t begin = first + n * lane / self->lanes, end = first + n * (lane + 1) / self->lanes;

    dlda_scatter_add_chosen(self->parts[chunk->index], folds->X, folds->labels, folds->order + begin, end - begin);
}

static dlda_status sum_up_rows(fitting *self)
{
    dlda_status status = DLDA_OK;
    size_t F = self->folds.F;

    DLDA_TRY(dlda_folds_rewind(&self->folds));
    DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    while (self->folds.n > 0) {
        dlda_parallel_for(self->team, F * self->lanes, 1, add_part, self);
        DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    }
    for (size_t f = 0; f < F; f++) /* the first part of each fold accumulates the others */
        for (size_t lane = 1; lane < self->lanes; lane++)
            DLDA_TRY(dlda_scatter_merge(self->parts[f * self->lanes], self->parts[f * self->lanes + lane]));
done:
    return status;
}

/* ---- Fitting ---- */

/* Fits the LDA of all folds but `left_out`; F: of all folds. */
static dlda_status fit_without(fitting *self, size_t left_out)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *sum = NULL;

    DLDA_TRY(dlda_scatter_create_pooled(self->folds.C, self->folds.D, &sum));
    for (size_t f = 0; f < self->folds.F; f++)
        if (f != left_out) DLDA_TRY(dlda_scatter_merge(sum, self->parts[f * self->lanes]));
    if (left_out == self->folds.F) DLDA_TRY(dlda_lda_fit(sum, self->spec->lambda, &self->ldas[left_out]));
    else DLDA_TRY(dlda_lda_fit_lean(sum, self->spec->lambda, &self->ldas[left_out]));
done:
    dlda_scatter_destroy(sum);
    return status;
}

static void fit_chunk(void *context, const dlda_chunk *chunk)
{
    fitting *self = context;
    problem *found = &self->problems[chunk->index];

    found->status = fit_without(self, chunk->index);
    if (found->status != DLDA_OK) snprintf(found->message, sizeof found->message, "%s", dlda_last_error());
}

static dlda_status fit_all(fitting *self)
{
    dlda_status status = DLDA_OK;
    size_t F = self->folds.F;

    DLDA_TRY(DLDA_TAKE(&self->ldas, F + 1, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->problems, F + 1, "LDA"));
    if (F == 1) return fit_without(self, 1);
    dlda_parallel_for(self->team, F + 1, 1, fit_chunk, self);
    const problem *all = &self->problems[F];
    if (all->status != DLDA_OK) DLDA_FAIL(all->status, "%s", all->message);
    for (size_t f = 0; f < F; f++)
        if (self->problems[f].status != DLDA_OK)
            DLDA_FAIL(self->problems[f].status, "without fold %zu of %zu: %s; fewer folds may help, or none at all",
                      f + 1, F, self->problems[f].message);
done:
    return status;
}

/* ---- Testing ---- */

/* Scores are x T' + bias; one product computes those of both LDAs. */
static void prepare_scores(fitting *self, size_t f)
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
static void classify_rows(fitting *self, size_t f, size_t begin, size_t end, double *scratch)
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
            right[which] += best == (size_t)folds->labels[folds->order[begin + i]];
        }
    atomic_fetch_add(&self->fold_correct[f], right[0]);
    atomic_fetch_add(&self->correct, right[1]);
}

static void classify_chunk(void *context, const dlda_chunk *chunk)
{
    fitting *self = context;
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

static dlda_status take_scores(fitting *self)
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
    DLDA_TRY(DLDA_TAKE(&self->fold_rows, F, "folds"));
done:
    return status;
}

static dlda_status classify_all(fitting *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(take_scores(self));
    for (size_t f = 0; f < self->folds.F; f++) prepare_scores(self, f);
    DLDA_TRY(dlda_folds_rewind(&self->folds));
    DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    while (self->folds.n > 0) {
        dlda_parallel_for(self->team, self->folds.n, ROWS_AT_ONCE, classify_chunk, self);
        for (size_t f = 0; f < self->folds.F; f++)
            self->fold_rows[f] += self->folds.start[f + 1] - self->folds.start[f];
        DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    }
done:
    return status;
}

/* ---- The result ---- */

static dlda_status name_classes(const dlda_table *table, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;
    const char **names = NULL;

    DLDA_TRY(DLDA_TAKE(&names, lda->C, "class names"));
    for (size_t c = 0; c < lda->C; c++) names[c] = dlda_table_class_name(table, c);
    DLDA_TRY(dlda_lda_name_classes(lda, names));
done:
    dlda_release(names);
    return status;
}

static dlda_status make_result(fitting *self, dlda_table_fit **fit)
{
    dlda_status status = DLDA_OK;
    dlda_table_fit *result = NULL;
    size_t F = self->folds.F, C = self->folds.C, *class_rows = NULL, *fold_correct = NULL;

    DLDA_TRY(name_classes(self->folds.table, self->ldas[F]));
    DLDA_TRY(DLDA_TAKE(&result, 1, "result"));
    DLDA_TRY(DLDA_TAKE(&class_rows, C, "result"));
    result->class_rows = class_rows;
    DLDA_TRY(DLDA_TAKE(&fold_correct, F, "result"));
    result->fold_correct = fold_correct;
    for (size_t f = 0; f < F; f++) fold_correct[f] = atomic_load(&self->fold_correct[f]);
    for (size_t c = 0; c < C; c++) class_rows[c] = (size_t)self->ldas[F]->counts[c];
    result->rows = dlda_table_rows(self->folds.table);
    result->classes = C;
    result->folds = F > 1 ? F : 0;
    result->correct = atomic_load(&self->correct);
    result->fold_rows = self->fold_rows;
    result->lda = self->ldas[F];
    self->fold_rows = NULL;
    self->ldas[F] = NULL;
    *fit = result;
    result = NULL;
done:
    dlda_table_fit_destroy(result);
    return status;
}

void dlda_table_fit_destroy(dlda_table_fit *fit)
{
    if (!fit) return;
    dlda_lda_destroy((dlda_lda *)fit->lda);
    dlda_release((size_t *)fit->class_rows);
    dlda_release((size_t *)fit->fold_rows);
    dlda_release((size_t *)fit->fold_correct);
    dlda_release(fit);
}

static void release_fitting(fitting *self)
{
    for (size_t p = 0; self->parts && p < self->folds.F * self->lanes; p++) dlda_scatter_destroy(self->parts[p]);
    for (size_t f = 0; self->ldas && f <= self->folds.F; f++) dlda_lda_destroy(self->ldas[f]);
    dlda_release(self->parts);
    dlda_release(self->ldas);
    dlda_release(self->problems);
    dlda_release(self->scratch);
    dlda_release(self->T);
    dlda_release(self->bias);
    dlda_release(self->fold_correct);
    dlda_release(self->fold_rows);
    dlda_folds_close(&self->folds);
    dlda_team_destroy(self->team);
}

static dlda_status check_spec(const dlda_table *table, const dlda_table_fit_spec *spec)
{
    if (dlda_table_classes(table) == 0)
        return dlda_fail(DLDA_E_SHAPE, "table: no labels, expected a label for each row");
    if (spec->folds == 1 || spec->folds > DLDA_MOST_FOLDS)
        return dlda_fail(DLDA_E_ARGUMENT, "folds: found %zu, expected 2 to %d, or 0 for none", spec->folds,
                         DLDA_MOST_FOLDS);
    if (dlda_table_features(table) > MOST_FEATURES)
        return dlda_fail(DLDA_E_SHAPE, "table: %zu features, expected at most %d", dlda_table_features(table),
                         MOST_FEATURES);
    return DLDA_OK;
}

dlda_status dlda_table_fit_lda(dlda_table *table, const dlda_table_fit_spec *spec, dlda_table_fit **fit)
{
    DLDA_NEED(table, spec, fit);
    dlda_status status = DLDA_OK;
    fitting self = { .spec = spec };
    double begun = dlda_seconds_now();

    DLDA_TRY(check_spec(table, spec));
    DLDA_TRY(dlda_team_create(spec->threads, &self.team));
    DLDA_TRY(dlda_folds_open(table, spec->folds, spec->seed, &self.folds));
    DLDA_TRY(take_parts(&self));
    DLDA_TRY(sum_up_rows(&self));
    DLDA_TRY(fit_all(&self));
    double fitted = dlda_seconds_now();
    DLDA_TRY(classify_all(&self));
    DLDA_TRY(make_result(&self, fit));
    (*fit)->fit_seconds = fitted - begun;
    (*fit)->test_seconds = dlda_seconds_now() - fitted;
done:
    release_fitting(&self);
    return status;
}
