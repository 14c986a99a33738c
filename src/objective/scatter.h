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

enum { DLDA_SCATTER_PORTION = 256 }; /* rows that are centred and added at a time */

struct dlda_scatter {
    size_t C, D;
    size_t *counts;  /* [C]        rows of each class                         */
    double *means;   /* [C][D]     their means m_c                            */
    double *moments; /* [C][D][D]  sums of (h-m_c)(h-m_c)'                    */
    /* scratch for one portion of rows */
    double *rows;                       /* [PORTION][D]  rows in double, then grouped and centred */
    double *grouped;                    /* [PORTION][D]                                           */
    double *shift;                      /* [D]           mean of the portion's rows of one class  */
    size_t order[DLDA_SCATTER_PORTION]; /* rows of the portion, class by class                    */
};

/* Forgets all rows. */
void dlda_scatter_reset(dlda_scatter *scatter);

/* Like dlda_scatter_add, for rows in double. */
dlda_status dlda_scatter_add_double(dlda_scatter *scatter, const double *H, const int *labels, size_t n);

/* Rows of all classes together; how many classes have at least two. */
size_t dlda_scatter_rows(const dlda_scatter *scatter);
size_t dlda_scatter_usable(const dlda_scatter *scatter);

/* The matrices of the paper, [D][D] each, and the overall mean m [D]. Sw averages the covariances of the
 * usable classes; St is that of all rows; Sb = St - Sw. Fewer than two usable classes: DLDA_E_CLASS. */
dlda_status dlda_scatter_matrices(const dlda_scatter *scatter, double *Sw, double *Sb, double *m);

#endif
