/* SPDX-License-Identifier: MIT
 *
 * table_fit.h - the state of one fit of a table, shared by its stages: table_sums.c, table_scores.c, table_lda.c.
 */
#ifndef DLDA_CLASSIFY_TABLE_FIT_H
#define DLDA_CLASSIFY_TABLE_FIT_H

#include "classify/table_folds.h"

#include <stdatomic.h>

/* Error messages are per thread; they are copied here for the caller's thread. */
typedef struct dlda_fit_problem {
    dlda_status status;
    char message[512];
} dlda_fit_problem;

typedef struct dlda_fitting {
    const dlda_table_fit_spec *spec;
    dlda_team *team;
    dlda_folds folds;
    /* table_sums.c */
    int pooled;                 /* 0: a matrix for each class, for the shrinkage           */
    size_t lanes;               /* parts of each fold                                      */
    dlda_scatter **parts;       /* [F][lanes]                                              */
    double *class_shrinkage;    /* [C]; NULL: none                                         */
    dlda_lda **ldas;            /* [F + 1]: without fold f; the last one of all rows       */
    dlda_fit_problem *problems; /* [F + 1]: error of each fit                              */
    /* table_scores.c */
    double *scratch;                      /* [threads][ROWS_AT_ONCE][D + 2C]                       */
    double *T;                            /* [F][2C][D]  of both LDAs that classify rows of fold f */
    double *bias;                         /* [F][2C]                                               */
    atomic_size_t correct, *fold_correct; /* [F]                                      */
    atomic_size_t *fold_tested;           /* [F]: rows of each fold                   */
    atomic_size_t *confusion; /* [2][C][C]: in cross-validation, on the same rows; NULL: too many classes */
} dlda_fitting;

/* Reads the table once (with automatic shrinkage twice), and fits the LDAs. */
dlda_status dlda_fitting_fit(dlda_fitting *fitting);
/* Reads it again and classifies each row by the LDA of all rows and by the one without its fold. */
dlda_status dlda_fitting_classify(dlda_fitting *fitting);

#endif
