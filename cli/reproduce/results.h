/* SPDX-License-Identifier: MIT
 *
 * results.h - our figures beside the printed ones: collected from the files below ROOT, compared, printed and written.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_RESULTS_H
#define DEEPLDA_CLI_REPRODUCE_RESULTS_H

#include "eval/statistics.h"
#include "reproduce/plan.h"

#include <stdio.h>

/* Collects the results of all experiments below ROOT, writes table.md, table.csv, pairs.csv and table.json, and prints the
 * experiments that were asked for. What is damaged is named and left out: then EXIT_FAILED, and the tables have the rest. */
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
    stat_summary differences; /* of the accuracies, first less second, in % of the images             */
    /* One run: by the images (paired; McNemar). Several: of the mean over the runs (Student's t). */
    stat_interval interval;
    double p;
    size_t first_better, second_better; /* runs in which McNemar's test says so */
} result_pair;

/* Compares the rows of a place and adds them to `pairs`, [N_PAIRS] here and below. `answers` are their files; NULL where a
 * row has none. */
int pairs_add(result_pair *pairs, const training *place, const char *const answers[N_ROWS]);
/* Means and tests, when all runs have been added. */
void pair_finish(result_pair *pair);
void pair_release(result_pair *pair);

/* What `p` is of: "mcnemar" for one run, "t" for several. */
const char *pair_test(const result_pair *pair);

void pairs_print(FILE *file, const result_pair *pairs);
void pairs_write_markdown(FILE *file, const result_pair *pairs);

/* ---- collect.c: the figures of an experiment ---- */

typedef struct result_row {
    const row_kind *kind;
    printed_figure printed;
    size_t runs;            /* 0: there is nothing of it yet                                  */
    double *figures;        /* [runs], in %                                                   */
    stat_summary summary;   /* of these                                                       */
    stat_interval interval; /* of one run, by its images; of several, of their mean           */
    size_t seeds, folds;    /* how many different ones; folds is 0 if the experiment has none */
    unsigned char has_seed[MOST_SEEDS + 1], has_fold[MOST_FOLDS + 1]; /* 1: counted           */
    size_t least_epochs, most_epochs, full_epochs;
    double seconds;     /* of a training, on average over those whose time is known; NaN: none */
    size_t timed;       /* how many these are                                                  */
    char *train, *eval; /* the commands of the first run; NULL if there is none                */
} result_row;

typedef struct result_table {
    const cli_experiment *experiment;
    result_row rows[N_ROWS];
    size_t runs; /* of all rows */
    result_pair pairs[N_PAIRS];
    cli_words deviations;
} result_table;

int result_collect(reproduce_plan *plan, const cli_experiment *experiment, result_table *table);
void result_release(result_table *table);
/* The paper's rows are always shown, ours if there are any. */
int result_is_shown(const result_table *table, cli_row row);

/* ---- table_text.c: for people ---- */

void table_print(FILE *file, const result_table *table);
void table_write_markdown(FILE *file, const result_table *tables, size_t count);

/* "81.16 (text 81.46)", in new memory; "-" if nothing is printed. */
char *printed_text(const printed_figure *printed);

/* A table as text: for a terminal with columns of these widths, or as Markdown if `widths` is NULL. */
typedef struct text_table {
    FILE *file;
    const int *widths;
    int columns;
} text_table;

void text_table_head(const text_table *table, const char *const *names);
/* Releases the fields. */
void text_table_row(const text_table *table, char **fields);

/* ---- table_files.c: for programs ---- */

void table_write_csv(FILE *file, const result_table *tables, size_t count);
void table_write_csv_pairs(FILE *file, const result_table *tables, size_t count);
void table_write_json(FILE *file, const result_table *tables, size_t count);

#endif
