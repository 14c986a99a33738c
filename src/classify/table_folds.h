/* SPDX-License-Identifier: MIT
 *
 * table_folds.h - the rows of a table in blocks, each block sorted by the fold that its rows belong to.
 */
#ifndef DLDA_CLASSIFY_TABLE_FOLDS_H
#define DLDA_CLASSIFY_TABLE_FOLDS_H

#include "base/parallel.h"

typedef struct dlda_folds {
    dlda_table *table;
    size_t D, C, F; /* features, classes, folds: 1 if there is no cross-validation */
    uint64_t seed;
    /* the latest block */
    size_t n;      /* rows in it; 0 behind the last                                */
    float *X;      /* [n][D]                                                       */
    int *labels;   /* [n]                                                          */
    size_t *order; /* [n]      rows fold by fold, each fold in their order         */
    size_t *start; /* [F + 1]  where the rows of each fold begin in `order`        */
    /* what decides on the folds */
    size_t block;     /* most rows of a block                                      */
    int *fold;        /* [block]                                                   */
    size_t *seen;     /* [C]     rows of each class so far                         */
    size_t *shuffled; /* [C][F]  the folds of the next F rows of each class        */
} dlda_folds;

enum { DLDA_MOST_FOLDS = 1000 };

/* Zero it before, and close it also if this fails. */
dlda_status dlda_folds_open(dlda_table *table, size_t folds, uint64_t seed, dlda_folds *self);
void dlda_folds_close(dlda_folds *self);
/* Back to the first row: the same rows will be in the same folds. */
dlda_status dlda_folds_rewind(dlda_folds *self);
dlda_status dlda_folds_next(dlda_folds *self, dlda_team *team);

#endif
