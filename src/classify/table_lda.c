/* SPDX-License-Identifier: MIT
 *
 * table_lda.c - classic LDA of a table: fit, cross-validation and accuracy, in blocks of rows.
 */
#include "base/clock.h"
#include "base/comm.h"
#include "base/memory.h"
#include "classify/lda_head.h"
#include "classify/table_fit.h"
#include "dataset/feature_table.h"
#include "objective/scatter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FEATURES = 30000 };

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

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Puts the features to `list` [D]; 0 if their columns have no names, or equal ones, which would be ambiguous. */
static int list_features(const dlda_table *table, size_t D, dlda_feature *list, const char **names)
{
    size_t n = 0;

    for (size_t j = 0; j < D; j++) {
        const dlda_feature *feature = dlda_table_feature(table, j);
        if (!feature || !feature->column || !feature->column[0]) return 0;
        list[j] = *feature;
        if (!list[j].level) names[n++] = list[j].column; /* levels of one column share its name */
    }
    qsort(names, n, sizeof *names, by_name);
    for (size_t i = 1; i < n; i++)
        if (strcmp(names[i - 1], names[i]) == 0) return 0;
    return 1;
}

static dlda_status name_features(const dlda_table *table, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;
    dlda_feature *list = NULL;
    const char **names = NULL;

    DLDA_TRY(DLDA_TAKE(&list, lda->D, "feature names"));
    DLDA_TRY(DLDA_TAKE(&names, lda->D, "feature names"));
    if (list_features(table, lda->D, list, names)) DLDA_TRY(dlda_lda_name_features(lda, list));
done:
    dlda_release(list);
    dlda_release(names);
    return status;
}

static dlda_status copy_confusion(const dlda_fitting *self, size_t which, const size_t **matrix)
{
    size_t cells = self->folds.C * self->folds.C, *copy = NULL;
    dlda_status status = DLDA_TAKE(&copy, cells, "result");

    for (size_t i = 0; status == DLDA_OK && i < cells; i++)
        copy[i] = atomic_load(&self->confusion[which * cells + i]);
    *matrix = copy;
    return status;
}

static double largest_lambda(const dlda_fitting *self)
{
    double largest = 0;

    for (size_t f = 0; self->folds.F > 1 && f < self->folds.F; f++) largest = fmax(largest, self->ldas[f]->lambda);
    return largest;
}

static dlda_status make_result(dlda_fitting *self, dlda_table_fit **fit)
{
    dlda_status status = DLDA_OK;
    dlda_table_fit *result = NULL;
    size_t F = self->folds.F, C = self->folds.C, *class_rows = NULL, *fold_correct = NULL, *fold_rows = NULL;

    DLDA_TRY(name_classes(self->folds.table, self->ldas[F]));
    DLDA_TRY(name_features(self->folds.table, self->ldas[F]));
    DLDA_TRY(DLDA_TAKE(&result, 1, "result"));
    DLDA_TRY(DLDA_TAKE(&class_rows, C, "result"));
    result->class_rows = class_rows;
    DLDA_TRY(DLDA_TAKE(&fold_correct, F, "result"));
    result->fold_correct = fold_correct;
    DLDA_TRY(DLDA_TAKE(&fold_rows, F, "result"));
    result->fold_rows = fold_rows;
    for (size_t f = 0; f < F; f++) {
        fold_correct[f] = atomic_load(&self->fold_correct[f]);
        fold_rows[f] = atomic_load(&self->fold_tested[f]);
    }
    for (size_t c = 0; c < C; c++) class_rows[c] = (size_t)self->ldas[F]->counts[c];
    if (self->confusion) DLDA_TRY(copy_confusion(self, 1, &result->confusion));
    if (self->confusion && F > 1) DLDA_TRY(copy_confusion(self, 0, &result->fold_confusion));
    result->rows = dlda_table_rows(self->folds.table);
    result->classes = C;
    result->folds = F > 1 ? F : 0;
    result->correct = atomic_load(&self->correct);
    result->fold_lambda = largest_lambda(self);
    result->class_shrinkage = self->class_shrinkage;
    self->class_shrinkage = NULL;
    result->lda = self->ldas[F];
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
    dlda_release((size_t *)fit->confusion);
    dlda_release((size_t *)fit->fold_confusion);
    dlda_release((double *)fit->class_shrinkage);
    dlda_release(fit);
}

static void release_fitting(dlda_fitting *self)
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
    dlda_release(self->fold_tested);
    dlda_release(self->confusion);
    dlda_release(self->class_shrinkage);
    dlda_folds_close(&self->folds);
    dlda_team_destroy(self->team);
}

static dlda_status check_spec(const dlda_table *table, const dlda_table_fit_spec *spec)
{
    if (dlda_table_classes(table) == 0)
        return dlda_fail(DLDA_E_SHAPE, "table: no labels, expected a label for each row");
    if (spec->folds > dlda_table_rows(table))
        return dlda_fail(DLDA_E_ARGUMENT, "folds: found %zu, expected at most %zu, the number of rows", spec->folds,
                         dlda_table_rows(table));
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
    dlda_fitting self = { .spec = spec };
    double begun = dlda_seconds_now();

    DLDA_TRY(check_spec(table, spec));
    DLDA_TRY(dlda_team_create(spec->threads, &self.team));
    DLDA_TRY(dlda_folds_open(table, spec->folds, spec->seed, &self.folds));
    DLDA_TRY(dlda_fitting_fit(&self));
    double fitted = dlda_seconds_now();
    DLDA_TRY(dlda_fitting_classify(&self));
    DLDA_TRY(make_result(&self, fit));
    (*fit)->fit_seconds = fitted - begun;
    (*fit)->test_seconds = dlda_seconds_now() - fitted;
done:
    release_fitting(&self);
    return status == DLDA_OK ? status : dlda_comm_fail(dlda_table_comm(table), status);
}
