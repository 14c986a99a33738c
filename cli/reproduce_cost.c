/* SPDX-License-Identifier: MIT
 *
 * reproduce_cost.c - how long trainings take on this machine.
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
