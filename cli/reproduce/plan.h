/* SPDX-License-Identifier: MIT
 *
 * plan.h - everything that a command of `deeplda reproduce` has to do, as data.
 *
 * The plan is made once, before anything is trained: the sets and their sizes, the epochs of each experiment, and every
 * training with its paths, options and evaluations. Listing, checking, running, predicting times and collecting results
 * go through it and derive none of this again.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_PLAN_H
#define DEEPLDA_CLI_REPRODUCE_PLAN_H

#include "reproduce/sets.h"
#include "reproduce/training.h"

/* ---- An experiment on one of its folds, with all seeds ---- */

typedef struct task_data {
    int is_counted;                 /* 0: the set is not here, so the numbers are the paper's               */
    size_t train, validation, test; /* images                                                               */
    char *source, *path;            /* what tells the set from others; where `train` and `eval` find it     */
    cli_words options;              /* of `train`: name, value, name, value, ...                            */
    cli_words deviations;           /* from the paper, as sentences                                         */
    /* What the accuracy on training images is measured on after an epoch. */
    int is_measured_whole; /* 1: all of them; 0: a tenth                                              */
    size_t measured_every; /* epochs                                                                  */
} task_data;

/* How long an experiment trains if nothing shortens it; the batch is DeepLDA's. */
typedef struct full_schedule {
    size_t epochs, halve_every, batch;
} full_schedule;

typedef struct plan_task {
    const cli_experiment *experiment;
    const known_set *set; /* as the paper has it          */
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
    /* Every training that is asked for or that lies below ROOT, in the order in which they are done: experiments as they
     * were asked for and then the others, their folds, their seeds; N_TRAINED for each seed. */
    training *trainings; /* [n_trainings] */
    size_t n_trainings;
    size_t n_asked;              /* trainings whose task is not NULL */
    net_speed speeds[MOST_NETS]; /* as far as they were measured */
    size_t n_speeds;
} reproduce_plan;

/* For --list, sets are only counted, and trainings have no options. Otherwise sets that are not here are fetched, and those
 * without a test part divided. To be released in any case; it must stay where it is until then. */
int plan_make(const reproduce_request *request, reproduce_plan *plan);
void plan_release(reproduce_plan *plan);

/* 1 if no task of the same experiment comes before task i. */
int plan_is_first(const reproduce_plan *plan, size_t i);

/* ---- plan_data.c: the images of a task ---- */

/* Fills in `data` of all tasks. */
int plan_find_data(reproduce_plan *plan);
void task_data_release(task_data *data);

/* ---- plan_options.c: the options of a training ---- */

/* The presets of an experiment for an objective, and its own epochs and halving. */
int plan_presets(const cli_experiment *experiment, const char *objective, cli_options **options);
/* Fills in `words` and `asked` of a training that has a task. */
int plan_set_options(const reproduce_request *request, training *self);

/* ---- schedule.c ---- */

/* The schedule of a task for trainings with `batch`. Fewer epochs are divided among as many rates as before, as long as
 * about 200 steps of DeepLDA are left for each. */
training_schedule schedule_make(const reproduce_request *request, const plan_task *task, size_t batch);

/* ---- cost.c: how long it takes on this machine ---- */

typedef struct training_cost {
    double images_per_second;
    double epoch; /* seconds of one, with measuring accuracies                         */
    double rest;  /* seconds of what is done once: the final LDA and the evaluations   */
} training_cost;

/* Measures the speed of a network for a few seconds, unless that was done before. */
int plan_cost(reproduce_plan *plan, const plan_task *task, training_cost *cost);
/* What the trainings from `first` on will take, in seconds; NaN if nothing is known. */
double plan_seconds_left(reproduce_plan *plan, const training *first);

/* ---- budget.c ---- */

/* Fills in the epochs of each task, by --epochs or --budget. */
int plan_set_epochs(reproduce_plan *plan);

/* ---- check.c, run.c, list.c: what is done with it ---- */

/* Before anything is trained: what is there already must be what is asked for, or something that can go on to it. */
int plan_check(reproduce_plan *plan);
/* Does what is missing. EXIT_SIGNAL plus its number if a signal stopped it. */
int plan_run(reproduce_plan *plan);
/* Prints the experiments, what there is of them, and what they cost. */
int plan_list(reproduce_plan *plan);

/* 1 if its record says that it was trained to the end, as it is asked for. */
int training_is_recorded(const training *self);

#endif
