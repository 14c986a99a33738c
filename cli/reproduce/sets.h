/* SPDX-License-Identifier: MIT
 *
 * sets.h - which data sets are here, and how large they are. Each set is read once, however many experiments, folds and
 * seeds a command does on it.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_SETS_H
#define DEEPLDA_CLI_REPRODUCE_SETS_H

#include "data/data.h"
#include "reproduce/request.h"

typedef struct counted_set {
    const char *path;
    char *source;        /* what tells it from other sets: its name, or the whole path that --data leads to  */
    size_t images, test; /* training and test images                                                         */
    size_t own_folds[MOST_FOLDS + 1]; /* images of fold K, from 1, if the set has its own folds; else 0      */
    int has_test;                     /* 1: it has a test part                                               */
    dlda_dataset *undivided;          /* the training part of a set without a test part, to be divided; else NULL */
    int code;                         /* of counting: EXIT_OK, or what was wrong has been said               */
} counted_set;

typedef struct counted_sets {
    counted_set at[MOST_EXPERIMENTS];
    size_t count;
} counted_sets;

/* What --data names counts as here; whether it can be read turns out when it is counted. */
int set_is_here(const reproduce_request *request, const known_set *set);
/* Fetches the set if it is not here. */
int set_bring(const reproduce_request *request, const known_set *set);
/* What --data names, or the known set; reads and counts it unless that was done before. */
const counted_set *sets_find(counted_sets *sets, const reproduce_request *request, const known_set *known);
/* Releases the images; the counts stay. */
void sets_close(counted_sets *sets);
void sets_release(counted_sets *sets);

#endif
