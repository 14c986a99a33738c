/* SPDX-License-Identifier: MIT
 *
 * folds.c - stratified folds for cross-validation, and the folds defined by a data set itself (STL-10).
 *
 * Samples are shuffled within each class and dealt to the folds in turn, class after class, without restarting at
 * the first fold. So the shares of a class differ by at most one, and so do the sizes of the folds.
 */
#include "base/by_class.h"
#include "base/memory.h"
#include "base/random.h"
#include "dataset/dataset_internal.h"

/* Splits a set by chosen[i] 0 and 1; `others` may be NULL. */
static dlda_status select_chosen(const dlda_dataset *dataset, const uint8_t *chosen, dlda_dataset **others,
                                 dlda_dataset **those)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *sets[2] = { NULL, NULL };
    size_t *positions = NULL;

    DLDA_TRY(DLDA_TAKE(&positions, dataset->count, "folds"));
    for (int side = others ? 0 : 1; side < 2; side++) {
        size_t n = 0;
        for (size_t i = 0; i < dataset->count; i++)
            if (chosen[i] == side) positions[n++] = i;
        DLDA_TRY(dlda_dataset_select(dataset, positions, n, &sets[side]));
    }
    if (others) *others = sets[0];
    *those = sets[1];
    sets[0] = sets[1] = NULL;
done:
    for (int side = 0; side < 2; side++) dlda_dataset_destroy(sets[side]);
    dlda_release(positions);
    return status;
}

/* ---- Cross validation ---- */

typedef struct dealing {
    size_t classes;
    size_t *start, *order; /* [classes + 1], [count]: see dlda_group_by_class */
    uint8_t *chosen;       /* [count]: 1 if the sample is in the fold         */
} dealing;

static dlda_status deal(dealing *self, const dlda_dataset *dataset, size_t folds, size_t fold, uint64_t seed)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->start, self->classes + 1, "folds"));
    DLDA_TRY(DLDA_TAKE(&self->order, dataset->count, "folds"));
    DLDA_TRY(DLDA_TAKE(&self->chosen, dataset->count, "folds"));
    dlda_group_by_class(dataset->labels, dataset->count, self->classes, self->start, self->order);
    for (size_t c = 0; c < self->classes; c++) {
        dlda_random random = dlda_random_stream(seed, DLDA_RANDOM_SPLIT, 2, (uint32_t)c);
        dlda_random_shuffle(&random, self->start[c + 1] - self->start[c], self->order + self->start[c]);
    }
    for (size_t i = fold - 1; i < dataset->count; i += folds) self->chosen[self->order[i]] = 1;
done:
    return status;
}

dlda_status dlda_dataset_folds(const dlda_dataset *dataset, size_t folds, size_t fold, uint64_t seed,
                               dlda_dataset **train, dlda_dataset **held_out)
{
    DLDA_NEED(dataset, train, held_out);
    dlda_status status = DLDA_OK;
    dealing self = { .classes = dataset->labels ? dataset->classes : 1 };

    if (folds < 2 || folds > dataset->count)
        DLDA_FAIL(DLDA_E_ARGUMENT, "folds: %zu, expected 2 to %zu (the number of samples)", folds, dataset->count);
    if (fold < 1 || fold > folds) DLDA_FAIL(DLDA_E_ARGUMENT, "fold: %zu, expected 1 to %zu", fold, folds);
    DLDA_TRY(deal(&self, dataset, folds, fold, seed));
    DLDA_TRY(select_chosen(dataset, self.chosen, train, held_out));
done:
    dlda_release(self.start);
    dlda_release(self.order);
    dlda_release(self.chosen);
    return status;
}

/* ---- A set's own folds ---- */

size_t dlda_dataset_own_folds(const dlda_dataset *dataset)
{
    return dataset ? dataset->storage->n_folds : 0;
}

dlda_status dlda_dataset_set_folds(dlda_dataset *dataset, size_t n, size_t **start, size_t **samples)
{
    dlda_storage *storage = dataset->storage;

    for (size_t i = 0; i < (*start)[n]; i++)
        if ((*samples)[i] >= storage->n_images)
            return dlda_fail(DLDA_E_FORMAT, "folds: entry %zu is sample %zu, expected less than %zu", i,
                             (*samples)[i], storage->n_images);
    dlda_release(storage->fold_start);
    dlda_release(storage->fold_samples);
    storage->n_folds = n;
    storage->fold_start = *start;
    storage->fold_samples = *samples;
    *start = *samples = NULL;
    return DLDA_OK;
}

/* Marks the samples of this set that are in a fold. Folds refer to the storage, of which the set may be a part. */
static dlda_status mark_fold(const dlda_dataset *dataset, size_t fold, uint8_t *chosen)
{
    const dlda_storage *storage = dataset->storage;
    uint8_t *in_fold = NULL;
    dlda_status status = DLDA_TAKE(&in_fold, storage->n_images, "folds");

    if (status != DLDA_OK) return status;
    for (size_t i = storage->fold_start[fold - 1]; i < storage->fold_start[fold]; i++)
        in_fold[storage->fold_samples[i]] = 1;
    for (size_t i = 0; i < dataset->count; i++) chosen[i] = in_fold[dataset->index[i]];
    dlda_release(in_fold);
    return DLDA_OK;
}

dlda_status dlda_dataset_fold(const dlda_dataset *dataset, size_t fold, dlda_dataset **train)
{
    DLDA_NEED(dataset, train);
    dlda_status status = DLDA_OK;
    dlda_dataset *found = NULL;
    uint8_t *chosen = NULL;
    size_t folds = dlda_dataset_own_folds(dataset);

    if (folds == 0)
        DLDA_FAIL(DLDA_E_ARGUMENT, "fold: the data set has no folds of its own; option folds makes some");
    if (fold < 1 || fold > folds)
        DLDA_FAIL(DLDA_E_ARGUMENT, "fold: %zu, expected 1 to %zu, which the data set has", fold, folds);
    DLDA_TRY(DLDA_TAKE(&chosen, dataset->count, "folds"));
    DLDA_TRY(mark_fold(dataset, fold, chosen));
    DLDA_TRY(select_chosen(dataset, chosen, NULL, &found));
    if (found->count == 0) DLDA_FAIL(DLDA_E_ARGUMENT, "fold: no samples of fold %zu are in this set", fold);
    *train = found;
    found = NULL;
done:
    dlda_dataset_destroy(found);
    dlda_release(chosen);
    return status;
}
