/* SPDX-License-Identifier: MIT
 *
 * cmd_lda.c - `deeplda lda`: classic LDA of a table of features: eigenvalues, accuracy in
 * cross-validation, and projected rows.
 */
#include "cli.h"
#include "predict/apply_lda.h"
#include "terminal/json_out.h"
#include "terminal/table.h"

#include <math.h>
#include <stdio.h>

static const char *const name = "lda";

/* ---- Results ---- */

static double share_of(size_t part, size_t all)
{
    return all ? (double)part / (double)all : NAN;
}

static size_t sum_of(const size_t *counts, size_t n)
{
    size_t sum = 0;

    for (size_t i = 0; i < n; i++) sum += counts[i];
    return sum;
}

static void print_folds(const dlda_table_fit *fit)
{
    size_t correct = sum_of(fit->fold_correct, fit->folds);
    double least = 1, most = 0;

    for (size_t f = 0; f < fit->folds; f++) {
        double share = share_of(fit->fold_correct[f], fit->fold_rows[f]);
        if (share < least) least = share;
        if (share > most) most = share;
    }
    printf("cross-validated accuracy %.2f %%: %zu of %zu correct; the %zu folds have %.2f to %.2f %%\n",
           100 * share_of(correct, fit->rows), correct, fit->rows, fit->folds, 100 * least, 100 * most);
}

static void print_text(const char *path, const dlda_table *table, const dlda_table_fit *fit, const char *output,
                       const char *saved)
{
    printf("%s: %zu rows, %zu features, %zu classes\n\n", path, fit->rows, dlda_table_features(table),
           fit->classes);
    for (size_t c = 0; c < fit->classes; c++) {
        table_name(stdout, dlda_table_class_name(table, c));
        printf(": %zu rows%s\n", fit->class_rows[c], fit->class_rows[c] < 2 ? ", too few to be recognised" : "");
    }
    fputc('\n', stdout);
    table_separation(stdout, fit->lda);
    printf("\naccuracy on the same rows %.2f %%: %zu of %zu correct\n", 100 * share_of(fit->correct, fit->rows),
           fit->correct, fit->rows);
    if (fit->folds > 0) print_folds(fit);
    if (output[0] || saved[0]) printf("\nwritten:\n");
    if (output[0]) printf("  %s\n", output);
    if (saved[0]) printf("  %s\n", saved);
}

static void write_classes(json_out *json, const dlda_table *table, const dlda_table_fit *fit)
{
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; c < fit->classes; c++) {
        json_open(json, '{');
        json_key(json, "name");
        json_text(json, dlda_table_class_name(table, c));
        json_key(json, "rows");
        json_count(json, fit->class_rows[c]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_spectrum(json_out *json, const dlda_lda *lda)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(lda, &count);
    double sum = separation_sum(lda);

    json_key(json, "eigenvalues");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) json_number(json, values[i]);
    json_close(json, ']');
    json_key(json, "explained");
    json_open(json, '[');
    for (size_t i = 0; i < count; i++) json_number(json, values[i] > 0 ? values[i] / sum : 0);
    json_close(json, ']');
}

static void write_folds(json_out *json, const dlda_table_fit *fit)
{
    json_key(json, "cross_validated_accuracy");
    json_number(json, fit->folds ? share_of(sum_of(fit->fold_correct, fit->folds), fit->rows) : NAN);
    json_key(json, "folds");
    json_open(json, '[');
    for (size_t f = 0; f < fit->folds; f++) {
        json_open(json, '{');
        json_key(json, "rows");
        json_count(json, fit->fold_rows[f]);
        json_key(json, "correct");
        json_count(json, fit->fold_correct[f]);
        json_close(json, '}');
    }
    json_close(json, ']');
}

static void write_json(const dlda_table *table, const dlda_table_fit *fit)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "rows");
    json_count(&json, fit->rows);
    json_key(&json, "features");
    json_count(&json, dlda_table_features(table));
    write_classes(&json, table, fit);
    write_spectrum(&json, fit->lda);
    json_key(&json, "accuracy");
    json_number(&json, share_of(fit->correct, fit->rows));
    write_folds(&json, fit);
    json_key(&json, "fit_seconds");
    json_number(&json, fit->fit_seconds);
    json_key(&json, "test_seconds");
    json_number(&json, fit->test_seconds);
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- The command ---- */

static int fit_table(const cli_options *options, const dlda_table_spec *source)
{
    const char *output = option_text(options, "output"), *saved = option_text(options, "save");
    const dlda_table_fit_spec spec = { .lambda = option_number(options, "lambda"),
                                       .folds = (size_t)option_number(options, "cross-validate"),
                                       .seed = (uint64_t)option_number(options, "seed"),
                                       .threads = (size_t)option_number(options, "threads") };
    dlda_table *table = NULL;
    dlda_table_fit *fit = NULL;

    int code = exit_code_of(name, dlda_table_open(source, &table));
    if (code == EXIT_OK) {
        dlda_status status = dlda_table_fit_lda(table, &spec, &fit);
        /* Errors about classes or matrices concern the table, which their messages do not name. */
        code = status == DLDA_E_CLASS ? exit_code_at(name, source->path, status) : exit_code_of(name, status);
    }
    if (code == EXIT_OK && output[0])
        code = exit_code_of(name, dlda_table_transform(table, fit->lda, spec.threads, output));
    if (code == EXIT_OK && saved[0]) code = exit_code_of(name, dlda_lda_save(fit->lda, saved));
    if (code == EXIT_OK && option_is(options, "json", "true")) write_json(table, fit);
    else if (code == EXIT_OK) print_text(source->path, table, fit, output, saved);

    dlda_table_fit_destroy(fit);
    dlda_table_destroy(table);
    return code;
}

static int run_lda(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    const char *applied = option_text(options, "apply");
    const dlda_table_spec source = { .path = arguments->words[0],
                                     .labels = arguments->n_words > 1 ? arguments->words[1] : NULL,
                                     .label = option_text(options, "label") };

    if (option_number(options, "cross-validate") == 1) /* the library would name its own argument, folds */
        return complain_usage(name, "option cross-validate: found 1, expected 2 or more, or 0 for none");
    if (!applied[0]) return fit_table(options, &source);
    if (option_text(options, "save")[0]) return complain_usage(name, "--save and --apply: expected one of them");
    return apply_lda(name, options, applied, source);
}

const cli_command lda_command = {
    .name = "lda",
    .operands = "FEATURES [LABELS]",
    .least = 1,
    .most = 2,
    .summary = "Classic LDA of a table of features: separation, accuracy, projection.",
    .details = "FEATURES is an .npy file of N rows with labels in LABELS or in a file beside it (X.npy and "
               "y.npy, images.npy and labels.npy), an .npz file with x and y, or a CSV table with a label "
               "column. It is read in blocks, so it may be larger than memory.\n"
               "Prints the eigenvalues with the share of the separation that each explains, and the accuracy on "
               "the training rows and in cross-validation. The within-class scatter is pooled, as in other LDA "
               "programs. -o writes the projected rows.\n"
               "--save writes the LDA to a file. --apply FILE classifies the rows of another table with the same "
               "features by such an LDA and prints a line for each row in the format of 'deeplda predict', with "
               "Bayes probabilities. Labels are optional and ignored. With -o it writes the projected rows "
               "instead.",
    .examples = "deeplda lda features.csv --label species\n"
                "deeplda lda X.npy y.npy --cross-validate 10 -o Z.npy\n"
                "deeplda lda x_train.npy --lambda 0 --json\n"
                "deeplda lda features.csv --label species --save species.lda\n"
                "deeplda lda others.csv --apply species.lda >classes.csv",
    .run = run_lda,
};
