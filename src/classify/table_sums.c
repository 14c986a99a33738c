/* SPDX-License-Identifier: MIT
 *
 * table_sums.c - the sums of a table and the LDAs that are fitted on them: of all rows, and without each fold.
 *
 * Scatters are additive: one pass computes those of the folds, and the LDA without fold f is fitted on the sum of all
 * others. With many folds, such as leave-one-out, blocks of folds share the sum of all folds outside the block.
 *
 * Results do not depend on the number of threads: the rows of a block are split into a fixed number of parts, each
 * part has its own scatter, and scatters are added in order. Ranks add the scatters of their rows; then each of them fits
 * the same LDAs.
 */
#include "base/memory.h"
#include "classify/lda_head.h"
#include "classify/shrinkage.h"
#include "classify/table_fit.h"
#include "dataset/feature_table.h"
#include "objective/scatter.h"

#include <stdio.h>

/* ---- Scatters ---- */

/* Enough parts for many threads, but fewer if the matrices are large. */
static size_t lanes_of(size_t F, size_t D)
{
    enum { PARTS = 8 };
    const size_t most_values = (size_t)1 << 25;
    size_t lanes = (PARTS + F - 1) / F;

    while (lanes > 1 && lanes * F * D * D > most_values) lanes--;
    return lanes;
}

/* Folds of few rows need little scratch. */
static dlda_status create_scatter(const dlda_fitting *self, dlda_scatter **scatter)
{
    enum { MANY = 64, FEW_ROWS = 16 };

    return dlda_scatter_create_as(self->folds.C, self->folds.D, self->pooled, self->folds.F > MANY ? FEW_ROWS : 0,
                                  scatter);
}

static dlda_status take_parts(dlda_fitting *self)
{
    const double most = 16e9;
    dlda_status status = DLDA_OK;
    const dlda_folds *folds = &self->folds;

    self->lanes = lanes_of(folds->F, folds->D * (self->pooled ? 1 : folds->C));
    double bytes = 8.0 * (double)(folds->F * self->lanes) * (double)folds->D * (double)folds->D *
                   (self->pooled ? 1.0 : (double)folds->C);
    if (folds->F > 1 && bytes > most)
        DLDA_FAIL(DLDA_E_MEMORY, "folds: %zu of them need %.0f GB, expected at most %.0f; fewer folds need less",
                  folds->F, bytes / 1e9, most / 1e9);
    DLDA_TRY(DLDA_TAKE(&self->parts, folds->F * self->lanes, "scatters"));
    for (size_t p = 0; p < folds->F * self->lanes; p++) DLDA_TRY(create_scatter(self, &self->parts[p]));
done:
    return status;
}

static void add_part(void *context, const dlda_chunk *chunk)
{
    dlda_fitting *self = context;
    const dlda_folds *folds = &self->folds;
    size_t f = chunk->index / self->lanes, lane = chunk->index % self->lanes;
    size_t first = folds->start[f], n = folds->start[f + 1] - first;
    size_t begin = first + n * lane / self->lanes, end = first + n * (lane + 1) / self->lanes;

    dlda_scatter_add_chosen(self->parts[chunk->index], folds->X, folds->labels, folds->order + begin, end - begin);
}

static dlda_status sum_up_rows(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    size_t F = self->folds.F;

    DLDA_TRY(dlda_folds_rewind(&self->folds));
    DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    while (self->folds.n > 0) {
        dlda_parallel_for(self->team, F * self->lanes, 1, add_part, self);
        DLDA_TRY(dlda_folds_next(&self->folds, self->team));
    }
    DLDA_TRY(dlda_table_check_ranks(self->folds.table));
    for (size_t f = 0; f < F; f++) /* the first part of each fold accumulates the others */
        for (size_t lane = 1; lane < self->lanes; lane++)
            DLDA_TRY(dlda_scatter_merge(self->parts[f * self->lanes], self->parts[f * self->lanes + lane]));
    for (size_t f = 0; f < F; f++)
        DLDA_TRY(dlda_scatter_sum(self->parts[f * self->lanes], dlda_table_comm(self->folds.table)));
done:
    return status;
}

/* ---- Shrinkage ---- */

static dlda_status merge_folds(const dlda_fitting *self, size_t begin, size_t end, dlda_scatter *sum)
{
    dlda_status status = DLDA_OK;

    for (size_t f = begin; status == DLDA_OK && f < end; f++)
        status = dlda_scatter_merge(sum, self->parts[f * self->lanes]);
    return status;
}

static dlda_status estimate_shrinkage(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *all = NULL;
    dlda_shrinkage *shrinkage = NULL;

    DLDA_TRY(create_scatter(self, &all));
    DLDA_TRY(merge_folds(self, 0, self->folds.F, all));
    DLDA_TRY(dlda_shrinkage_create(all, &shrinkage));
    DLDA_TRY(dlda_folds_rewind(&self->folds));
    do {
        DLDA_TRY(dlda_folds_next(&self->folds, self->team));
        DLDA_TRY(dlda_shrinkage_add(shrinkage, self->folds.X, self->folds.labels, self->folds.n));
    } while (self->folds.n > 0);
    DLDA_TRY(dlda_shrinkage_sum(shrinkage, dlda_table_comm(self->folds.table)));
    DLDA_TRY(DLDA_TAKE(&self->class_shrinkage, self->folds.C, "shrinkage"));
    DLDA_TRY(dlda_shrinkage_estimate(shrinkage, self->class_shrinkage));
done:
    dlda_shrinkage_destroy(shrinkage);
    dlda_scatter_destroy(all);
    return status;
}

/* ---- Fitting ---- */

static const char *name_of_class(const void *table, size_t c)
{
    return dlda_table_class_name(table, c);
}

static dlda_status fit_sum(dlda_fitting *self, const dlda_scatter *sum, size_t place)
{
    const dlda_table_fit_spec *spec = self->spec;
    const dlda_classic_spec classic = { .lambda = spec->lambda,
                                        .regularise = spec->regularise,
                                        .shrinkage = self->class_shrinkage ? 0 : spec->shrinkage,
                                        .class_shrinkage = self->class_shrinkage,
                                        .standardise = spec->standardise,
                                        .priors = spec->priors };
    dlda_status status = dlda_check_class_counts(sum->counts, sum->C, name_of_class, self->folds.table);

    if (status != DLDA_OK) return status;
    return dlda_lda_fit_classic_as(sum, &classic, place == self->folds.F, &self->ldas[place]);
}

static dlda_status fit_all_rows(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *sum = NULL;

    DLDA_TRY(create_scatter(self, &sum));
    DLDA_TRY(merge_folds(self, 0, self->folds.F, sum));
    DLDA_TRY(fit_sum(self, sum, self->folds.F));
done:
    dlda_scatter_destroy(sum);
    return status;
}

/* Fits the LDA without fold f, given the sum of the folds outside of its block begin .. end-1. */
static dlda_status fit_without(dlda_fitting *self, const dlda_scatter *outside, size_t begin, size_t end, size_t f)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *sum = NULL;

    if (end - begin == 1) return fit_sum(self, outside, f);
    DLDA_TRY(create_scatter(self, &sum));
    DLDA_TRY(dlda_scatter_merge(sum, outside));
    DLDA_TRY(merge_folds(self, begin, f, sum));
    DLDA_TRY(merge_folds(self, f + 1, end, sum));
    DLDA_TRY(fit_sum(self, sum, f));
done:
    dlda_scatter_destroy(sum);
    return status;
}

static void note(dlda_fitting *self, size_t place, dlda_status status)
{
    dlda_fit_problem *found = &self->problems[place];

    found->status = status;
    if (status != DLDA_OK) snprintf(found->message, sizeof found->message, "%s", dlda_last_error());
}

/* One fold per block, or about the square root of their number, so that F folds need F^1.5 sums instead of F^2. */
static size_t block_of(size_t F)
{
    enum { FEW = 64 };
    size_t block = 1;

    while (F > FEW && block * block < F) block++;
    return block;
}

/* The first chunk is the LDA of all rows; then one for each block of folds. */
static void fit_chunk(void *context, const dlda_chunk *chunk)
{
    dlda_fitting *self = context;
    size_t F = self->folds.F, block = block_of(F);
    dlda_scatter *outside = NULL;

    if (chunk->index == 0) {
        note(self, F, fit_all_rows(self));
        return;
    }
    size_t begin = (chunk->index - 1) * block, end = begin + block < F ? begin + block : F;
    dlda_status status = create_scatter(self, &outside);
    if (status == DLDA_OK) status = merge_folds(self, 0, begin, outside);
    if (status == DLDA_OK) status = merge_folds(self, end, F, outside);
    for (size_t f = begin; f < end; f++)
        note(self, f, status == DLDA_OK ? fit_without(self, outside, begin, end, f) : status);
    dlda_scatter_destroy(outside);
}

static dlda_status fit_all(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;
    size_t F = self->folds.F, blocks = (F + block_of(F) - 1) / block_of(F);

    DLDA_TRY(DLDA_TAKE(&self->ldas, F + 1, "LDA"));
    DLDA_TRY(DLDA_TAKE(&self->problems, F + 1, "LDA"));
    if (F == 1) return fit_all_rows(self);
    dlda_parallel_for(self->team, blocks + 1, 1, fit_chunk, self);
    const dlda_fit_problem *all = &self->problems[F];
    if (all->status != DLDA_OK) DLDA_FAIL(all->status, "%s", all->message);
    for (size_t f = 0; f < F; f++)
        if (self->problems[f].status != DLDA_OK)
            DLDA_FAIL(self->problems[f].status, "without fold %zu of %zu: %s; fewer folds may help, or none at all",
                      f + 1, F, self->problems[f].message);
done:
    return status;
}

dlda_status dlda_fitting_fit(dlda_fitting *self)
{
    dlda_status status = DLDA_OK;

    self->pooled = self->spec->shrinkage != DLDA_SHRINKAGE_AUTO;
    DLDA_TRY(take_parts(self));
    DLDA_TRY(sum_up_rows(self));
    if (!self->pooled) DLDA_TRY(estimate_shrinkage(self));
    DLDA_TRY(fit_all(self));
done:
    return status;
}
