/* SPDX-License-Identifier: MIT
 *
 * reproduce_task.c - what there is to do: experiments and their folds, the options of each, and where its files lie.
 */
#include "folders.h"
#include "reproduce/reproduce.h"

#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */

char *reproduce_place(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed)
{
    if (experiment->folds) return text_format("%s/%s/fold%zu/seed%zu", self->root, experiment->name, fold, seed);
    return text_format("%s/%s/seed%zu", self->root, experiment->name, seed);
}

char *reproduce_folder(const char *place, cli_trained model)
{
    return text_format("%s/%s", place, trained_kinds[model].name);
}

char *reproduce_record_path(const char *place, cli_trained model)
{
    return text_format("%s/%s-training.json", place, trained_kinds[model].name);
}

static int has_file(const char *folder, const char *name)
{
    char *path = text_format("%s/%s", folder, name);
    int has = path_is_there(path);

    free(path);
    return has;
}

int reproduce_has_checkpoint(const char *folder)
{
    return has_file(folder, "checkpoint.safetensors") || has_file(folder, "checkpoint-previous.safetensors");
}

int reproduce_has_model(const char *folder)
{
    return has_file(folder, "model.safetensors");
}

/* ---- What is asked for ---- */

int reproduce_needs(const reproduction *self, cli_trained model)
{
    for (cli_row r = 0; r < N_ROWS; r++)
        if (self->rows[r] && row_kinds[r].model == model) return 1;
    return 0;
}

size_t reproduce_trainings(const reproduction *self)
{
    size_t count = 0;

    for (cli_trained model = 0; model < N_TRAINED; model++) count += (size_t)reproduce_needs(self, model);
    return count;
}

/* ---- Presets ---- */

static int set_count(cli_options *options, const char *name, size_t value)
{
    char *text = text_format("%zu", value);
    int code = value ? exit_code_of(reproduce_name, option_set(options, name, text)) : EXIT_OK;

    free(text);
    return code;
}

int reproduce_presets(const cli_experiment *experiment, const char *objective, cli_options **options)
{
    int code = exit_code_of(reproduce_name, options_create(options));

    if (code == EXIT_OK) code = exit_code_of(reproduce_name, option_set(*options, "objective", objective));
    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_options_preset((*options)->training, experiment->set));
    if (code == EXIT_OK) code = set_count(*options, "epochs", experiment->epochs);
    if (code == EXIT_OK) code = set_count(*options, "halve-every", experiment->halve_every);
    return code;
}

static int read_full_schedule(const cli_experiment *experiment, full_schedule *full)
{
    cli_options *options = NULL;
    int code = reproduce_presets(experiment, trained_kinds[TRAINED_DEEPLDA].objective, &options);

    if (code == EXIT_OK)
        *full = (full_schedule){ .epochs = (size_t)option_number(options, "epochs"),
                                 .halve_every = (size_t)option_number(options, "halve-every"),
                                 .batch = (size_t)option_number(options, "batch") };
    options_destroy(options);
    return code;
}

/* ---- Tasks ---- */

int reproduce_list_tasks(const reproduction *self, reproduce_task tasks[MOST_TASKS], size_t *count)
{
    int code = EXIT_OK;

    *count = 0;
    for (size_t i = 0; i < self->n_experiments && code == EXIT_OK; i++) {
        const cli_experiment *experiment = self->experiments[i];
        reproduce_task task = { .experiment = experiment };
        size_t last = experiment->folds ? self->last_fold : self->first_fold;
        code = read_full_schedule(experiment, &task.full);
        for (task.fold = self->first_fold; task.fold <= last && *count < MOST_TASKS; task.fold++)
            tasks[(*count)++] = task;
    }
    return code;
}

int reproduce_is_first(const reproduce_task *tasks, size_t i)
{
    return i == 0 || tasks[i].experiment != tasks[i - 1].experiment;
}
