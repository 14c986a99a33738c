/* SPDX-License-Identifier: MIT
 *
 * schedule.c - the number of epochs of a training, and its halving interval.
 *
 * DeepLDA raises one eigenvalue after another, and needs some hundred steps at the first rate until all of them are
 * above zero. So a shortened training has fewer rates rather than fewer steps at each rate.
 */
#include "reproduce/plan.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_STEPS = 200 }; /* minimum steps per rate, if the training has that many */

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Number of batches, as in the sampler. */
static size_t steps_of_epoch(size_t images, size_t batch)
{
    return larger(1, (images + batch - 1) / batch);
}

/* The halving interval in proportion to the epochs. All trainings of an experiment have the same rates, so
 * DeepLDA's steps are decisive. */
static size_t moved_halving(const plan_task *task)
{
    double share = (double)task->epochs / (double)task->full.epochs;
    size_t steps = steps_of_epoch(task->data.train, task->full.batch);
    size_t moved = (size_t)round((double)task->full.halve_every * share);

    return smaller(larger(moved, (LEAST_STEPS + steps - 1) / steps), task->epochs);
}

static size_t halving_of(const reproduce_request *request, const plan_task *task)
{
    if (request->has_halving) return request->halve_every;
    return task->epochs == task->full.epochs ? task->full.halve_every : moved_halving(task);
}

training_schedule schedule_make(const reproduce_request *request, const plan_task *task, size_t batch)
{
    return (training_schedule){ .epochs = task->epochs,
                                .full_epochs = task->full.epochs,
                                .halve_every = halving_of(request, task),
                                .full_halve_every = task->full.halve_every,
                                .steps = steps_of_epoch(task->data.train, batch),
                                .is_cosine = request->is_cosine,
                                .is_known = 1 };
}

/* ---- Text ---- */

/* Epochs at the first rate. */
static size_t epochs_per_rate(size_t epochs, size_t halve_every)
{
    return halve_every ? smaller(epochs, halve_every) : epochs;
}

static char *halving_text(const training_schedule *self)
{
    if (self->halve_every == 0 || self->halve_every >= self->epochs)
        return text_format("all epochs at the first rate, which the full training halves every %zu",
                           self->full_halve_every);
    if (self->halve_every == self->full_halve_every)
        return text_format("the rate halved every %zu as in the full training", self->halve_every);
    return text_format("the rate halved every %zu instead of %zu", self->halve_every, self->full_halve_every);
}

static void note(cli_words *deviations, char *text)
{
    words_add_once(deviations, text);
    free(text);
}

static void note_steps(const training_schedule *self, const char *objective, cli_words *deviations)
{
    size_t steps = self->steps * epochs_per_rate(self->epochs, self->halve_every);
    size_t full = self->steps * epochs_per_rate(self->full_epochs, self->full_halve_every);

    if (steps == full) return;
    note(deviations,
         text_format("objective %s: %zu steps at the first rate instead of %zu", objective, steps, full));
}

void schedule_note(const training_schedule *self, const char *objective, cli_words *deviations)
{
    int other_epochs = self->epochs != self->full_epochs;

    if (!self->is_known) return;
    if (self->is_cosine) {
        if (other_epochs)
            note(deviations, text_format("%zu epochs instead of %zu", self->epochs, self->full_epochs));
        words_add_once(deviations, "the rate falls along a cosine to 0 instead of in the paper's steps");
    } else if (other_epochs || self->halve_every != self->full_halve_every) {
        char *halving = halving_text(self);
        note(deviations,
             other_epochs ? text_format("%zu epochs instead of %zu, %s", self->epochs, self->full_epochs, halving)
                          : text_format("%s", halving));
        free(halving);
        note_steps(self, objective, deviations);
    }
}
