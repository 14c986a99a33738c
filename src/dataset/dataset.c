/* SPDX-License-Identifier: MIT
 *
 * dataset.c - data sets: creation from arrays, sharing between splits, gathering of batches.
 *
 * First stage of the flow. Pixels are kept in the format of the file, in a storage with a reference count. A set is
 * a list of indices into the storage, with a label each.
 */
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "base/utf8.h"
#include "dataset/dataset_internal.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static size_t sample_size(const dlda_dataset *self)
{
    return self->height * self->width * self->channels;
}

/* ---- Creation and destruction ---- */

void dlda_storage_drop_images(dlda_storage *storage)
{
    if (!storage->borrowed) {
        dlda_release(storage->bytes);
        dlda_release(storage->values);
    }
    storage->borrowed = 0;
}

static void storage_leave(dlda_storage *storage)
{
    if (!storage || atomic_fetch_sub(&storage->users, 1) > 1) return;
    dlda_storage_drop_images(storage);
    dlda_release(storage->names);
    dlda_release(storage->text);
    dlda_release_texts(storage->columns, storage->n_columns);
    dlda_name_list_release(&storage->files);
    dlda_release(storage->fold_start);
    dlda_release(storage->fold_samples);
    dlda_release(storage);
}

void dlda_dataset_destroy(dlda_dataset *dataset)
{
    if (!dataset) return;
    storage_leave(dataset->storage);
    dlda_release(dataset->index);
    dlda_release(dataset->labels);
    dlda_release(dataset);
}

/* Stores all names in one block of text. */
dlda_status dlda_storage_set_names(dlda_storage *storage, const char *const *names, size_t classes)
{
    enum { DIGITS = 21 }; /* the longest size_t with its terminating zero */
    dlda_status status = DLDA_OK;
    size_t size = 0;
    char **places = NULL, *text = NULL;

    for (size_t c = 0; c < classes; c++) size += names ? strlen(names[c]) + 1 : DIGITS;
    DLDA_TRY(DLDA_TAKE(&places, classes, "class names"));
    DLDA_TRY(DLDA_TAKE(&text, size, "class names"));
    for (size_t c = 0, used = 0; c < classes; c++) {
        places[c] = text + used;
        if (names) used += (size_t)sprintf(places[c], "%s", names[c]) + 1;
        else used += (size_t)sprintf(places[c], "%zu", c) + 1;
    }
    dlda_release(storage->names);
    dlda_release(storage->text);
    storage->names = places;
    storage->text = text;
    storage->named = names != NULL;
    places = NULL;
done:
    dlda_release(places);
    return status;
}

dlda_status dlda_dataset_set_columns(dlda_dataset *dataset, const char *const *columns)
{
    if (!columns) return DLDA_OK;
    dataset->storage->n_columns = sample_size(dataset);
    return dlda_take_texts(columns, sample_size(dataset), &dataset->storage->columns);
}

static dlda_status bytes_of(const dlda_dataset_spec *spec, size_t *size)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_multiply_sizes(spec->height, spec->width, "data set", size));
    DLDA_TRY(dlda_multiply_sizes(*size, spec->channels, "data set", size));
    DLDA_TRY(dlda_multiply_sizes(*size, spec->count, "data set", size));
done:
    return status;
}

static dlda_status check_shape(const dlda_dataset_spec *spec)
{
    if (spec->count == 0 || spec->height == 0 || spec->width == 0 || spec->channels == 0)
        return dlda_fail(DLDA_E_ARGUMENT, "data set: %zu images of %zu x %zu x %zu, expected at least 1 of each",
                         spec->count, spec->height, spec->width, spec->channels);
    if (spec->count > UINT32_MAX) /* random streams use 32 bits for the sample number */
        return dlda_fail(DLDA_E_ARGUMENT, "data set: %zu images, expected at most %u", spec->count, UINT32_MAX);
    if (spec->classes > INT_MAX)
        return dlda_fail(DLDA_E_ARGUMENT, "data set: %zu classes, expected at most %d", spec->classes, INT_MAX);
    return DLDA_OK;
}

static dlda_status check_labels(const dlda_dataset_spec *spec)
{
    for (size_t i = 0; spec->labels && i < spec->count; i++)
        if (spec->labels[i] < 0 || (size_t)spec->labels[i] >= spec->classes)
            return dlda_fail(DLDA_E_ARGUMENT, "data set: sample %zu has label %d, expected 0 or more and below %zu",
                             i, spec->labels[i], spec->classes);
    for (size_t c = 0; spec->names && c < spec->classes; c++) {
        if (!spec->names[c]) return dlda_fail(DLDA_E_ARGUMENT, "data set: class %zu has the name NULL", c);
        if (!dlda_is_utf8(spec->names[c]))
            return dlda_fail(DLDA_E_FORMAT, "data set: the name of class %zu, '%s', is not valid UTF-8", c,
                             spec->names[c]);
    }
    return DLDA_OK;
}

dlda_status dlda_dataset_new(const dlda_dataset_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;

    DLDA_TRY(check_shape(spec));
    DLDA_TRY(check_labels(spec));
    DLDA_TRY(DLDA_TAKE(&self, 1, "data set"));
    DLDA_TRY(DLDA_TAKE(&self->storage, 1, "data set"));
    atomic_init(&self->storage->users, 1);
    self->storage->n_images = spec->count;
    DLDA_TRY(dlda_storage_set_names(self->storage, spec->names, spec->classes));
    self->count = spec->count;
    self->height = spec->height;
    self->width = spec->width;
    self->channels = spec->channels;
    self->classes = spec->classes;
    DLDA_TRY(DLDA_TAKE(&self->index, self->count, "data set"));
    for (size_t i = 0; i < self->count; i++) self->index[i] = i;
    if (spec->labels) {
        DLDA_TRY(DLDA_TAKE(&self->labels, self->count, "labels"));
        memcpy(self->labels, spec->labels, self->count * sizeof *self->labels);
    }
    *dataset = self;
    self = NULL;
done:
    dlda_dataset_destroy(self);
    return status;
}

/* Copies in portions, since the values may be unaligned. */
static dlda_status check_finite(const float *values, size_t count, size_t per_sample)
{
    enum { PORTION = 1024 };
    float portion[PORTION];

    for (size_t first = 0; first < count * per_sample; first += PORTION) {
        size_t left = count * per_sample - first, n = left < PORTION ? left : PORTION;
        memcpy(portion, (const char *)values + first * sizeof *values, n * sizeof *values);
        size_t bad = dlda_find_not_finite(portion, n);
        if (bad < n)
            return dlda_fail(DLDA_E_NUMERIC, "data set: sample %zu, value %zu is %g, expected a finite number",
                             (first + bad) / per_sample, (first + bad) % per_sample, (double)portion[bad]);
    }
    return DLDA_OK;
}

/* Uses the caller's arrays of `size` values, or copies of them. They are never written to. */
static dlda_status set_images(dlda_storage *storage, const dlda_dataset_spec *spec, size_t size)
{
    dlda_status status = DLDA_OK;

    if (spec->borrow) {
        storage->borrowed = 1;
        storage->bytes = (uint8_t *)spec->bytes;
        storage->values = (float *)spec->values;
    } else if (spec->bytes) {
        DLDA_TRY(DLDA_TAKE(&storage->bytes, size, "images"));
        memcpy(storage->bytes, spec->bytes, size);
    } else {
        DLDA_TRY(DLDA_TAKE(&storage->values, size, "images"));
        memcpy(storage->values, (const void *)spec->values, size * sizeof *spec->values);
    }
done:
    return status;
}

dlda_status dlda_dataset_create(const dlda_dataset_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;
    size_t size = 0;

    DLDA_NEED(spec, dataset);
    if (!spec->bytes == !spec->values)
        DLDA_FAIL(DLDA_E_ARGUMENT, "data set: found %s, expected either bytes or values",
                  spec->bytes ? "both bytes and values" : "neither bytes nor values");
    DLDA_TRY(check_shape(spec));
    DLDA_TRY(bytes_of(spec, &size));
    if (spec->values) DLDA_TRY(check_finite(spec->values, spec->count, size / spec->count));
    DLDA_TRY(dlda_dataset_new(spec, &self));
    DLDA_TRY(set_images(self->storage, spec, size));
    *dataset = self;
    self = NULL;
done:
    dlda_dataset_destroy(self);
    return status;
}

dlda_status dlda_dataset_select(const dlda_dataset *parent, const size_t *positions, size_t n,
                                dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "data set"));
    *self = *parent;
    self->index = NULL;
    self->labels = NULL;
    self->division = (dlda_division){ 0 }; /* that of the parent is not all that was done */
    self->count = n;
    atomic_fetch_add(&self->storage->users, 1);
    DLDA_TRY(DLDA_TAKE(&self->index, n, "data set"));
    for (size_t i = 0; i < n; i++) self->index[i] = parent->index[positions[i]];
    if (parent->labels) {
        DLDA_TRY(DLDA_TAKE(&self->labels, n, "labels"));
        for (size_t i = 0; i < n; i++) self->labels[i] = parent->labels[positions[i]];
    }
    *dataset = self;
    self = NULL;
done:
    dlda_dataset_destroy(self);
    return status;
}

/* ---- Properties ---- */

size_t dlda_dataset_count(const dlda_dataset *dataset)
{
    return dataset ? dataset->count : 0;
}

size_t dlda_dataset_height(const dlda_dataset *dataset)
{
    return dataset ? dataset->height : 0;
}

size_t dlda_dataset_width(const dlda_dataset *dataset)
{
    return dataset ? dataset->width : 0;
}

size_t dlda_dataset_channels(const dlda_dataset *dataset)
{
    return dataset ? dataset->channels : 0;
}

int dlda_dataset_is_resized(const dlda_dataset *dataset)
{
    return dataset ? dataset->resized : 0;
}

size_t dlda_dataset_classes(const dlda_dataset *dataset)
{
    return dataset ? dataset->classes : 0;
}

const char *dlda_dataset_class_name(const dlda_dataset *dataset, size_t label)
{
    return dataset && label < dataset->classes ? dataset->storage->names[label] : NULL;
}

const char *const *dlda_dataset_columns(const dlda_dataset *dataset)
{
    return (const char *const *)dataset->storage->columns;
}

int dlda_dataset_label(const dlda_dataset *dataset, size_t i)
{
    return dataset && dataset->labels && i < dataset->count ? dataset->labels[i] : -1;
}

const char *dlda_dataset_sample_file(const dlda_dataset *dataset, size_t i)
{
    if (!dataset) return NULL;
    const dlda_name_list *files = &dataset->storage->files;
    return i < dataset->count && files->count > 0 ? dlda_name_list_at(files, dataset->index[i]) : NULL;
}

size_t dlda_dataset_sample_index(const dlda_dataset *dataset, size_t i)
{
    return dataset && i < dataset->count ? dataset->index[i] : 0;
}

const int *dlda_dataset_labels(const dlda_dataset *dataset)
{
    return dataset ? dataset->labels : NULL;
}

/* ---- Images for a network ---- */

void dlda_scale_bytes(const uint8_t *bytes, size_t n, float *values)
{
    for (size_t p = 0; p < n; p++) values[p] = (float)bytes[p] / 255.0f;
}

static void copy_sample(const dlda_dataset *self, size_t i, float *image)
{
    dlda_dataset_convert(self, dlda_dataset_raw(self, i), image);
}

dlda_status dlda_dataset_images(const dlda_dataset *dataset, size_t first, size_t n, float *images)
{
    DLDA_NEED(dataset);
    if (n > 0) DLDA_NEED(images);
    if (first > dataset->count || n > dataset->count - first)
        return dlda_fail(DLDA_E_ARGUMENT, "images: %zu samples from %zu on, expected at most %zu in all", n, first,
                         dataset->count);
    for (size_t i = first; i < first + n; i++)
        if (!dlda_dataset_holds(dataset, i))
            return dlda_fail(DLDA_E_ARGUMENT, "images: sample %zu is on rank %zu, expected one of this rank", i,
                             dlda_dataset_owner(dataset, i));
    for (size_t i = 0; i < n; i++) copy_sample(dataset, first + i, images + i * sample_size(dataset));
    return DLDA_OK;
}

typedef struct gather {
    const dlda_dataset *dataset;
    const size_t *indices; /* [n]                          */
    float *images;         /* [n][height][width][channels] */
} gather;

static void gather_chunk(void *context, const dlda_chunk *chunk)
{
    const gather *job = context;
    size_t size = sample_size(job->dataset);

    for (size_t i = chunk->begin; i < chunk->end; i++)
        copy_sample(job->dataset, job->indices[i], job->images + i * size);
}

void dlda_dataset_gather(const dlda_dataset *dataset, const size_t *indices, size_t n, dlda_team *team,
                         float *images)
{
    enum { GRAIN = 16 };

    dlda_parallel_for(team, n, GRAIN, gather_chunk, &(gather){ dataset, indices, images });
}
