/* SPDX-License-Identifier: MIT
 *
 * run_samples.c - reads model and test data of a run. Missing ones are reported but are not errors.
 */
#include "report/run_samples.h"
#include "run_data.h"

#include <stdio.h>

static dlda_status load_model(const char *folder, run_samples *self)
{
    char path[4400];

    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    dlda_status status = dlda_model_load(path, &self->model);
    if (status != DLDA_OK) snprintf(self->problem, sizeof self->problem, "%s", dlda_last_error());
    return status;
}

dlda_status run_samples_read(const char *command, const char *folder, const cli_options *options, run_samples *self)
{
    run_data data = { 0 };

    *self = (run_samples){ .part = "test" };
    dlda_status status = load_model(folder, self);
    if (status != DLDA_OK) return status == DLDA_E_MEMORY ? status : DLDA_OK;
    status = run_data_find(command, folder, options, &data);
    if (status == DLDA_OK) {
        self->part = data.part;
        status = run_data_read_test(&data, self->model, &self->samples);
    }
    if (status != DLDA_OK)
        snprintf(self->problem, sizeof self->problem, "%s; --data names other test data", dlda_last_error());
    run_data_release(&data);
    return status == DLDA_E_MEMORY ? status : DLDA_OK;
}

void run_samples_release(run_samples *self)
{
    dlda_dataset_destroy(self->samples);
    dlda_model_destroy(self->model);
    *self = (run_samples){ 0 };
}
