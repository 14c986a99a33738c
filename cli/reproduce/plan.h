/* SPDX-License-Identifier: MIT
 *
 * plan.h - all work of a `deeplda reproduce` command, as data.
 *
 * The plan is made once, before anything is trained: the sets and their sizes, the epochs of each experiment, and
 * every training with its paths, options and evaluations. Listing, checking, running, predicting times and
 * collecting results use it and recompute nothing.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_PLAN_H
#define DEEPLDA_CLI_REPRODUCE_PLAN_H

#include "reproduce/sets.h"
#include "reproduce/training.h"

/* ---- An experiment on one of its folds, with all seeds ---- */

typedef struct task_data {
    int is_counted;                 /* 0: the set is not installed, so the numbers are the paper's */
    size_t train, validation, test; /* images                                                      */
    char *source, *path;            /* identity of the set; path for `train` and `eval`            */
    cli_words options;              /* for `train`: name, value, name, value, ...                  */
    cli_words deviations;           /* from the paper, as sentences                                */
    /* How the training accuracy is measured after an epoch. */
    int is_measured_whole; /* 1: on all training images; 0: on a tenth */
    size_t measured_every; /* interval in epochs                       */
} task_data;

/* The full schedule of an experiment; the batch is DeepLDA's. */
typedef struct full_schedule {
    size_t epochs, halve_every, batch;
} full_schedule;

typedef struct plan_task {
    const cli_experiment *experiment;
    const known_set *set; /* the one used in the paper    */
    size_t fold;          /* 1 if the experiment has none */
    char *net;
    full_schedule full;
    task_data data;
    size_t epochs; /* of each training */
} plan_task;

/* ---- The plan ---- */

enum { MOST_TASKS = 64, MOST_NETS = 8 };

typedef struct net_speed {
    const char *net;
    double images_per_second; /* in training */
} net_speed;

typedef struct reproduce_plan {
    const reproduce_request *request;
    counted_sets sets;
    plan_task tasks[MOST_TASKS];
    size_t n_tasks;
    /* Every training that is requested or exists below ROOT, in order of execution: the requested experiments, then
     * the others, each by folds and seeds; N_TRAINED for each seed. */
    training *trainings; /* [n_trainings] */
    size_t n_trainings;
    size_t n_asked;              /* number of trainings whose task is not NULL */
    net_speed speeds[MOST_NETS]; /* measured so far */
    size_t n_speeds;
} reproduce_plan;

/* For --list, sets are only counted, and trainings have no options. Otherwise missing sets are fetched, and those
 * without a test part are divided. Release the plan in any case; it must not be moved before that. */
int plan_make(const reproduce_request *request, reproduce_plan *plan);
void plan_release(reproduce_plan *plan);

/* 1 if task i is the first of its experiment. */
int plan_is_first(const reproduce_plan *plan, size_t i);

/* ---- plan_data.c: the images of a task ---- */

/* Fills in `data` of all tasks. */
int plan_find_data(reproduce_plan *plan);
void task_data_release(task_data *data);

/* ---- plan_options.c: the options of a training ---- */

/* The presets of an experiment for an objective, with its own epochs and halving interval. */
int plan_presets(const cli_experiment *experiment, const char *objective, cli_options **options);
/* Sets `words` and `asked` of a training that has a task. */
int plan_set_options(const reproduce_request *request, training *self);

/* ---- schedule.c ---- */

/* The schedule of a task for trainings with `batch`. If there are fewer epochs, the number of rates is kept as long
 * as about 200 steps of DeepLDA remain for each. */
training_schedule schedule_make(const reproduce_request *request, const plan_task *task, size_t batch);

/* ---- cost.c: predicted time on this machine ---- */

typedef struct training_cost {
    double images_per_second;
    double epoch; /* seconds per epoch, including measuring accuracies            */
    double rest;  /* seconds of work done once: the final LDA and the evaluations */
} training_cost;

/* Measures the speed of a network for a few seconds, unless that was done before. */
int plan_cost(reproduce_plan *plan, const plan_task *task, training_cost *cost);
/* Predicted seconds of the trainings from `first` on; NaN if unknown. */
double plan_seconds_left(reproduce_plan *plan, const training *first);

/* ---- budget.c ---- */

/* Sets the epochs of each task, by --epochs or --budget. */
int plan_set_epochs(reproduce_plan *plan);

/* ---- check.c, run.c, list.c: use of the plan ---- */

/* Before anything is trained, checks that existing trainings match the request or can be extended to it. */
int plan_check(reproduce_plan *plan);
/* Does the missing work. EXIT_SIGNAL plus its number if a signal stopped it. */
int plan_run(reproduce_plan *plan);
/* Prints the experiments, their progress and their predicted time. */
int plan_list(reproduce_plan *plan);
/* list_json.c: the same as JSON. */
int plan_list_json(reproduce_plan *plan);

/* 1 if its record says that it is complete with the requested settings. */
int training_is_recorded(const training *self);

#endif
