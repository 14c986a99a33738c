/* SPDX-License-Identifier: MIT
 *
 * split.c - divides the training data as the options say.
 *
 * Each stage takes what the one before it left: the set's own fold, a subset, then the validation set, which is a fold
 * of cross validation or what --validation holds out.
 */
#include "split.h"

#include <math.h>

typedef struct splitter {
    const char *command, *path;
    const dlda_options *options;
    const dlda_dataset *all;
    dlda_dataset *train, *validation; /* NULL: all of it; none */
} splitter;

static size_t count_option(const splitter *self, const char *name)
{
    double number = option_number(self->options, name);
    return number > 0 ? (size_t)number : 0;
}

static uint64_t seed_of(const splitter *self)
{
    double seed = option_number(self->options, "split-seed");
    return (uint64_t)(seed < 0 ? option_number(self->options, "seed") : seed);
}

static const dlda_dataset *so_far(const splitter *self)
{
    return self->train ? self->train : self->all;
}

/* Puts a smaller set in place of what there is. */
static void replace(splitter *self, dlda_dataset *train)
{
    dlda_dataset_destroy(self->train);
    self->train = train;
}

/* ---- Stages ---- */

static int take_own_fold(splitter *self)
{
    dlda_dataset *fold = NULL;

    if (count_option(self, "fold") == 0 || count_option(self, "folds") > 0) return EXIT_OK;
    int code = exit_code_at(self->command, self->path,
                            dlda_dataset_fold(so_far(self), count_option(self, "fold"), &fold));
    if (code == EXIT_OK) replace(self, fold);
    return code;
}

static int take_subset(splitter *self)
{
    size_t count = count_option(self, "subset");
    dlda_dataset *subset = NULL;

    if (count == 0) return EXIT_OK;
    if (count > dlda_dataset_count(so_far(self)))
        return complain_usage(self->command, "option subset: found %zu, expected at most the %zu training samples",
                              count, dlda_dataset_count(so_far(self)));
    int code = exit_code_at(self->command, self->path,
                            dlda_dataset_subset(so_far(self), count, seed_of(self), &subset));
    if (code == EXIT_OK) replace(self, subset);
    return code;
}

/* How many samples --validation holds out: a share below 1, or a count. */
static int validation_count(const splitter *self, size_t *count)
{
    double value = option_number(self->options, "validation");
    size_t samples = dlda_dataset_count(so_far(self));

    if (value >= 1 && value != floor(value))
        return complain_usage(self->command,
                              "option validation: found %g, expected a share below 1 or a whole number", value);
    if (value >= (double)samples)
        return complain_usage(self->command,
                              "option validation: found %.0f, expected less than the %zu training samples", value,
                              samples);
    *count = (size_t)(value < 1 ? floor(value * (double)samples) : value);
    return EXIT_OK;
}

static int hold_out(splitter *self)
{
    size_t folds = count_option(self, "folds"), count = 0;
    dlda_dataset *train = NULL;
    int code = folds > 0 ? EXIT_OK : validation_count(self, &count);

    if (code != EXIT_OK || (folds == 0 && count == 0)) return code;
    dlda_status status = folds > 0
                             ? dlda_dataset_folds(so_far(self), folds, count_option(self, "fold"), seed_of(self),
                                                  &train, &self->validation)
                             : dlda_dataset_split(so_far(self), count, seed_of(self), &train, &self->validation);
    code = exit_code_at(self->command, self->path, status);
    if (code == EXIT_OK) replace(self, train);
    return code;
}

/* ---- All of them ---- */

static int check_options(const splitter *self)
{
    size_t folds = count_option(self, "folds"), fold = count_option(self, "fold");

    if (folds == 0) return EXIT_OK;
    if (folds < 2) return complain_usage(self->command, "option folds: found %zu, expected at least 2", folds);
    if (fold == 0) return complain_usage(self->command, "option folds needs --fold K, from 1 to %zu", folds);
    if (fold > folds)
        return complain_usage(self->command, "option fold: found %zu, expected 1 to %zu, as --folds says", fold,
                              folds);
    return EXIT_OK;
}

int split_training_data(const char *command, const char *path, const dlda_options *options, const dlda_dataset *all,
                        dlda_dataset **train, dlda_dataset **validation)
{
    splitter self = { .command = command, .path = path, .options = options, .all = all };
    int code = check_options(&self);

    if (code == EXIT_OK) code = take_own_fold(&self);
    if (code == EXIT_OK) code = take_subset(&self);
    if (code == EXIT_OK) code = hold_out(&self);
    *train = self.train;
    *validation = self.validation;
    return code;
}
