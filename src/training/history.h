/* SPDX-License-Identifier: MIT
 *
 * history.h - the results of each epoch, in memory and as CSV.
 */
#ifndef DLDA_TRAINING_HISTORY_H
#define DLDA_TRAINING_HISTORY_H

#include "base/status.h"

typedef struct dlda_history {
    size_t count, room, eigenvalues; /* eigenvalues: maximum per epoch */
    dlda_epoch *epochs;              /* [room]                         */
    double *values;                  /* [room][eigenvalues]            */
} dlda_history;

dlda_status dlda_history_create(size_t epochs, size_t eigenvalues, dlda_history **history);
void dlda_history_destroy(dlda_history *history);
/* Adds a copy of the epoch, with its eigenvalues. */
void dlda_history_add(dlda_history *history, const dlda_epoch *epoch);

/* Writes history.csv or eigenvalues.csv. They contain no times, so the same seed gives the same files. */
dlda_status dlda_history_write(const dlda_history *history, const char *path);
dlda_status dlda_history_write_eigenvalues(const dlda_history *history, const char *path);

#endif
