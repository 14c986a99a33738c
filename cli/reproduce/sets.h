/* SPDX-License-Identifier: MIT
 *
 * sets.h - determines which data sets are installed, and their sizes. Each set is read once per command.
 */
#ifndef DEEPLDA_CLI_REPRODUCE_SETS_H
#define DEEPLDA_CLI_REPRODUCE_SETS_H

#include "data/data.h"
#include "reproduce/request.h"

typedef struct counted_set {
    const char *path;
    char *source;                     /* identity of the set: its name, or the absolute path given by --data */
    size_t images, test;              /* training and test images                                            */
    size_t own_folds[MOST_FOLDS + 1]; /* images of fold K, from 1, if the set defines its own folds; else 0   */
    int has_test;                     /* 1: it has a test part                                                */
    dlda_dataset *undivided;          /* training part of a set without a test part, to be divided; else NULL */
    int code;                         /* result of counting; errors were already reported                     */
} counted_set;

typedef struct counted_sets {
    counted_set at[MOST_EXPERIMENTS];
    size_t count;
} counted_sets;

/* 1 if the set is installed. Data given by --data is assumed to exist; errors show when it is counted. */
int set_is_here(const reproduce_request *request, const known_set *set);
/* Fetches the set if it is not installed. */
int set_bring(const reproduce_request *request, const known_set *set);
/* The data given by --data, or the known set; reads and counts it unless that was done before. */
const counted_set *sets_find(counted_sets *sets, const reproduce_request *request, const known_set *known);
/* Releases the images; the counts remain. */
void sets_close(counted_sets *sets);
void sets_release(counted_sets *sets);

#endif
