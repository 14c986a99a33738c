/* SPDX-License-Identifier: MIT
 *
 * cost.c - predicts how long trainings take on this machine, and the time left of those in progress.
 *
 * Training steps of each network are measured for a few seconds. Classifying an image costs about a third of
 * training on it (docs/training.md), so all work is counted in trained images.
 */
#include "bench/benchmark.h"
#include "reproduce/plan.h"
#include "terminal/print.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Speed ---- */

/* A step should take about a second: batches of larger images are smaller. The speed hardly depends on it. */
static size_t batch_of(const plan_task *task)
{
    enum { LEAST_BATCH = 20, MOST_BATCH = 128, PIXELS = MOST_BATCH * 32 * 32 };
    size_t side = task->experiment->resize ? task->experiment->resize : task->set->height;

    return (size_t)fmax(LEAST_BATCH, fmin(MOST_BATCH, (double)PIXELS / (double)(side * side)));
}

static dlda_status measure(const reproduce_request *request, const plan_task *task, double *images_per_second)
{
    bench_result *benchmark = NULL;
    const bench_spec spec = { .net = task->net,
                              .batch = batch_of(task),
                              .threads = request->threads ? (size_t)strtoull(request->threads, NULL, 10) : 0,
                              .repeats = 2,
                              .objective = "lda",
                              .precision = request->precision,
                              .part = BENCH_STEP };

    if (!request->is_quiet) print_to(stderr, "measuring training steps of network %s\n", task->net);
    dlda_status status = bench_run(&spec, &benchmark);
    if (status == DLDA_OK) *images_per_second = benchmark->images_per_second;
    if (status == DLDA_OK && request->micro_batch) *images_per_second *= 0.75; /* a second forward pass */
    bench_destroy(benchmark);
    return status;
}

/* Measured once per network. */
static dlda_status find_speed(reproduce_plan *plan, const plan_task *task, double *images_per_second)
{
    for (size_t i = 0; i < plan->n_speeds; i++)
        if (strcmp(plan->speeds[i].net, task->net) == 0) {
            *images_per_second = plan->speeds[i].images_per_second;
            return DLDA_OK;
        }
    dlda_status status = measure(plan->request, task, images_per_second);
    if (status == DLDA_OK && plan->n_speeds < MOST_NETS)
        plan->speeds[plan->n_speeds++] = (net_speed){ task->net, *images_per_second };
    return status;
}

/* ---- Work, in trained images ---- */

static const double classified = 1.0 / 3; /* relative to the work of training on an image */

static double work_of_epoch(const task_data *data)
{
    double measured = (data->is_measured_whole ? 1 : 0.1) / (double)data->measured_every;

    return (double)data->train + classified * (measured * (double)data->train + (double)data->validation);
}

/* Twice the training images, for the final LDA and the SVM; the test images for `train` and two rows. */
static double work_of_rest(const task_data *data)
{
    return classified * (2 * (double)data->train + 3 * (double)data->test);
}

int plan_cost(reproduce_plan *plan, const plan_task *task, training_cost *cost)
{
    int code = exit_code_of(reproduce_name, find_speed(plan, task, &cost->images_per_second));

    if (code != EXIT_OK) return code;
    cost->epoch = work_of_epoch(&task->data) / cost->images_per_second;
    cost->rest = work_of_rest(&task->data) / cost->images_per_second;
    return EXIT_OK;
}

/* ---- Time left ---- */

static double own_epoch_seconds(const training *self)
{
    return self->progress.done ? self->progress.seconds / (double)self->progress.done : NAN;
}

/* Seconds per epoch of this training; else of another one of the experiment, preferably with the same
 * objective; else as measured. */
static double epoch_seconds(reproduce_plan *plan, const training *self)
{
    double seconds = own_epoch_seconds(self), speed = 0;

    for (int any_kind = 0; any_kind < 2 && isnan(seconds); any_kind++)
        for (size_t i = 0; i < plan->n_trainings && isnan(seconds); i++) {
            const training *other = &plan->trainings[i];
            if (other->task && other->experiment == self->experiment && (any_kind || other->kind == self->kind))
                seconds = own_epoch_seconds(other);
        }
    if (isnan(seconds) && find_speed(plan, self->task, &speed) == DLDA_OK)
        seconds = work_of_epoch(&self->task->data) / speed;
    return seconds;
}

double plan_seconds_left(reproduce_plan *plan, const training *first)
{
    double sum = 0;

    for (const training *self = first; self < plan->trainings + plan->n_trainings; self++) {
        if (!self->task) continue;
        size_t left = self->asked.schedule.epochs - self->progress.done;
        if (left == 0 && training_is_recorded(self)) continue;
        double rest = work_of_rest(&self->task->data) / work_of_epoch(&self->task->data); /* in epochs */
        sum += ((double)left + rest) * epoch_seconds(plan, self);
    }
    return sum;
}
