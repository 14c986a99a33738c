/* SPDX-License-Identifier: MIT
 *
 * cmd_lda.c - `deeplda lda`: classic LDA of a table of features: eigenvalues, coefficients, accuracy in
 * cross-validation, and projected rows.
 */
#include "lda/apply_lda.h"
#include "lda/lda_out.h"
#include "lda/table_source.h"
#include "priors.h"
#include "ranks.h"

#include "base/file.h"
#include "base/file_guard.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const name = "lda";

/* ---- Options ---- */

static int read_shrinkage(const cli_options *options, double *shrinkage)
{
    const char *text = option_text(options, "shrinkage");
    char *end = NULL;

    *shrinkage = strcmp(text, "auto") == 0 ? DLDA_SHRINKAGE_AUTO : 0;
    if (!text[0] || *shrinkage != 0) return EXIT_OK;
    *shrinkage = strtod(text, &end); /* uses a decimal point: the program keeps LC_NUMERIC "C" */
    if (*end == '\0' && *shrinkage >= 0 && *shrinkage <= 1) return EXIT_OK;
    return complain_usage(name, "option shrinkage: found '%s', expected auto or a number from 0 to 1", text);
}

/* The default number of folds is reduced for a tiny table; a requested one is not. */
static int read_folds(const cli_options *options, const char *path, const dlda_table *table, size_t *folds)
{
    size_t rows = dlda_table_rows(table);

    *folds = (size_t)option_number(options, "cross-validate");
    if (*folds <= rows) return EXIT_OK;
    if (option_is_given(options, "cross-validate"))
        return complain_usage(name,
                              "option cross-validate: found %zu, expected at most %zu, the number of rows of %s, "
                              "which is leave-one-out",
                              *folds, rows, path);
    *folds = rows < 2 ? 0 : rows;
    return EXIT_OK;
}

static int check_output(const char *output)
{
    if (!output[0] || dlda_path_ends(output, ".npy") || dlda_path_ends(output, ".csv")) return EXIT_OK;
    return complain_usage(name, "option output: found '%s', expected a name that ends in .npy or .csv", output);
}

/* ---- Remarks on stderr ---- */

static void explain_lambda(const dlda_table_fit *fit, const char *path)
{
    double lambda = dlda_lda_view_of(fit->lda)->lambda;

    if (lambda > 0)
        complain(
            name,
            "%s: the within-class scatter is singular or nearly so (features that are constant within the "
            "classes or sums of others, or too few rows); lambda = %g, 0.001 of its mean variance, was added to "
            "its diagonal. Alternatives: option shrinkage=auto, option drop",
            path, lambda);
    else if (fit->fold_lambda > 0)
        complain(
            name,
            "%s: without some folds, the within-class scatter is singular or nearly so; there, lambda of up to "
            "%g was added to its diagonal",
            path, fit->fold_lambda);
}

/* Numbers are read as floats of about 7 digits. */
static void warn_of_precision(const lda_results *results)
{
    const double least = 1e-5;
    const dlda_lda_view *view = dlda_lda_view_of(results->fit->lda);
    char feature[256];

    for (size_t j = 0; j < view->features; j++) {
        double deviation = sqrt(fmax(view->within[j * view->features + j], 0));
        if (deviation == 0 || deviation >= least * fabs(view->mean[j])) continue;
        lda_feature_name(view ? results->fit->lda : NULL, results->table, j, sizeof feature, feature);
        complain(
            name,
            "%s: %s: values near %g that differ by about %g lose digits, since numbers are read with 7 digits; "
            "subtract a constant from this column",
            results->path, feature, view->mean[j], deviation);
    }
}

/* ---- The command ---- */

/* The labels beside a table are an input that the command line does not name. Both outputs are checked before the fit, and
 * before one of them is written. */
static int check_replaced(const lda_results *results)
{
    int code = exit_code_of(name, dlda_file_guard_replace(results->output));

    return code == EXIT_OK ? exit_code_of(name, dlda_file_guard_replace(results->saved)) : code;
}

static int fit_table(const cli_options *options, const table_source *source, dlda_table *table)
{
    dlda_table_fit_spec spec = { .lambda = option_number(options, "lambda"),
                                 .seed = (uint64_t)option_number(options, "seed"),
                                 .threads = (size_t)option_number(options, "threads"),
                                 .standardise = option_is(options, "standardise", "true") };
    lda_results results = { .path = source->shown,
                            .table = table,
                            .standardised = spec.standardise,
                            .output = option_text(options, "output"),
                            .saved = option_text(options, "save") };
    double *priors = NULL;
    dlda_table_fit *fit = NULL;

    spec.regularise = !option_is_given(options, "lambda");
    if (spec.regularise) spec.lambda = 0;
    int code = check_replaced(&results);
    if (code == EXIT_OK) code = read_shrinkage(options, &spec.shrinkage);
    if (code == EXIT_OK) code = read_folds(options, source->shown, table, &spec.folds);
    if (code == EXIT_OK)
        code = priors_read(name, option_text(options, "priors"), dlda_table_classes(table), &priors);
    spec.priors = priors;
    if (code == EXIT_OK) {
        dlda_status status = dlda_table_fit_lda(table, &spec, &fit);
        /* Errors about classes or matrices concern the table, which their messages do not name. */
        int at_table = status == DLDA_E_CLASS || status == DLDA_E_NUMERIC;
        code = at_table ? exit_code_at(name, source->shown, status) : exit_code_of(name, status);
    }
    results.fit = fit;
    if (code == EXIT_OK && results.output[0])
        code = exit_code_of(name, dlda_table_transform(table, fit->lda, spec.threads, results.output));
    if (code == EXIT_OK && results.saved[0] && ranks_writes())
        code = exit_code_of(name, dlda_lda_save(fit->lda, results.saved));
    if (code == EXIT_OK) {
        results.regularised = spec.regularise && dlda_lda_view_of(fit->lda)->lambda > 0;
        if (spec.regularise) explain_lambda(fit, source->shown);
        warn_of_precision(&results);
        if (option_is(options, "json", "true")) lda_print_json(&results);
        else lda_print_text(&results);
    }
    dlda_table_fit_destroy(fit);
    free(priors);
    return code;
}

static int run_fit(const cli_arguments *arguments)
{
    table_source source = { .copy = -1 };
    dlda_table *table = NULL;
    int code = table_source_open(name, arguments->options, arguments->words, arguments->n_words, &source);

    if (code == EXIT_OK && source.copy >= 0 && ranks_comm())
        code = complain_usage(name, "--mpi: the standard input cannot be divided among ranks, expected files");
    if (code == EXIT_OK) code = exit_code_of(name, dlda_table_open_over(ranks_comm(), &source.spec, &table));
    if (code == EXIT_OK) code = table_source_count(name, table, &source);
    if (code == EXIT_OK) code = fit_table(arguments->options, &source, table);
    dlda_table_destroy(table);
    table_source_close(&source);
    return code;
}

static int run_lda(const cli_arguments *arguments)
{
    const cli_options *options = arguments->options;
    const char *applied = option_text(options, "apply");

    if (option_number(options, "cross-validate") == 1) /* the library would name its own argument, folds */
        return complain_usage(name, "option cross-validate: found 1, expected 2 or more, or 0 for none");
    int code = check_output(option_text(options, "output"));
    if (code != EXIT_OK) return code;
    if (!applied[0]) return run_fit(arguments);
    if (option_text(options, "save")[0]) return complain_usage(name, "--save and --apply: expected one of them");
    if (ranks_comm())
        return complain_usage(name,
                              "--mpi and --apply: expected one of them; each row is classified for itself, so "
                              "the files can be divided among programs without --mpi");
    return apply_lda(arguments, applied);
}

const cli_command lda_command = {
    .name = "lda",
    .operands = "TABLE... | TABLE LABELS",
    .least = 1,
    .most = (size_t)-1,
    .summary = "Classic LDA of a table of features: separation, coefficients, accuracy, projection.",
    .details = "TABLE is a CSV table with a label column (- for the standard input), an .npy file of N rows with "
               "labels in LABELS or in a file beside it (X.npy and y.npy, images.npy and labels.npy), or an .npz "
               "file with x and y. It is read in blocks, so it may be larger than memory. CSV may have commas, "
               "semicolons or tabs between its columns, and with the latter two decimal commas. Several files with "
               "the same columns are one table: the rows of each follow those of the one before. With --mpi, the "
               "ranks divide the files, or the rows if there are fewer files than ranks.\n"
               "Prints the label and the features, the eigenvalues of W^-1 B with the share of the separation that "
               "each explains, class means, coefficients, accuracy and confusion on the training rows and in "
               "cross-validation, all as defined in textbooks and in R. -o writes the projected rows. "
               "docs/classic_lda.md works through an example.\n"
               "--save writes the LDA to a file. --apply FILE classifies the rows of another table by such an LDA "
               "and prints a line for each row in the format of 'deeplda predict', with posterior probabilities. "
               "Columns are found by their names; labels are optional and ignored. With -o it writes the projected "
               "rows instead.",
    .examples = "deeplda lda iris.csv --label species\n"
                "deeplda lda X.npy y.npy --cross-validate 10 -o Z.npy\n"
                "deeplda lda wide.csv --shrinkage auto --json\n"
                "deeplda lda part-*.csv --label species\n"
                "mpirun -n 4 deeplda lda part-*.csv --label species --mpi\n"
                "deeplda lda table.csv --drop id,date --categories colour --missing drop -o Z.csv\n"
                "deeplda lda iris.csv --label species --save species.lda\n"
                "deeplda lda others.csv --apply species.lda >classes.csv",
    .run = run_lda,
};
