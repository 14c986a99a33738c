/* SPDX-License-Identifier: MIT
 *
 * run_samples.c - reads model and test data of a run. Missing ones are reported but are not errors.
 */
#include "report/run_samples.h"
#include "read_data.h"

#include <stdio.h>

static void note_error(run_samples *self)
{
    snprintf(self->problem, sizeof self->problem, "%s", dlda_last_error());
}

static void load_model(const char *folder, run_samples *self)
{
    char path[4400];

    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    if (dlda_model_load(path, &self->model) != DLDA_OK) note_error(self);
}

/* For data without a test part: the samples that the run held out. */
static void read_validation(const char *command, const cli_options *options, const char *data, run_samples *self)
{
    dlda_read_spec spec = data_spec(command, options, data, DLDA_PART_TRAIN);
    dlda_dataset *all = NULL, *train = NULL;

    dlda_read_spec_use_model(&spec, self->model);
    if (data_open(&spec, &all) != DLDA_OK) note_error(self);
    else if (dlda_dataset_divide(all, options->training, &train, &self->samples) != DLDA_OK)
        snprintf(self->problem, sizeof self->problem, "%s cannot be divided as in the training.", data);
    else if (!self->samples)
        snprintf(self->problem, sizeof self->problem,
                 "%s has no test part, and the run held nothing out. Use --data to name other test data.", data);
    self->part = "validation";
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(all);
}

static void read_data(const char *command, const cli_options *options, run_samples *self)
{
    const char *data = option_text(options, "data");
    dlda_read_spec spec = data_spec(command, options, data, DLDA_PART_TEST);

    dlda_read_spec_use_model(&spec, self->model);
    if (!data[0])
        snprintf(self->problem, sizeof self->problem,
                 "The run does not record its data. Use --data to name test data.");
    else if (!option_is_given(options, "data") && !dlda_dataset_has_part(&spec))
        read_validation(command, options, data, self);
    else if (data_open(&spec, &self->samples) != DLDA_OK) note_error(self);
}

void run_samples_read(const char *command, const char *folder, const cli_options *options, run_samples *self)
{
    cli_options *own = NULL;

    *self = (run_samples){ .part = "test" };
    load_model(folder, self);
    if (!self->model) return;
    if (options_copy(options, &own) != DLDA_OK) note_error(self);
    else {
        dlda_options_use_run(own->training, folder); /* anything missing is detected below */
        read_data(command, own, self);
    }
    options_destroy(own);
}

void run_samples_release(run_samples *self)
{
    dlda_dataset_destroy(self->samples);
    dlda_model_destroy(self->model);
    *self = (run_samples){ 0 };
}
