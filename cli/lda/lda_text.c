/* SPDX-License-Identifier: MIT
 *
 * lda_text.c - the results of `deeplda lda` as text: what was read, eigenvalues, means, coefficients, accuracy.
 *
 * Names come from files, which may be untrusted, so control characters are never printed.
 */
#include "lda/lda_out.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_LISTED = 20,   /* names of features in one list              */
    MOST_FEATURES = 40, /* rows of a table of coefficients            */
    MOST_CLASSES = 20,  /* columns of a table, rows of the confusion  */
    NAME_ROOM = 512,
    CELL = 10 /* least width of a column of numbers */
};

/* ---- Shared with JSON ---- */

void lda_feature_name(const dlda_lda *lda, const dlda_table *table, size_t j, size_t size, char *text)
{
    const dlda_feature *feature = lda ? dlda_lda_feature(lda, j) : NULL;

    if (!feature && table) feature = dlda_table_feature(table, j);
    if (!feature || !feature->column) snprintf(text, size, "feature %zu", j + 1);
    else if (feature->level) snprintf(text, size, "%s=%s", feature->column, feature->level);
    else snprintf(text, size, "%s", feature->column);
}

double lda_share(size_t part, size_t all)
{
    return all ? (double)part / (double)all : NAN;
}

size_t lda_fold_correct(const dlda_table_fit *fit)
{
    size_t sum = 0;

    for (size_t f = 0; f < fit->folds; f++) sum += fit->fold_correct[f];
    return sum;
}

double lda_class_coefficient(const dlda_lda *lda, size_t c, size_t j)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    return view->coefficients[c * view->features + j] + (view->common ? view->common[j] : 0);
}

double lda_class_constant(const dlda_lda *lda, size_t c)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    return view->intercepts[c] + (view->common ? view->common_intercept : 0);
}

double lda_unit(const lda_results *results, size_t j)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);
    double variance = view->total ? view->total[j * view->features + j] : 0;

    return results->standardised && variance > 0 ? sqrt(variance) : 1;
}

/* ---- What was read ---- */

static void print_column(const dlda_table *table, size_t column)
{
    const char *name = dlda_table_column_name(table, column);

    print("column %zu", column + 1);
    if (!name) return;
    fputs(", ", stdout);
    table_full_name(stdout, name[0] ? name : "without a name");
}

static void print_features(const lda_results *results)
{
    size_t features = dlda_table_features(results->table);
    char name[NAME_ROOM];

    print("features    ");
    if (!dlda_table_feature(results->table, 0)) {
        print("the %zu columns of the array\n", features);
        return;
    }
    for (size_t j = 0; j < features && j < MOST_LISTED; j++) {
        lda_feature_name(NULL, results->table, j, sizeof name, name);
        if (j > 0) fputs(", ", stdout);
        table_full_name(stdout, name);
    }
    if (features > MOST_LISTED) print(", ... (%zu in all)", features);
    fputc('\n', stdout);
}

static void print_unused(const dlda_table *table)
{
    size_t unused = 0;

    for (size_t i = 0; i < dlda_table_columns(table); i++) {
        if (dlda_table_uses_column(table, i)) continue;
        if (unused++ >= MOST_LISTED) continue;
        print("%s", unused == 1 ? "not used    " : "; ");
        print_column(table, i);
    }
    if (unused > MOST_LISTED) print("; ... (%zu in all)", unused);
    if (unused > 0) fputc('\n', stdout);
}

static void print_source(const lda_results *results)
{
    const dlda_table *table = results->table;
    const dlda_table_fit *fit = results->fit;
    size_t label = dlda_table_label_column(table), incomplete = dlda_table_incomplete_rows(table);

    print("%s: %zu rows, %zu features, %zu classes\n", results->path, fit->rows, dlda_table_features(table),
          fit->classes);
    if (label > 0) {
        print("label       ");
        print_column(table, label - 1);
        fputc('\n', stdout);
    }
    print_features(results);
    print_unused(table);
    if (incomplete > 0 && dlda_table_completes(table))
        print("missing     %zu rows were completed with the means of the columns\n", incomplete);
    else if (incomplete > 0) print("missing     %zu rows were left out\n", incomplete);
    fputc('\n', stdout);
}

static void print_classes(const lda_results *results)
{
    const dlda_table_fit *fit = results->fit;

    for (size_t c = 0; c < fit->classes; c++) {
        table_full_name(stdout, dlda_table_class_name(results->table, c));
        print(": %zu rows, prior %.4f", fit->class_rows[c], dlda_lda_prior(fit->lda, c));
        if (fit->class_shrinkage) print(", shrinkage %.4f", fit->class_shrinkage[c]);
        print("%s\n", fit->class_rows[c] < 2 ? ", too few to be recognised" : "");
    }
    fputc('\n', stdout);
}

/* ---- Tables with a row for each feature ---- */

/* The widest name of the features, "constant" included. */
static size_t feature_columns(const lda_results *results)
{
    size_t widest = strlen("constant");
    char name[NAME_ROOM];

    for (size_t j = 0; j < dlda_table_features(results->table); j++) {
        lda_feature_name(results->fit->lda, results->table, j, sizeof name, name);
        size_t width = table_width(name);
        if (width > widest) widest = width;
    }
    return widest;
}

static size_t class_columns(const lda_results *results, size_t c)
{
    size_t width = table_width(dlda_table_class_name(results->table, c));

    return width > CELL ? width : CELL;
}

static void print_right(const char *name, size_t columns)
{
    size_t width = table_width(name);

    print("  %*s", (int)(width < columns ? columns - width : 0), "");
    table_full_name(stdout, name);
}

static void print_class_head(const lda_results *results, size_t first)
{
    print("%*s", (int)first, "");
    for (size_t c = 0; c < results->fit->classes; c++)
        print_right(dlda_table_class_name(results->table, c), class_columns(results, c));
    fputc('\n', stdout);
}

static void print_feature(const lda_results *results, size_t j, size_t columns)
{
    char name[NAME_ROOM];

    lda_feature_name(results->fit->lda, results->table, j, sizeof name, name);
    table_full_name(stdout, name);
    print("%*s", (int)(columns - table_width(name)), "");
}

static void print_means(const lda_results *results, size_t columns)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);

    puts("\nmeans of the classes");
    print_class_head(results, columns);
    for (size_t j = 0; j < view->features; j++) {
        print_feature(results, j, columns);
        for (size_t c = 0; c < view->classes; c++)
            print("  %*.5g", (int)class_columns(results, c), view->means[c * view->features + j]);
        fputc('\n', stdout);
    }
}

static void print_scalings(const lda_results *results, size_t columns)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);

    print("\ncoefficients of the discriminants%s: the within-class variance of each is 1\n",
          results->standardised ? ", of features divided by their standard deviation" : "");
    print("%*s", (int)columns, "");
    for (size_t k = 0; k < view->n_directions; k++) {
        char name[32];
        snprintf(name, sizeof name, "LD%zu", k + 1);
        print_right(name, CELL);
    }
    fputc('\n', stdout);
    for (size_t j = 0; j < view->features; j++) {
        print_feature(results, j, columns);
        for (size_t k = 0; k < view->n_directions; k++)
            print("  %*.5g", CELL, view->directions[k * view->features + j] * lda_unit(results, j));
        fputc('\n', stdout);
    }
}

static void print_functions(const lda_results *results, size_t columns)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);

    print("\nclassification functions%s: the class with the largest value is predicted\n",
          results->standardised ? " of features divided by their standard deviation" : "");
    print_class_head(results, columns);
    print("%-*s", (int)columns, "constant");
    for (size_t c = 0; c < view->classes; c++)
        print("  %*.5g", (int)class_columns(results, c), lda_class_constant(results->fit->lda, c));
    fputc('\n', stdout);
    for (size_t j = 0; j < view->features; j++) {
        print_feature(results, j, columns);
        for (size_t c = 0; c < view->classes; c++)
            print("  %*.5g", (int)class_columns(results, c),
                  lda_class_coefficient(results->fit->lda, c, j) * lda_unit(results, j));
        fputc('\n', stdout);
    }
}

static void print_coefficients(const lda_results *results)
{
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);
    size_t columns = feature_columns(results);

    if (view->features > MOST_FEATURES || view->classes > MOST_CLASSES) {
        print("\nmeans and coefficients of %zu features and %zu classes: see --json\n", view->features,
              view->classes);
        return;
    }
    print_means(results, columns);
    print_scalings(results, columns);
    print_functions(results, columns);
}

/* ---- Accuracy ---- */

static void print_folds(const dlda_table_fit *fit)
{
    size_t correct = lda_fold_correct(fit);
    double least = 1, most = 0;

    for (size_t f = 0; f < fit->folds; f++) {
        double share = lda_share(fit->fold_correct[f], fit->fold_rows[f]);
        if (share < least) least = share; /* never true for a fold without rows */
        if (share > most) most = share;
    }
    print("cross-validated accuracy %.2f %%: %zu of %zu correct; ", 100 * lda_share(correct, fit->rows), correct,
          fit->rows);
    if (fit->folds == fit->rows) puts("leave-one-out");
    else print("the %zu folds have %.2f to %.2f %%\n", fit->folds, 100 * least, 100 * most);
}

static void print_confusion(const lda_results *results)
{
    const dlda_table_fit *fit = results->fit;
    const size_t *counts = fit->fold_confusion ? fit->fold_confusion : fit->confusion;
    size_t columns = 0;

    if (!counts || fit->classes > MOST_CLASSES) return;
    for (size_t c = 0; c < fit->classes; c++) {
        size_t width = table_width(dlda_table_class_name(results->table, c));
        if (width > columns) columns = width;
    }
    print("\nconfusion %s: a row for each true class, a column for each predicted class\n",
          fit->fold_confusion ? "in cross-validation" : "on the same rows");
    print_class_head(results, columns);
    for (size_t c = 0; c < fit->classes; c++) {
        const char *name = dlda_table_class_name(results->table, c);
        table_full_name(stdout, name);
        print("%*s", (int)(columns - table_width(name)), "");
        for (size_t p = 0; p < fit->classes; p++)
            print("  %*zu", (int)class_columns(results, p), counts[c * fit->classes + p]);
        fputc('\n', stdout);
    }
}

/* ---- All ---- */

void lda_print_text(const lda_results *results)
{
    const dlda_table_fit *fit = results->fit;

    print_source(results);
    print_classes(results);
    table_separation(stdout, fit->lda);
    print_coefficients(results);
    print("\naccuracy on the same rows %.2f %%: %zu of %zu correct\n", 100 * lda_share(fit->correct, fit->rows),
          fit->correct, fit->rows);
    if (fit->folds > 0) print_folds(fit);
    print_confusion(results);
    if (results->output[0] || results->saved[0]) print("\nwritten:\n");
    if (results->output[0]) print("  %s\n", results->output);
    if (results->saved[0]) print("  %s\n", results->saved);
}
