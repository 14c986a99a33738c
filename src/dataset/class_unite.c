/* SPDX-License-Identifier: MIT
 *
 * class_unite.c - the classes that the ranks have found in their shares of a table, as one list on all of them.
 *
 * Rank 0 receives the lists of the others, unites them and sends the result to all.
 */
#include "base/memory.h"
#include "dataset/class_list.h"

#include <string.h>

/* The sizes [ranks] of what each rank has. */
static dlda_status share_sizes(const dlda_comm *comm, size_t mine, size_t *sizes)
{
    dlda_status status = DLDA_OK;
    size_t ranks = dlda_comm_size(comm);
    double *values = NULL;

    DLDA_TRY(DLDA_TAKE(&values, ranks, "classes"));
    values[dlda_comm_rank(comm)] = (double)mine;
    DLDA_TRY(dlda_comm_sum(comm, values, ranks));
    for (size_t r = 0; r < ranks; r++) sizes[r] = (size_t)values[r];
done:
    dlda_release(values);
    return status;
}

/* To rank 0, which adds them to its own. */
static dlda_status collect(dlda_class_list *list, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    size_t ranks = dlda_comm_size(comm), size = 0, all = 0, at = 0, *sizes = NULL, *to = NULL, *from = NULL;
    char *mine = NULL, *received = NULL;

    DLDA_TRY(DLDA_TAKE(&sizes, ranks, "classes"));
    DLDA_TRY(DLDA_TAKE(&to, ranks, "classes"));
    DLDA_TRY(DLDA_TAKE(&from, ranks, "classes"));
    DLDA_TRY(dlda_class_list_pack(list, &mine, &size));
    DLDA_TRY(share_sizes(comm, size, sizes));
    to[0] = size;
    for (size_t r = 0; r < ranks && dlda_comm_rank(comm) == 0; r++) all += from[r] = sizes[r];
    DLDA_TRY(DLDA_TAKE(&received, all + 1, "classes"));
    DLDA_TRY(dlda_comm_exchange(comm, mine, to, received, from));
    for (size_t r = 0; r < ranks && all > 0; at += sizes[r++])
        DLDA_TRY(dlda_class_list_add_packed(list, received + at, sizes[r]));
done:
    dlda_release(sizes);
    dlda_release(to);
    dlda_release(from);
    dlda_release(mine);
    dlda_release(received);
    return status;
}

static dlda_status distribute(dlda_class_list *list, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    size_t size = 0;
    char *packed = NULL;

    if (dlda_comm_rank(comm) == 0) DLDA_TRY(dlda_class_list_pack(list, &packed, &size));
    DLDA_TRY(dlda_comm_broadcast(comm, &size, sizeof size));
    if (!packed) DLDA_TRY(DLDA_TAKE(&packed, size, "classes"));
    DLDA_TRY(dlda_comm_broadcast(comm, packed, size));
    DLDA_TRY(dlda_class_list_add_packed(list, packed, size));
done:
    dlda_release(packed);
    return status;
}

dlda_status dlda_class_list_unite(dlda_class_list *list, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;

    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    DLDA_TRY(collect(list, comm));
    DLDA_TRY(distribute(list, comm));
done:
    return status;
}
