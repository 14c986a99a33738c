/* SPDX-License-Identifier: MIT
 *
 * comm.h - what the library asks of a dlda_comm, with statuses. NULL is a comm of one rank, where all of this does nothing.
 *
 * A failure stays: code that cannot return a status calls on, and whoever called it asks dlda_comm_check.
 */
#ifndef DLDA_BASE_COMM_H
#define DLDA_BASE_COMM_H

#include "base/status.h"
#include "deeplda_comm.h"

#include <stdint.h>

size_t dlda_comm_rank(const dlda_comm *comm);
size_t dlda_comm_size(const dlda_comm *comm);

/* DLDA_E_RANK with the cause if a rank has failed. */
dlda_status dlda_comm_check(const dlda_comm *comm);

dlda_status dlda_comm_sum(const dlda_comm *comm, double *values, size_t n);
dlda_status dlda_comm_begin_sum(const dlda_comm *comm, float *values, size_t n);
dlda_status dlda_comm_end_sums(const dlda_comm *comm);
dlda_status dlda_comm_exchange(const dlda_comm *comm, const void *sent, const size_t *to, void *received,
                               const size_t *from);
dlda_status dlda_comm_broadcast(const dlda_comm *comm, void *bytes, size_t n);
double dlda_comm_waited(const dlda_comm *comm);

/* Passes on a failure of this rank, with its latest message, unless another rank failed first. Returns `status`. */
dlda_status dlda_comm_fail(const dlda_comm *comm, dlda_status status);

/* A checksum of what was added before and of these bytes; 0 before the first. */
uint32_t dlda_comm_checksum(uint32_t before, const void *bytes, size_t n);
/* DLDA_E_RANK unless all ranks have the same bytes. `what` names them: "the data". */
dlda_status dlda_comm_agree(const dlda_comm *comm, const void *bytes, size_t n, const char *what);

/* Rows of a batch or a set. */
typedef struct dlda_rows {
    size_t first, count;
} dlda_rows;

/* The part of n rows that belongs to a rank. The rows are divided into `groups` whose sizes differ by one at most. With as
 * many groups as ranks or more, a rank has whole groups; else several ranks share a group. */
dlda_rows dlda_rows_of_rank(size_t n, size_t groups, size_t rank, size_t size);

/* The groups of a rank, one if it shares it; and the first rank of a group. */
dlda_rows dlda_groups_of_rank(size_t groups, size_t rank, size_t size);
size_t dlda_first_rank_of_group(size_t groups, size_t group, size_t size);

#endif
