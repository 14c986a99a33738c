/* SPDX-License-Identifier: MIT
 *
 * apply_lda.c - classifies the rows of a table by an LDA and prints the lines of `deeplda predict`.
 */
#include "predict/apply_lda.h"
#include "predict/answer_lines.h"

#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1024 };

typedef struct block {
    float *X, *proba; /* [BLOCK][features], [BLOCK][classes] */
    int labels[BLOCK];
} block;

static void write_block(const answer_format *format, const char *path, const block *rows, size_t first, size_t n)
{
    size_t classes = dlda_lda_classes(format->lda);

    for (size_t i = 0; i < n; i++)
        answer_write(
            format,
            &(answer){
                .file = path, .index = first + i, .label = rows->labels[i], .proba = rows->proba + i * classes },
            stdout);
}

static dlda_status classify(const answer_format *format, const char *path, dlda_table *table, block *rows)
{
    size_t first = 0, n = 0;
    dlda_status status = dlda_table_read(table, BLOCK, rows->X, NULL, &n);

    answer_write_head(format, stdout);
    while (status == DLDA_OK && n > 0) {
        status = dlda_lda_predict(format->lda, rows->X, n, DLDA_PROBABILITY_BAYES, rows->labels, rows->proba);
        if (status == DLDA_OK) write_block(format, path, rows, first, n);
        first += n;
        if (status == DLDA_OK) status = dlda_table_read(table, BLOCK, rows->X, NULL, &n);
    }
    return status;
}

static int classify_rows(const char *command, const answer_format *format, const char *path, dlda_table *table)
{
    block rows = { .X = calloc(dlda_lda_features(format->lda), BLOCK * sizeof(float)),
                   .proba = calloc(dlda_lda_classes(format->lda), BLOCK * sizeof(float)) };
    int code = EXIT_FAILED;

    if (rows.X && rows.proba) code = exit_code_of(command, classify(format, path, table, &rows));
    else complain(command, "%s: no memory for %d rows", path, BLOCK);
    free(rows.X);
    free(rows.proba);
    return code;
}

static int project(const char *command, const cli_options *options, const dlda_lda *lda, dlda_table *table)
{
    const char *output = option_text(options, "output");
    int code = exit_code_of(command,
                            dlda_table_transform(table, lda, (size_t)option_number(options, "threads"), output));

    if (code == EXIT_OK)
        printf("written:\n  %s  %zu x %zu\n", output, dlda_table_rows(table), dlda_lda_view_of(lda)->n_directions);
    return code;
}

static int check_features(const char *command, const char *path, const dlda_table *table, const dlda_lda *lda)
{
    if (dlda_table_features(table) == dlda_lda_features(lda)) return EXIT_OK;
    complain(command, "%s: %zu features, expected %zu as the LDA has", path, dlda_table_features(table),
             dlda_lda_features(lda));
    return EXIT_FAILED;
}

int apply_lda(const char *command, const cli_options *options, const char *file, dlda_table_spec spec)
{
    dlda_lda *lda = NULL;
    dlda_table *table = NULL;

    int code = exit_code_of(command, dlda_lda_load(file, &lda));
    spec.features = dlda_lda_features(lda);
    if (code == EXIT_OK) code = exit_code_of(command, dlda_table_open(&spec, &table));
    if (code == EXIT_OK) code = check_features(command, spec.path, table, lda);
    if (code == EXIT_OK && option_text(options, "output")[0]) code = project(command, options, lda, table);
    else if (code == EXIT_OK)
        code = classify_rows(command, &(answer_format){ .lda = lda, .json = option_is(options, "json", "true") },
                             spec.path, table);
    dlda_table_destroy(table);
    dlda_lda_destroy(lda);
    return code;
}
