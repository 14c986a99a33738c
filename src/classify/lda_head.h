/* SPDX-License-Identifier: MIT
 *
 * lda_head.h - the fields of a fitted LDA, and the internal functions on it.
 */
#ifndef DLDA_CLASSIFY_LDA_HEAD_H
#define DLDA_CLASSIFY_LDA_HEAD_H

#include "base/name_list.h"

struct dlda_lda {
    size_t C, D, K;
    double lambda;          /* NaN if unknown: model files do not store it            */
    double temperature;     /* of Bayes' rule; 1: not calibrated                      */
    dlda_name_list names;   /* class names; empty if there are none                   */
    dlda_feature *list;     /* [D]: what the features are; NULL if they have no names */
    dlda_name_list columns; /* their texts                                            */
    /* fitted values, stored in model files */
    double *counts;      /* [C]     rows of each class in the fitted data; usable if 2 or more */
    double *M;           /* [C][D]  class means                                                */
    double *A;           /* [K][D]  discriminant directions as rows                            */
    double *eigenvalues; /* [K]     largest first                                              */
    /* optional, may be NULL */
    double *Sw, *St; /* [D][D]  within-class and total scatter, needed to add classes later */
    double *priors;  /* [C]     class priors of Bayes' rule; NULL: proportional to `counts` */
    /* derived values */
    double *T;         /* [C][D]  M A' A                                                  */
    double *offset;    /* [C]     -diag(M T') / 2                                         */
    double *log_prior; /* [C]     of the usable classes                                   */
    double *B;         /* [C][D]  T / temperature                                         */
    double *intercept; /* [C]     offset / temperature + log_prior                        */
    double *share;     /* [C]     the priors, normalised to sum 1; 0 for unusable classes */
    double *P;         /* [C][K]  M A': projected class means                             */
    double *mean;      /* [D]     of all rows                                             */
    double *common;    /* [D + 1] view.common and view.common_intercept; NULL: not known  */
    dlda_lda_view view;
};

/* Creates a head with zeros; set the fitted fields, then call _prepare for the derived ones. */
dlda_status dlda_lda_create(size_t C, size_t D, size_t K, dlda_lda **lda);
void dlda_lda_prepare(dlda_lda *lda);
void dlda_lda_set_temperature(dlda_lda *lda, double temperature);

/* dlda_lda_fit_classic, with or without the scatter matrices: many LDAs would need much memory. */
dlda_status dlda_lda_fit_classic_as(const dlda_scatter *scatter, const dlda_classic_spec *spec, int keeps_matrices,
                                    dlda_lda **lda);
/* Allocates the matrices, or the priors, to be filled in. */
dlda_status dlda_lda_take_scatter(dlda_lda *lda);
dlda_status dlda_lda_take_priors(dlda_lda *lda);
dlda_status dlda_lda_copy(const dlda_lda *lda, dlda_lda **copy);

/* lda_extend.c: an LDA with one more class, given the scatter `added` of that class alone. It needs the scatter
 * matrices of the LDA, but not the rows of its classes. */
dlda_status dlda_lda_extend(const dlda_lda *lda, const dlda_scatter *added, double lambda, dlda_lda **extended);

/* lda_view.c: fills in the view, which points into the object. */
void dlda_lda_fill_view(dlda_lda *lda);

/* 1 if class c can be predicted. */
int dlda_lda_usable(const dlda_lda *lda, size_t c);

/* Computes the requested outputs for rows X [n][D]; `answers->features` is ignored. Allocates nothing:
 * `scratch` has room for C + K. */
dlda_status dlda_lda_answer(const dlda_lda *lda, const float *X, size_t n, dlda_probability kind, double *scratch,
                            const dlda_answers *answers);

#endif
