/* SPDX-License-Identifier: MIT
 *
 * reproduce_plan.c - one training of an experiment as a command line, and in what it departs from the paper.
 *
 * The command has all options that matter, also those that presets would bring: what it does can be read off, and it
 * does the same wherever the data lie.
 */
#include "arguments.h"
#include "reproduce/reproduce.h"

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

static int set_net(const reproduction *self, const cli_experiment *experiment, cli_options *options,
                   cli_words *deviations)
{
    int given = option_is_given(self->options, "net");
    const char *net = given ? option_text(self->options, "net") : experiment->net;

    if (given) words_add(deviations, "network %s instead of the paper's", net);
    return net ? set_text(options, "net", net) : EXIT_OK;
}

/* `train` would take the options that suit that set, which are not those of the experiment. */
static int has_other_presets(const cli_experiment *experiment, const char *data)
{
    dlda_preset row;

    for (size_t i = 0; dlda_preset_at(i, &row); i++)
        if (strcmp(row.data, data) == 0) return strcmp(data, experiment->set) != 0;
    return 0;
}

static int set_data(const cli_experiment *experiment, const experiment_data *data, cli_options *options,
                    cli_words *deviations)
{
    size_t batch = (size_t)option_number(options, "batch");
    int code = experiment->resize ? set_text(options, "resize", experiment->resize) : EXIT_OK;

    if (code == EXIT_OK && has_other_presets(experiment, data->path))
        code = set_text(options, "no-presets", "true");
    for (size_t i = 0; code == EXIT_OK && i + 1 < data->options.count; i += 2)
        code = set_text(options, data->options.at[i], data->options.at[i + 1]);
    if (code != EXIT_OK || batch <= data->train) return code;
    words_add(deviations, "batches of %zu instead of %zu with objective %s", data->train, batch,
              option_text(options, "objective"));
    return set_count(options, "batch", data->train);
}

static int set_schedule(const reproduction *self, const reproduce_task *task, cli_options *options,
                        training_record *record)
{
    training_schedule schedule = reproduce_make_schedule(self, task, (size_t)option_number(options, "batch"));
    int code = set_count(options, "epochs", schedule.epochs);

    record->schedule = schedule;
    if (schedule.is_cosine) return code == EXIT_OK ? set_text(options, "schedule", "cosine") : code;
    if (task->experiment->halving) words_add(&record->deviations, "%s", task->experiment->halving);
    return code == EXIT_OK ? set_count(options, "halve-every", schedule.halve_every) : code;
}

/* A tenth of a small set is too few to measure an epoch on. All of it costs a third of an epoch's steps, so where the
 * measure chooses nothing it is not taken after each. */
static int set_measure(const experiment_data *data, cli_options *options)
{
    if (data->train > MEASURED_WHOLE) return EXIT_OK;
    int code = set_text(options, "measure", "0");
    return code == EXIT_OK && data->validation == 0 ? set_text(options, "measure-every", "10") : code;
}

/* ---- Words ---- */

/* Those that say what an experiment is, even where they have their default. */
static int is_always_said(const char *name)
{
    static const char *const names[] = { "net",  "objective",   "epochs",     "batch",
                                         "rate", "halve-every", "validation", "seed" };

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return 0;
}

static int is_said(const cli_options *options, const cli_option *option)
{
    const char *word = option->info->name;

    if (!option_belongs(option, "train")) return 0;
    if (strcmp(word, "halve-every") == 0 && option_is(options, "schedule", "cosine")) return 0;
    return is_always_said(word) || !option_is(options, word, option->info->initial);
}

static void add_words(const cli_options *options, const char *data, training_plan *plan)
{
    cli_words *settings = &plan->record.settings;

    words_add(&plan->words, "train");
    words_add(&plan->words, "%s", data);
    for (size_t i = 0; dlda_option_at(i); i++) {
        const dlda_option_info *option = dlda_option_at(i);
        const char *value = option_text(options, option->name);
        if (!is_said(options, option)) continue;
        words_add(settings, "%s", option->name);
        words_add(settings, "%s", value);
        words_add(&plan->words, "--%s", option->name);
        if (option->argument) words_add(&plan->words, "%s", value);
    }
}

static char *whole_command(const training_plan *plan)
{
    cli_words words = { 0 };

    words_add(&words, "deeplda");
    words_add_all(&words, &plan->words);
    words_add(&words, "-o");
    words_add(&words, "%s", plan->folder);
    char *command = words_as_command(&words, 0);
    words_release(&words);
    return command;
}

/* ---- A plan ---- */

static int fill(const reproduction *self, size_t seed, training_plan *plan)
{
    const cli_experiment *experiment = plan->task->experiment;
    const experiment_data *data = &plan->task->data;
    cli_words *deviations = &plan->record.deviations;
    cli_options *options = NULL;
    int code = reproduce_presets(experiment, trained_kinds[plan->model].objective, &options);

    words_add_all(deviations, &data->deviations);
    if (plan->model == TRAINED_CCE && data->validation > 0)
        words_add(deviations, "the epoch of CCE is the best of an LDA on its features, as with DeepLDA");
    if (code == EXIT_OK) code = set_net(self, experiment, options, deviations);
    if (code == EXIT_OK) code = set_data(experiment, data, options, deviations);
    if (code == EXIT_OK) code = set_measure(data, options);
    if (code == EXIT_OK) code = set_schedule(self, plan->task, options, &plan->record);
    if (code == EXIT_OK) code = set_count(options, "seed", seed);
    if (code == EXIT_OK) add_words(options, data->path, plan);
    options_destroy(options);
    return code;
}

static char *make_title(const reproduce_task *task, size_t seed)
{
    if (task->experiment->folds)
        return text_format("%s, fold %zu, seed %zu", task->experiment->name, task->fold, seed);
    return text_format("%s, seed %zu", task->experiment->name, seed);
}

static int make_plan(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed,
                     training_plan *plan)
{
    enum { OPTIONS_FROM = 2 }; /* behind `train DATA` */

    *plan = (training_plan){
        .task = task, .model = model, .title = make_title(task, seed), .record.seconds = NAN
    };
    plan->place = reproduce_place(self, task->experiment, task->fold, seed);
    plan->folder = reproduce_folder(plan->place, model);
    plan->record_path = reproduce_record_path(plan->place, model);
    plan->record.source = text_format("%s", task->data.source);
    plan->record.data = text_format("%s", task->data.path);
    int code = fill(self, seed, plan);
    plan->record.options = words_as_command(&plan->words, OPTIONS_FROM);
    plan->record.command = whole_command(plan);
    return code;
}

/* ---- All of them ---- */

int reproduce_make_plans(const reproduction *self, const reproduce_task *tasks, size_t count,
                         training_plans *plans)
{
    size_t most = count * self->seeds * reproduce_trainings(self);
    int code = EXIT_OK;

    *plans = (training_plans){ .at = calloc(most, sizeof *plans->at) };
    if (!plans->at) {
        complain(reproduce_name, "no memory for %zu trainings", most);
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < count; i++)
        for (size_t seed = 1; seed <= self->seeds; seed++)
            for (cli_trained model = 0; model < N_TRAINED && code == EXIT_OK; model++)
                if (reproduce_needs(self, model))
                    code = make_plan(self, &tasks[i], model, seed, &plans->at[plans->count++]);
    return code;
}

void reproduce_release_plans(training_plans *plans)
{
    for (size_t i = 0; i < plans->count; i++) {
        training_plan *plan = &plans->at[i];
        free(plan->title);
        free(plan->place);
        free(plan->folder);
        free(plan->record_path);
        words_release(&plan->words);
        reproduce_release_record(&plan->record);
    }
    free(plans->at);
    *plans = (training_plans){ 0 };
}
