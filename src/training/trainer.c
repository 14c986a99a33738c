/* SPDX-License-Identifier: MIT
 *
 * trainer.c - the training loop: batch -> network -> objective -> optimiser, epoch after epoch. setup.c makes what it
 * works with.
 */
#include "training/trainer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "objective/objective.h"
#include "optimiser/nesterov.h"
#include "optimiser/schedule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void dlda_trainer_watch(dlda_trainer *self, const dlda_watch *watch)
{
    self->watch = watch ? *watch : (dlda_watch){ 0 };
}

const dlda_model *dlda_trainer_model(const dlda_trainer *self)
{
    return self->model->lda ? self->model : NULL;
}

const dlda_epoch *dlda_trainer_history(const dlda_trainer *self, size_t *count)
{
    *count = self->history->count;
    return self->history->epochs;
}

/* ---- Training ---- */

double dlda_trainer_rate(const dlda_options *options, double done)
{
    const dlda_schedule schedule = { (dlda_schedule_kind)options->schedule, options->rate, options->warm_up,
                                     (size_t)options->halve_every, (size_t)options->epochs };
    return dlda_schedule_rate(&schedule, done);
}

dlda_status dlda_trainer_step(dlda_trainer *self, size_t epoch, size_t batch, double *loss)
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = &self->options;
    const dlda_network *network = self->model->network;
    const dlda_batch *now = NULL;
    double done = (double)(epoch - 1) + ((double)batch + 0.5) / (double)dlda_sampler_batches(self->sampler);
    const dlda_nesterov rule = { dlda_trainer_rate(options, done), options->momentum, options->decay };

    DLDA_TRY(dlda_loader_get(self->loader, epoch, batch, &now));
    const dlda_step step = { (uint64_t)options->seed, epoch, self->steps_done, now->samples };
    const float *H = dlda_plan_forward(self->plan, self->weights, self->state, now->images, now->n, &step);
    DLDA_TRY(dlda_objective_evaluate(self->objective, H, now->labels, now->n, loss, self->dH));
    dlda_plan_backward(self->plan, self->weights, self->dH, self->gradient);
    dlda_nesterov_step(&rule, self->team, network->n_weights, self->gradient, self->velocity, self->weights);
    self->steps_done++;
done:
    return status;
}

typedef struct clock_state {
    double begin, epoch_begin; /* of the run, of this epoch */
    size_t images;             /* trained on in this epoch  */
    size_t epochs_before;      /* done when the run began   */
} clock_state;

static void tell_progress(const dlda_trainer *self, const clock_state *clock, size_t epoch, size_t batch,
                          double loss)
{
    size_t epochs = (size_t)self->options.epochs, batches = dlda_sampler_batches(self->sampler);
    double now = dlda_seconds_now();
    /* Measuring accuracies is part of each epoch; counting whole epochs includes it. */
    double done = (double)(epoch - 1 - clock->epochs_before) + (double)(batch + 1) / (double)batches;
    double left = (double)(epochs - clock->epochs_before) - done;

    if (!self->watch.batch) return;
    self->watch.batch(
        self->watch.user,
        &(dlda_progress){ .epoch = epoch,
                          .epochs = epochs,
                          .batch = batch + 1,
                          .batches = batches,
                          .value = dlda_objective_separates((dlda_objective_kind)self->options.objective) ? -loss
                                                                                                          : loss,
                          .images_per_second = (double)clock->images / (now - clock->epoch_begin),
                          .seconds_left = (now - clock->begin) / done * left });
}

static void add_advice(dlda_status status)
{
    if (status == DLDA_E_NUMERIC) dlda_fail(status, "%s; a lower --rate may help", dlda_last_error());
}

/* All batches of an epoch; *loss becomes their mean. */
static dlda_status train_epoch(dlda_trainer *self, clock_state *clock, size_t epoch, double *loss)
{
    dlda_status status = DLDA_OK;
    size_t batches = dlda_sampler_batches(self->sampler);
    double sum = 0, latest = 0;

    for (size_t batch = 0; batch < batches; batch++) {
        status = dlda_trainer_step(self, epoch, batch, &latest);
        if (status != DLDA_OK) {
            add_advice(status);
            dlda_fail_at(status, "epoch %zu, batch %zu", epoch, batch + 1);
            goto done;
        }
        sum += latest;
        clock->images += dlda_sampler_size(self->sampler, batch);
        tell_progress(self, clock, epoch, batch, latest);
        if (self->watch.stop && self->watch.stop(self->watch.user))
            DLDA_FAIL(DLDA_E_STOPPED, "stopped in epoch %zu, after batch %zu of %zu", epoch, batch + 1, batches);
    }
    *loss = sum / (double)batches;
done:
    return status;
}

/* The latest network becomes the model if it is at least as good as the best so far. Without a validation set each
 * epoch is. */
static int keep_if_best(dlda_trainer *self, const dlda_epoch *epoch)
{
    dlda_model *model = self->model;

    if (epoch->validation_accuracy < self->best_accuracy) return 0; /* not so if there is none: NaN */
    if (self->validation) self->best_accuracy = epoch->validation_accuracy;
    memcpy(model->weights, self->weights, model->network->n_weights * sizeof *model->weights);
    memcpy(model->state, self->state, model->network->n_state * sizeof *model->state);
    dlda_lda_destroy(model->lda);
    model->lda = self->lda;
    self->lda = NULL;
    return 1;
}

static dlda_status run_epoch(dlda_trainer *self, clock_state *clock)
{
    dlda_status status = DLDA_OK;
    size_t number = self->epochs_done + 1;
    dlda_epoch epoch = { .epoch = number, .rate = dlda_trainer_rate(&self->options, (double)number - 0.5) };

    clock->epoch_begin = dlda_seconds_now();
    clock->images = 0;
    DLDA_TRY(train_epoch(self, clock, number, &epoch.loss));
    epoch.separation = dlda_objective_separates((dlda_objective_kind)self->options.objective) ? -epoch.loss : NAN;
    epoch.images_per_second = (double)clock->images / (dlda_seconds_now() - clock->epoch_begin);
    status = dlda_trainer_measure(self, &epoch);
    if (status != DLDA_OK) {
        add_advice(status);
        dlda_fail_at(status, "epoch %zu, measuring", number);
        goto done;
    }
    epoch.best = keep_if_best(self, &epoch);
    epoch.seconds = dlda_seconds_now() - clock->epoch_begin;
    dlda_history_add(self->history, &epoch);
    self->epochs_done = number;
    DLDA_TRY(dlda_trainer_write_record(self, epoch.best));
    if (self->watch.epoch) self->watch.epoch(self->watch.user, &self->history->epochs[self->history->count - 1]);
done:
    return status;
}

dlda_status dlda_trainer_run(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    clock_state clock = { .begin = dlda_seconds_now(), .epochs_before = self->epochs_done };

    while (status == DLDA_OK && self->epochs_done < (size_t)self->options.epochs) status = run_epoch(self, &clock);
    if (status != DLDA_OK && status != DLDA_E_STOPPED) return status;
    dlda_status completed = dlda_trainer_complete(self);
    return completed == DLDA_OK ? status : completed;
}
