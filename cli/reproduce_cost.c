/* SPDX-License-Identifier: MIT
 *
 * reproduce_cost.c - how long trainings take on this machine, and how many epochs a budget of time allows.
 *
 * Training steps of each network are measured for a few seconds. An image that is only classified costs about a third
 * of one that is trained on (docs/training.md), so everything is counted in trained images.
 */
#include "folders.h"
#include "reproduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Times as text ---- */

static double unit_seconds(char unit)
{
    return unit == 'h' ? 3600 : unit == 'm' ? 60 : unit == 's' ? 1 : 0;
}

int reproduce_parse_time(const char *text, double *seconds)
{
    double sum = 0, last = INFINITY;
    const char *at = text;

    while (*at >= '0' && *at <= '9') {
        char *end = NULL;
        double number = strtod(at, &end), unit = unit_seconds(*end);
        if (unit == 0 || unit >= last) break;
        sum += number * unit;
        last = unit;
        at = end + 1;
    }
    if (*at || !(sum > 0) || !isfinite(sum))
        return complain_usage(reproduce_name, "option budget: found '%s', expected a time as 2h, 30m, 90s or 1h30m",
                              text);
    *seconds = sum;
    return EXIT_OK;
}

char *reproduce_time_text(double seconds)
{
    double minutes = round(seconds / 60);

    if (seconds < 59.5) return text_format("%.0f s", fmax(seconds, 1));
    if (minutes < 60) return text_format("%.0f min", minutes);
    return text_format("%.0f h %02.0f min", floor(minutes / 60), fmod(minutes, 60));
}

/* ---- Speed ---- */

enum { MOST_NETS = 8, LEAST_BATCH = 20, MOST_BATCH = 128 };

/* What was measured in this process. */
typedef struct measured_net {
    char *net;
    double images_per_second;
} measured_net;

static const char *net_of(const reproduction *self, const cli_experiment *experiment)
{
    if (dlda_options_is_given(self->options, "net")) return dlda_options_get(self->options, "net");
    return experiment->net ? experiment->net : experiment->set; /* the presets of a set name its network */
}

/* A step of about a second: batches of larger images are smaller. The speed hardly depends on it. */
static size_t batch_of(const cli_experiment *experiment)
{
    const double pixels = experiment->resize || strcmp(experiment->set, "stl10") != 0 ? 32 * 32 : 96 * 96;
    return (size_t)fmax(LEAST_BATCH, MOST_BATCH * 1024 / pixels);
}

static int measure(const reproduction *self, const char *net, size_t batch, double *images_per_second)
{
    dlda_benchmark *benchmark = NULL;
    const dlda_benchmark_spec spec = { .net = net,
                                       .batch = batch,
                                       .threads = (size_t)option_number(self->options, "threads"),
                                       .repeats = 2,
                                       .objective = DLDA_LDA,
                                       .part = DLDA_BENCHMARK_STEP };
    int quiet = option_is(self->options, "quiet", "true");

    if (!quiet) fprintf(stderr, "measuring training steps of network %s\n", net);
    int code = exit_code_of(reproduce_name, dlda_benchmark_run(&spec, &benchmark));
    if (code == EXIT_OK) *images_per_second = benchmark->images_per_second;
    dlda_benchmark_destroy(benchmark);
    return code;
}

static int speed_of(const reproduction *self, const cli_experiment *experiment, double *images_per_second)
{
    static measured_net known[MOST_NETS];
    static size_t count;
    const char *net = net_of(self, experiment);

    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i].net, net) == 0) {
            *images_per_second = known[i].images_per_second;
            return EXIT_OK;
        }
    int code = measure(self, net, batch_of(experiment), images_per_second);
    if (code == EXIT_OK && count < MOST_NETS)
        known[count++] = (measured_net){ text_format("%s", net), *images_per_second };
    return code;
}

int reproduce_cost(const reproduction *self, const reproduce_task *task, training_cost *cost)
{
    const double classified = 1.0 / 3, measured = 0.1; /* of the training images, after each epoch */
    const experiment_data *data = &task->data;
    double train = (double)data->train, validation = (double)data->validation, test = (double)data->test;
    int code = speed_of(self, task->experiment, &cost->images_per_second);

    if (code != EXIT_OK) return code;
    cost->epoch = (train + classified * (measured * train + validation)) / cost->images_per_second;
    /* Twice the training images, for the final LDA and for the SVM; the test images by `train` and for two rows. */
    cost->rest = classified * (2 * train + 3 * test) / cost->images_per_second;
    return EXIT_OK;
}

/* ---- A budget ---- */

/* 1 if a training of that place was begun, and has saved something. */
static int is_begun(const char *place, cli_trained model, const training_record *record)
{
    char *folder = text_format("%s/%s", place, trained_kinds[model].name);
    char *result = text_format("%s/model.safetensors", folder);
    int begun = record->options &&
                ((record->complete && path_is_there(result)) || reproduce_has_checkpoint(folder));

    free(result);
    free(folder);
    return begun;
}

/* The epochs of the trainings in a place; 0 if none was begun. */
static int epochs_in(const char *place, size_t *epochs)
{
    int code = EXIT_OK;

    for (cli_trained model = 0; model < N_TRAINED && code == EXIT_OK && *epochs == 0; model++) {
        char *path = reproduce_record_path(place, model);
        training_record record;
        code = reproduce_read_record(path, &record);
        if (code == EXIT_OK && is_begun(place, model, &record)) *epochs = record.epochs;
        reproduce_release_record(&record);
        free(path);
    }
    return code;
}

/* The epochs of what was begun in an experiment, for whichever fold, seed and model; 0: nothing was. */
static int begun_epochs(const reproduction *self, const cli_experiment *experiment, size_t *epochs)
{
    size_t folds = experiment->folds ? experiment->folds : 1;
    int code = EXIT_OK;

    *epochs = 0;
    for (size_t fold = 1; fold <= folds; fold++)
        for (size_t seed = 1; seed <= self->seeds && code == EXIT_OK && *epochs == 0; seed++) {
            char *place = reproduce_place(self, experiment, fold, seed);
            code = epochs_in(place, epochs);
            free(place);
        }
    return code;
}

/* All that decides how a budget is divided. */
static char *request_text(const reproduction *self)
{
    cli_words words = { 0 };

    for (size_t i = 0; i < self->n_experiments; i++) words_add(&words, "%s", self->experiments[i]->name);
    words_add(&words, "--budget %.0f --folds %zu-%zu --seeds %zu --rows", self->budget, self->first_fold,
              self->last_fold, self->seeds);
    for (cli_row r = 0; r < N_ROWS; r++)
        if (self->rows[r]) words_add(&words, "%s", row_kinds[r].name);
    if (dlda_options_is_given(self->options, "data"))
        words_add(&words, "--data %s", dlda_options_get(self->options, "data"));
    if (dlda_options_is_given(self->options, "net"))
        words_add(&words, "--net %s", dlda_options_get(self->options, "net"));
    char *text = words_as_command(&words, 0);
    words_release(&words);
    return text;
}

/* The share of its epochs that every training can have, so that those of all tasks together take as long as the budget
 * says, but for tasks that were begun with another number. */
static int measure_share(const reproduction *self, const reproduce_task *tasks, size_t count, double *share)
{
    double full = 0, rest = 0, trainings = (double)(reproduce_trainings(self) * self->seeds);

    for (size_t i = 0; i < count; i++) {
        training_cost cost;
        size_t all = 0, halving = 0;
        if (tasks[i].epochs) continue;
        int code = reproduce_cost(self, &tasks[i], &cost);
        if (code == EXIT_OK) code = reproduce_full_schedule(tasks[i].experiment, &all, &halving);
        if (code != EXIT_OK) return code;
        full += trainings * (double)all * cost.epoch;
        rest += trainings * cost.rest;
    }
    *share = full > 0 ? fmin(1, fmax(0, (self->budget - rest) / full)) : 1;
    return EXIT_OK;
}

/* What the same request got before, even if parts of it are done by now. */
static int budget_share(const reproduction *self, const reproduce_task *tasks, size_t count, double *share)
{
    char *request = request_text(self);
    int code = EXIT_OK;

    *share = NAN;
    reproduce_read_share(self, request, share);
    if (!(*share >= 0 && *share <= 1)) {
        code = measure_share(self, tasks, count, share);
        if (code == EXIT_OK && !option_is(self->options, "list", "true"))
            code = reproduce_write_share(self, request, *share);
    }
    free(request);
    return code;
}

/* Trainings that were begun keep their epochs. */
static int keep_begun(const reproduction *self, reproduce_task *task, int is_first)
{
    int code = begun_epochs(self, task->experiment, &task->epochs);

    if (task->epochs && is_first && !option_is(self->options, "quiet", "true"))
        fprintf(stderr, "%s keeps the %zu epochs that it was begun with\n", task->experiment->name, task->epochs);
    return code;
}

int reproduce_schedule(const reproduction *self, reproduce_task *tasks, size_t count)
{
    double share = 1;
    int code = EXIT_OK;

    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        tasks[i].epochs = self->epochs;
        if (self->budget > 0)
            code = keep_begun(self, &tasks[i], i == 0 || tasks[i].experiment != tasks[i - 1].experiment);
    }
    if (code == EXIT_OK && self->budget > 0) code = budget_share(self, tasks, count, &share);
    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        size_t all = 0, halving = 0;
        if (tasks[i].epochs) continue;
        code = reproduce_full_schedule(tasks[i].experiment, &all, &halving);
        tasks[i].epochs = (size_t)fmax(1, floor(share * (double)all + 1e-9));
    }
    return code;
}
