/* SPDX-License-Identifier: MIT
 *
 * folds.h - the folds that a data set brings along, as STL-10 does in fold_indices.txt.
 */
#ifndef DLDA_DATASET_FOLDS_H
#define DLDA_DATASET_FOLDS_H

#include "base/status.h"

/* Fold k has the samples index[k * size] .. index[(k + 1) * size - 1], in the order of the file. */
typedef struct dlda_folds {
    size_t count, size; /* how many folds, and samples in each */
    size_t *index;      /* [count][size]: positions in the training part, from 0 */
} dlda_folds;

/* Reads fold_indices.txt of a folder: a fold in each line, as indices from 0 with spaces between. All are checked to be
 * below `samples` and to occur once in a fold, and all folds to be of one size. DLDA_E_IO if there is no such file. */
dlda_status dlda_stl_read_folds(const char *folder, size_t samples, dlda_folds *folds);
void dlda_folds_release(dlda_folds *folds);

#endif
