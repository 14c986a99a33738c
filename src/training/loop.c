/* SPDX-License-Identifier: MIT
 *
 * loop.c - the training loop: steps, epochs, keeping the best model, checkpoints, and when to stop.
 *
 * A training is determined by its state between two batches: when resumed from a checkpoint it passes through the
 * same states as an uninterrupted one.
 */
#include "base/clock.h"
#include "base/file.h"
#include "model/calibration.h"
#include "objective/objective.h"
#include "training/checkpoint.h"
#include "training/run_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int separates(const dlda_trainer *self)
{
    return dlda_objective_row_of((dlda_objective_kind)self->options->objective)->info.separates;
}

/* ---- Progress reports ---- */

/* Validation accuracy of the last measured epoch; NaN if none was measured. */
static double latest_validation(const dlda_history *history)
{
    for (size_t i = history->count; i > 0; i--)
        if (!isnan(history->epochs[i - 1].validation_accuracy)) return history->epochs[i - 1].validation_accuracy;
    return NAN;
}

static void tell_progress(const dlda_trainer *self, double loss)
{
    const dlda_run_clock *clock = &self->clock;
    size_t batches = dlda_sampler_batches(self->sampler), count = 0;
    const double *values = dlda_objective_eigenvalues(self->objective, &count);
    double now = dlda_seconds_now();
    /* Measuring accuracies takes part of each epoch's time; dividing by epochs includes it in the estimate. */
    double done = (double)self->epochs_done + (double)self->batches_done / (double)batches;
    double rest = ((double)self->options->epochs - done) / (done - clock->epochs_before);

    if (!self->watch.batch) return;
    self->watch.batch(self->watch.user,
                      &(dlda_progress){ .epoch = self->epochs_done + 1,
                                        .epochs = (size_t)self->options->epochs,
                                        .batch = self->batches_done,
                                        .batches = batches,
                                        .value = separates(self) ? -loss : loss,
                                        .largest = count ? values[0] : NAN,
                                        .smallest = count ? values[count - 1] : NAN,
                                        .selected = dlda_objective_selected(self->objective),
                                        .validation_accuracy = latest_validation(self->history),
                                        .images_per_second = (double)clock->images / (now - clock->epoch_begin),
                                        .seconds_left = (now - clock->begin) * rest,
                                        .loader_seconds = self->loader_seconds,
                                        .waiting = self->waiting });
}

static void tell(const dlda_trainer *self, const char *message)
{
    if (self->watch.log) self->watch.log(self->watch.user, message);
}

/* ---- One epoch ---- */

/* Syncing files to the disk takes longer than a short epoch. After an epoch, they are written if the last time was so
 * many seconds ago. */
#define SECONDS_BETWEEN_WRITES 1.0

static dlda_status write_epochs(dlda_trainer *self)
{
    if (!self->unwritten_epochs) return DLDA_OK;
    dlda_status status = dlda_trainer_write_record(self, self->unwritten_best);

    if (status == DLDA_OK) self->unwritten_epochs = self->unwritten_best = 0;
    return status;
}

static dlda_status save(dlda_trainer *self)
{
    dlda_status status = write_epochs(self);

    if (status != DLDA_OK || !self->folder) return status;
    self->epoch_seconds = self->batches_done ? dlda_seconds_now() - self->clock.epoch_begin : 0;
    status = dlda_checkpoint_save(self);
    if (status == DLDA_OK) self->has_checkpoint = 1;
    self->clock.saved = dlda_seconds_now();
    return status;
}

static int is_time_to_save(const dlda_trainer *self)
{
    return self->options->checkpoint > 0 &&
           dlda_seconds_now() - self->clock.saved >= 60 * self->options->checkpoint;
}

/* Standard error of an accuracy on the validation set, by the rule of succession: it is above 0 even if all are right. */
static double standard_error(const dlda_trainer *self, double accuracy)
{
    double n = (double)dlda_dataset_count(self->validation);
    double p = (accuracy * n + 1) / (n + 2);

    return sqrt(p * (1 - p) / n);
}

/* The least validation accuracy of an epoch that becomes the model. A tolerance prefers later epochs: on few validation
 * samples, an early epoch may be best by chance. */
static double least_accuracy(const dlda_trainer *self)
{
    double tolerance = self->options->tolerance;

    if (tolerance == 0 || self->best_accuracy < 0) return self->best_accuracy;
    return self->best_accuracy - tolerance * standard_error(self, self->best_accuracy);
}

/* The latest network becomes the model if its validation accuracy is at least the best so far, less the tolerance.
 * Without a validation set, every measured epoch qualifies. */
static int keep_if_best(dlda_trainer *self, const dlda_epoch *epoch)
{
    dlda_model *model = self->model;

    if (!self->lda) return 0;
    if (epoch->validation_accuracy < least_accuracy(self)) return 0; /* false without a validation set: NaN */
    if (self->validation && epoch->validation_accuracy > self->best_accuracy)
        self->best_accuracy = epoch->validation_accuracy;
    self->best_epoch = epoch->epoch;
    memcpy(model->weights, self->weights, model->network->n_weights * sizeof *model->weights);
    memcpy(model->state, self->state, model->network->n_state * sizeof *model->state);
    model->version++;
    dlda_calibration_destroy(model->calibration); /* it was that of another epoch */
    model->calibration = NULL;
    dlda_lda_destroy(model->lda);
    model->lda = self->lda;
    self->lda = NULL;
    return 1;
}

static void finish_epoch(dlda_trainer *self, const dlda_epoch *epoch)
{
    dlda_history_add(self->history, epoch);
    self->epochs_done = epoch->epoch;
    self->batches_done = 0;
    self->loss_sum = 0;
    self->epoch_seconds = 0;
}

/* Measures accuracies, keeps the model if it is the best, and updates the files of the run. */
static dlda_status end_epoch(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    size_t number = self->epochs_done + 1, batches = dlda_sampler_batches(self->sampler);
    double begin = self->clock.epoch_begin;
    dlda_epoch epoch = { .epoch = number, .rate = dlda_trainer_rate(self->options, (double)number - 0.5) };

    DLDA_TRY(dlda_trainer_check_weights(self));
    DLDA_TRY(dlda_comm_agree(self->comm, self->weights, self->model->network->n_weights * sizeof *self->weights,
                             "the weights"));
    epoch.loss = self->loss_sum / (double)batches;
    epoch.separation = separates(self) ? -epoch.loss : NAN;
    epoch.images_per_second = (double)self->clock.images / (dlda_seconds_now() - begin);
    status = dlda_trainer_measure(self, &epoch);
    if (status != DLDA_OK) return dlda_trainer_explain(self, status, number, batches);
    epoch.best = keep_if_best(self, &epoch);
    epoch.seconds = dlda_seconds_now() - begin;
    finish_epoch(self, &epoch);
    self->unwritten_epochs = 1;
    self->unwritten_best |= epoch.best;
    if (number == 1 || dlda_trainer_is_complete(self) ||
        dlda_seconds_now() - self->clock.saved >= SECONDS_BETWEEN_WRITES)
        DLDA_TRY(save(self));
    if (self->watch.epoch) self->watch.epoch(self->watch.user, &self->history->epochs[self->history->count - 1]);
done:
    return status;
}

/* ---- One batch ---- */

static void begin_epoch(dlda_trainer *self)
{
    dlda_run_clock *clock = &self->clock;

    clock->epoch = self->epochs_done + 1;
    clock->epoch_begin = dlda_seconds_now() - self->epoch_seconds;
    clock->here = dlda_seconds_now();
    clock->waited = dlda_comm_waited(self->comm);
    clock->images = 0;
    for (size_t batch = 0; batch < self->batches_done; batch++)
        clock->images += dlda_sampler_size(self->sampler, batch);
}

/* Trains on the next batch of the epoch. A checkpoint may have been saved after the last batch but before the epoch
 * was measured; then there is no batch left and *trained is 0. */
static dlda_status train_batch(dlda_trainer *self, int *trained)
{
    size_t epoch = self->epochs_done + 1, batch = self->batches_done;
    double loss = 0;

    if (self->clock.epoch != epoch) begin_epoch(self);
    *trained = batch < dlda_sampler_batches(self->sampler);
    if (!*trained) return DLDA_OK;
    dlda_status status = dlda_trainer_step(self, epoch, batch, &loss);
    if (status != DLDA_OK) return dlda_trainer_explain(self, status, epoch, batch);
    self->loss_sum += loss;
    self->batches_done = batch + 1;
    self->clock.images += dlda_sampler_size(self->sampler, batch);
    tell_progress(self, loss);
    return DLDA_OK;
}

/* All ranks stop after the same batch if one of them is asked to. */
static dlda_status stop_if_asked(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    double sums[] = { self->watch.stop && self->watch.stop(self->watch.user),
                      dlda_comm_waited(self->comm) - self->clock.waited };

    DLDA_TRY(dlda_comm_sum(self->comm, sums, 2));
    self->waiting = sums[1] / (double)dlda_comm_size(self->comm) / (dlda_seconds_now() - self->clock.here);
    if (sums[0] == 0) return DLDA_OK;
    DLDA_TRY(save(self));
    DLDA_FAIL(DLDA_E_STOPPED, "stopped in epoch %zu, after batch %zu of %zu", self->epochs_done + 1,
              self->batches_done, dlda_sampler_batches(self->sampler));
done:
    return status;
}

static dlda_status end_batch(dlda_trainer *self)
{
    if (self->batches_done == dlda_sampler_batches(self->sampler)) return end_epoch(self);
    return is_time_to_save(self) ? save(self) : DLDA_OK;
}

/* ---- The whole training ---- */

static int is_out_of_patience(const dlda_trainer *self)
{
    return self->options->patience > 0 && self->validation &&
           self->epochs_done >= self->best_epoch + (size_t)self->options->patience;
}

static void tell_patience(const dlda_trainer *self)
{
    char message[160];

    snprintf(message, sizeof message,
             "no better validation accuracy since epoch %zu: the patience of %lld epochs is at its end",
             self->best_epoch, (long long)self->options->patience);
    tell(self, message);
}

int dlda_trainer_is_complete(const dlda_trainer *self)
{
    return self && (self->epochs_done >= (size_t)self->options->epochs || is_out_of_patience(self));
}

/* Writes the final state to run.json. If that fails too, the first failure is the one returned. */
static dlda_status write_end(dlda_trainer *self, dlda_status status)
{
    char message[1024];

    if (status != DLDA_OK && status != DLDA_E_STOPPED) dlda_comm_fail(self->comm, status);
    if (status == DLDA_OK) {
        status = dlda_run_file_write(self, DLDA_RUN_COMPLETE, NULL);
        return status == DLDA_OK ? status : dlda_comm_fail(self->comm, status);
    }
    snprintf(message, sizeof message, "%s", dlda_last_error());
    (void)write_epochs(self);
    if (self->epochs_done == 0 && self->made_folder && status != DLDA_E_STOPPED) dlda_trainer_remove_record(self);
    else if (self->has_checkpoint)
        (void)dlda_run_file_write(self, status == DLDA_E_STOPPED ? DLDA_RUN_STOPPED : DLDA_RUN_FAILED, message);
    return dlda_fail(status, "%s", message);
}

static dlda_status tell_end(dlda_trainer *self, dlda_status status)
{
    dlda_status end = write_end(self, status);

    dlda_trainer_unlock_folder(self);
    return end;
}

/* Called before each batch or epoch; apart from the lock, does its work once per process. */
static dlda_status begin_run(dlda_trainer *self)
{
    double now = dlda_seconds_now(), batches = (double)dlda_sampler_batches(self->sampler);
    dlda_status locked = dlda_trainer_lock_folder(self);

    if (locked != DLDA_OK || self->clock.begin > 0) return locked;
    self->clock = (dlda_run_clock){ .begin = now,
                                    .saved = now,
                                    .epochs_before = (double)self->epochs_done +
                                                     (double)self->batches_done / batches };
    if (self->steps_done == 0) dlda_trainer_warn(self);
    return dlda_trainer_begin_record(self);
}

static dlda_status begin_part(dlda_trainer *self)
{
    if (dlda_trainer_is_complete(self))
        return dlda_fail(DLDA_E_ARGUMENT, "the training is complete after %zu epochs", self->epochs_done);
    dlda_status status = begin_run(self);
    return status == DLDA_OK ? status : dlda_comm_fail(self->comm, status);
}

static dlda_status run_rest_of_epoch(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    size_t before = self->epochs_done;

    while (self->epochs_done == before) {
        int trained = 0;
        DLDA_TRY(train_batch(self, &trained));
        if (trained) DLDA_TRY(stop_if_asked(self));
        DLDA_TRY(end_batch(self));
    }
done:
    return status;
}

/* A failure ends the run and is recorded. A stop does not: the caller may continue. */
static dlda_status end_part(dlda_trainer *self, dlda_status status)
{
    return status == DLDA_OK || status == DLDA_E_STOPPED ? status : tell_end(self, status);
}

dlda_status dlda_trainer_run_step(dlda_trainer *self)
{
    DLDA_NEED(self);
    int trained = 0;
    dlda_status status = begin_part(self);

    if (status != DLDA_OK) return status;
    status = train_batch(self, &trained);
    if (status == DLDA_OK) status = end_batch(self);
    return end_part(self, status);
}

dlda_status dlda_trainer_run_epoch(dlda_trainer *self)
{
    DLDA_NEED(self);
    dlda_status status = begin_part(self);

    return status == DLDA_OK ? end_part(self, run_rest_of_epoch(self)) : status;
}

/* Fits the model's LDA on all training data, calibrates it and records the final state: complete, or
 * stopped with the latest error. */
static dlda_status finish(dlda_trainer *self, dlda_status status)
{
    char stopped[160];

    snprintf(stopped, sizeof stopped, "%s", status == DLDA_OK ? "" : dlda_last_error());
    dlda_status completed = dlda_trainer_complete(self);
    if (completed != DLDA_OK) return tell_end(self, completed);
    return tell_end(self, status == DLDA_OK ? DLDA_OK : dlda_fail(status, "%s", stopped));
}

dlda_status dlda_trainer_finish(dlda_trainer *self)
{
    DLDA_NEED(self);
    dlda_status status = DLDA_OK;

    if (dlda_trainer_is_complete(self)) return finish(self, DLDA_OK);
    if (self->clock.begin > 0) DLDA_TRY(save(self)); /* else the folder has it already, if any */
    status = finish(self, dlda_fail(DLDA_E_STOPPED, "ended after %zu of %lld epochs", self->epochs_done,
                                    (long long)self->options->epochs));
done:
    if (status == DLDA_OK || status == DLDA_E_STOPPED) return DLDA_OK;
    return dlda_comm_fail(self->comm, status);
}

dlda_status dlda_trainer_run(dlda_trainer *self)
{
    DLDA_NEED(self);
    dlda_status status = begin_run(self);

    while (status == DLDA_OK && !dlda_trainer_is_complete(self)) status = run_rest_of_epoch(self);
    if (status != DLDA_OK && status != DLDA_E_STOPPED) return tell_end(self, status);
    if (status == DLDA_OK && self->epochs_done < (size_t)self->options->epochs) tell_patience(self);
    return finish(self, status);
}

dlda_status dlda_trainer_resume(dlda_trainer *self, const char *folder)
{
    DLDA_NEED(self, folder);
    dlda_status status = DLDA_OK;
    int opened = 0;

    if (self->steps_done > 0)
        DLDA_FAIL(DLDA_E_ARGUMENT, "resume: %zu steps are done already, expected a new trainer", self->steps_done);
    if (dlda_path_is_folder(folder)) DLDA_TRY(dlda_trainer_record(self, folder, 1)); /* else loading fails */
    opened = 1;
    DLDA_TRY(dlda_checkpoint_load(self, folder));
    self->has_checkpoint = !self->is_unsettled || self->steps_done > 0; /* else it is that of an earlier training */
    DLDA_TRY(
        dlda_comm_agree(self->comm, &self->steps_done, sizeof self->steps_done, "the steps in the checkpoint"));
    DLDA_TRY(dlda_comm_agree(self->comm, self->weights, self->model->network->n_weights * sizeof *self->weights,
                             "the weights in the checkpoint"));
done:
    if (status != DLDA_OK && opened) dlda_trainer_leave_folder(self); /* a later run must not write into it */
    return status == DLDA_OK ? status : dlda_comm_fail(self->comm, status);
}
