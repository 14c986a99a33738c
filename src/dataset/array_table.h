/* SPDX-License-Identifier: MIT
 *
 * array_table.h - labelled rows in .npy and .npz files, read in blocks.
 */
#ifndef DLDA_DATASET_ARRAY_TABLE_H
#define DLDA_DATASET_ARRAY_TABLE_H

#include "base/comm.h"
#include "base/parallel.h"
#include "dataset/class_list.h"

typedef struct dlda_array_table dlda_array_table;

/* `files` [n] must outlive it; the spec's own are not used. The rows are divided among the ranks of `comm`. */
dlda_status dlda_array_table_open(const dlda_table_spec *spec, const char *const *files, size_t n,
                                  const dlda_comm *comm, dlda_array_table **table);
void dlda_array_table_destroy(dlda_array_table *table);

size_t dlda_array_table_rows(const dlda_array_table *table); /* of this rank, without those that are left out */
size_t dlda_array_table_file_rows(const dlda_array_table *table, size_t file); /* with those */
size_t dlda_array_table_class_rows(const dlda_array_table *table, size_t c);   /* likewise */
size_t dlda_array_table_features(const dlda_array_table *table);
size_t dlda_array_table_incomplete(const dlda_array_table *table);              /* of all ranks */
const dlda_class_list *dlda_array_table_classes(const dlda_array_table *table); /* NULL: no labels */

/* As those of dlda_table. */
dlda_status dlda_array_table_rewind(dlda_array_table *table);
dlda_status dlda_array_table_next(dlda_array_table *table, dlda_team *team, size_t most, float *X, int *labels,
                                  size_t *n);

#endif
