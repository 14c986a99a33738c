/* SPDX-License-Identifier: MIT
 *
 * training.h - one training of an experiment and its evaluations: location and content of the files, and progress.
 *
 * Each seed of an experiment (on one fold) has a folder: ROOT/EXPERIMENT/seedN, or ROOT/EXPERIMENT/foldK/seedN if
 * the experiment has folds. It contains
 *
 *     deeplda/, cce/, ours/                           the runs
 *     deeplda-training.json, cce-training.json, ...   settings of each training, and whether it is complete (record.c)
 *     deeplda.json svm.json cce.json cce-lda.json ... the output of `deeplda eval --json`, one file for each row
 *     deeplda-answers.csv, svm-answers.csv, ...       predictions for each test image, by which rows are compared
 *
 * All tables are computed from these files, so they do not depend on how many commands created them.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_TRAINING_H
#define DEEPLDA_CLI_REPRODUCE_TRAINING_H

#include "reproduce/request.h"

#include <time.h>

/* ---- schedule.c: epochs and halving interval ---- */

typedef struct training_schedule {
    size_t epochs, full_epochs;           /* of this training; of the experiment                           */
    size_t halve_every, full_halve_every; /* epochs; 0: never                                              */
    size_t steps;                         /* per epoch                                                     */
    int is_cosine;                        /* cosine schedule, without halving                              */
    int is_known;                         /* 0: from a record of an earlier version, which has epochs only */
} training_schedule;

/* Adds the deviations from the experiment's schedule. */
void schedule_note(const training_schedule *schedule, const char *objective, cli_words *deviations);

/* ---- record.c: the settings of a training ---- */

typedef struct training_record {
    int exists; /* 0: there is none, and everything else is empty */
    int complete;
    size_t process;      /* process of the training; 0: unknown         */
    char *source, *data; /* identity of its set; path used for training */
    char *command;       /* the whole command line                      */
    cli_words settings;  /* its options: name, value, name, value, ...  */
    training_schedule schedule;
    double seconds;       /* of its epochs; NaN: unknown                  */
    cli_words deviations; /* from the paper, except those of the schedule */
} training_record;

/* `folder` is the run folder, which has the options that records of earlier versions lack. */
int record_read(const char *path, const char *folder, training_record *record);
int record_write(const char *path, const training_record *record);
void record_release(training_record *record);
/* The value of an option; NULL if it has its default. */
const char *record_setting(const training_record *record, const char *name);

/* 1 if both are NULL, the same text, or the same number: the files of a run may have
 * 0.10000000000000001 for 0.1. */
int setting_is_same(const char *a, const char *b);

/* Adds the options that are passed to `train`: those that differ from their default, and those that define an
 * experiment. If the options were read from a run, those that describe its data are omitted. */
void settings_add(cli_words *settings, const cli_options *options);

/* ---- progress.c: progress of a training ---- */

typedef enum training_state {
    TRAINING_MISSING, /* nothing was saved yet */
    TRAINING_RUNNING,
    TRAINING_STOPPED,
    TRAINING_COMPLETE,
    TRAINING_FAILED
} training_state;

typedef struct training_progress {
    training_state state;
    size_t process;      /* of a running training                */
    size_t done, epochs; /* complete epochs; total               */
    double seconds;      /* of all training so far; NaN: unknown */
    time_t updated;      /* when the last epoch ended            */
} training_progress;

/* The run's own files take precedence over its record, since it may have been extended manually. */
training_progress progress_read(const reproduce_request *request, const char *folder,
                                const training_record *record);
/* 1 if the run can be resumed. */
int progress_has_checkpoint(const char *folder);

/* In new memory: "1 h 30 min"; "2025-03-01 17:45 (in 2 h 10 min)"; "40 of 700 epochs in 2 h 05 min, stopped". */
char *duration_text(double seconds);
char *end_text(double seconds_left);
char *progress_text(const training_progress *progress);

/* ---- A training ---- */

typedef struct evaluation {
    cli_row row;
    int is_asked;
    char *figures, *answers; /* its files */
} evaluation;

enum { N_EVALUATIONS = 2 }; /* of each network: two rows */

typedef struct training {
    const cli_experiment *experiment;
    size_t fold, seed; /* fold: 1 if the experiment has none */
    cli_trained kind;
    char *title;                  /* "stl10-1k, fold 2, seed 1"                 */
    char *place, *folder, *model; /* folder of the seed; run folder; model file */
    char *record_path;            /* path of its record                         */
    evaluation evaluations[N_EVALUATIONS];
    int is_read;                /* 1: the next two were read from the files */
    training_record found;      /* settings and state on disk               */
    training_progress progress; /* how far it is                            */
    /* Only for requested trainings: */
    const struct plan_task *task; /* NULL: not requested           */
    cli_words words;              /* train DATA --option value ... */
    training_record asked;        /* requested settings            */
} training;

/* Sets names and paths; reads nothing. */
training training_at(const reproduce_request *request, const cli_experiment *experiment, size_t fold, size_t seed,
                     cli_trained kind);
void training_release(training *self);
/* ROOT/EXPERIMENT/..., in new memory. */
char *training_place(const reproduce_request *request, const cli_experiment *experiment, size_t fold, size_t seed);
/* Reads its record and its progress, unless that was done before. */
int training_read(const reproduce_request *request, training *self);
/* Reads them again. */
int training_read_again(const reproduce_request *request, training *self);

/* eval MODEL DATA ..., as shown in a table. */
void evaluation_add_words(const training *self, const evaluation *row, const char *data, cli_words *words);

/* ---- record.c: the results of an evaluation ---- */

typedef struct row_counts {
    size_t samples, correct;
} row_counts;

/* Reads the counts of `eval` for a row. */
int evaluation_read(const evaluation *row, row_counts *counts);
/* 1 if its files are intact and not older than the model. */
int evaluation_is_current(const training *self, const evaluation *row);

#endif
