/* SPDX-License-Identifier: MIT
 *
 * checkpoint.c - saves and restores the training state between two batches, bit for bit.
 *
 * Only what cannot be recomputed is saved. The sample order of an epoch, the dropout masks and the learning rate
 * schedule are functions of the options, the seed and the counters. The file format is in checkpoint_file.c.
 */
#include "training/checkpoint.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "training/checkpoint_file.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

typedef dlda_checkpoint_counters counters;

/* ---- The history as numbers ---- */

/* Missing accuracies and separations are NaN in memory. A checkpoint holds finite numbers only, so they
 * are stored as this value. */
static const double absent = -1e300;

static double to_file(double value)
{
    return isnan(value) ? absent : value;
}

static double from_file(double value)
{
    return value == absent ? NAN : value;
}

static void pack_epoch(const dlda_epoch *epoch, double fields[DLDA_EPOCH_FIELDS])
{
    const double values[DLDA_EPOCH_FIELDS] = { epoch->loss,
                                               to_file(epoch->separation),
                                               epoch->rate,
                                               to_file(epoch->train_accuracy),
                                               to_file(epoch->validation_accuracy),
                                               epoch->images_per_second,
                                               epoch->seconds,
                                               epoch->best };
    memcpy(fields, values, sizeof values);
}

static dlda_epoch unpack_epoch(const double fields[DLDA_EPOCH_FIELDS])
{
    return (dlda_epoch){ .loss = fields[0],
                         .separation = from_file(fields[1]),
                         .rate = fields[2],
                         .train_accuracy = from_file(fields[3]),
                         .validation_accuracy = from_file(fields[4]),
                         .images_per_second = fields[5],
                         .seconds = fields[6],
                         .best = fields[7] != 0 };
}

/* ---- Contents of a file ---- */

/* The labels identify a data set and its split well enough, and are cheap to hash. */
static uint32_t fingerprint(const dlda_dataset *set)
{
    size_t count = dlda_dataset_count(set);
    const size_t shape[] = { count, dlda_dataset_height(set), dlda_dataset_width(set), dlda_dataset_channels(set),
                             dlda_dataset_classes(set) };
    uLong crc = crc32_z(0, (const Bytef *)shape, sizeof shape);

    return (uint32_t)crc32_z(crc, (const Bytef *)dlda_dataset_labels(set), count * sizeof(int));
}

static void describe_data(const dlda_trainer *self, char text[64])
{
    snprintf(text, 64, "%08" PRIx32 "-%08" PRIx32, fingerprint(self->train),
             self->validation ? fingerprint(self->validation) : 0);
}

typedef struct tensor_set {
    dlda_tensor tensors[DLDA_CHECKPOINT_TENSORS];
    size_t count;
} tensor_set;

static void add(tensor_set *set, const char *name, dlda_dtype dtype, size_t rows, size_t columns, const void *data)
{
    set->tensors[set->count++] = (dlda_tensor){
        .name = name, .dtype = dtype, .rank = 2, .shape = { rows, columns }, .data = data
    };
}

static void list_tensors(const dlda_trainer *self, const counters *numbers, const double *epochs, tensor_set *set)
{
    const dlda_model *model = self->model;
    const dlda_history *history = self->history;
    size_t n = model->network->n_weights, s = model->network->n_state;

    add(set, "counters", DLDA_F64, 1, DLDA_CHECKPOINT_COUNTERS, numbers);
    add(set, "weights", DLDA_F32, 1, n, self->weights);
    add(set, "velocity", DLDA_F32, 1, n, self->velocity);
    add(set, "state", DLDA_F32, 1, s, self->state);
    add(set, "history", DLDA_F64, history->count, DLDA_EPOCH_FIELDS, epochs);
    add(set, "eigenvalues", DLDA_F64, history->count, history->eigenvalues, history->values);
    add(set, "epoch_seconds", DLDA_F64, 1, 1, &self->epoch_seconds);
    if (!model->lda) return;
    add(set, "best.weights", DLDA_F32, 1, n, model->weights);
    add(set, "best.state", DLDA_F32, 1, s, model->state);
    add(set, "best.head.counts", DLDA_F64, 1, model->lda->C, model->lda->counts);
    add(set, "best.head.means", DLDA_F64, model->lda->C, model->lda->D, model->lda->M);
    add(set, "best.head.directions", DLDA_F64, model->lda->K, model->lda->D, model->lda->A);
    add(set, "best.head.eigenvalues", DLDA_F64, 1, model->lda->K, model->lda->eigenvalues);
    if (!model->lda->Sw) return;
    add(set, "best.head.within", DLDA_F64, model->lda->D, model->lda->D, model->lda->Sw);
    add(set, "best.head.total", DLDA_F64, model->lda->D, model->lda->D, model->lda->St);
}

/* ---- Saving ---- */

/* The last checkpoint becomes the previous one. The first of a training replaces the files of an earlier one: these are
 * removed before it gets its name, so that the folder never has files of two trainings under their names. */
dlda_status dlda_checkpoint_settle(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, *older = NULL, *fresh = NULL;

    DLDA_TRY(dlda_path_join(self->folder, DLDA_CHECKPOINT_NEWEST, &path));
    DLDA_TRY(dlda_path_join(self->folder, DLDA_CHECKPOINT_PREVIOUS, &older));
    DLDA_TRY(dlda_path_join(self->folder, DLDA_CHECKPOINT_NEXT, &fresh));
    if (!self->has_checkpoint) DLDA_TRY(dlda_trainer_remove_earlier(self));
    else if (dlda_path_exists(path) && rename(path, older) != 0)
        DLDA_FAIL(DLDA_E_IO, "%s: cannot rename: %s", path, strerror(errno));
    DLDA_TRY(dlda_path_move(fresh, path));
done:
    dlda_release(path);
    dlda_release(older);
    dlda_release(fresh);
    return status;
}

static const char *or_null(int given, const char *text)
{
    return given && text[0] ? text : NULL;
}

dlda_status dlda_checkpoint_save(const dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    const char *folder = self->folder;
    const dlda_history *history = self->history;
    const counters numbers = { (double)self->epochs_done,   (double)self->batches_done,
                               (double)self->steps_done,    self->loss_sum,
                               self->best_accuracy,         (double)self->best_epoch,
                               (double)history->eigenvalues };
    char *fresh = NULL;
    double(*epochs)[DLDA_EPOCH_FIELDS] = NULL;
    tensor_set set = { .count = 0 };
    char data[64];
    int given = dlda_options_is_given(self->options, "data");
    const dlda_checkpoint_texts texts = { self->model->network->text,
                                          self->model->options,
                                          data,
                                          given ? self->options->data : "",
                                          or_null(given, self->options->format),
                                          or_null(given, self->options->label) };

    DLDA_TRY(dlda_path_join(folder, DLDA_CHECKPOINT_NEXT, &fresh));
    DLDA_TRY(DLDA_TAKE(&epochs, history->count + 1, "checkpoint"));
    for (size_t i = 0; i < history->count; i++) pack_epoch(&history->epochs[i], epochs[i]);
    list_tensors(self, &numbers, epochs[0], &set);
    describe_data(self, data);
    DLDA_TRY(dlda_checkpoint_write(fresh, set.tensors, set.count, &texts));
    DLDA_TRY(dlda_checkpoint_settle(self));
done:
    dlda_release(fresh);
    dlda_release(epochs);
    return status;
}

/* ---- Loading ---- */

/* A value of an option as JSON; texts of more than 60 bytes are cut. */
static void print_value(const json_t *value, char text[64])
{
    size_t n = json_dumpb(value, text, 60, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));

    snprintf(text + (n < 60 ? n : 60), 4, "%s", n > 60 ? "..." : "");
}

/* Names the first option that differs. A different number of epochs is allowed, so that a
 * training can be extended. */
static dlda_status compare_options(const char *path, const char *theirs, const char *ours)
{
    dlda_status status = DLDA_OK;
    json_t *old = NULL, *new = NULL;
    const char *key = NULL;
    const json_t *value = NULL;

    DLDA_TRY(dlda_json_parse_text(theirs, path, &old));
    DLDA_TRY(dlda_json_parse_text(ours, path, &new));
    if (!json_is_object(old) || !json_is_object(new)) DLDA_FAIL(DLDA_E_FORMAT, "%s: options are no object", path);
    json_object_foreach(new, key, value)
    {
        const json_t *other = json_object_get(old, key);
        if (strcmp(key, "epochs") == 0 || !other || json_equal(other, value)) continue;
        char was[64], is[64];
        print_value(other, was);
        print_value(value, is);
        DLDA_FAIL(DLDA_E_OPTION, "%s: option %s was %s, now it is %s; a resumed training keeps its options", path,
                  key, was, is);
    }
done:
    json_decref(old);
    json_decref(new);
    return status;
}

static dlda_status compare_run(const dlda_trainer *self, const dlda_safetensors *file, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_checkpoint_texts texts = { 0 };
    char ours[64];

    DLDA_TRY(dlda_checkpoint_read_texts(file, path, &texts));
    DLDA_TRY(compare_options(path, texts.options, self->model->options));
    if (strcmp(texts.network, self->model->network->text) != 0)
        DLDA_FAIL(DLDA_E_OPTION, "%s: the network was another one; a resumed training keeps its network", path);
    describe_data(self, ours);
    if (strcmp(ours, texts.data) != 0)
        DLDA_FAIL(DLDA_E_OPTION,
                  "%s: made with other data (fingerprint %s, found %s); a resumed training needs the same data",
                  path, texts.data, ours);
done:
    return status;
}

/* Copies an array after checking its type and shape. */
static dlda_status copy(const dlda_safetensors *file, const char *name, dlda_dtype dtype, size_t rows,
                        size_t columns, void *to)
{
    const size_t shape[] = { rows, columns };
    const dlda_tensor *tensor = NULL;
    dlda_status status = dlda_safetensors_require(file, name, dtype, 2, shape, &tensor);

    size_t bytes = rows * columns * (dtype == DLDA_F32 ? sizeof(float) : sizeof(double));
    if (status == DLDA_OK && bytes > 0) memcpy(to, tensor->data, bytes);
    return status;
}

static dlda_status load_history(dlda_trainer *self, const dlda_safetensors *file, size_t count)
{
    dlda_status status = DLDA_OK;
    dlda_history *history = self->history;
    size_t K = history->eigenvalues;
    double *fields = NULL, *values = NULL;

    DLDA_TRY(DLDA_TAKE(&fields, (count + 1) * DLDA_EPOCH_FIELDS, "checkpoint"));
    DLDA_TRY(DLDA_TAKE(&values, (count + 1) * K, "checkpoint"));
    DLDA_TRY(copy(file, "history", DLDA_F64, count, DLDA_EPOCH_FIELDS, fields));
    DLDA_TRY(copy(file, "eigenvalues", DLDA_F64, count, K, values));
    history->count = 0;
    for (size_t i = 0; i < count; i++) {
        dlda_epoch epoch = unpack_epoch(fields + i * DLDA_EPOCH_FIELDS);
        epoch.epoch = i + 1;
        epoch.n_eigenvalues = isnan(epoch.train_accuracy) ? 0 : K; /* not measured */
        epoch.eigenvalues = values + i * K;
        dlda_history_add(history, &epoch);
    }
done:
    dlda_release(fields);
    dlda_release(values);
    return status;
}

static dlda_status load_best(dlda_trainer *self, const dlda_safetensors *file, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_model *model = self->model;
    const dlda_tensor *values = dlda_safetensors_find(file, "best.head.eigenvalues");
    size_t K = values && values->rank == 2 ? values->shape[1] : 0, C = model->classes, D = model->network->features;
    dlda_lda *lda = NULL;

    if (K < 1 || K > D || K > C - 1) DLDA_FAIL(DLDA_E_FORMAT, "%s: best.head.eigenvalues: %zu of them", path, K);
    DLDA_TRY(dlda_lda_create(C, D, K, &lda));
    DLDA_TRY(copy(file, "best.weights", DLDA_F32, 1, model->network->n_weights, model->weights));
    DLDA_TRY(copy(file, "best.state", DLDA_F32, 1, model->network->n_state, model->state));
    DLDA_TRY(copy(file, "best.head.counts", DLDA_F64, 1, C, lda->counts));
    DLDA_TRY(copy(file, "best.head.means", DLDA_F64, C, D, lda->M));
    DLDA_TRY(copy(file, "best.head.directions", DLDA_F64, K, D, lda->A));
    DLDA_TRY(copy(file, "best.head.eigenvalues", DLDA_F64, 1, K, lda->eigenvalues));
    if (dlda_safetensors_find(file, "best.head.within")) { /* files of earlier versions have no matrices */
        DLDA_TRY(dlda_lda_take_scatter(lda));
        DLDA_TRY(copy(file, "best.head.within", DLDA_F64, D, D, lda->Sw));
        DLDA_TRY(copy(file, "best.head.total", DLDA_F64, D, D, lda->St));
    }
    dlda_lda_prepare(lda);
    dlda_lda_destroy(model->lda);
    model->lda = lda;
    lda = NULL;
done:
    dlda_lda_destroy(lda);
    return status;
}

static dlda_status restore(dlda_trainer *self, const dlda_safetensors *file, const char *path)
{
    dlda_status status = DLDA_OK;
    size_t n = self->model->network->n_weights, batches = dlda_sampler_batches(self->sampler);
    counters numbers = { 0 };

    DLDA_TRY(compare_run(self, file, path));
    DLDA_TRY(dlda_checkpoint_read_counters(file, path, &numbers));
    if (numbers.batches_done > (double)batches ||
        numbers.steps_done != numbers.epochs_done * (double)batches + numbers.batches_done)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: counters that do not go together", path);
    if (numbers.epochs_done > (double)self->options->epochs)
        DLDA_FAIL(DLDA_E_OPTION, "%s: %.0f epochs are done, which is more than option epochs, %lld", path,
                  numbers.epochs_done, (long long)self->options->epochs);
    DLDA_TRY(load_history(self, file, (size_t)numbers.epochs_done));
    DLDA_TRY(copy(file, "weights", DLDA_F32, 1, n, self->weights));
    DLDA_TRY(copy(file, "velocity", DLDA_F32, 1, n, self->velocity));
    DLDA_TRY(copy(file, "state", DLDA_F32, 1, self->model->network->n_state, self->state));
    if (numbers.best_epoch > 0) DLDA_TRY(load_best(self, file, path));
    self->epochs_done = (size_t)numbers.epochs_done;
    self->batches_done = (size_t)numbers.batches_done;
    self->steps_done = (size_t)numbers.steps_done;
    self->best_epoch = (size_t)numbers.best_epoch;
    self->loss_sum = numbers.loss_sum;
    self->best_accuracy = numbers.best_accuracy;
    self->epoch_seconds = dlda_checkpoint_epoch_seconds(file);
done:
    if (status != DLDA_OK) self->history->count = 0; /* as many as epochs_done */
    return status;
}

static void tell_damage(const dlda_trainer *self, const char *damage)
{
    char message[1200];

    if (!self->watch.log || !damage[0]) return;
    snprintf(message, sizeof message, "%s; going on from the checkpoint before it", damage);
    self->watch.log(self->watch.user, message);
}

dlda_status dlda_checkpoint_load(dlda_trainer *self, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, damage[1024];
    dlda_safetensors *file = NULL;

    dlda_passes_destroy(self->passes); /* the file is in memory for a moment; the next step takes this again */
    self->passes = NULL;
    DLDA_TRY(dlda_checkpoint_open_newest(folder, &file, &path, damage));
    tell_damage(self, damage);
    DLDA_TRY(restore(self, file, path));
    self->is_unsettled = dlda_checkpoint_is_next(path);
    self->went_back = damage[0] != '\0';
done:
    dlda_safetensors_destroy(file);
    dlda_release(path);
    return status;
}
