/* SPDX-License-Identifier: MIT
 *
 * lda_json.c - the results of `deeplda lda` as one JSON object.
 */
#include "lda/lda_out.h"
#include "terminal/json_out.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>

static void write_numbers(json_out *json, const double *values, size_t n)
{
    json_open(json, '[');
    for (size_t i = 0; i < n; i++) json_number(json, values[i]);
    json_close(json, ']');
}

static void write_names(json_out *json, const lda_results *results)
{
    size_t label = dlda_table_label_column(results->table);
    char name[1024];

    json_add_text(json, "label", label == 0 ? NULL : dlda_table_column_name(results->table, label - 1));
    json_key(json, "feature_names");
    json_open(json, '[');
    for (size_t j = 0; j < dlda_table_features(results->table); j++) {
        lda_feature_name(results->fit->lda, results->table, j, sizeof name, name);
        json_text(json, name);
    }
    json_close(json, ']');
    json_add_count(json, "incomplete_rows", dlda_table_incomplete_rows(results->table));
}

static void write_class(json_out *json, const lda_results *results, size_t c)
{
    const dlda_table_fit *fit = results->fit;
    const dlda_lda_view *view = dlda_lda_view_of(fit->lda);

    json_open(json, '{');
    json_add_text(json, "name", dlda_table_class_name(results->table, c));
    json_add_count(json, "rows", fit->class_rows[c]);
    json_add_number(json, "prior", view->priors[c]);
    if (fit->class_shrinkage) json_add_number(json, "shrinkage", fit->class_shrinkage[c]);
    json_key(json, "mean");
    write_numbers(json, view->means + c * view->features, view->features);
    json_add_number(json, "constant", lda_class_constant(fit->lda, c));
    json_key(json, "coefficients");
    json_open(json, '[');
    for (size_t j = 0; j < view->features; j++)
        json_number(json, lda_class_coefficient(fit->lda, c, j) * lda_unit(results, j));
    json_close(json, ']');
    json_close(json, '}');
}

static void write_discriminants(json_out *json, const lda_results *results)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);
    double sum = separation_sum(results->fit->lda);

    json_key(json, "eigenvalues");
    write_numbers(json, view->eigenvalues, view->n_directions);
    json_key(json, "explained");
    json_open(json, '[');
    for (size_t k = 0; k < view->n_directions; k++) json_number(json, sum > 0 ? view->eigenvalues[k] / sum : 0);
    json_close(json, ']');
    json_key(json, "scalings");
    json_open(json, '[');
    for (size_t k = 0; k < view->n_directions; k++) {
        json_open(json, '[');
        for (size_t j = 0; j < view->features; j++)
            json_number(json, view->directions[k * view->features + j] * lda_unit(results, j));
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void write_confusion(json_out *json, const char *key, const size_t *counts, size_t classes)
{
    json_key(json, key);
    if (!counts) {
        json_raw(json, "null");
        return;
    }
    json_open(json, '[');
    for (size_t c = 0; c < classes; c++) {
        json_open(json, '[');
        for (size_t p = 0; p < classes; p++) json_count(json, counts[c * classes + p]);
        json_close(json, ']');
    }
    json_close(json, ']');
}

static void write_accuracy(json_out *json, const dlda_table_fit *fit)
{
    json_add_number(json, "accuracy", lda_share(fit->correct, fit->rows));
    write_confusion(json, "confusion", fit->confusion, fit->classes);
    json_add_number(json, "cross_validated_accuracy",
                    fit->folds ? lda_share(lda_fold_correct(fit), fit->rows) : NAN);
    write_confusion(json, "cross_validated_confusion", fit->fold_confusion, fit->classes);
    json_key(json, "folds");
    json_open(json, '[');
    for (size_t f = 0; f < fit->folds; f++) {
        json_open(json, '{');
        json_add_count(json, "rows", fit->fold_rows[f]);
        json_add_count(json, "correct", fit->fold_correct[f]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

void lda_print_json(const lda_results *results)
{
    const dlda_table_fit *fit = results->fit;
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_add_count(&json, "rows", fit->rows);
    json_add_count(&json, "features", dlda_table_features(results->table));
    write_names(&json, results);
    json_key(&json, "classes");
    json_open(&json, '[');
    for (size_t c = 0; c < fit->classes; c++) write_class(&json, results, c);
    json_close(&json, ']');
    json_add_number(&json, "lambda", dlda_lda_view_of(fit->lda)->lambda);
    json_key(&json, "regularised");
    json_raw(&json, results->regularised ? "true" : "false");
    json_key(&json, "standardised");
    json_raw(&json, results->standardised ? "true" : "false");
    write_discriminants(&json, results);
    write_accuracy(&json, fit);
    json_add_number(&json, "fit_seconds", fit->fit_seconds);
    json_add_number(&json, "test_seconds", fit->test_seconds);
    json_close(&json, '}');
    fputc('\n', stdout);
}
