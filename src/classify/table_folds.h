/* SPDX-License-Identifier: MIT
 *
 * table_folds.h - reads the rows of a table in blocks, each block sorted by fold.
 */
#ifndef DLDA_CLASSIFY_TABLE_FOLDS_H
#define DLDA_CLASSIFY_TABLE_FOLDS_H

#include "base/parallel.h"

typedef struct dlda_folds {
    dlda_table *table;
    size_t D, C, F; /* features, classes, folds; F is 1 without cross-validation */
    uint64_t seed;
    /* the current block */
    size_t n;      /* number of rows; 0 after the last block      */
    float *X;      /* [n][D]                                      */
    int *labels;   /* [n]                                         */
    size_t *order; /* [n]      row numbers sorted by fold, stably */
    size_t *start; /* [F + 1]  start of each fold in `order`      */
    /* assignment of folds */
    size_t block;     /* maximum rows per block                         */
    size_t rows;      /* read so far                                    */
    int *fold;        /* [block]                                        */
    size_t before;    /* rows of the ranks before this one              */
    size_t *earlier;  /* [C]     of each class; NULL: this is rank 0    */
    size_t *seen;     /* [C]     rows of each class so far              */
    size_t *shuffled; /* [C][F]  folds of the next F rows of each class */
} dlda_folds;

enum { DLDA_MOST_FOLDS = 100000 };

/* Zero it before; close it also if this fails. */
dlda_status dlda_folds_open(dlda_table *table, size_t folds, uint64_t seed, dlda_folds *self);
void dlda_folds_close(dlda_folds *self);
/* Back to the first row; the fold assignment repeats. */
dlda_status dlda_folds_rewind(dlda_folds *self);
dlda_status dlda_folds_next(dlda_folds *self, dlda_team *team);

#endif
