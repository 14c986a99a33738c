/* SPDX-License-Identifier: MIT
 *
 * read.c - determines what a path refers to and calls the matching reader, for labelled sets or images only.
 */
#include "base/closest_path.h"
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/known.h"
#include "dataset/picture.h"

#include <assert.h>
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Tried in this order; the first that recognises a source reads it. */
static const dlda_reader *const readers[] = { &dlda_digits_reader, &dlda_npy_reader,     &dlda_npz_reader,
                                              &dlda_csv_reader,    &dlda_cifar10_reader, &dlda_cifar100_reader,
                                              &dlda_stl10_reader,  &dlda_picture_reader, &dlda_idx_reader,
                                              &dlda_folder_reader };

enum { N_READERS = sizeof readers / sizeof readers[0] };

/* ---- Helpers for the readers ---- */

int dlda_starts_gzip(const dlda_source *source)
{
    return source->n_start >= 2 && source->start[0] == 0x1f && source->start[1] == 0x8b;
}

int dlda_labels_found(char *labels)
{
    FILE *file = NULL;

    if (!labels) return 0;
    if (dlda_file_open(labels, &file) == DLDA_OK) fclose(file); /* the guard notes what is opened */
    dlda_release(labels);
    return 1;
}

static void __attribute__((format(printf, 3, 0)))
report(const dlda_read_spec *spec, void (*callback)(void *user, const char *message), const char *format,
       va_list arguments)
{
    char message[1024];

    if (!callback) return;
    vsnprintf(message, sizeof message, format, arguments);
    callback(spec->user, message);
}

void dlda_read_problem(const dlda_read_spec *spec, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(spec, spec->problem, format, arguments);
    va_end(arguments);
}

void dlda_read_note(const dlda_read_spec *spec, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    report(spec, spec->note, format, arguments);
    va_end(arguments);
}

dlda_status dlda_dataset_adopt(dlda_raw_images *raw, const int *labels, size_t classes, const char *const *names,
                               dlda_dataset **dataset)
{
    const dlda_dataset_spec spec = { .count = raw->count,
                                     .height = raw->height,
                                     .width = raw->width,
                                     .channels = raw->channels,
                                     .classes = classes,
                                     .labels = labels,
                                     .names = names };
    dlda_status status = dlda_dataset_new(&spec, dataset);

    if (status != DLDA_OK) return status;
    (*dataset)->storage->bytes = raw->bytes;
    raw->bytes = NULL;
    return DLDA_OK;
}

dlda_status dlda_shape_rows(const dlda_read_spec *spec, size_t size, size_t *height, size_t *width,
                            size_t *channels)
{
    size_t pixels = 0;

    *height = *width = 1;
    *channels = size;
    if (spec->height == 0 || spec->width == 0) return DLDA_OK;
    if (__builtin_mul_overflow(spec->height, spec->width, &pixels) || size % pixels != 0)
        return dlda_fail(DLDA_E_SHAPE, "%s: rows of %zu numbers, expected a multiple of %zu x %zu", spec->path,
                         size, spec->height, spec->width);
    *height = spec->height;
    *width = spec->width;
    *channels = size / pixels;
    return DLDA_OK;
}

/* ---- Choosing a reader ---- */

/* "'digits', a folder with IDX files or an IDX image file, ..." */
static void list_expected(char *text, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < N_READERS && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", readers[i]->expected);
}

static dlda_status fail_missing(const char *path)
{
    dlda_status status = DLDA_OK;
    size_t n = 0;
    const char *const *names = dlda_known_names(&n);
    char *closest = NULL;

    if (dlda_closest_path(path, names, n, &closest) == DLDA_E_MEMORY) return DLDA_E_MEMORY;
    if (closest) DLDA_FAIL(DLDA_E_IO, "%s: no such file or folder; did you mean '%s'?", path, closest);
    status = dlda_fail(DLDA_E_IO, "%s: no such file or folder", path);
done:
    dlda_release(closest);
    return status;
}

/* 1 if a folder can be read and has nothing in it but hidden entries. */
static int is_empty(const char *folder)
{
    dlda_name_list entries = { 0 };
    int empty = dlda_name_list_add_folder(&entries, folder) == DLDA_OK && entries.count == 0;

    dlda_name_list_release(&entries);
    return empty;
}

static dlda_status fail_unknown(const dlda_source *source)
{
    const char *path = source->spec->path;
    char expected[1024];

    if (source->is_folder && is_empty(path))
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: the folder is empty; expected data, such as a sub-folder of pictures for each class",
                         path);
    list_expected(expected, sizeof expected);
    return dlda_fail(DLDA_E_FORMAT, "%s: %s; expected %s", path,
                     source->is_folder ? "nothing that is known in this folder" : "not a known format", expected);
}

static dlda_status named_reader(const char *format, const dlda_reader **reader)
{
    for (size_t i = 0; i < N_READERS; i++)
        if (strcmp(readers[i]->name, format) == 0) {
            *reader = readers[i];
            return DLDA_OK;
        }
    char known[256];
    size_t used = 0;
    for (size_t i = 0; i < N_READERS && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", readers[i]->name);
    return dlda_fail(DLDA_E_OPTION, "format: found '%s', expected one of %s", format, known);
}

/* *failure is set if something cannot be read; also later, by functions of the reader. */
static dlda_status find_reader(const dlda_read_spec *spec, dlda_source *source, const dlda_reader **reader,
                               dlda_status *failure)
{
    dlda_status status = DLDA_OK;

    *source = (dlda_source){ .spec = spec, .is_folder = dlda_path_is_folder(spec->path), .failure = failure };
    if (!dlda_digits_reader.recognises(source)) {
        if (!dlda_path_exists(spec->path)) return fail_missing(spec->path);
        if (!source->is_folder)
            DLDA_TRY(dlda_file_read_start(spec->path, sizeof source->start, source->start, &source->n_start));
    }
    if (spec->format) return named_reader(spec->format, reader);
    if (dlda_picture_foreign(source->start, source->n_start))
        return dlda_picture_fail(spec->path, source->start, source->n_start);
    for (size_t i = 0; i < N_READERS; i++) {
        int recognised = readers[i]->recognises(source);
        if (*failure != DLDA_OK) return *failure;
        if (!recognised) continue;
        *reader = readers[i];
        return DLDA_OK;
    }
    return fail_unknown(source);
done:
    return status;
}

/* ---- After the reader ---- */

static dlda_status check_spec(const dlda_read_spec *spec)
{
    if (spec->part != DLDA_PART_TRAIN && spec->part != DLDA_PART_TEST)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: part %d, expected DLDA_PART_TRAIN or DLDA_PART_TEST", spec->path,
                         (int)spec->part);
    if (!spec->height != !spec->width)
        return dlda_fail(DLDA_E_ARGUMENT, "%s: images of %zu x %zu are wanted, expected both or none", spec->path,
                         spec->height, spec->width);
    return DLDA_OK;
}

/* Numbers other than bytes have no colours and no known range, so their shape cannot be converted. */
static dlda_status check_values(const dlda_dataset *set, const dlda_read_spec *spec)
{
    dlda_image_shape have = { set->height, set->width, set->channels }, want = dlda_image_shape_wanted(spec, &have);

    if (dlda_image_shape_equal(&have, &want)) return DLDA_OK;
    if (have.height * have.width == 1)
        return dlda_fail(DLDA_E_SHAPE,
                         "found rows of %zu numbers, expected images of %zu x %zu x %zu (height, width, channels)",
                         have.channels, spec->fixed_height ? spec->fixed_height : want.height,
                         spec->fixed_width ? spec->fixed_width : want.width, want.channels);
    return dlda_fail(DLDA_E_SHAPE,
                     "%zu x %zu x %zu numbers, expected %zu x %zu x %zu; only images of bytes are converted",
                     have.height, have.width, have.channels, want.height, want.width, want.channels);
}

/* The set was just created, so its storage is not shared. */
static dlda_status fit_images(dlda_dataset *set, const dlda_read_spec *spec)
{
    dlda_image_shape have = { set->height, set->width, set->channels }, want = dlda_image_shape_wanted(spec, &have);
    dlda_status status = DLDA_OK;

    if (!set->storage->bytes) return check_values(set, spec);
    if (dlda_image_shape_equal(&have, &want)) return DLDA_OK;
    dlda_raw_images raw = { set->count, set->height, set->width, set->channels, set->storage->bytes };
    status = dlda_images_fit(&raw, spec);
    set->storage->bytes = raw.bytes;
    set->height = raw.height;
    set->width = raw.width;
    set->channels = raw.channels;
    return status;
}

typedef dlda_status read_function(const dlda_source *source, dlda_dataset **dataset);

/* Reads a set and converts it to the size and channels that the spec requests. */
static dlda_status read_by(read_function *read, const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *set = NULL;

    DLDA_TRY(read(source, &set));
    if ((status = fit_images(set, source->spec)) != DLDA_OK) {
        status = dlda_fail_at(status, "%s", source->spec->path);
        goto done;
    }
    DLDA_TRY(dlda_dataset_match(set, source->spec));
    *dataset = set;
    set = NULL;
done:
    dlda_dataset_destroy(set);
    return status;
}

/* Replaces the name of a known set by its folder; release `folder`. */
static dlda_status resolve(const dlda_read_spec *spec, dlda_read_spec *resolved, char **folder)
{
    dlda_status status = dlda_known_resolve(spec->path, folder);

    *resolved = *spec;
    if (*folder) resolved->path = *folder;
    return status;
}

dlda_status dlda_dataset_open(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    DLDA_NEED(spec, dataset);
    DLDA_NEED(spec->path);
    dlda_status status = DLDA_OK, failure = DLDA_OK;
    dlda_source source;
    dlda_read_spec resolved;
    const dlda_reader *reader = NULL;
    char *folder = NULL;

    DLDA_TRY(check_spec(spec));
    DLDA_TRY(resolve(spec, &resolved, &folder));
    DLDA_TRY(find_reader(&resolved, &source, &reader, &failure));
    assert(reader);
    DLDA_TRY(read_by(reader->read, &source, dataset));
done:
    dlda_release(folder);
    return status;
}

dlda_status dlda_dataset_read(const char *path, dlda_part part, dlda_dataset **dataset)
{
    DLDA_NEED(path, dataset);
    return dlda_dataset_open(&(dlda_read_spec){ .path = path, .part = part }, dataset);
}

/* What a function of the reader says of a source; 0 if there is none, -1 if it cannot be read. */
static int ask(const dlda_read_spec *spec, int (*answer)(const dlda_reader *reader, const dlda_source *source))
{
    if (!spec || !spec->path) return 0;
    dlda_status failure = DLDA_OK;
    dlda_source source;
    dlda_read_spec resolved;
    const dlda_reader *reader = NULL;
    char *folder = NULL;
    dlda_status status = resolve(spec, &resolved, &folder);
    int found = status == DLDA_OK;

    if (found)
        found = (status = find_reader(&resolved, &source, &reader, &failure)) == DLDA_OK && answer(reader, &source);
    if (status == DLDA_E_MEMORY || failure != DLDA_OK || (status == DLDA_E_IO && dlda_path_exists(resolved.path)))
        found = -1;
    dlda_release(folder);
    return found;
}

static int has_part(const dlda_reader *reader, const dlda_source *source)
{
    assert(reader);
    return reader->has_part(source, source->spec->part);
}

static int has_labels(const dlda_reader *reader, const dlda_source *source)
{
    assert(reader);
    return !reader->has_labels || reader->has_labels(source);
}

int dlda_dataset_has_part(const dlda_read_spec *spec)
{
    return ask(spec, has_part);
}

int dlda_dataset_has_labels(const dlda_read_spec *spec)
{
    return ask(spec, has_labels);
}

dlda_status dlda_dataset_format(const dlda_read_spec *spec, const char **format)
{
    DLDA_NEED(spec, format);
    DLDA_NEED(spec->path);
    dlda_status status = DLDA_OK, failure = DLDA_OK;
    dlda_source source;
    dlda_read_spec resolved;
    const dlda_reader *reader = NULL;
    char *folder = NULL;

    DLDA_TRY(resolve(spec, &resolved, &folder));
    DLDA_TRY(find_reader(&resolved, &source, &reader, &failure));
    assert(reader);
    *format = reader->name;
done:
    dlda_release(folder);
    return status;
}

/* ---- Images without labels ---- */

dlda_status dlda_dataset_open_images(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    DLDA_NEED(spec, dataset);
    DLDA_NEED(spec->path);
    dlda_status status = DLDA_OK, failure = DLDA_OK;
    dlda_source source;
    const dlda_reader *reader = NULL;
    dlda_read_spec without;
    char *folder = NULL;

    DLDA_TRY(check_spec(spec));
    DLDA_TRY(resolve(spec, &without, &folder));
    without.names = NULL; /* labels, if any, are ignored */
    DLDA_TRY(find_reader(&without, &source, &reader, &failure));
    assert(reader);
    DLDA_TRY(read_by(reader->read_images ? reader->read_images : reader->read, &source, dataset));
done:
    dlda_release(folder);
    return status;
}

dlda_status dlda_dataset_read_images(const char *path, size_t channels, dlda_dataset **dataset)
{
    DLDA_NEED(path, dataset);
    if (channels == 0) return dlda_fail(DLDA_E_SHAPE, "%s: 0 channels, expected at least 1", path);
    return dlda_dataset_open_images(&(dlda_read_spec){ .path = path, .part = DLDA_PART_TEST, .channels = channels },
                                    dataset);
}
