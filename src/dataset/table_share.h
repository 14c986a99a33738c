/* SPDX-License-Identifier: MIT
 *
 * table_share.h - how ranks divide the rows of a table in files: in order, whole files as long as there are enough of them.
 */
#ifndef DLDA_DATASET_TABLE_SHARE_H
#define DLDA_DATASET_TABLE_SHARE_H

#include "base/comm.h"

/* Files first .. end-1; with fewer files than ranks, part `part` of `parts` of the rows of one file. */
typedef struct dlda_file_share {
    size_t first, end, part, parts;
} dlda_file_share;

dlda_file_share dlda_share_of_files(size_t files, const dlda_comm *comm);

/* Turns means [n] of counts [n] values of this rank into those of all ranks. */
dlda_status dlda_means_sum(const dlda_comm *comm, size_t n, double *means, size_t *counts);

#endif
