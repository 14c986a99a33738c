/* SPDX-License-Identifier: MIT
 *
 * run_data.c - finds and reads the data of a run, as recorded in its folder.
 */
#include "run_data.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"
#include "find_model.h"
#include "read_data.h"

#include <string.h>

/* ---- Finding it ---- */

/* Copies the options that say where the data are and how to read them. The image size is left to the model. */
static dlda_status take_reading(const cli_options *options, run_data *self)
{
    static const char *const names[] = { "data", "format", "label" };
    dlda_status status = DLDA_OK;

    DLDA_TRY(options_copy(options, &self->reading));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        DLDA_TRY(dlda_options_suggest(self->reading->training, names[i], option_text(self->training, names[i])));
    self->path = option_text(self->reading, "data");
done:
    return status;
}

dlda_status run_data_find(const char *command, const char *folder, const cli_options *options, run_data *self)
{
    dlda_status status = DLDA_OK;

    self->command = command;
    DLDA_TRY(dlda_take_text(folder, &self->folder));
    DLDA_TRY(options_create(&self->training));
    dlda_status options_read = dlda_options_use_run(self->training->training, folder);
    self->has_options = options_read == DLDA_OK;
    if (options_read == DLDA_E_MEMORY) DLDA_TRY(options_read); /* the options may be there */
    DLDA_TRY(take_reading(options, self));
    if (!self->path[0]) DLDA_FAIL(DLDA_E_IO, "%s: the run does not record its data", folder);
    dlda_read_spec spec = data_spec(command, self->reading, self->path, DLDA_PART_TEST);
    /* data that the user names are test data, whether or not they have parts */
    self->part = option_is_given(options, "data") || dlda_dataset_has_part(&spec) ? "test" : "validation";
done:
    return status;
}

/* A model belongs to a run if it was trained with its options. A resumed run may have more epochs than at the time of
 * the model, and a refitted model another lambda. */
static dlda_status check_model(const dlda_model *model, const run_data *self)
{
    dlda_status status = DLDA_OK;
    dlda_options *own = NULL;
    const dlda_option_info *info = NULL;

    if (!self->has_options) DLDA_FAIL(DLDA_E_IO, "%s: the options of the run are unknown", self->folder);
    DLDA_TRY(dlda_options_create(&own));
    DLDA_TRY(dlda_options_use_model(own, model));
    for (size_t i = 0; (info = dlda_option_at(i)) != NULL; i++) {
        const char *mine = dlda_options_get(own, info->name), *of_run = option_text(self->training, info->name);
        int may_differ = strcmp(info->name, "epochs") == 0 || strcmp(info->name, "lambda") == 0;
        if (info->decides_result && !may_differ && strcmp(mine, of_run) != 0)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: the run has option %s '%s', the model '%s': it is of another training",
                      self->folder, info->name, of_run, mine);
    }
done:
    dlda_options_destroy(own);
    return status;
}

static dlda_status find_around(const char *command, const char *given, const dlda_model *model,
                               const cli_options *options, run_data *self)
{
    dlda_status status = DLDA_OK;
    char *folder = NULL;

    if (dlda_path_is_folder(given)) DLDA_TRY(dlda_take_text(given, &folder));
    else DLDA_TRY(dlda_path_folder(given, &folder));
    if (!folder_has_record(folder)) DLDA_FAIL(DLDA_E_ARGUMENT, "%s: has no record of a training beside it", given);
    DLDA_TRY(run_data_find(command, folder, options, self));
    DLDA_TRY(check_model(model, self));
done:
    dlda_release(folder);
    return status;
}

int run_data_find_for(const char *command, const char *given, const dlda_model *model, const cli_options *options,
                      run_data *self)
{
    dlda_status status = find_around(command, given, model, options, self);

    if (status == DLDA_OK || status == DLDA_E_MEMORY) return exit_code_of(command, status);
    return complain_usage(command, "%s; name the data: deeplda %s %s DATA", dlda_last_error(), command, given);
}

void run_data_release(run_data *self)
{
    options_destroy(self->reading);
    options_destroy(self->training);
    dlda_release(self->folder);
    *self = (run_data){ 0 };
}

/* ---- Reading it ---- */

static dlda_status read_validation(const run_data *self, const dlda_model *model, dlda_dataset **samples)
{
    dlda_status status = DLDA_OK;
    dlda_read_spec spec = data_spec(self->command, self->reading, self->path, DLDA_PART_TRAIN);
    dlda_dataset *all = NULL, *train = NULL;

    if (!self->has_options) DLDA_FAIL(DLDA_E_IO, "%s: the options of the run are unknown", self->folder);
    dlda_read_spec_use_model(&spec, model);
    DLDA_TRY(data_open(&spec, &all));
    status = dlda_dataset_divide(all, self->training->training, &train, samples);
    if (status != DLDA_OK) {
        status = dlda_fail_at(status == DLDA_E_MEMORY ? status : DLDA_E_FORMAT,
                              "%s: cannot be divided as in the training", self->path);
        goto done;
    }
    if (!*samples) DLDA_FAIL(DLDA_E_FORMAT, "%s: has no test part, and the run held nothing out", self->path);
done:
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(all);
    return status;
}

dlda_status run_data_read_test(const run_data *self, const dlda_model *model, dlda_dataset **samples)
{
    dlda_read_spec spec = data_spec(self->command, self->reading, self->path, DLDA_PART_TEST);

    if (strcmp(self->part, "validation") == 0) return read_validation(self, model, samples);
    dlda_read_spec_use_model(&spec, model);
    return data_open(&spec, samples);
}

/* ---- Other models on it ---- */

/* The seed of the division. */
static const char *split_seed(const dlda_options *options)
{
    const char *seed = dlda_options_get(options, "split-seed");

    return strcmp(seed, "-1") == 0 ? dlda_options_get(options, "seed") : seed;
}

int run_data_is_divided_as(const run_data *self, const dlda_model *model)
{
    static const char *const names[] = { "validation", "folds", "fold", "subset" };
    const dlda_options *mine = self->training->training;
    dlda_options *other = NULL;
    int same = dlda_options_create(&other) == DLDA_OK && dlda_options_use_model(other, model) == DLDA_OK &&
               strcmp(split_seed(mine), split_seed(other)) == 0;

    for (size_t i = 0; same && i < sizeof names / sizeof names[0]; i++)
        same = strcmp(dlda_options_get(mine, names[i]), dlda_options_get(other, names[i])) == 0;
    dlda_options_destroy(other);
    return same;
}
