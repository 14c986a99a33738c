/* SPDX-License-Identifier: MIT
 *
 * reproduce_cost.c - how long trainings take on this machine, and how many epochs a budget of time allows.
 *
 * Training steps of each network are measured for a few seconds. An image that is only classified costs about a third
 * of one that is trained on (docs/training.md), so everything is counted in trained images.
 */
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

/* The epochs of what was begun in an experiment, for whichever fold, seed and model; 0: nothing was. */
static int begun_epochs(const reproduction *self, const cli_experiment *experiment, size_t *epochs)
{
    training_record record;
    int code = EXIT_OK;

    *epochs = 0;
    for (size_t fold = self->first_fold; fold <= self->last_fold; fold++)
        for (size_t seed = 1; seed <= self->seeds; seed++)
            for (cli_trained model = 0; model < N_TRAINED && code == EXIT_OK && *epochs == 0; model++) {
                char *place = reproduce_place(self, experiment, fold, seed);
                char *path = reproduce_record_path(place, model);
                code = reproduce_read_record(path, &record);
                *epochs = record.epochs;
                reproduce_release_record(&record);
                free(path);
                free(place);
            }
    return code;
}

static size_t trainings_of(const reproduction *self)
{
    size_t count = 0;

    for (cli_trained model = 0; model < N_TRAINED; model++) count += (size_t)reproduce_needs(self, model);
    return count * self->seeds;
}

/* The share of its epochs that every training can have, so that those of all tasks that are not begun take as
 * long as the budget says. */
static int budget_share(const reproduction *self, const reproduce_task *tasks, size_t count, double *share)
{
    double full = 0, rest = 0, trainings = (double)trainings_of(self);

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

int reproduce_schedule(const reproduction *self, reproduce_task *tasks, size_t count)
{
    double share = 1;
    int code = EXIT_OK;

    for (size_t i = 0; i < count && code == EXIT_OK; i++) {
        tasks[i].epochs = self->epochs;
        if (self->budget > 0) code = begun_epochs(self, tasks[i].experiment, &tasks[i].epochs);
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
