/* SPDX-License-Identifier: MIT
 *
 * feature_table.h - the rows of a dlda_table, in blocks.
 */
#ifndef DLDA_DATASET_FEATURE_TABLE_H
#define DLDA_DATASET_FEATURE_TABLE_H

#include "base/parallel.h"

/* The next rows, at most `most`: X [n][features], all finite, and labels [n], -1 if there are none; n is 0 behind the last. */
dlda_status dlda_table_next(dlda_table *table, dlda_team *team, size_t most, float *X, int *labels, size_t *n);

#endif
