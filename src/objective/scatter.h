/* SPDX-License-Identifier: MIT
 *
 * scatter.h - the sufficient statistics of LDA: count, mean and centred moments of each class.
 *
 * They are additive (docs/method.md, step 1): portions of rows, micro-batches and machines each compute their own,
 * and merging them is exact up to rounding.
 */
#ifndef DLDA_OBJECTIVE_SCATTER_H
#define DLDA_OBJECTIVE_SCATTER_H

#include "base/comm.h"

struct dlda_scatter {
    size_t C, D;
    int pooled;      /* 1: one sum of moments for all classes                                   */
    size_t *counts;  /* [C]        rows of each class                                           */
    double *means;   /* [C][D]     their means m_c                                              */
    double *moments; /* [C][D][D]  sums of (h-m_c)(h-m_c)'; pooled: [D][D], upper triangle only */
    /* scratch for one portion of rows */
    size_t portion;  /* rows per portion                                                                         */
    size_t *start;   /* [C + 1]    where the rows of each class begin in `order`; pooled: their numbers          */
    size_t *order;   /* [portion]  rows of the portion, class by class                                           */
    double *grouped; /* [portion][D]  centred rows of a class; pooled: [2 portion][D], those of all classes, and */
    size_t joins;    /*            rows of corrections, of which this many wait to be added                      */
    double *shift;   /* [D]        mean of the portion's rows of one class; pooled: [C][D], of each              */
};

/* As dlda_scatter_create and dlda_scatter_create_pooled, with scratch for `portion` rows at a time: many scatters of few
 * rows need less memory. 0: as these do. */
dlda_status dlda_scatter_create_as(size_t classes, size_t features, int pooled, size_t portion,
                                   dlda_scatter **scatter);

/* Sets all sums to zero. */
void dlda_scatter_reset(dlda_scatter *scatter);

/* Replaces the sums by those of the rows of all ranks. */
dlda_status dlda_scatter_sum(dlda_scatter *scatter, const dlda_comm *comm);

/* Adds rows first .. first+n-1 of a block; none of them if one is refused. */
dlda_status dlda_scatter_add_range(dlda_scatter *scatter, const dlda_row_block *rows, size_t first, size_t n);

/* The same for a scatter without rows, which is of no use after a failure. Values that are not finite are noticed by the
 * means, without a pass over the rows. */
dlda_status dlda_scatter_add_new(dlda_scatter *scatter, const dlda_row_block *rows, size_t first, size_t n);

/* Like dlda_scatter_add, for the rows index[0 .. n-1] of H and labels, without checks. */
void dlda_scatter_add_chosen(dlda_scatter *scatter, const float *H, const int *labels, const size_t *index,
                             size_t n);

/* Rows of all classes; number of classes with at least two rows. */
size_t dlda_scatter_rows(const dlda_scatter *scatter);
size_t dlda_scatter_usable(const dlda_scatter *scatter);

/* DLDA_E_CLASS if fewer than two classes are usable. */
dlda_status dlda_scatter_check(const dlda_scatter *scatter);

/* The name of class c of a data set or table. */
typedef const char *dlda_class_name_fn(const void *set, size_t c);

/* The same for the counts of classes that have names. */
dlda_status dlda_check_class_counts(const size_t *counts, size_t classes, dlda_class_name_fn *name,
                                    const void *set);

/* The matrices of the paper, [D][D] each, and the overall mean m [D]. Sw is the average covariance of the usable
 * classes (pooled: weighted by their rows), St the covariance of all rows, Sb = St - Sw. DLDA_E_CLASS if fewer than
 * two classes are usable. */
dlda_status dlda_scatter_matrices(const dlda_scatter *scatter, double *Sw, double *Sb, double *m);

#endif
