/* SPDX-License-Identifier: MIT
 *
 * reproduce_cost.c - how long trainings take on this machine, and what is left of those that are under way.
 *
 * Training steps of each network are measured for a few seconds. An image that is only classified costs about a third
 * of one that is trained on (docs/training.md), so everything is counted in trained images.
 */
#include "bench/benchmark.h"
#include "reproduce/reproduce.h"

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

static dlda_status measure(const reproduction *self, const char *net, size_t batch, double *images_per_second)
{
    bench_result *benchmark = NULL;
    const bench_spec spec = { .net = net,
                              .batch = batch,
                              .threads = (size_t)option_number(self->options, "threads"),
                              .repeats = 2,
                              .objective = "lda",
                              .part = BENCH_STEP };
    int quiet = option_is(self->options, "quiet", "true");

    if (!quiet) fprintf(stderr, "measuring training steps of network %s\n", net);
    dlda_status status = bench_run(&spec, &benchmark);
    if (status == DLDA_OK) *images_per_second = benchmark->images_per_second;
    bench_destroy(benchmark);
    return status;
}

dlda_status reproduce_speed(const reproduction *self, const cli_experiment *experiment, double *images_per_second)
{
    static measured_net known[MOST_NETS];
    static size_t count;
    const char *net = net_of(self, experiment);

    for (size_t i = 0; i < count; i++)
        if (strcmp(known[i].net, net) == 0) {
            *images_per_second = known[i].images_per_second;
            return DLDA_OK;
        }
    dlda_status status = measure(self, net, batch_of(experiment), images_per_second);
    if (status == DLDA_OK && count < MOST_NETS)
        known[count++] = (measured_net){ text_format("%s", net), *images_per_second };
    return status;
}

/* ---- Work, in trained images ---- */

static const double classified = 1.0 / 3; /* of the work of an image that is trained on */

static double work_of_epoch(const experiment_data *data, double measured)
{
    double train = (double)data->train, validation = (double)data->validation;

    return train + classified * (measured * train + validation);
}

/* Twice the training images, for the final LDA and for the SVM; the test images by `train` and for two rows. */
static double work_of_rest(const experiment_data *data)
{
    return classified * (2 * (double)data->train + 3 * (double)data->test);
}

/* The share of the training images that each epoch is measured on. */
static double measured_share(const experiment_data *data)
{
    return data->train <= MEASURED_WHOLE ? 1 : 0.1;
}

int reproduce_cost(const reproduction *self, const reproduce_task *task, training_cost *cost)
{
    int code = exit_code_of(reproduce_name, reproduce_speed(self, task->experiment, &cost->images_per_second));

    if (code != EXIT_OK) return code;
    cost->epoch = work_of_epoch(&task->data, measured_share(&task->data)) / cost->images_per_second;
    cost->rest = work_of_rest(&task->data) / cost->images_per_second;
    return EXIT_OK;
}

/* ---- What is left ---- */

static double own_epoch_seconds(const training_plan *plan)
{
    return plan->progress.done ? plan->progress.seconds / (double)plan->progress.done : NAN;
}

/* As the training's own epochs took, else those of another one of the experiment, best with the same objective; else as
 * it is measured. */
static double epoch_seconds(const reproduction *self, const training_plans *plans, const training_plan *plan)
{
    double seconds = own_epoch_seconds(plan), speed = 0;

    for (int any_model = 0; any_model < 2 && isnan(seconds); any_model++)
        for (size_t i = 0; i < plans->count && isnan(seconds); i++) {
            const training_plan *other = &plans->at[i];
            if (other->task->experiment == plan->task->experiment && (any_model || other->model == plan->model))
                seconds = own_epoch_seconds(other);
        }
    if (isnan(seconds) && reproduce_speed(self, plan->task->experiment, &speed) == DLDA_OK)
        seconds = work_of_epoch(&plan->task->data, measured_share(&plan->task->data)) / speed;
    return seconds;
}

double reproduce_seconds_left(const reproduction *self, const training_plans *plans, size_t first)
{
    double sum = 0;

    for (size_t i = first; i < plans->count; i++) {
        const training_plan *plan = &plans->at[i];
        const experiment_data *data = &plan->task->data;
        size_t left = plan->record.schedule.epochs - plan->progress.done;
        if (left == 0 && plan->is_recorded) continue;
        double rest = work_of_rest(data) / work_of_epoch(data, measured_share(data)); /* in epochs */
        sum += ((double)left + rest) * epoch_seconds(self, plans, plan);
    }
    return sum;
}
