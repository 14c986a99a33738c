/* SPDX-License-Identifier: MIT
 *
 * results.h - our results beside the published ones: collected from the files below ROOT,
 * compared, printed and written.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_RESULTS_H
#define DEEPLDA_CLI_REPRODUCE_RESULTS_H

#include "eval/statistics.h"
#include "reproduce/plan.h"

#include <stdio.h>

/* Collects the results of all experiments below ROOT, writes table.md, table.csv, pairs.csv and table.json,
 * and prints the requested experiments. Damaged files are reported and skipped: the tables have the rest, and
 * the result is EXIT_FAILED. */
int results_show(reproduce_plan *plan);

/* ---- pairs.c: two rows on the same test images ---- */

/* Two rows of one seed and fold. */
typedef struct pair_run {
    size_t fold, seed;
    stat_pairs counts;
} pair_run;

typedef struct result_pair {
    const row_pair *rows;
    pair_run *runs; /* [n_runs]                                                             */
    size_t n_runs;
    stat_summary differences; /* of the accuracies, first minus second, in % of the images */
    /* One run: over its images (paired; McNemar). Several: over the runs (Student's t). */
    stat_interval interval;
    double p;
    size_t first_better, second_better; /* runs in which McNemar's test is significant */
} result_pair;

/* Compares the rows of a seed and fold and adds them to `pairs`, [N_PAIRS] here and below. `answers` are their
 * files; NULL if a row has none. */
int pairs_add(result_pair *pairs, const training *place, const char *const answers[N_ROWS]);
/* Computes means and tests after all runs were added. */
void pair_finish(result_pair *pair);
void pair_release(result_pair *pair);

/* The test of `p`: "mcnemar" for one run, "t" for several. */
const char *pair_test(const result_pair *pair);

void pairs_print(FILE *file, const result_pair *pairs);
void pairs_write_markdown(FILE *file, const result_pair *pairs);

/* ---- collect.c: the results of an experiment ---- */

typedef struct result_row {
    const row_kind *kind;
    printed_figure printed;
    size_t runs;            /* 0: no results yet                                               */
    double *figures;        /* [runs], in %                                                    */
    stat_summary summary;   /* of the figures                                                  */
    stat_interval interval; /* one run: over its images; several: of their mean                */
    size_t seeds, folds;    /* number of different ones; folds is 0 if the experiment has none */
    unsigned char has_seed[MOST_SEEDS + 1], has_fold[MOST_FOLDS + 1]; /* 1: counted           */
    size_t least_epochs, most_epochs, full_epochs;
    double seconds;     /* mean over the trainings whose time is known; NaN: none */
    size_t timed;       /* number of those trainings                              */
    char *train, *eval; /* commands of the first run; NULL if there is none       */
} result_row;

typedef struct result_table {
    const cli_experiment *experiment;
    result_row rows[N_ROWS];
    size_t runs; /* total of all rows */
    result_pair pairs[N_PAIRS];
    cli_words deviations;
} result_table;

int result_collect(reproduce_plan *plan, const cli_experiment *experiment, result_table *table);
void result_release(result_table *table);
/* The paper's rows are always shown, ours if they have results. */
int result_is_shown(const result_table *table, cli_row row);

/* ---- table_text.c: text ---- */

void table_print(FILE *file, const result_table *table);
void table_write_markdown(FILE *file, const result_table *tables, size_t count);

/* "81.16 (text 81.46)", in new memory; "-" if nothing is published. */
char *printed_text(const printed_figure *printed);

/* A table as text: for a terminal with columns of these widths, or as Markdown if `widths` is NULL. */
typedef struct text_table {
    FILE *file;
    const int *widths;
    int columns;
} text_table;

void text_table_head(const text_table *table, const char *const *names);
/* Prints a row and releases the fields. */
void text_table_row(const text_table *table, char **fields);

/* ---- table_files.c: CSV and JSON ---- */

void table_write_csv(FILE *file, const result_table *tables, size_t count);
void table_write_csv_pairs(FILE *file, const result_table *tables, size_t count);
void table_write_json(FILE *file, const result_table *tables, size_t count);

#endif
