/* SPDX-License-Identifier: MIT
 *
 * reproduce_plan.c - one training of an experiment as a command line, and in what it departs from the paper.
 *
 * The command has all options that matter, also those that presets would bring: what it does can be read off, and it
 * does the same wherever the data lie.
 */
#include "arguments.h"
#include "folders.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Places ---- */

char *reproduce_place(const reproduction *self, const cli_experiment *experiment, size_t fold, size_t seed)
{
    if (experiment->folds) return text_format("%s/%s/fold%zu/seed%zu", self->root, experiment->name, fold, seed);
    return text_format("%s/%s/seed%zu", self->root, experiment->name, seed);
}

char *reproduce_record_path(const char *place, cli_trained model)
{
    return text_format("%s/%s-training.json", place, trained_kinds[model].name);
}

int reproduce_has_checkpoint(const char *folder)
{
    char *newest = text_format("%s/checkpoint.safetensors", folder);
    char *before = text_format("%s/checkpoint-previous.safetensors", folder);
    int has = path_is_there(newest) || path_is_there(before);

    free(newest);
    free(before);
    return has;
}

int reproduce_is_begun(const char *place, cli_trained model, const training_record *record)
{
    char *folder = text_format("%s/%s", place, trained_kinds[model].name);
    char *result = text_format("%s/model.safetensors", folder);
    int complete = record->complete && path_is_there(result);
    int begun = record->options && (complete || reproduce_has_checkpoint(folder));

    free(result);
    free(folder);
    return begun;
}

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

size_t reproduce_list_tasks(const reproduction *self, reproduce_task tasks[MOST_TASKS])
{
    size_t count = 0;

    for (size_t i = 0; i < self->n_experiments; i++) {
        const cli_experiment *experiment = self->experiments[i];
        size_t last = experiment->folds ? self->last_fold : self->first_fold;
        for (size_t fold = self->first_fold; fold <= last && count < MOST_TASKS; fold++)
            tasks[count++] = (reproduce_task){ .experiment = experiment, .fold = fold };
    }
    return count;
}

int reproduce_is_first(const reproduce_task *tasks, size_t i)
{
    return i == 0 || tasks[i].experiment != tasks[i - 1].experiment;
}

/* ---- Options ---- */

static int read_presets(const cli_experiment *experiment, const char *objective, dlda_options **options)
{
    int code = exit_code_of(reproduce_name, dlda_options_create(options));

    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_options_set(*options, "objective", objective));
    if (code == EXIT_OK) code = exit_code_of(reproduce_name, dlda_options_preset(*options, experiment->set));
    return code;
}

int reproduce_full_schedule(const cli_experiment *experiment, size_t *epochs, size_t *halve_every)
{
    dlda_options *options = NULL;
    int code = read_presets(experiment, "lda", &options);

    if (code == EXIT_OK) {
        *epochs = (size_t)option_number(options, "epochs");
        *halve_every = (size_t)option_number(options, "halve-every");
    }
    dlda_options_destroy(options);
    return code;
}

static int set_text(dlda_options *options, const char *name, const char *value)
{
    return exit_code_of(reproduce_name, dlda_options_set(options, name, value));
}

static int set_count(dlda_options *options, const char *name, size_t value)
{
    char *text = text_format("%zu", value);
    int code = set_text(options, name, text);

    free(text);
    return code;
}

static int set_net(const reproduction *self, const cli_experiment *experiment, dlda_options *options,
                   cli_words *deviations)
{
    int given = dlda_options_is_given(self->options, "net");
    const char *net = given ? dlda_options_get(self->options, "net") : experiment->net;

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

static int set_data(const cli_experiment *experiment, const experiment_data *data, dlda_options *options,
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
              dlda_options_get(options, "objective"));
    return set_count(options, "batch", data->train);
}

static int set_epochs(dlda_options *options, size_t epochs, cli_words *deviations)
{
    size_t full = (size_t)option_number(options, "epochs"), halving = (size_t)option_number(options, "halve-every");
    double share = (double)epochs / (double)full;
    size_t moved = (size_t)fmax(1, round((double)halving * share));

    if (epochs == full) return EXIT_OK;
    words_add(deviations, "%zu epochs instead of %zu, the rate halved every %zu instead of %zu", epochs, full,
              moved, halving);
    int code = set_count(options, "epochs", epochs);
    return code == EXIT_OK ? set_count(options, "halve-every", moved) : code;
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

static void add_option(cli_words *words, const dlda_option_info *option, const char *value)
{
    if (!is_always_said(option->name) && strcmp(value, option->initial) == 0) return;
    words_add(words, "--%s", option->name);
    if (option->argument) words_add(words, "%s", value);
}

static void add_words(const dlda_options *options, const char *data, cli_words *words)
{
    words_add(words, "train");
    words_add(words, "%s", data);
    for (size_t i = 0; dlda_option_at(i); i++)
        if (option_belongs(dlda_option_at(i), "train"))
            add_option(words, dlda_option_at(i), dlda_options_get(options, dlda_option_at(i)->name));
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

/* ---- The plan ---- */

static int fill(const reproduction *self, const reproduce_task *task, size_t seed, training_plan *plan)
{
    const cli_experiment *experiment = task->experiment;
    const experiment_data *data = &task->data;
    cli_words *deviations = &plan->record.deviations;
    dlda_options *options = NULL;
    int code = read_presets(experiment, trained_kinds[plan->model].objective, &options);

    words_add_all(deviations, &data->deviations);
    if (plan->model == TRAINED_CCE && data->validation > 0)
        words_add(deviations, "the epoch of CCE is the best of an LDA on its features, as with DeepLDA");
    if (code == EXIT_OK) plan->record.full_epochs = (size_t)option_number(options, "epochs");
    if (code == EXIT_OK) code = set_net(self, experiment, options, deviations);
    if (code == EXIT_OK) code = set_data(experiment, data, options, deviations);
    if (code == EXIT_OK) code = set_epochs(options, task->epochs, deviations);
    if (code == EXIT_OK) code = set_count(options, "seed", seed);
    if (code == EXIT_OK) add_words(options, data->path, &plan->words);
    dlda_options_destroy(options);
    return code;
}

static char *make_title(const reproduce_task *task, size_t seed)
{
    if (task->experiment->folds)
        return text_format("%s, fold %zu, seed %zu", task->experiment->name, task->fold, seed);
    return text_format("%s, seed %zu", task->experiment->name, seed);
}

int reproduce_make_plan(const reproduction *self, const reproduce_task *task, cli_trained model, size_t seed,
                        training_plan *plan)
{
    enum { OPTIONS_FROM = 2 }; /* behind `train DATA` */

    *plan = (training_plan){ .model = model, .title = make_title(task, seed), .record.seconds = NAN };
    plan->place = reproduce_place(self, task->experiment, task->fold, seed);
    plan->folder = text_format("%s/%s", plan->place, trained_kinds[model].name);
    plan->record_path = reproduce_record_path(plan->place, model);
    plan->record.epochs = task->epochs;
    plan->record.source = text_format("%s", task->data.source);
    plan->record.data = text_format("%s", task->data.path);
    int code = fill(self, task, seed, plan);
    plan->record.options = words_as_command(&plan->words, OPTIONS_FROM);
    plan->record.command = whole_command(plan);
    return code;
}

void reproduce_release_plan(training_plan *plan)
{
    free(plan->title);
    free(plan->place);
    free(plan->folder);
    free(plan->record_path);
    words_release(&plan->words);
    reproduce_release_record(&plan->record);
    *plan = (training_plan){ 0 };
}
