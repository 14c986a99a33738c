/* SPDX-License-Identifier: MIT
 *
 * divide.c - divides training data according to the options.
 *
 * The stages are applied in this order: the data set's own fold, the subset, then the validation set, which is a
 * fold of a cross-validation or the samples that option validation holds out.
 */
#include "base/memory.h"
#include "base/options.h"
#include "dataset/dataset_internal.h"

#include <math.h>
#include <stdio.h>

static uint64_t seed_of(const dlda_options *options)
{
    return (uint64_t)(options->split_seed < 0 ? options->seed : options->split_seed);
}

static dlda_status select_all(const dlda_dataset *all, dlda_dataset **train)
{
    dlda_status status = DLDA_OK;
    size_t *positions = NULL;

    DLDA_TRY(DLDA_TAKE(&positions, all->count, "positions of samples"));
    for (size_t i = 0; i < all->count; i++) positions[i] = i;
    DLDA_TRY(dlda_dataset_select(all, positions, all->count, train));
done:
    dlda_release(positions);
    return status;
}

/* ---- Stages: each reduces *train ---- */

static void replace(dlda_dataset **train, dlda_dataset *by)
{
    dlda_dataset_destroy(*train);
    *train = by;
}

static dlda_status take_own_fold(const dlda_options *options, dlda_dataset **train)
{
    dlda_dataset *fold = NULL;

    if (options->fold == 0 || options->folds > 0) return DLDA_OK;
    dlda_status status = dlda_dataset_fold(*train, (size_t)options->fold, &fold);
    if (status == DLDA_OK) replace(train, fold);
    return status;
}

static dlda_status take_subset(const dlda_options *options, dlda_dataset **train)
{
    dlda_dataset *subset = NULL;
    size_t count = (size_t)options->subset;

    if (count == 0) return DLDA_OK;
    if (count > (*train)->count)
        return dlda_fail(DLDA_E_OPTION, "option subset: found %zu, expected at most the %zu training samples",
                         count, (*train)->count);
    dlda_status status = dlda_dataset_subset(*train, count, seed_of(options), &subset);
    if (status == DLDA_OK) replace(train, subset);
    return status;
}

/* The option is a share below 1, or a count. */
static dlda_status validation_count(const dlda_options *options, size_t samples, size_t *count)
{
    double value = options->validation;

    if (value >= 1 && value != floor(value))
        return dlda_fail(DLDA_E_OPTION, "option validation: found %g, expected a share below 1 or a whole number",
                         value);
    if (value >= (double)samples)
        return dlda_fail(DLDA_E_OPTION,
                         "option validation: found %.0f, expected less than the %zu training samples", value,
                         samples);
    *count = (size_t)(value < 1 ? floor(value * (double)samples) : value);
    return DLDA_OK;
}

static dlda_status hold_out(const dlda_options *options, dlda_dataset **train, dlda_dataset **validation)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *rest = NULL;
    size_t count = 0;

    if (options->folds > 0) {
        DLDA_TRY(dlda_dataset_folds(*train, (size_t)options->folds, (size_t)options->fold, seed_of(options), &rest,
                                    validation));
    } else {
        DLDA_TRY(validation_count(options, (*train)->count, &count));
        if (count == 0) return DLDA_OK;
        DLDA_TRY(dlda_dataset_split(*train, count, seed_of(options), &rest, validation));
    }
    replace(train, rest);
done:
    return status;
}

/* ---- All stages ---- */

static dlda_status check_folds(const dlda_options *options)
{
    long long folds = (long long)options->folds, fold = (long long)options->fold;

    if (folds == 0) return DLDA_OK;
    if (folds < 2) return dlda_fail(DLDA_E_OPTION, "option folds: found %lld, expected at least 2", folds);
    if (fold == 0) return dlda_fail(DLDA_E_OPTION, "option folds needs option fold, from 1 to %lld", folds);
    if (fold > folds)
        return dlda_fail(DLDA_E_OPTION, "option fold: found %lld, expected 1 to %lld (option folds)", fold, folds);
    return DLDA_OK;
}

/* ---- Record of the division ---- */

static const char *const division_options[DLDA_DIVISION_OPTIONS] = { "validation", "subset", "folds", "fold",
                                                                     "split-seed" };
static const char *const undivided[DLDA_DIVISION_OPTIONS] = { "0", "0", "0", "0", "-1" };

static void note_options(const dlda_options *options, dlda_division *division)
{
    for (size_t i = 0; i < DLDA_DIVISION_OPTIONS; i++)
        snprintf(division->values[i], DLDA_DIVISION_TEXT, "%s", dlda_options_get(options, division_options[i]));
}

dlda_status dlda_dataset_divide(const dlda_dataset *all, const dlda_options *options, dlda_dataset **train,
                                dlda_dataset **validation)
{
    DLDA_NEED(all, options, train, validation);
    dlda_status status = DLDA_OK;
    dlda_dataset *kept = NULL, *held_out = NULL;

    DLDA_TRY(check_folds(options));
    DLDA_TRY(select_all(all, &kept));
    DLDA_TRY(take_own_fold(options, &kept));
    DLDA_TRY(take_subset(options, &kept));
    DLDA_TRY(hold_out(options, &kept, &held_out));
    note_options(options, &kept->division);
    *train = kept;
    *validation = held_out;
    kept = NULL;
done:
    dlda_dataset_destroy(kept);
    return status;
}

dlda_status dlda_dataset_record_division(const dlda_dataset *train, const dlda_dataset *validation,
                                         dlda_options *options)
{
    dlda_status status = DLDA_OK;
    dlda_division how = train->division;

    if (!how.values[0][0]) {
        for (size_t i = 0; i < DLDA_DIVISION_OPTIONS; i++)
            snprintf(how.values[i], DLDA_DIVISION_TEXT, "%s", undivided[i]);
        snprintf(how.values[0], DLDA_DIVISION_TEXT, "%zu", validation ? validation->count : 0);
    }
    for (size_t i = 0; i < DLDA_DIVISION_OPTIONS; i++)
        DLDA_TRY(dlda_options_set(options, division_options[i], how.values[i]));
done:
    return status;
}
