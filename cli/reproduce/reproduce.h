/* SPDX-License-Identifier: MIT
 *
 * reproduce.h - what the files of `deeplda reproduce` share.
 *
 * For an experiment and a seed, in ROOT/EXPERIMENT/seedN (ROOT/EXPERIMENT/foldK/seedN if it has folds):
 *
 *     deeplda/, cce/, ours/                           folders of the runs
 *     deeplda-training.json, cce-training.json, ...   what was trained how, and whether to its end (reproduce_record.c)
 *     deeplda.json svm.json cce.json cce-lda.json ... what `deeplda eval --json` said, one file for each row
 *     deeplda-answers.csv, svm-answers.csv, ...       its answer to each test image, by which rows are compared
 *
 * ROOT/data holds sets that had to be divided (reproduce_data.c), ROOT/budget.json what budgets gave (reproduce_budget.c).
 *
 * Everything that a table says is read from these runs, so it does not matter how many commands it took to get it.
 * Functions that give an int give an exit code, and have said what is wrong.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_H
#define DEEPLDA_CLI_REPRODUCE_H

#include "cli.h"
#include "reproduce/experiments.h"
#include "eval/statistics.h"
#include "words.h"

#include <stdio.h>
#include <time.h>

enum {
    MOST_EXPERIMENTS = 16,
    MOST_TASKS = 64,
    MOST_SEEDS = 1000,
    MOST_FOLDS = 10,
    MEASURED_WHOLE = 5000 /* sets of at most so many training images are measured on all of them after each epoch */
};

/* What the command line asks for. */
typedef struct reproduction {
    const cli_options *options;
    const char *root;
    char *program; /* ourselves */
    int has_lock;  /* 1: nobody else works in ROOT */
    const cli_experiment *experiments[MOST_EXPERIMENTS];
    size_t n_experiments;
    int rows[N_ROWS];
    size_t seeds;                 /* 1 to this one         */
    size_t first_fold, last_fold; /* where there are folds */
    double budget;                /* seconds; 0: none */
    size_t epochs;                /* 0: those of the experiments */
} reproduction;

extern const char reproduce_name[]; /* for messages */

/* 1 if another process works in ROOT. */
int reproduce_is_locked(const reproduction *self);

/* ---- reproduce_task.c: what there is to do, and where it lies ---- */

typedef struct experiment_data {
    char *path;                     /* for `train` and `eval`                                         */
    char *source;                   /* the name of the set, or the whole path that --data leads to    */
    size_t train, validation, test; /* images                                                         */
    cli_words options;              /* of `train`: name, value, name, value, ...                      */
    cli_words deviations;           /* from the paper, in words                                       */
} experiment_data;

/* How long an experiment trains if nothing shortens it; the batch is DeepLDA's. */
typedef struct full_schedule {
    size_t epochs, halve_every, batch;
} full_schedule;

/* An experiment on one of its folds, with all seeds. */
typedef struct reproduce_task {
    const cli_experiment *experiment;
    full_schedule full;
    size_t fold; /* from 1; without meaning if the experiment has none */
    experiment_data data;
    size_t epochs;
} reproduce_task;

/* Every experiment, on every fold that is asked for if it has folds; without data and epochs. */
int reproduce_list_tasks(const reproduction *self, reproduce_task tasks[MOST_TASKS], size_t *count);
/* 1 if no task of the same experiment stands before task i. */
int reproduce_is_first(const reproduce_task *tasks, size_t i);

/* The presets of an experiment for an objective, and its own epochs and halving. */
int reproduce_presets(const cli_experiment *experiment, const char *objective, cli_options **options);

/* ROOT/EXPERIMENT/... of a seed and a fold, in new memory. */
char *reproduce_place(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed);
/* The run folder and the record of a model there, in new memory. */
char *reproduce_folder(const char *place, cli_trained model);
char *reproduce_record_path(const char *place, cli_trained model);
int reproduce_has_checkpoint(const char *folder);
int reproduce_has_model(const char *folder);
int reproduce_needs(const reproduction *self, cli_trained model);
/* How many of the networks are asked for. */
size_t reproduce_trainings(const reproduction *self);

/* ---- reproduce_sets.c: which sets are here, and how large they are ---- */

typedef struct set_size {
    const char *path;
    size_t images, test;
    size_t own_folds[MOST_FOLDS + 1]; /* images in fold K, if the set brings it along and it is asked for */
    int has_test;
    int code; /* of counting: EXIT_OK, or it has said what is wrong */
} set_size;

/* The sets that were counted, each once. */
typedef struct set_sizes {
    set_size at[MOST_EXPERIMENTS];
    size_t count;
} set_sizes;

/* What --data names counts as here: whether it can be read, counting tells. */
int reproduce_is_here(const reproduction *self, const cli_experiment *experiment);
/* Fetches the set if it is not here. */
int reproduce_bring_set(const reproduction *self, const cli_experiment *experiment);
/* Counts the images, unless that was done before. */
const set_size *reproduce_count_set(const reproduction *self, const cli_experiment *experiment, set_sizes *sizes);
int reproduce_read_part(const char *path, dlda_part part, dlda_dataset **set);

/* ---- reproduce_data.c: where the images of an experiment are ---- */

/* Fetches the sets that are not here, and divides those that have no test part. */
int reproduce_find_data(const reproduction *self, reproduce_task *tasks, size_t count);
/* Only counts the images; nothing is fetched or divided. Of a set that is not here, or cannot be read, the numbers are
 * the paper's: `counted` is 0. */
int reproduce_count_data(const reproduction *self, reproduce_task *tasks, size_t count, int *counted);
void reproduce_release_data(reproduce_task *tasks, size_t count);

/* ---- reproduce_schedule.c: epochs, and when the rate is halved ---- */

typedef struct training_schedule {
    size_t epochs, full_epochs;
    size_t halve_every, full_halve_every; /* epochs; 0: never                                        */
    size_t steps;                         /* of an epoch                                             */
    int is_cosine;                        /* then nothing is halved                                  */
    int is_known;                         /* 0: of an old record, which has numbers of epochs only   */
} training_schedule;

/* The schedule of a task for trainings with `batch`. Fewer epochs are divided among as many rates as before, as long as
 * about 200 steps of DeepLDA are left for each. */
training_schedule reproduce_make_schedule(const reproduction *self, const reproduce_task *task, size_t batch);
/* In what it departs from the experiment's own. */
void reproduce_note_schedule(const training_schedule *schedule, const char *objective, cli_words *deviations);

/* ---- reproduce_record.c: what is known of a training ---- */

typedef struct training_record {
    int complete;
    size_t process;                          /* that trains, or has trained; 0: not known  */
    char *source, *data, *options, *command; /* NULL if there is no record                 */
    cli_words settings;                      /* name, value, ...; none in an old record    */
    training_schedule schedule;
    double seconds;       /* of its epochs; NaN: not known yet                             */
    cli_words deviations; /* but for those of the schedule                                 */
} training_record;

/* DLDA_OK with `options` NULL if there is none. */
int reproduce_read_record(const char *path, training_record *record);
int reproduce_write_record(const char *path, const training_record *record);
void reproduce_release_record(training_record *record);
/* The value of an option in `settings`; NULL if it has its default. */
const char *reproduce_setting(const cli_words *settings, const char *name);

typedef struct row_counts {
    size_t samples, correct;
} row_counts;

/* What `eval` has counted for a row. */
int reproduce_read_counts(const char *path, const row_kind *kind, row_counts *counts);
/* 1 if it is there, and the file is whole. */
int reproduce_has_counts(const char *path, const row_kind *kind);

/* ---- reproduce_progress.c: how far trainings are, and when they will end ---- */

typedef enum training_state {
    TRAINING_MISSING, /* nothing was saved yet */
    TRAINING_RUNNING,
    TRAINING_STOPPED,
    TRAINING_COMPLETE,
    TRAINING_FAILED
} training_state;

typedef struct training_progress {
    training_state state;
    size_t process;      /* of a running one                      */
    size_t done, epochs; /* complete epochs, and those it will have */
    double seconds;      /* of all training so far; NaN: not known */
    time_t updated;      /* the last epoch's end                  */
} training_progress;

/* What the run itself says goes before what the record does: someone may have gone on with it by hand. */
training_progress reproduce_progress(const reproduction *self, const char *place, cli_trained model,
                                     const training_record *record);
/* "2025-03-01 17:45 (in 2 h 10 min)", in new memory. */
char *reproduce_end_text(double seconds_left);
/* "40 of 700 epochs in 2 h 05 min, running as process 71, ...", in new memory. */
char *reproduce_state_text(const training_progress *progress);

/* ---- reproduce_plan.c: the trainings ---- */

typedef struct training_plan {
    const reproduce_task *task;
    cli_trained model;
    char *title;                        /* "stl10-1k, fold 2, seed 1"                       */
    char *place, *folder, *record_path; /* see above                                        */
    cli_words words;                    /* train DATA --option value ...                    */
    training_record record;             /* as it is to be                                   */
    training_progress progress;         /* as it is                                         */
    int is_recorded;                    /* 1: its record says that it is complete           */
} training_plan;

typedef struct training_plans {
    training_plan *at; /* [count] */
    size_t count;
} training_plans;

/* All trainings that are asked for, in the order in which they are done. The tasks must stay where they are. */
int reproduce_make_plans(const reproduction *self, const reproduce_task *tasks, size_t count,
                         training_plans *plans);
void reproduce_release_plans(training_plans *plans);

/* ---- reproduce_check.c ---- */

/* Before anything is trained: what is there already must be what is asked for, or something that can go on to it. Fills
 * in the plans' progress. */
int reproduce_check(const reproduction *self, training_plans *plans);

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
dlda_status reproduce_speed(const reproduction *self, const cli_experiment *experiment, double *images_per_second);
int reproduce_cost(const reproduction *self, const reproduce_task *task, training_cost *cost);
/* What the trainings from plan i on will take, in seconds; NaN if nothing is known. */
double reproduce_seconds_left(const reproduction *self, const training_plans *plans, size_t i);

/* ---- reproduce_budget.c ---- */

/* The epochs of each task, as --epochs or --budget say. */
int reproduce_set_epochs(const reproduction *self, reproduce_task *tasks, size_t count);

/* ---- reproduce_run.c: trainings and evaluations ---- */

/* Does what is missing. EXIT_SIGNAL plus its number if a signal stopped it. */
int reproduce_run(const reproduction *self, training_plans *plans);

/* ---- reproduce_list.c ---- */

int reproduce_list(const reproduction *self);

/* ---- reproduce_pairs.c: two rows on the same test images ---- */

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

/* "PLACE/svm-answers.csv", in new memory. */
char *reproduce_answers_path(const char *place, const row_kind *kind);
/* Compares the rows of a place whose answers are there (`has_answers`), and adds them to
 * `pairs`, [N_PAIRS] here and below. */
int reproduce_add_pairs(result_pair *pairs, const char *place, const int has_answers[N_ROWS], size_t fold,
                        size_t seed);
/* Means and tests, when all runs have been added. */
void reproduce_finish_pair(result_pair *pair);
void reproduce_release_pair(result_pair *pair);

/* What `p` is of: "mcnemar" for one run, "t" for several. */
const char *reproduce_pair_test(const result_pair *pair);

void reproduce_print_pairs(FILE *file, const result_pair *pairs);
void reproduce_write_markdown_pairs(FILE *file, const result_pair *pairs);

/* ---- reproduce_collect.c: our figures, from what is below ROOT ---- */

typedef struct result_row {
    const row_kind *kind;
    printed_figure printed;
    size_t runs;            /* 0: there is nothing of it yet                              */
    double *figures;        /* [runs], in %                                                   */
    stat_summary summary;   /* of these                                                       */
    stat_interval interval; /* of one run, by its images; of several, of their mean           */
    size_t seeds, folds;    /* how many different ones; folds is 0 if the experiment has none */
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
    result_pair pairs[N_PAIRS];
    cli_words deviations;
} result_table;

/* What is damaged is named and left out: then EXIT_FAILED, and the table has the rest. */
int reproduce_collect(const reproduction *self, const cli_experiment *experiment, result_table *table);
void reproduce_release_table(result_table *table);

/* ---- reproduce_table.c, reproduce_files.c: our figures beside the printed ones ---- */

void reproduce_print_table(FILE *file, const result_table *table);
void reproduce_write_markdown(FILE *file, const result_table *tables, size_t count);
void reproduce_write_csv(FILE *file, const result_table *tables, size_t count);
void reproduce_write_csv_pairs(FILE *file, const result_table *tables, size_t count);
void reproduce_write_json(FILE *file, const result_table *tables, size_t count);

/* One row of a table: on the terminal, with columns of these widths; as Markdown. */
void reproduce_print_fields(FILE *file, char *const *fields, const int *widths, int count);
void reproduce_write_markdown_row(FILE *file, char *const *fields, int count);

/* The paper's rows are always shown, ours if there are any. */
int reproduce_is_shown(const result_table *table, cli_row row);

/* "81.16 (text 81.46)", "0.31 ± 0.02" or "0.31 (0.22 to 0.44)", "50", "3 of 50", in new memory; "-" where there is nothing. */
char *reproduce_printed_text(const result_row *row);
char *reproduce_ours_text(const result_row *row);
char *reproduce_epochs_text(const result_row *row);

/* Writes table.md, table.csv, pairs.csv and table.json of all that is below ROOT, and prints the experiments that were asked for. */
int reproduce_tables(const reproduction *self);

#endif
