/* SPDX-License-Identifier: MIT
 *
 * folds.h - folds defined by a data set itself, as in the fold_indices.txt of STL-10.
 */
#ifndef DLDA_DATASET_FOLDS_H
#define DLDA_DATASET_FOLDS_H

#include "base/status.h"

/* Fold k has the samples index[k * size] .. index[(k + 1) * size - 1], in the order of the file. */
typedef struct dlda_folds {
    size_t count, size; /* number of folds; samples per fold */
    size_t *index;      /* [count][size]: positions in the training part, from 0 */
} dlda_folds;

/* Reads fold_indices.txt of a folder: one fold per line, as indices from 0 separated by spaces.
 * Indices must be below `samples` and occur once per fold, and all folds must have the same size.
 * DLDA_E_IO if there is no such file. */
dlda_status dlda_stl_read_folds(const char *folder, size_t samples, dlda_folds *folds);
void dlda_folds_release(dlda_folds *folds);

#endif
