/* SPDX-License-Identifier: MIT
 *
 * objective.h - one interface for all objectives: features and labels in, loss and gradient out.
 *
 * An objective never sees a network. It works in stages, so that rows may be split over portions or machines:
 *     in each round:  reset; add (rows) ...; merge (sums of others) ... or sum (over ranks); solve
 *     at the end:     gradient (rows) ...
 * objective.c has a table with the name, requirements and functions of each kind.
 */
#ifndef DLDA_OBJECTIVE_OBJECTIVE_H
#define DLDA_OBJECTIVE_OBJECTIVE_H

#include "base/comm.h"

/* Rows H are [n][D], with n at most the batch of the spec. Only `create` allocates. */
typedef struct dlda_objective_functions {
    size_t rounds;
    dlda_status (*create)(const dlda_objective_spec *spec, void **state);
    void (*destroy)(void *state);
    void (*reset)(void *state, size_t round);
    dlda_status (*add)(void *state, const double *H, const int *labels, size_t n); /* checks H and labels */
    size_t (*n_sums)(const void *state);                                           /* in the current round */
    void (*export_sums)(const void *state, double *sums);
    dlda_status (*merge_sums)(void *state, const double *sums);
    dlda_status (*sum)(void *state, const dlda_comm *comm); /* over all ranks */
    dlda_status (*solve)(void *state, double *loss);        /* *loss is set by the last round */
    void (*gradient)(void *state, const double *H, const int *labels, size_t n, double *dH);
    const double *(*eigenvalues)(const void *state, size_t *count);
    size_t (*selected)(const void *state); /* number of eigenvalues maximised */
} dlda_objective_functions;

extern const dlda_objective_functions dlda_lda_objective;     /* lda_objective.c     */
extern const dlda_objective_functions dlda_bayes_objective;   /* bayes_objective.c   */
extern const dlda_objective_functions dlda_softmax_objective; /* softmax_objective.c */
extern const dlda_objective_functions dlda_joint_objective;   /* joint_objective.c   */

typedef struct dlda_objective_row {
    dlda_objective_info info;
    int feature_per_class; /* 1: needs as many features as classes */
    const dlda_objective_functions *functions;
} dlda_objective_row;

/* As dlda_objective_evaluate, for a batch whose rows are divided among ranks; n may be 0 here. */
dlda_status dlda_objective_evaluate_over(dlda_objective *objective, const dlda_comm *comm, const float *H,
                                         const int *labels, size_t n, double *loss, float *dH);
/* The same in double. */
dlda_status dlda_objective_evaluate_double_over(dlda_objective *objective, const dlda_comm *comm, const double *H,
                                                const int *labels, size_t n, double *loss, double *dH);

/* NULL if there is no such kind. */
const dlda_objective_row *dlda_objective_row_of(dlda_objective_kind kind);

#endif
