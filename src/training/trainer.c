/* SPDX-License-Identifier: MIT
 *
 * trainer.c - one training step: batch -> network -> objective -> optimiser. setup.c creates what it uses; loop.c
 * runs it epoch after epoch.
 */
#include "training/trainer.h"
#include "objective/objective.h"
#include "optimiser/nesterov.h"
#include "optimiser/schedule.h"

void dlda_trainer_watch(dlda_trainer *self, const dlda_watch *watch)
{
    if (self) self->watch = watch ? *watch : (dlda_watch){ 0 };
}

const dlda_model *dlda_trainer_model(const dlda_trainer *self)
{
    return self && self->model->lda ? self->model : NULL;
}

const dlda_epoch *dlda_trainer_history(const dlda_trainer *self, size_t *count)
{
    if (count) *count = self ? self->history->count : 0;
    return self ? self->history->epochs : NULL;
}

/* ---- Training ---- */

double dlda_trainer_rate(const dlda_options *options, double done)
{
    const dlda_schedule schedule = { (dlda_schedule_kind)options->schedule, options->rate, options->warm_up,
                                     (size_t)options->halve_every, (size_t)options->epochs };
    return dlda_schedule_rate(&schedule, done);
}

static void end_phase(const dlda_trainer *self, dlda_phase phase)
{
    if (self->watch.phase) self->watch.phase(self->watch.user, phase);
}

dlda_status dlda_trainer_step(dlda_trainer *self, size_t epoch, size_t batch, double *loss)
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = self->options;
    const dlda_network *network = self->model->network;
    const dlda_batch *now = NULL;
    double done = (double)(epoch - 1) + ((double)batch + 0.5) / (double)dlda_sampler_batches(self->sampler);
    const dlda_nesterov rule = { dlda_trainer_rate(options, done), options->momentum, options->decay };

    DLDA_TRY(dlda_loader_get(self->loader, epoch, batch, &now));
    self->loader_seconds = now->seconds;
    end_phase(self, DLDA_PHASE_GATHER);
    const dlda_step step = { (uint64_t)options->seed, epoch, self->steps_done, now->samples };
    const float *H = dlda_passes_forward(self->passes, self->weights, self->state, now->images, now->total, &step);
    end_phase(self, DLDA_PHASE_FORWARD);
    DLDA_TRY(dlda_objective_evaluate_over(self->objective, self->comm, H, now->labels, now->n, loss, self->dH));
    end_phase(self, DLDA_PHASE_OBJECTIVE);
    DLDA_TRY(dlda_passes_backward(self->passes, self->weights, self->dH, self->gradient));
    end_phase(self, DLDA_PHASE_BACKWARD);
    dlda_nesterov_step(&rule, self->team, network->n_weights, self->gradient, self->velocity, self->weights);
    end_phase(self, DLDA_PHASE_OPTIMISER);
    self->steps_done++;
done:
    return status;
}
