/* SPDX-License-Identifier: MIT
 *
 * diagnose.c - explains why a training fails or may fail: weights that are not finite, failed steps,
 * batches that are too small.
 */
#include "base/number.h"
#include "objective/objective.h"
#include "training/trainer.h"

#include <stdio.h>

typedef struct search {
    const dlda_trainer *trainer;
    const dlda_parameter *found; /* the first array with a value that is not finite */
    size_t at;
} search;

static dlda_status look_at(void *context, const dlda_parameter *parameter, int in_state)
{
    search *self = context;
    const float *block = in_state ? self->trainer->state : self->trainer->weights;

    if (self->found) return DLDA_OK;
    self->at = dlda_find_not_finite(block + parameter->offset, parameter->count);
    if (self->at < parameter->count) self->found = parameter;
    return DLDA_OK;
}

dlda_status dlda_trainer_check_weights(const dlda_trainer *self)
{
    search found = { .trainer = self };
    dlda_status status = dlda_network_visit(self->model->network, look_at, &found);

    if (status != DLDA_OK || !found.found) return status;
    return dlda_fail(
        DLDA_E_NUMERIC,
        "epoch %zu, batch %zu: %s, value %zu is not finite; a lower rate, a warm-up or a larger lambda may help",
        self->epochs_done + 1, self->batches_done, found.found->name, found.at);
}

dlda_status dlda_trainer_explain(const dlda_trainer *self, dlda_status status, size_t epoch, size_t batch)
{
    char cause[1024];

    snprintf(cause, sizeof cause, "%s", dlda_last_error());
    if (status == DLDA_E_NUMERIC) {
        dlda_status weights = dlda_trainer_check_weights(self);
        if (weights != DLDA_OK) return weights;
        dlda_set_message("%s; a lower rate, a warm-up or a larger lambda may help", cause);
    }
    if (status == DLDA_E_CLASS &&
        batch < dlda_sampler_batches(
                    self->sampler)) /* dlda_trainer_check_classes excludes that all samples together are too few */
        dlda_set_message(
            "LDA needs at least two classes with two samples each, which this batch of %zu does not have; a "
            "larger batch may help",
            self->batch);
    if (batch < dlda_sampler_batches(self->sampler))
        return dlda_fail_at(status, "epoch %zu, batch %zu", epoch, batch + 1);
    return dlda_fail_at(status, "epoch %zu, measuring", epoch);
}

static void warn_of_batch(const dlda_trainer *self)
{
    enum { ENOUGH = 3 }; /* rows per feature */
    size_t D = self->model->network->features, C = self->model->classes;
    size_t rows = self->batch > C ? self->batch - C : 0;
    char message[320];

    if (rows >= ENOUGH * D) return;
    snprintf(message, sizeof message,
             "warning: batches of %zu samples of %zu classes leave %zu rows for the scatter within classes of %zu "
             "features; at least %zu are recommended: use a larger batch",
             self->batch, C, rows, D, ENOUGH * D);
    self->watch.log(self->watch.user, message);
}

/* C classes lie in C - 1 directions; with fewer features, some of them are not used. */
static void warn_of_features(const dlda_trainer *self)
{
    size_t D = self->model->network->features, C = self->model->classes;
    char message[320];

    if (C - 1 <= D) return;
    snprintf(message, sizeof message,
             "warning: %zu classes are separated by up to %zu directions, but the network has only %zu features; "
             "give its last layer at least %zu outputs",
             C, C - 1, D, C - 1);
    self->watch.log(self->watch.user, message);
}

void dlda_trainer_warn(const dlda_trainer *self)
{
    if (!self->watch.log) return;
    if ((dlda_objective_kind)self->options->objective == DLDA_OBJECTIVE_CCE) return;
    warn_of_batch(self);
    warn_of_features(self);
}
