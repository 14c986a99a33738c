/* SPDX-License-Identifier: MIT
 *
 * request.h - the request of a `deeplda reproduce` command. All other files of this folder use it
 * and do not read options.
 *
 * Functions of this folder that return an int return an exit code and have already reported the error, unless
 * their comment says otherwise.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_REQUEST_H
#define DEEPLDA_CLI_REPRODUCE_REQUEST_H

#include "cli.h"
#include "reproduce/experiments.h"
#include "words.h"

enum { MOST_EXPERIMENTS = 16, MOST_SEEDS = 1000, MOST_FOLDS = 10 };

typedef struct reproduce_request {
    const char *root;    /* folder of all runs and tables */
    const char *program; /* path of this program; NULL for --list */
    int has_lock;        /* 1: this process has locked ROOT */
    const cli_experiment *experiments[MOST_EXPERIMENTS];
    size_t n_experiments;
    int rows[N_ROWS];             /* 1: requested */
    size_t seeds;                 /* seeds 1 to this number */
    size_t first_fold, last_fold; /* for experiments that have folds */
    size_t epochs;                /* 0: that of the experiment */
    double budget;                /* seconds; 0: none */
    int is_cosine;
    int has_halving; /* 1: the rate is halved every `halve_every` epochs; 0: derived from the epochs */
    size_t halve_every;
    size_t norm_group;                                          /* 0: the whole batch */
    const char *data, *net, *threads, *micro_batch, *precision; /* NULL: not given */
    int is_list, is_quiet, is_json;
} reproduce_request;

extern const char reproduce_name[]; /* of the command, for messages */

/* The request points into the arguments. */
int request_read(const cli_arguments *arguments, reproduce_request *request);

/* 1 if the experiment is requested. */
int request_has(const reproduce_request *request, const cli_experiment *experiment);
int request_needs(const reproduce_request *request, cli_trained kind);
/* Number of networks trained for each seed and fold. */
size_t request_trainings(const reproduce_request *request);

#endif
