/* SPDX-License-Identifier: MIT
 *
 * choose.c - options for data without presets, chosen from the size, the number and the classes of the samples.
 *
 * The rules are a table: an option, and a function that gives its value and the reason, or neither if the default
 * suits. Later rules see what earlier ones chose, and what the user did. docs/own_data.md has the measurements behind
 * the numbers.
 */
#include "base/options.h"
#include "dataset/dataset.h"
#include "objective/objective.h"
#include "optimiser/schedule.h"
#include "training/trainer.h"

#include <stdio.h>
#include <string.h>

enum {
    ROWS_PER_CLASS = 20,  /* in a batch: fewer make the batch's own LDA noisy                  */
    LEAST_BATCH = 50,     /* with few classes                                                  */
    LARGEST_BATCH = 2000, /* beyond it, cross entropy replaces the LDA objectives              */
    SOFTMAX_BATCH = 128,  /* the paper's for cross entropy                                     */
    JOINT_ROWS = 5,       /* of each class, for lda-cce, which tolerates more noise            */
    PICTURE_STEPS = 700,  /* of a training                                                     */
    TABLE_STEPS = 800,    /* rows cost little                                                  */
    LEAST_EPOCHS = 10,    /* with more samples than these steps see                            */
    MOST_EPOCHS = 200,    /* with fewer                                                        */
    MEASURED = 2000,      /* training samples on which an epoch is measured                    */
    MEASUREMENTS = 30,    /* of accuracy in a training, at least                               */
    SMALLEST_SHIFTED = 16 /* sides in pixels, from which pictures are shifted                  */
};

typedef struct choice {
    const dlda_options *options;
    size_t height, width, channels, count, classes;
    char value[24], reason[160];
} choice;

static int is_table(const choice *self)
{
    return self->height == 1 && self->width == 1;
}

static size_t side_of(const choice *self)
{
    return self->height < self->width ? self->height : self->width;
}

static void set(choice *self, const char *value)
{
    snprintf(self->value, sizeof self->value, "%s", value);
}

static void set_number(choice *self, size_t value)
{
    snprintf(self->value, sizeof self->value, "%zu", value);
}

#define BECAUSE(self, ...) snprintf((self)->reason, sizeof(self)->reason, __VA_ARGS__)

static size_t clamp(size_t value, size_t least, size_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* ---- The rules ---- */

static void choose_net(choice *self)
{
    set(self, is_table(self) ? "mlp" : "cnn");
    if (is_table(self)) BECAUSE(self, "rows of %zu numbers", self->channels);
    else
        BECAUSE(self, "pictures of %zu x %zu, %s", self->height, self->width,
                self->channels == 1 ? "grey" : "colour");
}

static void choose_prepare(choice *self)
{
    if (!is_table(self)) return;
    set(self, "standardise");
    BECAUSE(self, "columns of a table have different units");
}

/* Rows that a batch of an LDA objective should have. */
static size_t wanted_batch(const choice *self)
{
    return clamp(ROWS_PER_CLASS * self->classes, LEAST_BATCH, SIZE_MAX);
}

static void choose_objective(choice *self)
{
    if (wanted_batch(self) > LARGEST_BATCH) {
        set(self, "cce");
        BECAUSE(self, "batches with %d samples of each of %zu classes would be too large for an LDA objective",
                ROWS_PER_CLASS, self->classes);
        return;
    }
    set(self, "lda-bayes");
    BECAUSE(self, "the LDA objective that classifies best on small sets");
}

static void choose_batch(choice *self)
{
    dlda_objective_kind kind = (dlda_objective_kind)self->options->objective;
    size_t wanted = wanted_batch(self);

    if (kind == DLDA_OBJECTIVE_CCE) wanted = SOFTMAX_BATCH;
    if (kind == DLDA_OBJECTIVE_LDA_CCE) wanted = clamp(JOINT_ROWS * self->classes, SOFTMAX_BATCH, SIZE_MAX);

    set_number(self, wanted < self->count ? wanted : self->count);
    if (wanted >= self->count) BECAUSE(self, "all training samples at once");
    else if (wanted == SOFTMAX_BATCH) BECAUSE(self, "usual for cross entropy");
    else BECAUSE(self, "%zu samples of each class on average", wanted / self->classes);
}

static void choose_epochs(choice *self)
{
    size_t batch = (size_t)self->options->batch, batches = self->count > batch ? self->count / batch : 1;
    size_t steps = is_table(self) ? TABLE_STEPS : PICTURE_STEPS;
    size_t wanted = (steps + batches - 1) / batches, epochs = clamp(wanted, LEAST_EPOCHS, MOST_EPOCHS);
    size_t rows = batch < self->count ? batch : self->count;
    size_t done = epochs * ((self->count + rows - 1) / rows); /* the last batch of an epoch counts, too */

    set_number(self, epochs);
    if (wanted > epochs)
        BECAUSE(self, "%zu steps of %zu samples, fewer than the usual %zu: at most %d epochs are chosen", done,
                rows, steps, MOST_EPOCHS);
    else if (wanted < epochs)
        BECAUSE(self, "%zu steps of %zu samples, more than the usual %zu: at least %d epochs are chosen", done,
                rows, steps, LEAST_EPOCHS);
    else BECAUSE(self, "%zu steps of %zu samples", done, rows);
}

static void choose_schedule(choice *self)
{
    set(self, "cosine");
    BECAUSE(self, "the rate falls from %g to 0 within these epochs", self->options->rate);
}

static void choose_patience(choice *self)
{
    if (self->options->epochs < 3 || self->options->validation <= 0) return;
    set_number(self, ((size_t)self->options->epochs + 1) / 2);
    BECAUSE(self, "stops after so many epochs without a better validation accuracy");
}

static void choose_tolerance(choice *self)
{
    if (self->options->schedule != DLDA_COSINE || self->options->validation <= 0) return;
    set(self, "1");
    BECAUSE(self, "a later epoch is kept if its validation accuracy is at most 1 standard error below the best");
}

static void choose_measure(choice *self)
{
    if (self->count / 10 >= MEASURED) return;
    set_number(self, self->count > MEASURED ? MEASURED : 0);
    BECAUSE(self, "accuracy in training is measured on %zu samples",
            self->count > MEASURED ? MEASURED : self->count);
}

static void choose_measure_every(choice *self)
{
    size_t every = (size_t)self->options->epochs / MEASUREMENTS;

    if (every < 2) return;
    set_number(self, every);
    BECAUSE(self, "epochs are short");
}

static void choose_shift(choice *self)
{
    if (is_table(self) || side_of(self) < SMALLEST_SHIFTED) return;
    set_number(self, clamp(side_of(self) / SMALLEST_SHIFTED, 1, 8));
    BECAUSE(self, "pictures are shifted at random by so many pixels, which acts like more data");
}

static void choose_flip(choice *self)
{
    if (is_table(self) || self->channels == 1) return;
    set(self, "true");
    BECAUSE(self, "colour pictures are mirrored at random; option no-flip if left and right matter");
}

static const struct {
    const char *option;
    void (*choose)(choice *self);
} rules[] = {
    { "net", choose_net },
    { "prepare", choose_prepare },
    { "objective", choose_objective },
    { "batch", choose_batch },
    { "epochs", choose_epochs },
    { "schedule", choose_schedule },
    { "patience", choose_patience },
    { "tolerance", choose_tolerance },
    { "measure", choose_measure },
    { "measure-every", choose_measure_every },
    { "shift", choose_shift },
    { "flip", choose_flip },
};

dlda_status dlda_options_choose(dlda_options *options, const dlda_dataset *train, dlda_choice_fn *tell, void *user)
{
    DLDA_NEED(options, train);
    dlda_status status = DLDA_OK;
    choice self = { .options = options,
                    .height = dlda_dataset_height(train),
                    .width = dlda_dataset_width(train),
                    .channels = dlda_dataset_channels(train),
                    .count = dlda_dataset_count(train),
                    .classes = dlda_dataset_classes(train) };

    DLDA_TRY(dlda_trainer_check_classes(train)); /* before anything is told */
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (dlda_options_is_given(options, rules[i].option)) continue;
        self.value[0] = 0;
        rules[i].choose(&self);
        if (!self.value[0]) continue;
        DLDA_TRY(dlda_options_suggest(options, rules[i].option, self.value));
        if (tell) tell(user, rules[i].option, self.value, self.reason);
    }
done:
    return status;
}
