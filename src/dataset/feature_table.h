/* SPDX-License-Identifier: MIT
 *
 * feature_table.h - reads the rows of a dlda_table in blocks.
 */
#ifndef DLDA_DATASET_FEATURE_TABLE_H
#define DLDA_DATASET_FEATURE_TABLE_H

#include "base/comm.h"
#include "base/parallel.h"

/* Reads at most `most` rows: X [n][features], all finite, and labels [n], -1 if there are
 * none. n is 0 after the last. */
dlda_status dlda_table_next(dlda_table *table, dlda_team *team, size_t most, float *X, int *labels, size_t *n);

/* The ranks that divide the rows, NULL: one; and what this one has: rows, and those of a class. The rows of the ranks before
 * precede them. */
const dlda_comm *dlda_table_comm(const dlda_table *table);
size_t dlda_table_own_rows(const dlda_table *table);
size_t dlda_table_own_class_rows(const dlda_table *table, size_t c);

/* After all rows were read by all ranks: fails if what they have read does not go together. */
dlda_status dlda_table_check_ranks(dlda_table *table);

#endif
