/* SPDX-License-Identifier: MIT
 *
 * lda_problem.h - the eigenproblem Sb e = v (Sw + lambda I) e of a scatter. The objective
 * and the LDA head share it.
 */
#ifndef DLDA_OBJECTIVE_LDA_PROBLEM_H
#define DLDA_OBJECTIVE_LDA_PROBLEM_H

#include "linalg/eigen.h"
#include "objective/scatter.h"

typedef struct dlda_lda_problem {
    size_t D, K;         /* K = min(C' - 1, D) of the latest solution, C' = usable classes */
    double *Sw, *Sb;     /* [D][D]; Sw without lambda                                      */
    double *regularised; /* [D][D]  Sw + lambda I                                          */
    double *m;           /* [D]     overall mean                                           */
    double *values;      /* [D]     largest first; the first K are those of LDA            */
    double *E;           /* [D][D]  a row for each, e' (Sw + lambda I) e = 1; so E'E is the
                                    inverse of Sw + lambda I                                 */
    dlda_eigen *eigen;
} dlda_lda_problem;

dlda_status dlda_lda_problem_create(size_t features, dlda_lda_problem **problem);
void dlda_lda_problem_destroy(dlda_lda_problem *problem);
/* Allocates nothing. */
dlda_status dlda_lda_problem_solve(dlda_lda_problem *problem, const dlda_scatter *scatter, double lambda);

#endif
