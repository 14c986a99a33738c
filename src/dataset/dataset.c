/* SPDX-License-Identifier: MIT
 *
 * dataset.c - data sets: made from arrays or files, shared by splits, gathered into batches.
 *
 * First stage of the flow. Pixels stay as the file has them, in a storage that counts its users; a set is a
 * list of indices into it with a label each. dlda_dataset_read finds out what a path stands for.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dataset/dataset_internal.h"
#include "dataset/embedded.h"
#include "dataset/readers.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static size_t sample_size(const dlda_dataset *self)
{
    return self->height * self->width * self->channels;
}

/* ---- Making and destroying ---- */

static void storage_leave(dlda_storage *storage)
{
    if (!storage || atomic_fetch_sub(&storage->users, 1) > 1) return;
    dlda_release(storage->bytes);
    dlda_release(storage->values);
    dlda_release(storage->names);
    dlda_release(storage->text);
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

/* All names in one block of text; "0", "1", ... if `names` is NULL. */
static dlda_status copy_names(dlda_storage *storage, const char *const *names, size_t classes)
{
    enum { DIGITS = 21 }; /* the longest size_t, with its final zero */
    dlda_status status = DLDA_OK;
    size_t size = 0;

    for (size_t c = 0; c < classes; c++) size += names ? strlen(names[c]) + 1 : DIGITS;
    DLDA_TRY(DLDA_TAKE(&storage->names, classes, "class names"));
    DLDA_TRY(DLDA_TAKE(&storage->text, size, "class names"));
    char *text = storage->text;
    for (size_t c = 0; c < classes; c++) {
        storage->names[c] = text;
        if (names) text += sprintf(text, "%s", names[c]) + 1;
        else text += sprintf(text, "%zu", c) + 1;
    }
done:
    return status;
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
    if (spec->count > UINT32_MAX) /* random streams count samples in 32 bits */
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
    for (size_t c = 0; spec->names && c < spec->classes; c++)
        if (!spec->names[c]) return dlda_fail(DLDA_E_ARGUMENT, "data set: class %zu has the name NULL", c);
    return DLDA_OK;
}

/* Everything but the pixels. */
static dlda_status dataset_new(const dlda_dataset_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;

    DLDA_TRY(check_shape(spec));
    DLDA_TRY(check_labels(spec));
    DLDA_TRY(DLDA_TAKE(&self, 1, "data set"));
    DLDA_TRY(DLDA_TAKE(&self->storage, 1, "data set"));
    atomic_init(&self->storage->users, 1);
    DLDA_TRY(copy_names(self->storage, spec->names, spec->classes));
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

static dlda_status check_finite(const float *values, size_t count, size_t per_sample)
{
    for (size_t i = 0; i < count * per_sample; i++)
        if (!isfinite(values[i]))
            return dlda_fail(DLDA_E_NUMERIC, "data set: sample %zu, value %zu is %g, expected a finite number",
                             i / per_sample, i % per_sample, (double)values[i]);
    return DLDA_OK;
}

dlda_status dlda_dataset_create(const dlda_dataset_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;
    size_t size = 0;

    if (!spec->bytes == !spec->values)
        DLDA_FAIL(DLDA_E_ARGUMENT, "data set: found %s, expected either bytes or values",
                  spec->bytes ? "both bytes and values" : "neither bytes nor values");
    DLDA_TRY(check_shape(spec));
    DLDA_TRY(bytes_of(spec, &size));
    if (spec->values) DLDA_TRY(check_finite(spec->values, spec->count, size / spec->count));
    DLDA_TRY(dataset_new(spec, &self));
    if (spec->bytes) {
        DLDA_TRY(DLDA_TAKE(&self->storage->bytes, size, "images"));
        memcpy(self->storage->bytes, spec->bytes, size);
    } else {
        DLDA_TRY(DLDA_TAKE(&self->storage->values, size, "images"));
        memcpy(self->storage->values, spec->values, size * sizeof *spec->values);
    }
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

/* ---- What is in it ---- */

size_t dlda_dataset_count(const dlda_dataset *dataset)
{
    return dataset->count;
}

size_t dlda_dataset_height(const dlda_dataset *dataset)
{
    return dataset->height;
}

size_t dlda_dataset_width(const dlda_dataset *dataset)
{
    return dataset->width;
}

size_t dlda_dataset_channels(const dlda_dataset *dataset)
{
    return dataset->channels;
}

size_t dlda_dataset_classes(const dlda_dataset *dataset)
{
    return dataset->classes;
}

const char *dlda_dataset_class_name(const dlda_dataset *dataset, size_t label)
{
    return label < dataset->classes ? dataset->storage->names[label] : NULL;
}

int dlda_dataset_label(const dlda_dataset *dataset, size_t i)
{
    return dataset->labels && i < dataset->count ? dataset->labels[i] : -1;
}

const int *dlda_dataset_labels(const dlda_dataset *dataset)
{
    return dataset->labels;
}

/* ---- Images for a network ---- */

static void copy_sample(const dlda_dataset *self, size_t i, float *image)
{
    size_t size = sample_size(self), at = self->index[i] * size;

    if (self->storage->values) {
        memcpy(image, self->storage->values + at, size * sizeof *image);
        return;
    }
    const uint8_t *bytes = self->storage->bytes + at;
    for (size_t p = 0; p < size; p++) image[p] = (float)bytes[p] / 255.0f;
}

dlda_status dlda_dataset_images(const dlda_dataset *dataset, size_t first, size_t n, float *images)
{
    if (first > dataset->count || n > dataset->count - first)
        return dlda_fail(DLDA_E_ARGUMENT, "images: %zu samples from %zu on, expected at most %zu in all", n, first,
                         dataset->count);
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

void dlda_dataset_gather(const dlda_dataset *dataset, const size_t *indices, size_t n, size_t threads,
                         float *images)
{
    enum { GRAIN = 16 };

    dlda_parallel_for(threads, n, GRAIN, gather_chunk, &(gather){ dataset, indices, images });
}

/* ---- Reading ---- */

/* A set of images that were read; it takes over their bytes. */
static dlda_status adopt(dlda_raw_images *raw, const int *labels, size_t classes, dlda_dataset **dataset)
{
    const dlda_dataset_spec spec = { .count = raw->count,
                                     .height = raw->height,
                                     .width = raw->width,
                                     .channels = raw->channels,
                                     .classes = classes,
                                     .labels = labels };
    dlda_status status = dataset_new(&spec, dataset);

    if (status != DLDA_OK) return status;
    (*dataset)->storage->bytes = raw->bytes;
    raw->bytes = NULL;
    return DLDA_OK;
}

/* An image and a label file as one set; there are at least `classes` classes. */
static dlda_status read_pair(const dlda_input *images, const dlda_input *labels, size_t classes,
                             dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    uint8_t *raw_labels = NULL;
    int *numbers = NULL;
    size_t n = 0;

    DLDA_TRY(dlda_idx_read_images(images, &raw));
    DLDA_TRY(dlda_idx_read_labels(labels, &raw_labels, &n));
    if (n != raw.count)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu labels, expected one for each of the %zu images of %s", labels->name, n,
                  raw.count, images->name);
    DLDA_TRY(DLDA_TAKE(&numbers, n, labels->name));
    for (size_t i = 0; i < n; i++) {
        numbers[i] = raw_labels[i];
        if (classes <= raw_labels[i]) classes = raw_labels[i] + (size_t)1;
    }
    DLDA_TRY(adopt(&raw, numbers, classes, dataset));
done:
    dlda_release(raw.bytes);
    dlda_release(raw_labels);
    dlda_release(numbers);
    return status;
}

static dlda_status read_embedded(dlda_part part, dlda_dataset **dataset)
{
    dlda_input images = dlda_embedded_images(part), labels = dlda_embedded_labels(part);

    return read_pair(&images, &labels, DLDA_DIGITS_CLASSES, dataset);
}

/* The file `stem`-`kind` in a folder, e.g. train-images-idx3-ubyte; also with '.' for '-', also as .gz. */
static dlda_status find_in_folder(const char *folder, const char *stem, const char *kind, char **path)
{
    dlda_status status = DLDA_OK;
    char name[64];
    char *candidate = NULL;

    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "%s%c%s%s", stem, i & 1 ? '.' : '-', kind, i & 2 ? ".gz" : "");
        DLDA_TRY(dlda_path_join(folder, name, &candidate));
        if (dlda_path_exists(candidate)) {
            *path = candidate;
            return DLDA_OK;
        }
        dlda_release(candidate);
        candidate = NULL;
    }
    DLDA_FAIL(DLDA_E_IO, "%s: found no %s-%s, neither as %s.%s nor as .gz", folder, stem, kind, stem, kind);
done:
    return status;
}

static dlda_status read_folder(const char *folder, dlda_part part, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    int train = part == DLDA_TRAIN;
    char *images = NULL, *labels = NULL;

    DLDA_TRY(find_in_folder(folder, train ? "train-images" : "t10k-images", "idx3-ubyte", &images));
    DLDA_TRY(find_in_folder(folder, train ? "train-labels" : "t10k-labels", "idx1-ubyte", &labels));
    DLDA_TRY(read_pair(&(dlda_input){ .name = images }, &(dlda_input){ .name = labels }, 0, dataset));
done:
    dlda_release(images);
    dlda_release(labels);
    return status;
}

/* Overwrites the last `from` in the text by `to`, which is as long; 0 if there is none. */
static int replace_last(char *text, const char *from, const char *to)
{
    char *last = NULL;

    for (char *at = strstr(text, from); at; at = strstr(at + 1, from)) last = at;
    if (last) memcpy(last, to, strlen(to));
    return last != NULL;
}

/* "x-images-idx3-ubyte" -> "x-labels-idx1-ubyte"; where that is missing, the same with .gz added or removed. */
static dlda_status find_labels_beside(const char *images, char **labels)
{
    dlda_status status = DLDA_OK;
    size_t length = strlen(images);
    char *path = NULL;

    DLDA_TRY(DLDA_TAKE(&path, length + sizeof ".gz", "file name"));
    memcpy(path, images, length);
    char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
    if (!replace_last(name, "images", "labels"))
        DLDA_FAIL(DLDA_E_IO, "%s: no 'images' in the name, so its labels are not known", images);
    replace_last(name, "idx3", "idx1");
    if (!dlda_path_exists(path)) {
        int packed = length > 3 && strcmp(path + length - 3, ".gz") == 0;
        memcpy(packed ? path + length - 3 : path + length, packed ? "" : ".gz", packed ? 1 : 4);
        if (!dlda_path_exists(path))
            DLDA_FAIL(DLDA_E_IO, "%s: found no labels beside it; the last name tried was %s", images, path);
    }
    *labels = path;
    path = NULL;
done:
    dlda_release(path);
    return status;
}

static dlda_status read_file(const char *path, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    char *labels = NULL;

    DLDA_TRY(find_labels_beside(path, &labels));
    DLDA_TRY(read_pair(&(dlda_input){ .name = path }, &(dlda_input){ .name = labels }, 0, dataset));
done:
    dlda_release(labels);
    return status;
}

static dlda_status fail_missing(const char *path)
{
    static const char *const words[] = { "digits" };

    if (dlda_closest_word(path, words, 1) == 0)
        return dlda_fail(DLDA_E_IO, "%s: no such file or folder; did you mean 'digits'?", path);
    return dlda_fail(DLDA_E_IO,
                     "%s: no such file or folder; expected 'digits', a folder with IDX files, or an IDX "
                     "image file",
                     path);
}

dlda_status dlda_dataset_read(const char *path, dlda_part part, dlda_dataset **dataset)
{
    if (part != DLDA_TRAIN && part != DLDA_TEST)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: part %d, expected DLDA_TRAIN or DLDA_TEST", path, (int)part);
    if (strcmp(path, "digits") == 0) return read_embedded(part, dataset);
    if (dlda_path_is_folder(path)) return read_folder(path, part, dataset);
    if (dlda_path_exists(path)) return read_file(path, dataset);
    return fail_missing(path);
}

/* ---- Images without labels ---- */

typedef enum file_kind { FILE_PNG, FILE_IDX, FILE_OTHER } file_kind;

/* By its first bytes, whatever its name. */
static dlda_status recognise(const char *path, file_kind *kind)
{
    static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t start[8] = { 0xff };
    FILE *file = fopen(path, "rbe");

    if (!file) return dlda_fail(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    size_t n = fread(start, 1, sizeof start, file);
    int failed = ferror(file), cause = errno;
    fclose(file);
    if (failed) return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(cause));
    int gzip = start[0] == 0x1f && start[1] == 0x8b;
    if (n == sizeof png && memcmp(start, png, sizeof png) == 0) *kind = FILE_PNG;
    else *kind = gzip || (start[0] == 0 && start[1] == 0) ? FILE_IDX : FILE_OTHER;
    return DLDA_OK;
}

/* Brightness as ITU-R BT.601 has it, in the integers that Pillow uses: both give the same bytes. */
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 0x8000u) >> 16);
}

static dlda_status convert_channels(dlda_raw_images *raw, size_t channels)
{
    dlda_status status = DLDA_OK;
    size_t pixels = raw->count * raw->height * raw->width; /* all of them are in memory: no overflow */
    uint8_t *bytes = NULL;

    if (raw->channels == channels) return DLDA_OK;
    if (raw->channels != 1 && raw->channels != 3)
        return dlda_fail(DLDA_E_SHAPE, "%zu channels, expected 1 or 3", raw->channels);
    DLDA_TRY(dlda_take_bytes(pixels, channels, "images", (void **)&bytes));
    for (size_t p = 0; p < pixels; p++) {
        if (channels == 1) bytes[p] = grey_of(raw->bytes + 3 * p);
        else memset(bytes + 3 * p, raw->bytes[p], 3);
    }
    dlda_release(raw->bytes);
    raw->bytes = bytes;
    raw->channels = channels;
done:
    return status;
}

dlda_status dlda_dataset_read_images(const char *path, size_t channels, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    file_kind kind = FILE_OTHER;

    if (channels != 1 && channels != 3)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: wanted with %zu channels, expected 1 or 3", path, channels);
    DLDA_TRY(recognise(path, &kind));
    if (kind == FILE_OTHER) DLDA_FAIL(DLDA_E_FORMAT, "%s: neither an IDX image file nor a PNG", path);
    if (kind == FILE_PNG) DLDA_TRY(dlda_png_read(path, &raw));
    else DLDA_TRY(dlda_idx_read_images(&(dlda_input){ .name = path }, &raw));
    if ((status = convert_channels(&raw, channels)) != DLDA_OK) {
        status = dlda_fail_at(status, "%s", path);
        goto done;
    }
    DLDA_TRY(adopt(&raw, NULL, 0, dataset));
done:
    dlda_release(raw.bytes);
    return status;
}
