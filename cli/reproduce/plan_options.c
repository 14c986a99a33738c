/* SPDX-License-Identifier: MIT
 *
 * plan_options.c - one training of an experiment as a command line, and its deviations from the paper.
 *
 * The command line has all relevant options, including those that presets would set, so it is explicit and does not
 * depend on the location of the data.
 */
#include "reproduce/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Options ---- */

static int set_text(cli_options *options, const char *name, const char *value)
{
    return exit_code_of(reproduce_name, option_set(options, name, value));
}

static int set_count(cli_options *options, const char *name, size_t value)
{
    char *text = text_format("%zu", value);
    int code = set_text(options, name, text);

    free(text);
    return code;
}

int plan_presets(const cli_experiment *experiment, const char *objective, cli_options **options)
{
    int code = exit_code_of(reproduce_name, options_create(options));

    if (code == EXIT_OK) code = set_text(*options, "objective", objective);
    if (code == EXIT_OK)
        code = exit_code_of(reproduce_name, dlda_options_preset((*options)->training, experiment->set));
    if (code == EXIT_OK && experiment->epochs) code = set_count(*options, "epochs", experiment->epochs);
    if (code == EXIT_OK && experiment->halve_every)
        code = set_count(*options, "halve-every", experiment->halve_every);
    return code;
}

static int set_data(const plan_task *task, cli_options *options)
{
    const task_data *data = &task->data;
    int code = task->experiment->resize ? set_count(options, "resize", task->experiment->resize) : EXIT_OK;

    /* For other data, `train` would use other presets, or choose options from the data. */
    if (code == EXIT_OK && strcmp(data->path, task->experiment->set) != 0)
        code = set_text(options, "no-presets", "true");
    if (code == EXIT_OK && data->is_measured_whole) code = set_text(options, "measure", "0");
    if (code == EXIT_OK && data->measured_every > 1)
        code = set_count(options, "measure-every", data->measured_every);
    for (size_t i = 0; code == EXIT_OK && i + 1 < data->options.count; i += 2)
        code = set_text(options, data->options.at[i], data->options.at[i + 1]);
    return code;
}

/* Limits the batch to the number of training images. */
static int set_batch(size_t images, cli_options *options, cli_words *deviations)
{
    size_t batch = (size_t)option_number(options, "batch");

    if (batch <= images) return EXIT_OK;
    words_add(deviations, "batches of %zu instead of %zu with objective %s", images, batch,
              option_text(options, "objective"));
    return set_count(options, "batch", images);
}

static int set_groups(size_t norm_group, cli_options *options, cli_words *deviations)
{
    if (norm_group == 0) return EXIT_OK;
    if (option_number(options, "batch") > (double)norm_group)
        words_add(deviations,
                  "batch norm over groups of about %zu images instead of the whole batch with objective %s",
                  norm_group, option_text(options, "objective"));
    return set_count(options, "norm-group", norm_group);
}

static int set_precision(const char *precision, cli_options *options, cli_words *deviations)
{
    if (!precision) return EXIT_OK;
    if (strcmp(precision, "float") != 0)
        words_add(deviations, "products of %s numbers instead of floats with objective %s", precision,
                  option_text(options, "objective"));
    return set_text(options, "precision", precision);
}

static int set_schedule(const training_schedule *schedule, cli_options *options)
{
    int code = set_count(options, "epochs", schedule->epochs);

    if (code != EXIT_OK) return code;
    return schedule->is_cosine ? set_text(options, "schedule", "cosine")
                               : set_count(options, "halve-every", schedule->halve_every);
}

/* Also sets the schedule. */
static int set_options(const reproduce_request *request, training *self, cli_options *options)
{
    const plan_task *task = self->task;
    training_schedule *schedule = &self->asked.schedule;
    int code = set_text(options, "net", task->net);

    if (code == EXIT_OK) code = set_data(task, options);
    if (code == EXIT_OK) code = set_batch(task->data.train, options, &self->asked.deviations);
    if (code == EXIT_OK) code = set_groups(request->norm_group, options, &self->asked.deviations);
    if (code == EXIT_OK) code = set_precision(request->precision, options, &self->asked.deviations);
    if (code == EXIT_OK) {
        *schedule = schedule_make(request, task, (size_t)option_number(options, "batch"));
        code = set_schedule(schedule, options);
    }
    if (code == EXIT_OK) code = set_count(options, "seed", self->seed);
    return code;
}

/* ---- Deviations from the paper ---- */

/* Except batch, norm groups, precision and schedule. */
static void note_deviations(const reproduce_request *request, training *self)
{
    const plan_task *task = self->task;
    cli_words *deviations = &self->asked.deviations;

    words_add_all(deviations, &task->data.deviations);
    if (self->kind == TRAINED_CCE && task->data.validation > 0)
        words_add(deviations, "the epoch of CCE is the best of an LDA on its features, as with DeepLDA");
    if (request->net) words_add(deviations, "network %s instead of the paper's", task->net);
}

/* ---- The command ---- */

static int is_flag(const char *name)
{
    cli_option option;

    return option_find(name, &option) && !option.info->argument;
}

static void add_words(training *self)
{
    const cli_words *settings = &self->asked.settings;

    words_add(&self->words, "train");
    words_add(&self->words, "%s", self->asked.data);
    for (size_t i = 0; i + 1 < settings->count; i += 2) {
        words_add(&self->words, "--%s", settings->at[i]);
        if (!is_flag(settings->at[i])) words_add(&self->words, "%s", settings->at[i + 1]);
    }
}

static char *whole_command(const training *self)
{
    cli_words words = { 0 };

    words_add(&words, "deeplda");
    words_add_all(&words, &self->words);
    words_add(&words, "-o");
    words_add(&words, "%s", self->folder);
    char *command = words_as_command(&words, 0);
    words_release(&words);
    return command;
}

int plan_set_options(const reproduce_request *request, training *self)
{
    const task_data *data = &self->task->data;
    cli_options *options = NULL;
    int code = plan_presets(self->experiment, trained_kinds[self->kind].objective, &options);

    self->asked = (training_record){ .exists = 1,
                                     .seconds = NAN,
                                     .source = text_format("%s", data->source),
                                     .data = text_format("%s", data->path) };
    note_deviations(request, self);
    if (code == EXIT_OK) code = set_options(request, self, options);
    if (self->experiment->halving && !request->is_cosine)
        words_add(&self->asked.deviations, "%s", self->experiment->halving);
    if (code == EXIT_OK) {
        settings_add(&self->asked.settings, options);
        add_words(self);
        self->asked.command = whole_command(self);
    }
    options_destroy(options);
    return code;
}
