/* SPDX-License-Identifier: MIT
 *
 * table_share.c - the files of a table that a rank reads, and means over all ranks.
 *
 * Shares are in the order of the ranks, so that the rows before those of a rank are the rows of the ranks before it. What
 * depends on the position of a row, such as its fold, can then be found from counts.
 */
#include "dataset/table_share.h"
#include "base/memory.h"

dlda_file_share dlda_share_of_files(size_t files, const dlda_comm *comm)
{
    size_t rank = dlda_comm_rank(comm), size = dlda_comm_size(comm);
    dlda_rows mine = dlda_groups_of_rank(files, rank, size);
    dlda_file_share share = { mine.first, mine.first + mine.count, 0, 1 };

    if (files < size) {
        size_t leader = dlda_first_rank_of_group(files, mine.first, size);
        share.part = rank - leader;
        share.parts = dlda_first_rank_of_group(files, mine.first + 1, size) - leader;
    }
    return share;
}

dlda_status dlda_means_sum(const dlda_comm *comm, size_t n, double *means, size_t *counts)
{
    dlda_status status = DLDA_OK;
    double *sums = NULL;

    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&sums, 2 * n, "means"));
    for (size_t j = 0; j < n; j++) {
        sums[j] = means[j] * (double)counts[j];
        sums[n + j] = (double)counts[j];
    }
    DLDA_TRY(dlda_comm_sum(comm, sums, 2 * n));
    for (size_t j = 0; j < n; j++) {
        counts[j] = (size_t)sums[n + j];
        means[j] = counts[j] ? sums[j] / sums[n + j] : 0;
    }
done:
    dlda_release(sums);
    return status;
}
