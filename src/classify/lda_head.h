/* SPDX-License-Identifier: MIT
 *
 * lda_head.h - the fitted LDA, as model files see it.
 */
#ifndef DLDA_CLASSIFY_LDA_HEAD_H
#define DLDA_CLASSIFY_LDA_HEAD_H

#include "base/name_list.h"

struct dlda_lda {
    size_t C, D, K;
    double lambda;        /* NaN if it is not known: model files do not keep it */
    dlda_name_list names; /* of the classes; empty if they have none            */
    /* what is fitted, and kept in model files */
    double *counts;      /* [C]     rows of each class in the fitted data; usable from 2 on */
    double *M;           /* [C][D]  class means                                            */
    double *A;           /* [K][D]  discriminant directions as rows                        */
    double *eigenvalues; /* [K]     largest first                                          */
    /* what may be there too; NULL if not */
    double *Sw, *St; /* [D][D]  within-class and total scatter: what is needed to add classes later */
    double *priors;  /* [C]     shares of the classes that Bayes' rule assumes; NULL: those of `counts` */
    /* what follows from it */
    double *T;         /* [C][D]  M A' A                                                 */
    double *offset;    /* [C]     -diag(M T') / 2                                        */
    double *log_prior; /* [C]     of the usable classes                                  */
    double *intercept; /* [C]     offset + log_prior                                     */
    double *share;     /* [C]     the priors with sum 1; 0 for classes that are not usable */
    double *P;         /* [C][K]  M A': class means on the directions                    */
    double *mean;      /* [D]     of all rows                                            */
    dlda_lda_view view;
};

/* An empty head of that size; fill in the fitted fields, then call _prepare for the others. */
dlda_status dlda_lda_create(size_t C, size_t D, size_t K, dlda_lda **lda);
void dlda_lda_prepare(dlda_lda *lda);

/* dlda_lda_fit without the scatter matrices: for many LDAs at once. */
dlda_status dlda_lda_fit_lean(const dlda_scatter *scatter, double lambda, dlda_lda **lda);
/* Takes room for the matrices, or for the priors, to be filled in. */
dlda_status dlda_lda_take_scatter(dlda_lda *lda);
dlda_status dlda_lda_take_priors(dlda_lda *lda);
dlda_status dlda_lda_copy(const dlda_lda *lda, dlda_lda **copy);

/* lda_extend.c: an LDA with one class more, whose rows `added`, a scatter of one class, has seen. The other classes' rows
 * are not needed again, but their matrices are. */
dlda_status dlda_lda_extend(const dlda_lda *lda, const dlda_scatter *added, double lambda, dlda_lda **extended);

/* lda_view.c: fills in the view, which has pointers into the object. */
void dlda_lda_fill_view(dlda_lda *lda);

/* 1 if class c may be predicted. */
int dlda_lda_usable(const dlda_lda *lda, size_t c);

/* What is wanted of rows X [n][D]; `answers->features` is not looked at. Takes no memory: `scratch` has room for C + K. */
dlda_status dlda_lda_answer(const dlda_lda *lda, const float *X, size_t n, dlda_probability kind, double *scratch,
                            const dlda_answers *answers);

#endif
