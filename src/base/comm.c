/* SPDX-License-Identifier: MIT
 *
 * comm.c - calls to a dlda_comm, and how rows are divided among ranks.
 */
#include "base/comm.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

size_t dlda_comm_rank(const dlda_comm *comm)
{
    return comm ? comm->rank : 0;
}

size_t dlda_comm_size(const dlda_comm *comm)
{
    return comm ? comm->size : 1;
}

static dlda_status status_of(const dlda_comm *comm, int failed)
{
    return failed ? dlda_fail(DLDA_E_RANK, "%s", comm->error(comm->user)) : DLDA_OK;
}

dlda_status dlda_comm_check(const dlda_comm *comm)
{
    return status_of(comm, comm && comm->error(comm->user)[0]);
}

dlda_status dlda_comm_sum(const dlda_comm *comm, double *values, size_t n)
{
    return comm ? status_of(comm, comm->sum(comm->user, values, n)) : DLDA_OK;
}

dlda_status dlda_comm_begin_sum(const dlda_comm *comm, float *values, size_t n)
{
    return comm ? status_of(comm, comm->begin_sum(comm->user, values, n)) : DLDA_OK;
}

dlda_status dlda_comm_end_sums(const dlda_comm *comm)
{
    return comm ? status_of(comm, comm->end_sums(comm->user)) : DLDA_OK;
}

dlda_status dlda_comm_exchange(const dlda_comm *comm, const void *sent, const size_t *to, void *received,
                               const size_t *from)
{
    return status_of(comm, comm->exchange(comm->user, sent, to, received, from));
}

dlda_status dlda_comm_broadcast(const dlda_comm *comm, void *bytes, size_t n)
{
    return comm ? status_of(comm, comm->broadcast(comm->user, bytes, n)) : DLDA_OK;
}

double dlda_comm_waited(const dlda_comm *comm)
{
    return comm ? comm->waited(comm->user) : 0;
}

dlda_status dlda_comm_fail(const dlda_comm *comm, dlda_status status)
{
    if (comm && status != DLDA_E_RANK) comm->fail(comm->user, dlda_last_error());
    return status;
}

uint32_t dlda_comm_checksum(uint32_t before, const void *bytes, size_t n)
{
    return (uint32_t)crc32_z(before, bytes, n);
}

dlda_status dlda_comm_agree(const dlda_comm *comm, const void *bytes, size_t n, const char *what)
{
    const uint32_t ours = dlda_comm_checksum(0, bytes, n);
    uint32_t theirs = ours;
    double differs = 0;

    if (!comm) return DLDA_OK;
    if (dlda_comm_broadcast(comm, &theirs, sizeof theirs) != DLDA_OK) return DLDA_E_RANK;
    differs = ours != theirs;
    if (differs > 0)
        return dlda_comm_fail(comm, dlda_fail(DLDA_E_ARGUMENT,
                                              "%s: not the same as on rank 0 (checksum %08x, there %08x)", what,
                                              ours, theirs));
    return dlda_comm_sum(comm, &differs, 1); /* all have compared */
}

/* ---- Rows ---- */

static size_t first_of(size_t n, size_t parts, size_t k)
{
    return k * n / parts;
}

size_t dlda_first_rank_of_group(size_t groups, size_t group, size_t size)
{
    return (group * size + groups - 1) / groups;
}

dlda_rows dlda_groups_of_rank(size_t groups, size_t rank, size_t size)
{
    size_t first = first_of(groups, size, rank), end = first_of(groups, size, rank + 1);

    return (dlda_rows){ first, groups < size ? 1 : end - first };
}

dlda_rows dlda_rows_of_rank(size_t n, size_t groups, size_t rank, size_t size)
{
    dlda_rows mine = dlda_groups_of_rank(groups, rank, size);
    size_t first = first_of(n, groups, mine.first), end = first_of(n, groups, mine.first + mine.count);

    if (groups < size) {
        size_t leader = dlda_first_rank_of_group(groups, mine.first, size);
        size_t members = dlda_first_rank_of_group(groups, mine.first + 1, size) - leader, rows = end - first;
        end = first + first_of(rows, members, rank - leader + 1);
        first += first_of(rows, members, rank - leader);
    }
    return (dlda_rows){ first, end - first };
}
