/* SPDX-License-Identifier: MIT
 *
 * reproduce.h - what the files of `deeplda reproduce` share.
 *
 * For an experiment and a seed, in ROOT/EXPERIMENT/seedN (ROOT/EXPERIMENT/foldK/seedN if it has folds):
 *
 *     deeplda/, cce/                                  folders of the two runs
 *     deeplda-training.json, cce-training.json        what was trained how, and whether to its end (reproduce_record.c)
 *     deeplda.json svm.json cce.json cce-lda.json     what `deeplda eval --json` said, one file for each row
 *
 * ROOT/data holds sets that had to be divided (reproduce_data.c), ROOT/budget.json what budgets gave (reproduce_budget.c).
 *
 * Everything that a table says is read from these runs, so it does not matter how many commands it took to get it.
 * Functions that give an int give an exit code, and have said what is wrong.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_H
#define DEEPLDA_CLI_REPRODUCE_H

#include "cli.h"
#include "experiments.h"
#include "words.h"

#include <stdio.h>

enum { MOST_EXPERIMENTS = 16, MOST_TASKS = 64, MOST_SEEDS = 1000, MOST_FOLDS = 10 };

/* What the command line asks for. */
typedef struct reproduction {
    const dlda_options *options;
    const char *root;
    char *program; /* ourselves */
    const cli_experiment *experiments[MOST_EXPERIMENTS];
    size_t n_experiments;
    int rows[N_ROWS];
    size_t seeds;                 /* 1 to this one         */
    size_t first_fold, last_fold; /* where there are folds */
    double budget;                /* seconds; 0: none */
    size_t epochs;                /* 0: those of the presets */
} reproduction;

extern const char reproduce_name[]; /* for messages */

/* ---- reproduce_data.c: where the images of an experiment are ---- */

typedef struct experiment_data {
    char *path;                     /* for `train` and `eval`                                         */
    char *source;                   /* the name of the set, or the whole path that --data leads to    */
    size_t train, validation, test; /* images                                                         */
    cli_words options;              /* of `train`: name, value, name, value, ...                      */
    cli_words deviations;           /* from the paper, in words                                       */
} experiment_data;

/* An experiment on one of its folds, with all seeds. */
typedef struct reproduce_task {
    const cli_experiment *experiment;
    size_t fold; /* from 1; without meaning if the experiment has none */
    experiment_data data;
    size_t epochs;
} reproduce_task;

/* Fetches the set if it is not here, and divides it if it has no test part. */
int reproduce_find_data(const reproduction *self, reproduce_task *task);
/* Only counts the images; nothing is fetched or divided. If the set is not here, the numbers are the paper's. */
int reproduce_count_data(const reproduction *self, reproduce_task *task, int *is_counted);
void reproduce_release_data(experiment_data *data);

/* ---- reproduce_record.c: what is known of a training ---- */

typedef struct training_record {
    int complete;
    char *source, *data, *options, *command; /* NULL if there is no record */
    size_t epochs, full_epochs;              /* those of the presets       */
    double seconds;                          /* of its epochs; NaN: not known yet */
    cli_words deviations;
} training_record;

/* DLDA_OK with `options` NULL if there is none. */
int reproduce_read_record(const char *path, training_record *record);
int reproduce_write_record(const char *path, const training_record *record);
void reproduce_release_record(training_record *record);
/* Of the epochs of a run, as its checkpoint has them; NaN if it cannot tell. */
double reproduce_seconds(const char *folder);

/* The accuracy in % that `eval` has written for a row. */
int reproduce_read_accuracy(const char *path, const row_kind *kind, double *percent);
/* 1 if there is one, and the file is whole. */
int reproduce_has_accuracy(const char *path, const row_kind *kind);

/* ---- reproduce_plan.c: one training ---- */

typedef struct training_plan {
    cli_trained model;
    char *title;                        /* "stl10-1k, fold 2, seed 1"                       */
    char *place, *folder, *record_path; /* see above                                        */
    cli_words words;                    /* train DATA --option value ...                    */
    training_record record;             /* as it is to be                                   */
} training_plan;

/* The epochs and the halving of an experiment's presets. */
int reproduce_full_schedule(const cli_experiment *experiment, size_t *epochs, size_t *halve_every);

/* ROOT/EXPERIMENT/... of a seed and a fold, in new memory. */
char *reproduce_place(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed);
/* The record of a model there, in new memory. */
char *reproduce_record_path(const char *place, cli_trained model);
int reproduce_has_checkpoint(const char *folder);
/* 1 if a training was begun there and has saved something: what has not does not count. */
int reproduce_is_begun(const char *place, cli_trained model, const training_record *record);
int reproduce_needs(const reproduction *self, cli_trained model);
/* How many of the two are asked for. */
size_t reproduce_trainings(const reproduction *self);

/* Every experiment, on every fold that is asked for if it has folds; without data and epochs. Gives how many. */
size_t reproduce_list_tasks(const reproduction *self, reproduce_task tasks[MOST_TASKS]);
/* 1 if no task of the same experiment stands before task i. */
int reproduce_is_first(const reproduce_task *tasks, size_t i);

/* The task's epochs in all: if these are not those of the presets, the halving moves in proportion. */
int reproduce_make_plan(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed,
                        training_plan *plan);
void reproduce_release_plan(training_plan *plan);

/* ---- reproduce_cost.c: what it takes on this machine ---- */

/* "1h30m" in seconds. */
int reproduce_parse_time(const char *text, double *seconds);
/* "1 h 30 min", in new memory. */
char *reproduce_time_text(double seconds);

typedef struct training_cost {
    double images_per_second;
    double epoch; /* seconds of one, with measuring accuracies                    */
    double rest;  /* seconds of what comes once: the final LDA and the evaluations */
} training_cost;

/* Measures for a few seconds, once for each network. */
int reproduce_cost(const reproduction *self, const reproduce_task *task, training_cost *cost);

/* ---- reproduce_budget.c ---- */

/* The epochs of each task, as --epochs or --budget say. */
int reproduce_schedule(const reproduction *self, reproduce_task *tasks, size_t count);

/* ---- reproduce_run.c: trainings and evaluations ---- */

/* Before anything is trained: what is there already must be what is asked for. */
int reproduce_check(const reproduction *self, const reproduce_task *tasks, size_t count);
/* Does what is missing. EXIT_SIGNAL plus its number if a signal stopped it. */
int reproduce_run(const reproduction *self, const reproduce_task *tasks, size_t count);

/* ---- reproduce_list.c ---- */

int reproduce_list(const reproduction *self);

/* ---- reproduce_collect.c: our figures, from what is below ROOT ---- */

typedef struct result_row {
    const row_kind *kind;
    printed_figure printed;
    size_t runs;         /* 0: there is nothing of it yet                              */
    double mean, spread; /* of their figures, in %; spread: the standard deviation, NaN for one run */
    size_t seeds, folds; /* how many different ones; folds is 0 if the experiment has none */
    unsigned char has_seed[MOST_SEEDS + 1], has_fold[MOST_FOLDS + 1]; /* 1: counted   */
    size_t least_epochs, most_epochs, full_epochs;
    double seconds;     /* of a training, on average over those that tell; NaN: none does */
    size_t timed;       /* how many do                                                */
    char *train, *eval; /* the commands of the first run; NULL if there is none       */
} result_row;

typedef struct result_table {
    const cli_experiment *experiment;
    result_row rows[N_ROWS];
    size_t runs; /* of all rows */
    cli_words deviations;
} result_table;

/* What is damaged is named and left out: then EXIT_FAILED, and the table has the rest. */
int reproduce_collect(const reproduction *self, const cli_experiment *experiment, result_table *table);
void reproduce_release_table(result_table *table);

/* ---- reproduce_table.c, reproduce_files.c: our figures beside the printed ones ---- */

void reproduce_print_table(FILE *file, const result_table *table);
void reproduce_write_markdown(FILE *file, const result_table *tables, size_t count);
void reproduce_write_csv(FILE *file, const result_table *tables, size_t count);
void reproduce_write_json(FILE *file, const result_table *tables, size_t count);

/* "81.16 (text 81.46)", "0.31 ± 0.02", "50", "3 of 50", in new memory; "-" where there is nothing. */
char *reproduce_printed_text(const result_row *row);
char *reproduce_ours_text(const result_row *row);
char *reproduce_epochs_text(const result_row *row);

/* Writes table.md, table.csv and table.json of all that is below ROOT, and prints the experiments that were asked for. */
int reproduce_tables(const reproduction *self);

#endif
