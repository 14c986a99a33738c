/* SPDX-License-Identifier: MIT
 *
 * setup.c - creates and destroys a trainer: checks and prepares the data, creates the model, plans all parts and
 * allocates the memory. trainer.c then runs without allocating.
 */
#include "base/memory.h"
#include "objective/objective.h"
#include "training/trainer.h"

#include <stdio.h>
#include <string.h>

static const char *name_of_class(const void *set, size_t c)
{
    return dlda_dataset_class_name(set, c);
}

dlda_status dlda_trainer_check_classes(const dlda_dataset *train)
{
    dlda_status status = DLDA_OK;
    size_t classes = dlda_dataset_classes(train), *counts = NULL;
    const int *labels = dlda_dataset_labels(train);

    if (!labels) DLDA_FAIL(DLDA_E_SHAPE, "the data has no labels");
    if (classes < 2) DLDA_FAIL(DLDA_E_CLASS, "the data has %zu class, expected at least 2", classes);
    DLDA_TRY(DLDA_TAKE(&counts, classes, "classes"));
    for (size_t i = 0; i < dlda_dataset_count(train); i++) counts[labels[i]]++;
    DLDA_TRY(dlda_check_class_counts(counts, classes, name_of_class, train));
done:
    dlda_release(counts);
    return status;
}

static dlda_status check_data(const dlda_options *options, const dlda_dataset *train,
                              const dlda_dataset *validation)
{
    size_t count = dlda_dataset_count(train), classes = dlda_dataset_classes(train);

    dlda_status status = dlda_trainer_check_classes(train);
    if (status != DLDA_OK) return status;
    if ((size_t)options->batch > count && dlda_options_is_given(options, "batch"))
        return dlda_fail(DLDA_E_OPTION, "option batch: found %lld, expected at most the %zu training samples",
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

/* A batch that nobody chose is no reason to refuse a small set: it becomes one batch. The options record that. */
static dlda_status fit_batch(dlda_options *options, size_t count)
{
    char text[24];

    if ((size_t)options->batch <= count) return DLDA_OK;
    snprintf(text, sizeof text, "%zu", count);
    return dlda_options_suggest(options, "batch", text);
}

/* Batch norm couples the rows of a group, so a group must be in memory at once. */
static dlda_status check_groups(const dlda_options *options)
{
    if (options->micro_batch > 0 && options->norm_group == 0)
        return dlda_fail(
            DLDA_E_OPTION,
            "option micro-batch: found %lld without option norm-group, which says how many images batch norm "
            "normalises together; expected norm-group of at most %lld",
            (long long)options->micro_batch, (long long)options->micro_batch);
    if (options->micro_batch > 0 && options->micro_batch < options->norm_group)
        return dlda_fail(DLDA_E_OPTION, "option micro-batch: found %lld, expected at least norm-group, %lld",
                         (long long)options->micro_batch, (long long)options->norm_group);
    return DLDA_OK;
}

static dlda_status check_precision(const dlda_options *options)
{
    if (options->precision == DLDA_PRECISION_FLOAT || options->kernels == DLDA_KERNELS_FAST) return DLDA_OK;
    return dlda_fail(DLDA_E_OPTION,
                     "option precision: found bf16 with option kernels=reference, which computes with floats; "
                     "expected kernels=fast");
}

static dlda_status check_shift(const dlda_options *options, const dlda_dataset *train)
{
    size_t height = dlda_dataset_height(train), width = dlda_dataset_width(train);
    size_t side = height < width ? height : width;

    if ((size_t)options->shift < side || options->shift == 0) return DLDA_OK;
    return dlda_fail(DLDA_E_OPTION, "option shift: found %lld, expected less than the images' side of %zu",
                     (long long)options->shift, side);
}

/* Fits the preparation on the training set only. If applying it in each epoch is too expensive, both sets are
 * replaced by prepared copies. */
static dlda_status prepare_data(dlda_trainer *self, dlda_preparation **preparation)
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = self->options;
    dlda_preparation_spec spec = { .gcn_scale = options->gcn_scale,
                                   .gcn_bias = options->gcn_bias,
                                   .zca_bias = options->zca_bias };

    DLDA_TRY(dlda_preparation_parse(options->prepare, &spec));
    DLDA_TRY(dlda_preparation_fit(&spec, self->train, self->team, self->comm, preparation));
    self->batch_preparation = *preparation;
    if (!dlda_preparation_is_heavy(*preparation)) goto done;
    DLDA_TRY(dlda_preparation_apply(*preparation, self->train, self->team, &self->prepared[0]));
    self->train = self->prepared[0];
    if (self->validation) {
        DLDA_TRY(dlda_preparation_apply(*preparation, self->validation, self->team, &self->prepared[1]));
        self->validation = self->prepared[1];
    }
    self->batch_preparation = NULL;
done:
    return status;
}

static dlda_status make_model(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_dataset *train = self->train;
    dlda_model_spec spec = {
        .where = dlda_network_text_name(self->options->net),
        .input = { dlda_dataset_height(train), dlda_dataset_width(train), dlda_dataset_channels(train) },
        .classes = dlda_dataset_classes(train),
        .columns = dlda_dataset_columns(train),
    };
    char *text = NULL, *options = NULL;
    const char **names = NULL;

    DLDA_TRY(dlda_network_text_read(self->options->net, &text));
    DLDA_TRY(dlda_options_to_json(self->options, &options));
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

/* Memory that cannot be had: says how a batch of that size can be trained. */
static dlda_status propose_groups(dlda_status status, const dlda_options *options)
{
    char cause[512];

    if (status != DLDA_E_MEMORY || options->micro_batch) return status;
    snprintf(cause, sizeof cause, "%s", dlda_last_error());
    return dlda_fail(
        status, "%s; options norm-group=%lld and micro-batch=%lld keep the batch of %lld and need less", cause,
        (long long)(options->batch + 7) / 8, (long long)(options->batch + 7) / 8, (long long)options->batch);
}

static void make_images(void *user, size_t epoch, const size_t *samples, size_t n, float *images)
{
    const dlda_trainer *self = user;

    dlda_batch_images(&self->source, epoch, samples, n, self->team, images);
}

/* Images that other ranks hold are exchanged with the batch. */
static dlda_passes_spec passes_spec(dlda_trainer *self)
{
    const dlda_options *options = self->options;

    return (dlda_passes_spec){ .batch = self->batch,
                               .group = (size_t)options->norm_group,
                               .micro = (size_t)options->micro_batch,
                               .team = self->team,
                               .kernels = (dlda_kernels)options->kernels,
                               .precision = (dlda_precision)options->precision,
                               .comm = self->comm,
                               .make = dlda_dataset_is_shared(self->train) ? NULL : make_images,
                               .source = self };
}

dlda_status dlda_trainer_need_passes(dlda_trainer *self)
{
    const dlda_passes_spec spec = passes_spec(self);

    if (self->passes) return DLDA_OK;
    return propose_groups(dlda_passes_create(self->model->network, &spec, &self->passes), self->options);
}

/* The loader delivers prepared images, unless the passes make them. */
static dlda_status make_loader(dlda_trainer *self)
{
    const dlda_options *options = self->options;
    const dlda_shape input = self->model->network->input;
    const dlda_passes_spec passes = passes_spec(self);
    int makes_images = passes.make && dlda_passes_images(&passes) > 0;
    const dlda_loader_spec spec = { .fill = dlda_batch_fill,
                                    .source = &self->source,
                                    .batches = dlda_sampler_batches(self->sampler),
                                    .most = dlda_passes_most(self->passes),
                                    .values = makes_images ? 0 : dlda_shape_size(input) };
    dlda_status status = DLDA_OK;

    self->source = (dlda_batch_source){ .dataset = self->train,
                                        .sampler = self->sampler,
                                        .preparation = self->batch_preparation,
                                        .augmentation = { .seed = (uint64_t)options->seed,
                                                          .flip = (int)options->flip,
                                                          .shift = (size_t)options->shift,
                                                          .height = input.height,
                                                          .width = input.width,
                                                          .channels = input.channels },
                                        .comm = self->comm,
                                        .groups = dlda_passes_groups(self->passes) };
    DLDA_TRY(dlda_batch_source_take(&self->source, self->batch, dlda_passes_most(self->passes)));
    DLDA_TRY(dlda_loader_create(&spec, &self->loader));
done:
    return status;
}

/* Creates the parts that do the work, each planned for the largest batch. */
static dlda_status make_parts(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = self->options;
    const dlda_network *network = self->model->network;
    size_t classes = self->model->classes, count = dlda_dataset_count(self->train);

    DLDA_TRY(dlda_sampler_create(dlda_dataset_labels(self->train), count, classes, (size_t)options->batch,
                                 (uint64_t)options->seed, &self->sampler));
    self->batch = dlda_sampler_size(self->sampler, 0);
    DLDA_TRY(dlda_trainer_need_passes(self));
    dlda_passes_plan(self->passes, &self->portion);
    dlda_objective_spec objective = { (dlda_objective_kind)options->objective, classes,         network->features,
                                      dlda_passes_most(self->passes),          options->lambda, options->epsilon };
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
    size_t n_probe = dlda_dataset_count(self->probe ? self->probe : self->train);
    size_t n_images = 0, n_features = 0;

    DLDA_TRY(dlda_multiply_sizes(self->portion, in, "images of a batch", &n_images));
    DLDA_TRY(dlda_multiply_sizes(n_probe, D, "features", &n_features));
    DLDA_TRY(DLDA_TAKE(&self->weights, network->n_weights, "weights"));
    DLDA_TRY(DLDA_TAKE(&self->gradient, network->n_weights, "gradients"));
    DLDA_TRY(DLDA_TAKE(&self->velocity, network->n_weights, "momentum"));
    DLDA_TRY(DLDA_TAKE(&self->state, network->n_state, "batch norm statistics"));
    DLDA_TRY(DLDA_TAKE(&self->images, n_images, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->positions, self->portion, "positions of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->labels, self->portion, "labels of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->dH, dlda_passes_most(self->passes) * D, "gradients of features"));
    DLDA_TRY(DLDA_TAKE(&self->H, n_features, "features"));
    DLDA_TRY(DLDA_TAKE(&self->predicted, self->portion, "predictions"));
done:
    return status;
}

/* Copies the weights and the batch norm statistics of a model; `name` is the model's in the message. */
static dlda_status start_from(dlda_trainer *self, const dlda_model *model, const char *name)
{
    const dlda_network *network = self->model->network;

    if (strcmp(model->network->text, network->text) != 0)
        return dlda_fail(
            DLDA_E_SHAPE,
            "%s: its network is another one than %s; a start from its weights needs the same layers and "
            "image size",
            name, dlda_network_text_name(self->options->net));
    memcpy(self->weights, model->weights, network->n_weights * sizeof *self->weights);
    memcpy(self->state, model->state, network->n_state * sizeof *self->state);
    return DLDA_OK;
}

dlda_status dlda_trainer_start_from(dlda_trainer *self, const dlda_model *model)
{
    DLDA_NEED(self, model);
    if (self->steps_done > 0)
        return dlda_fail(DLDA_E_ARGUMENT, "trainer: %zu steps are done, expected none before a start from a model",
                         self->steps_done);
    return start_from(self, model, "the model to start from");
}

static dlda_status start_from_file(dlda_trainer *self, const char *path)
{
    dlda_model *model = NULL;
    dlda_status status = dlda_model_load(path, &model);

    if (status == DLDA_OK) status = start_from(self, model, path);
    dlda_model_destroy(model);
    return status;
}

/* Ranks that train different things would never notice: their sums would just be wrong. */
static dlda_status agree(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const dlda_comm *comm = self->comm;
    const dlda_model *model = self->model;

    if (!comm) return DLDA_OK;
    DLDA_TRY(dlda_comm_agree(comm, dlda_version(), strlen(dlda_version()), "the version of deeplda"));
    DLDA_TRY(dlda_comm_agree(comm, model->options, strlen(model->options), "the options"));
    DLDA_TRY(dlda_comm_agree(comm, model->network->text, strlen(model->network->text), "the network"));
    DLDA_TRY(dlda_dataset_agree(self->train, comm, "the training data"));
    if (self->validation) DLDA_TRY(dlda_dataset_agree(self->validation, comm, "the validation data"));
done:
    return status;
}

dlda_status dlda_trainer_create(const dlda_options *options, const dlda_dataset *train,
                                const dlda_dataset *validation, dlda_trainer **trainer)
{
    DLDA_NEED(options, train, trainer);
    return dlda_trainer_create_over(NULL, options, train, validation, trainer);
}

dlda_status dlda_trainer_create_over(const dlda_comm *comm, const dlda_options *options, const dlda_dataset *train,
                                     const dlda_dataset *validation, dlda_trainer **trainer)
{
    DLDA_NEED(options, train, trainer);
    dlda_status status = DLDA_OK;
    dlda_trainer *self = NULL;

    DLDA_TRY(check_data(options, train, validation));
    DLDA_TRY(dlda_dataset_check_ranks(train, comm));
    if (validation) DLDA_TRY(dlda_dataset_check_ranks(validation, comm));
    DLDA_TRY(check_shift(options, train));
    DLDA_TRY(check_groups(options));
    DLDA_TRY(check_precision(options));
    DLDA_TRY(DLDA_TAKE(&self, 1, "trainer"));
    self->comm = dlda_comm_size(comm) > 1 ? comm : NULL;
    DLDA_TRY(dlda_options_copy(options, &self->options));
    DLDA_TRY(fit_batch(self->options, dlda_dataset_count(train)));
    DLDA_TRY(dlda_dataset_record_division(train, validation, self->options));
    DLDA_TRY(dlda_dataset_record_size(train, self->options));
    self->train = train;
    self->validation = self->held_out = validation;
    self->best_accuracy = -1;
    DLDA_TRY(dlda_team_create((size_t)options->threads, &self->team));
    DLDA_TRY(make_model(self));
    DLDA_TRY(agree(self));
    DLDA_TRY(make_parts(self));
    DLDA_TRY(prepare_data(
        self, &self->model->preparation)); /* may take long, so it comes after everything that can fail at once */
    DLDA_TRY(make_loader(self));
    DLDA_TRY(dlda_trainer_choose_probe(self));
    DLDA_TRY(take_arrays(self));
    dlda_network_initialise(self->model->network, (uint64_t)options->seed, self->weights, self->state);
    if (options->init[0]) DLDA_TRY(start_from_file(self, options->init));
    *trainer = self;
    self = NULL;
done:
    dlda_trainer_destroy(self);
    return status == DLDA_OK ? status : dlda_comm_fail(comm, status);
}

void dlda_trainer_destroy(dlda_trainer *self)
{
    if (!self) return;
    dlda_trainer_leave_folder(self);
    dlda_loader_destroy(self->loader); /* first: its thread uses the others */
    dlda_batch_source_release(&self->source);
    dlda_sampler_destroy(self->sampler);
    dlda_passes_destroy(self->passes);
    dlda_team_destroy(self->team);
    dlda_objective_destroy(self->objective);
    dlda_scatter_destroy(self->scatter);
    dlda_lda_destroy(self->lda);
    dlda_model_destroy(self->model);
    dlda_history_destroy(self->history);
    dlda_options_destroy(self->options);
    dlda_dataset_destroy(self->probe);
    for (int i = 0; i < 2; i++) dlda_dataset_destroy(self->prepared[i]);
    void *arrays[] = { self->weights,   self->gradient, self->velocity,  self->state,  self->images, self->dH,
                       self->positions, self->H,        self->predicted, self->folder, self->labels };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) dlda_release(arrays[i]);
    dlda_release(self);
}
