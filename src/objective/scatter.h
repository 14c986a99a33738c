/* SPDX-License-Identifier: MIT
 *
 * scatter.h - what LDA needs to know of labelled rows: counts, means and centred moments of each class.
 *
 * These sums are additive (docs/method.md, step 1): portions of rows, micro-batches and machines each make
 * their own, and merging them is exact up to rounding.
 */
#ifndef DLDA_OBJECTIVE_SCATTER_H
#define DLDA_OBJECTIVE_SCATTER_H

#include "base/status.h"

struct dlda_scatter {
    size_t C, D;
    int pooled;      /* one sum of moments for all classes                           */
    size_t *counts;  /* [C]        rows of each class                                */
    double *means;   /* [C][D]     their means m_c                                   */
    double *moments; /* [C][D][D]  sums of (h-m_c)(h-m_c)'; pooled: [D][D], the upper triangle counts */
    /* scratch for one portion of rows, which are centred and added at a time */
    size_t portion;  /* rows of it                                                   */
    size_t *start;   /* [C + 1]    where the rows of each class begin in `order`     */
    size_t *order;   /* [portion]  rows of the portion, class by class               */
    double *grouped; /* [portion][D]  the same rows, centred; pooled: [2 portion][D], with joins behind them */
    double *shift;   /* [D]        mean of the portion's rows of one class           */
};

/* Forgets all rows. */
void dlda_scatter_reset(dlda_scatter *scatter);

/* Like dlda_scatter_add, for the rows index[0 .. n-1] of H and labels, which were checked already. */
void dlda_scatter_add_chosen(dlda_scatter *scatter, const float *H, const int *labels, const size_t *index,
                             size_t n);

/* Rows of all classes together; how many classes have at least two. */
size_t dlda_scatter_rows(const dlda_scatter *scatter);
size_t dlda_scatter_usable(const dlda_scatter *scatter);

/* The matrices of the paper, [D][D] each, and the overall mean m [D]. Sw averages the covariances of the usable
 * classes, a pooled one by their rows; St is that of all rows; Sb = St - Sw. Fewer than two usable classes:
 * DLDA_E_CLASS. */
dlda_status dlda_scatter_matrices(const dlda_scatter *scatter, double *Sw, double *Sb, double *m);

#endif
