/* SPDX-License-Identifier: MIT
 *
 * apply_lda.c - classifies the rows of a table by an LDA and prints the lines of `deeplda predict`.
 *
 * Columns are found by the names that the LDA has from its own table. Other columns, such as labels, are not used.
 */
#include "lda/apply_lda.h"
#include "lda/table_source.h"
#include "predict/answer_lines.h"
#include "terminal/output.h"
#include "terminal/print.h"

#include <stdlib.h>

enum { BLOCK = 1024 };

typedef struct block {
    float *X, *proba; /* [BLOCK][features], [BLOCK][classes] */
    double *scores;   /* [BLOCK][classes]                    */
    int labels[BLOCK];
} block;

/* ---- Rows ---- */

/* The scores of Bayes' rule, which order the classes even where probabilities are equal. */
static void score_rows(const dlda_lda *lda, block *rows, size_t n)
{
    const dlda_lda_view *view = dlda_lda_view_of(lda);

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < view->classes; c++) {
            double score = view->intercepts[c];
            for (size_t j = 0; j < view->features; j++)
                score += (double)rows->X[i * view->features + j] * view->coefficients[c * view->features + j];
            rows->scores[i * view->classes + c] = score;
        }
}

/* Of the next row. */
typedef struct place {
    const char *name; /* of the first file */
    size_t file, index;
} place;

static void write_block(const answer_format *format, const dlda_table *table, place *at, const block *rows,
                        size_t n, FILE *file)
{
    size_t classes = dlda_lda_classes(format->lda);

    for (size_t i = 0; i < n; i++, at->index++) {
        while (at->index >= dlda_table_file_rows(table, at->file)) {
            at->file++;
            at->index = 0;
        }
        answer_write(format,
                     &(answer){ .file = at->file == 0 ? at->name : dlda_table_file(table, at->file),
                                .index = at->index,
                                .label = rows->labels[i],
                                .proba = rows->proba + i * classes,
                                .scores = rows->scores + i * classes },
                     file);
    }
}

static dlda_status classify(const answer_format *format, const char *name, dlda_table *table, block *rows,
                            FILE *file)
{
    place at = { .name = name };
    size_t n = 0;
    dlda_status status = dlda_table_read(table, BLOCK, rows->X, NULL, &n);

    while (status == DLDA_OK && n > 0) {
        status = dlda_lda_predict(format->lda, rows->X, n, DLDA_PROBABILITY_BAYES, rows->labels, rows->proba);
        if (status == DLDA_OK && format->top) score_rows(format->lda, rows, n);
        if (status == DLDA_OK) write_block(format, table, &at, rows, n, file);
        if (status == DLDA_OK) status = dlda_table_read(table, BLOCK, rows->X, NULL, &n);
    }
    return status;
}

static int classify_table(const char *command, const answer_format *format, const char *name, dlda_table *table,
                          FILE *file)
{
    size_t classes = dlda_lda_classes(format->lda);
    block rows = { .X = calloc(dlda_lda_features(format->lda), BLOCK * sizeof(float)),
                   .proba = calloc(classes, BLOCK * sizeof(float)),
                   .scores = calloc(classes, BLOCK * sizeof(double)) };
    int code = EXIT_FAILED;

    if (rows.X && rows.proba && rows.scores)
        code = exit_code_of(command, classify(format, name, table, &rows, file));
    else complain(command, "%s: no memory for %d rows", name, BLOCK);
    free(rows.X);
    free(rows.proba);
    free(rows.scores);
    return code;
}

/* ---- Tables ---- */

static int open_table(const char *command, const dlda_lda *lda, table_source *source, dlda_table **table)
{
    if (source->spec.missing == DLDA_MISSING_DROP)
        return complain_usage(command, "option missing: found drop, but every row gets a class; expected mean");
    source->spec.lda = lda;
    int code = exit_code_of(command, dlda_table_open(&source->spec, table));
    if (code != EXIT_OK || dlda_table_features(*table) == dlda_lda_features(lda)) return code;
    complain(command, "%s: %zu features, expected %zu as the LDA has", source->shown, dlda_table_features(*table),
             dlda_lda_features(lda));
    return EXIT_FAILED;
}

static int project(const char *command, const cli_options *options, const dlda_lda *lda, dlda_table *table)
{
    const char *output = option_text(options, "output");
    int code = exit_code_of(command,
                            dlda_table_transform(table, lda, (size_t)option_number(options, "threads"), output));

    if (code == EXIT_OK)
        print("written:\n  %s  %zu x %zu\n", output, dlda_table_rows(table), dlda_lda_view_of(lda)->n_directions);
    return code;
}

int apply_lda(const cli_arguments *arguments, const char *file)
{
    static const char command[] = "lda";
    const cli_options *options = arguments->options;
    dlda_lda *lda = NULL;
    dlda_table *table = NULL;
    table_source source = { .copy = -1 };

    int code = exit_code_of(command, dlda_lda_load(file, &lda));
    if (code == EXIT_OK) code = table_source_open(command, options, arguments->words, arguments->n_words, &source);
    if (code == EXIT_OK) code = open_table(command, lda, &source, &table);
    if (code == EXIT_OK && option_text(options, "output")[0]) code = project(command, options, lda, table);
    else if (code == EXIT_OK) {
        const answer_format format = { .lda = lda, .json = option_is(options, "json", "true") };
        answer_write_head(&format, stdout);
        code = classify_table(command, &format, source.shown, table, stdout);
    }
    dlda_table_destroy(table);
    table_source_close(&source);
    dlda_lda_destroy(lda);
    return code;
}

/* ---- `deeplda predict` ---- */

static int apply_to_one(const cli_options *options, const answer_format *format, const char *path, FILE *file)
{
    static const char command[] = "predict";
    dlda_table *table = NULL;
    table_source source = { .copy = -1 };

    int code = table_source_open(command, options, &path, 1, &source);
    if (code == EXIT_OK) code = open_table(command, format->lda, &source, &table);
    if (code == EXIT_OK) code = classify_table(command, format, path, table, file);
    dlda_table_destroy(table);
    table_source_close(&source);
    return code;
}

int apply_lda_to_tables(const cli_arguments *arguments, const char *file)
{
    static const char command[] = "predict";
    const cli_options *options = arguments->options;
    cli_output output = { 0 };
    dlda_lda *lda = NULL;
    int code = exit_code_of(command, dlda_lda_load(file, &lda));

    if (code == EXIT_OK) code = output_open(&output, command, option_text(options, "output"));
    if (code == EXIT_OK) {
        const answer_format format = { .lda = lda,
                                       .json = option_is(options, "json", "true"),
                                       .top = (size_t)option_number(options, "top") };
        answer_write_head(&format, output.file);
        for (size_t i = 1; i < arguments->n_words && code == EXIT_OK; i++)
            code = apply_to_one(options, &format, arguments->words[i], output.file);
        if (code == EXIT_OK) code = output_close(&output);
        else output_discard(&output);
    }
    dlda_lda_destroy(lda);
    return code;
}
