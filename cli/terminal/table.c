/* SPDX-License-Identifier: MIT
 *
 * table.c - the text report: accuracy, classes, confusion matrix, eigenvalues.
 *
 * Class names come from files, which may be untrusted; print.h makes them safe for terminals.
 */
#include "terminal/table.h"
#include "base/utf8.h"
#include "eval/statistics.h"
#include "terminal/colour.h"
#include "terminal/print.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

enum {
    SCREEN_COLUMNS = 100,
    NAME_COLUMNS = 16,
    BAR_COLUMNS = 40,
    MATRIX_CLASSES = 20, /* more classes would not fit on a screen: a list of errors is printed instead */
    MOST_MISTAKES = 10
};

/* ---- Names ---- */

static size_t characters_in(const char *text)
{
    char character[5];
    size_t count = 0;

    for (size_t n = 0; (n = dlda_safe_character(text, character)) > 0; text += n) count++;
    return count;
}

/* Prints at most `columns` characters of a name and returns their number. */
static size_t print_name(FILE *file, const char *name, size_t columns)
{
    char character[5];
    size_t used = 0, bytes = 0, n = 0;

    for (; used < columns && (n = dlda_safe_character(name + bytes, character)) > 0; used++) bytes += n;
    print_to(file, "%.*s", (int)bytes, name);
    return used;
}

void table_text(FILE *file, const char *text)
{
    for (size_t n = 0; *text; text += n + (text[n] == '\n')) {
        n = strcspn(text, "\n");
        print_to(file, "%.*s", (int)n, text);
        if (text[n]) fputc('\n', file);
    }
}

void table_name(FILE *file, const char *name)
{
    print_name(file, name, NAME_COLUMNS);
}

void table_full_name(FILE *file, const char *name)
{
    print_name(file, name, SIZE_MAX);
}

size_t table_width(const char *name)
{
    return characters_in(name);
}

void table_padded(FILE *file, const char *name, size_t columns)
{
    for (size_t used = print_name(file, name, columns); used < columns; used++) fputc(' ', file);
}

static size_t name_columns(const dlda_model *model, size_t classes)
{
    size_t columns = strlen("class");

    for (size_t c = 0; c < classes; c++) {
        size_t length = characters_in(dlda_model_class_name(model, c));
        if (length > columns) columns = length;
    }
    return columns < NAME_COLUMNS ? columns : NAME_COLUMNS;
}

/* ---- Evaluation ---- */

static void print_percent(FILE *file, double fraction)
{
    if (isnan(fraction)) print_to(file, "  %9s", "-");
    else print_to(file, "  %7.2f %%", 100 * fraction);
}

static void print_classes(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, size_t columns)
{
    table_padded(file, "class", columns);
    print_to(file, "  %8s  %9s  %9s\n", "samples", "recall", "precision");
    for (size_t c = 0; c < evaluation->classes; c++) {
        table_padded(file, dlda_model_class_name(model, c), columns);
        print_to(file, "  %8zu", evaluation->class_samples[c]);
        print_percent(file, evaluation->recall[c]);
        print_percent(file, evaluation->precision[c]);
        fputc('\n', file);
    }
}

/* Columns for the largest count and for the names: whole ones if the matrix then fits on a screen, else 6 characters. */
static size_t cell_columns(const dlda_model *model, const dlda_evaluation *evaluation)
{
    size_t columns = 3, room = (SCREEN_COLUMNS - NAME_COLUMNS) / evaluation->classes;
    size_t most = room > 7 ? room - 1 : 6;

    for (size_t i = 0; i < evaluation->classes * evaluation->classes; i++) {
        size_t digits = (size_t)snprintf(NULL, 0, "%zu", evaluation->confusion[i]);
        if (digits > columns) columns = digits;
    }
    for (size_t c = 0; c < evaluation->classes; c++) {
        size_t length = characters_in(dlda_model_class_name(model, c));
        if (length > columns && columns < most) columns = length < most ? length : most;
    }
    return columns;
}

static void print_matrix_head(FILE *file, const dlda_model *model, size_t classes, size_t columns, size_t cell)
{
    table_padded(file, "", columns);
    for (size_t c = 0; c < classes; c++) {
        const char *name = dlda_model_class_name(model, c);
        size_t length = characters_in(name);
        print_to(file, " %*s", (int)(length < cell ? cell - length : 0), "");
        table_padded(file, name, length < cell ? length : cell);
    }
    fputc('\n', file);
}

static void print_matrix(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, size_t columns)
{
    size_t classes = evaluation->classes, cell = cell_columns(model, evaluation);

    fputs("\nconfusion: a row for each true class, a column for each predicted class\n", file);
    print_matrix_head(file, model, classes, columns, cell);
    for (size_t row = 0; row < classes; row++) {
        table_padded(file, dlda_model_class_name(model, row), columns);
        for (size_t c = 0; c < classes; c++) {
            size_t count = evaluation->confusion[row * classes + c];
            if (count == 0) print_to(file, " %*s", (int)cell, ".");
            else print_to(file, " %*zu", (int)cell, count);
        }
        fputc('\n', file);
    }
}

/* The off-diagonal entry after `previous` in descending order, ties by index; -1 if there is none. */
static long next_mistake(const dlda_evaluation *evaluation, long previous)
{
    const size_t *counts = evaluation->confusion;
    long best = -1, cells = (long)(evaluation->classes * evaluation->classes);

    for (long i = 0; i < cells; i++) {
        int diagonal = (size_t)i % (evaluation->classes + 1) == 0;
        int comes_after = previous < 0 || counts[i] < counts[previous] ||
                          (counts[i] == counts[previous] && i > previous);
        if (diagonal || counts[i] == 0 || !comes_after) continue;
        if (best < 0 || counts[i] > counts[best]) best = i;
    }
    return best;
}

static void print_mistakes(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, size_t columns)
{
    long at = -1;

    fputs("\nmost frequent mistakes: true class, predicted class, how often\n", file);
    for (int n = 0; n < MOST_MISTAKES && (at = next_mistake(evaluation, at)) >= 0; n++) {
        table_padded(file, dlda_model_class_name(model, (size_t)at / evaluation->classes), columns);
        fputs("  ", file);
        table_padded(file, dlda_model_class_name(model, (size_t)at % evaluation->classes), columns);
        print_to(file, "  %8zu\n", evaluation->confusion[at]);
    }
}

void table_evaluation(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, const char *what)
{
    size_t columns = name_columns(model, evaluation->classes);
    stat_interval interval = stat_share_interval(evaluation->correct, evaluation->samples);

    print_to(
        file, "%s%s accuracy %.2f %%%s (95 %% interval %.2f to %.2f %%): %zu of %zu correct, log loss %.4f\n\n",
        colour(file, COLOUR_HEADING), what, 100 * evaluation->accuracy, colour(file, COLOUR_END),
        100 * interval.low, 100 * interval.high, evaluation->correct, evaluation->samples, evaluation->log_loss);
    print_classes(file, model, evaluation, columns);
    if (evaluation->classes <= MATRIX_CLASSES) print_matrix(file, model, evaluation, columns);
    else print_mistakes(file, model, evaluation, columns);
}

void table_calibration(FILE *file, const dlda_model *model, dlda_probability kind)
{
    size_t samples = dlda_model_calibration_samples(model);

    if (kind == DLDA_PROBABILITY_PAPER) fputs("not calibrated; --proba bayes is", file);
    else if (samples == 0) fputs("not calibrated, since no samples were held out", file);
    else
        print_to(file, "temperature %.4g, fitted on %zu held-out samples%s", dlda_model_temperature(model, kind),
                 samples, dlda_model_calibration_is_kept(model) ? " before the head was changed" : "");
}

/* ---- Eigenvalues ---- */

/* A bar for `share` (0 to 1) of BAR_COLUMNS columns, in eighths of a column on UTF-8 terminals. */
static void print_bar(FILE *file, double share)
{
    static const char *const eighths[] = {
        "", "\u258F", "\u258E", "\u258D", "\u258C", "\u258B", "\u258A", "\u2589"
    };
    int unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    int length = share > 0 ? (int)lround(share * BAR_COLUMNS * 8) : 0;

    for (int i = 0; i < length / 8; i++) print_to(file, "%s", unicode ? "\u2588" : "#");
    if (unicode) print_to(file, "%s", eighths[length % 8]);
}

void table_eigenvalues(FILE *file, const dlda_lda *lda)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);

    print_to(file, "%zu eigenvalues: how well each direction separates the classes\n", count);
    for (size_t i = 0; i < count; i++) {
        print_to(file, "%3zu  %10.4f  ", i + 1, values[i]);
        print_bar(file, values[0] > 0 ? values[i] / values[0] : 0);
        fputc('\n', file);
    }
}

double separation_sum(const dlda_lda *lda)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);
    double sum = 0;

    for (size_t i = 0; i < count; i++) sum += fmax(values[i], 0);
    return sum;
}

void table_separation(FILE *file, const dlda_lda *lda)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);
    double sum = separation_sum(lda), so_far = 0;

    print_to(file,
             "%zu eigenvalues, and the share of the separation that each explains, alone and with those before\n",
             count);
    for (size_t i = 0; i < count; i++) {
        double share = sum > 0 ? fmax(values[i], 0) / sum : 0;
        so_far += share;
        print_to(file, "%3zu  %10.4f  %6.2f %%  %6.2f %%  ", i + 1, values[i], 100 * share, 100 * so_far);
        print_bar(file, share);
        fputc('\n', file);
    }
}
