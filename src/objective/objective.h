/* SPDX-License-Identifier: MIT
 *
 * objective.h - one interface for all objectives: features and labels in, loss and gradient out.
 *
 * An objective never sees a network. Each kind is a table of functions on its own state.
 */
#ifndef DLDA_OBJECTIVE_OBJECTIVE_H
#define DLDA_OBJECTIVE_OBJECTIVE_H

#include "base/status.h"

typedef struct dlda_objective_kind_functions {
    dlda_status (*create)(const dlda_objective_spec *spec, void **state);
    void (*destroy)(void *state);
    /* H [n][D] -> loss, dH [n][D] if not NULL. n is within the spec; labels and H are not yet checked. */
    dlda_status (*evaluate)(void *state, const double *H, const int *labels, size_t n, double *loss, double *dH);
    const double *(*eigenvalues)(const void *state, size_t *count);
    /* How many of them the last evaluation maximised. */
    size_t (*selected)(const void *state);
} dlda_objective_kind_functions;

extern const dlda_objective_kind_functions dlda_lda_objective;     /* lda_objective.c     */
extern const dlda_objective_kind_functions dlda_softmax_objective; /* softmax_objective.c */

/* 1 if the loss is minus a separation (all but cross entropy). */
int dlda_objective_separates(dlda_objective_kind kind);

#endif
