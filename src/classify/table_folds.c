/* SPDX-License-Identifier: MIT
 *
 * table_folds.c - stratified folds of a table that is read in blocks.
 *
 * Within each class, every F consecutive rows go to F different folds, in a random order that is redrawn for each F
 * rows. So a fold's share of a class is off by less than one row. The fold of a row depends only on the seed and on
 * its position within its class, so rows can be assigned without knowing later ones. With as many folds as rows, each
 * row is a fold: leave-one-out.
 *
 * A rank reads its share of the rows. Those of the ranks before it are counted as read, so that the fold of a row does not
 * depend on the number of ranks.
 */
#include "classify/table_folds.h"
#include "base/by_class.h"
#include "base/memory.h"
#include "base/random.h"
#include "dataset/feature_table.h"

#include <string.h>

/* Rows per block: enough for efficient matrix products, within some megabytes. */
static size_t block_of(size_t features)
{
    enum { VALUES = 1 << 21, LEAST = 256, MOST = 1 << 16 };
    size_t rows = VALUES / features;

    return rows < LEAST ? LEAST : rows > MOST ? MOST : rows;
}

/* Counts [n] of this rank become the sums of those of the ranks before it. */
static dlda_status sum_before(const dlda_comm *comm, double *counts, size_t n)
{
    dlda_status status = DLDA_OK;
    size_t rank = dlda_comm_rank(comm), ranks = dlda_comm_size(comm);
    double *all = NULL;

    DLDA_TRY(DLDA_TAKE(&all, ranks * n, "folds"));
    memcpy(all + rank * n, counts, n * sizeof *counts);
    DLDA_TRY(dlda_comm_sum(comm, all, ranks * n));
    memset(counts, 0, n * sizeof *counts);
    for (size_t r = 0; r < rank; r++)
        for (size_t i = 0; i < n; i++) counts[i] += all[r * n + i];
done:
    dlda_release(all);
    return status;
}

/* Finds out what the ranks before this one have, some classes at a time. */
static dlda_status count_earlier(dlda_folds *self)
{
    enum { AT_ONCE = 1024 };
    dlda_status status = DLDA_OK;
    const dlda_comm *comm = dlda_table_comm(self->table);
    double counts[AT_ONCE] = { (double)dlda_table_own_rows(self->table) };

    if (!comm) return DLDA_OK;
    DLDA_TRY(sum_before(comm, counts, 1));
    self->before = (size_t)counts[0];
    DLDA_TRY(DLDA_TAKE(&self->earlier, self->C, "folds"));
    for (size_t first = 0; first < self->C; first += AT_ONCE) {
        size_t n = self->C - first < AT_ONCE ? self->C - first : AT_ONCE;
        for (size_t c = 0; c < n; c++) counts[c] = (double)dlda_table_own_class_rows(self->table, first + c);
        DLDA_TRY(sum_before(comm, counts, n));
        for (size_t c = 0; c < n; c++) self->earlier[first + c] = (size_t)counts[c];
    }
done:
    return status;
}

dlda_status dlda_folds_open(dlda_table *table, size_t folds, uint64_t seed, dlda_folds *self)
{
    dlda_status status = DLDA_OK;
    size_t rows = dlda_table_rows(table), n_values = 0;

    *self = (dlda_folds){ .table = table, .F = folds > 1 ? folds : 1, .seed = seed };
    self->D = dlda_table_features(table);
    self->C = dlda_table_classes(table);
    self->block = block_of(self->D) < rows ? block_of(self->D) : rows;
    DLDA_TRY(dlda_multiply_sizes(self->block, self->D, "rows", &n_values));
    DLDA_TRY(DLDA_TAKE(&self->X, n_values, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->labels, self->block, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->order, self->block, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->fold, self->block, "rows"));
    DLDA_TRY(DLDA_TAKE(&self->start, self->F + 1, "folds"));
    DLDA_TRY(DLDA_TAKE(&self->seen, self->C, "folds"));
    DLDA_TRY(DLDA_TAKE(&self->shuffled, self->C * self->F, "folds"));
    DLDA_TRY(count_earlier(self));
done:
    return status;
}

void dlda_folds_close(dlda_folds *self)
{
    dlda_release(self->X);
    dlda_release(self->labels);
    dlda_release(self->order);
    dlda_release(self->fold);
    dlda_release(self->start);
    dlda_release(self->earlier);
    dlda_release(self->seen);
    dlda_release(self->shuffled);
    *self = (dlda_folds){ 0 };
}

/* The folds of the next F rows of a class. */
static void shuffle_folds(dlda_folds *self, size_t class)
{
    size_t *shuffled = self->shuffled + class * self->F;
    dlda_random random = dlda_random_stream(self->seed, DLDA_RANDOM_FOLDS, (uint32_t)(self->seen[class] / self->F),
                                            (uint32_t) class);

    for (size_t f = 0; f < self->F; f++) shuffled[f] = f;
    dlda_random_shuffle(&random, self->F, shuffled);
}

dlda_status dlda_folds_rewind(dlda_folds *self)
{
    memset(self->seen, 0, self->C * sizeof *self->seen);
    for (size_t c = 0; self->earlier && c < self->C; c++) {
        self->seen[c] = self->earlier[c];
        if (self->F > 1 && self->seen[c] % self->F != 0) shuffle_folds(self, c);
    }
    self->rows = self->before;
    return dlda_table_rewind(self->table);
}

/* Draws the fold of the next row of a class. */
static size_t draw_fold(dlda_folds *self, size_t class)
{
    size_t place = self->seen[class] % self->F;

    if (self->F == 1) return 0;
    if (place == 0) shuffle_folds(self, class);
    self->seen[class]++;
    return self->shuffled[class * self->F + place];
}

dlda_status dlda_folds_next(dlda_folds *self, dlda_team *team)
{
    dlda_status status = dlda_table_next(self->table, team, self->block, self->X, self->labels, &self->n);

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < self->n; i++, self->rows++)
        self->fold[i] = (int)(self->F == dlda_table_rows(self->table) ? self->rows
                                                                      : draw_fold(self, (size_t)self->labels[i]));
    dlda_group_by_class(self->fold, self->n, self->F, self->start, self->order);
    return DLDA_OK;
}
