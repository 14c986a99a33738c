/* SPDX-License-Identifier: MIT
 *
 * trainer.c - the training loop: batch -> network -> objective -> optimiser, epoch after epoch.
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

/* ---- Making one ---- */

static dlda_status check_data(const dlda_options *options, const dlda_dataset *train,
                              const dlda_dataset *validation)
{
    size_t count = dlda_dataset_count(train), classes = dlda_dataset_classes(train);

    if (!dlda_dataset_labels(train)) return dlda_fail(DLDA_E_SHAPE, "the data has no labels");
    if (classes < 2) return dlda_fail(DLDA_E_CLASS, "the data has %zu class, expected at least 2", classes);
    if ((size_t)options->batch > count)
        return dlda_fail(DLDA_E_OPTION,
                         "batch %lld is larger than the training set of %zu samples; choose a smaller --batch",
                         (long long)options->batch, count);
    if (!validation) return DLDA_OK;
    if (!dlda_dataset_labels(validation)) return dlda_fail(DLDA_E_SHAPE, "the validation data has no labels");
    if (dlda_dataset_height(validation) != dlda_dataset_height(train) ||
        dlda_dataset_width(validation) != dlda_dataset_width(train) ||
        dlda_dataset_channels(validation) != dlda_dataset_channels(train))
        return dlda_fail(DLDA_E_SHAPE, "training and validation images differ in size");
    if (dlda_dataset_classes(validation) > classes)
        return dlda_fail(DLDA_E_SHAPE, "%zu classes in the validation data, %zu in the training data",
                         dlda_dataset_classes(validation), classes);
    return DLDA_OK;
}

static dlda_status make_model(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_dataset *train = self->train;
    dlda_model_spec spec = {
        .where = self->options.net,
        .input = { dlda_dataset_height(train), dlda_dataset_width(train), dlda_dataset_channels(train) },
        .classes = dlda_dataset_classes(train),
    };
    char *text = NULL, *options = NULL;
    const char **names = NULL;

    DLDA_TRY(dlda_network_text_read(self->options.net, &text));
    DLDA_TRY(dlda_options_to_json(&self->options, &options));
    DLDA_TRY(DLDA_TAKE(&names, spec.classes, "class names"));
    for (size_t c = 0; c < spec.classes; c++) names[c] = dlda_dataset_class_name(train, c);
    spec.network_text = text;
    spec.options = options;
    spec.class_names = names;
    DLDA_TRY(dlda_model_create(&spec, &self->model));
done:
    dlda_release(text);
    dlda_release(options);
    dlda_release(names);
    return status;
}

/* The parts that do the work, each planned for the largest batch. */
static dlda_status make_parts(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = &self->options;
    const dlda_network *network = self->model->network;
    size_t classes = self->model->classes, count = dlda_dataset_count(self->train);

    DLDA_TRY(dlda_sampler_create(dlda_dataset_labels(self->train), count, classes, (size_t)options->batch,
                                 (uint64_t)options->seed, &self->sampler));
    self->batch = dlda_sampler_largest(self->sampler);
    dlda_plan_spec plan = { self->batch, self->team, 1, (dlda_kernels)options->kernels };
    DLDA_TRY(dlda_plan_create(network, &plan, &self->plan));
    dlda_objective_spec objective = { (dlda_objective_kind)options->objective,
                                      classes,
                                      network->features,
                                      self->batch,
                                      options->lambda,
                                      options->epsilon };
    DLDA_TRY(dlda_objective_create(&objective, &self->objective));
    DLDA_TRY(dlda_scatter_create(classes, network->features, &self->scatter));
    size_t directions = classes - 1 < network->features ? classes - 1 : network->features;
    DLDA_TRY(dlda_history_create((size_t)options->epochs, directions, &self->history));
done:
    return status;
}

static dlda_status take_arrays(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_network *network = self->model->network;
    size_t D = network->features, in = dlda_shape_size(network->input);
    size_t n_images = 0, n_features = 0, n_probe = dlda_dataset_count(self->probe ? self->probe : self->train);

    DLDA_TRY(dlda_multiply_sizes(self->batch, in, "images of a batch", &n_images));
    DLDA_TRY(dlda_multiply_sizes(n_probe, D, "features", &n_features));
    DLDA_TRY(DLDA_TAKE(&self->weights, network->n_weights, "weights"));
    DLDA_TRY(DLDA_TAKE(&self->gradient, network->n_weights, "gradients"));
    DLDA_TRY(DLDA_TAKE(&self->velocity, network->n_weights, "momentum"));
    DLDA_TRY(DLDA_TAKE(&self->state, network->n_state, "batch norm statistics"));
    DLDA_TRY(DLDA_TAKE(&self->images, n_images, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->labels, self->batch, "labels of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->positions, self->batch, "positions of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->dH, self->batch * D, "gradients of features"));
    DLDA_TRY(DLDA_TAKE(&self->H, n_features, "features"));
done:
    return status;
}

dlda_status dlda_trainer_create(const dlda_options *options, const dlda_dataset *train,
                                const dlda_dataset *validation, dlda_trainer **trainer)
{
    dlda_status status = DLDA_OK;
    dlda_trainer *self = NULL;

    DLDA_TRY(check_data(options, train, validation));
    DLDA_TRY(DLDA_TAKE(&self, 1, "trainer"));
    self->options = *options;
    self->train = train;
    self->validation = validation;
    self->best_accuracy = -1;
    DLDA_TRY(dlda_team_create((size_t)options->threads, &self->team));
    DLDA_TRY(make_model(self));
    DLDA_TRY(make_parts(self));
    DLDA_TRY(dlda_trainer_choose_probe(self));
    DLDA_TRY(take_arrays(self));
    dlda_network_initialise(self->model->network, (uint64_t)options->seed, self->weights, self->state);
    *trainer = self;
    self = NULL;
done:
    dlda_trainer_destroy(self);
    return status;
}

void dlda_trainer_destroy(dlda_trainer *self)
{
    if (!self) return;
    dlda_trainer_leave_folder(self);
    dlda_sampler_destroy(self->sampler);
    dlda_plan_destroy(self->plan);
    dlda_team_destroy(self->team);
    dlda_objective_destroy(self->objective);
    dlda_scatter_destroy(self->scatter);
    dlda_lda_destroy(self->lda);
    dlda_model_destroy(self->model);
    dlda_dataset_destroy(self->probe);
    dlda_history_destroy(self->history);
    void *arrays[] = { self->weights, self->gradient, self->velocity,  self->state, self->images,
                       self->labels,  self->dH,       self->positions, self->H,     self->folder };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) dlda_release(arrays[i]);
    dlda_release(self);
}

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
    size_t n = 0;
    const size_t *samples = dlda_sampler_batch(self->sampler, batch, &n);
    const dlda_step step = { (uint64_t)options->seed, epoch, self->steps_done, samples };
    double done = (double)(epoch - 1) + ((double)batch + 0.5) / (double)dlda_sampler_batches(self->sampler);
    const dlda_nesterov rule = { dlda_trainer_rate(options, done), options->momentum, options->decay };

    dlda_dataset_gather(self->train, samples, n, self->team, self->images);
    for (size_t i = 0; i < n; i++) self->labels[i] = dlda_dataset_labels(self->train)[samples[i]];
    const float *H = dlda_plan_forward(self->plan, self->weights, self->state, self->images, n, &step);
    DLDA_TRY(dlda_objective_evaluate(self->objective, H, self->labels, n, loss, self->dH));
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
    size_t batches = dlda_sampler_batches(self->sampler), n = 0;
    double sum = 0, latest = 0;

    dlda_sampler_epoch(self->sampler, epoch);
    for (size_t batch = 0; batch < batches; batch++) {
        status = dlda_trainer_step(self, epoch, batch, &latest);
        if (status != DLDA_OK) {
            add_advice(status);
            dlda_fail_at(status, "epoch %zu, batch %zu", epoch, batch + 1);
            goto done;
        }
        sum += latest;
        dlda_sampler_batch(self->sampler, batch, &n);
        clock->images += n;
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
