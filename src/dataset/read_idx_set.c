/* SPDX-License-Identifier: MIT
 *
 * read_idx_set.c - reads data sets in IDX files: the embedded digits, a folder with the usual names, or an image
 * file with its labels beside it.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/embedded.h"
#include "dataset/folder_probe.h"
#include "dataset/readers.h"

#include <stdio.h>
#include <string.h>

/* Reads an image and a label file as one set with at least `classes` classes. */
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
    DLDA_TRY(dlda_dataset_adopt(&raw, numbers, classes, NULL, dataset));
done:
    dlda_release(raw.bytes);
    dlda_release(raw_labels);
    dlda_release(numbers);
    return status;
}

static dlda_status read_embedded(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_input images = dlda_embedded_images(source->spec->part);
    dlda_input labels = dlda_embedded_labels(source->spec->part);

    return read_pair(&images, &labels, DLDA_DIGITS_CLASSES, dataset);
}

static dlda_status read_files(const dlda_read_spec *spec, const char *images, const char *labels,
                              dlda_dataset **dataset)
{
    return read_pair(&(dlda_input){ .name = images, .spec = spec }, &(dlda_input){ .name = labels, .spec = spec },
                     0, dataset);
}

/* Finds `stem`-`kind` in a folder, e.g. train-images-idx3-ubyte; also with '.' for '-', also as .gz. */
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

static dlda_status read_folder(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    const char *folder = spec->path;
    int train = spec->part == DLDA_PART_TRAIN;
    char *images = NULL, *labels = NULL;

    DLDA_TRY(find_in_folder(folder, train ? "train-images" : "t10k-images", "idx3-ubyte", &images));
    DLDA_TRY(find_in_folder(folder, train ? "train-labels" : "t10k-labels", "idx1-ubyte", &labels));
    DLDA_TRY(read_files(spec, images, labels, dataset));
done:
    dlda_release(images);
    dlda_release(labels);
    return status;
}

/* Replaces the last occurrence of `from` in the text by `to`, which has the same length; 0 if there is none. */
static int replace_last(char *text, const char *from, const char *to)
{
    char *last = NULL;

    for (char *at = strstr(text, from); at; at = strstr(at + 1, from)) last = at;
    if (last) memcpy(last, to, strlen(to));
    return last != NULL;
}

/* "x-images-idx3-ubyte" -> "x-labels-idx1-ubyte"; if that is missing, the same with .gz added or removed. */
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

static dlda_status read_file(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    char *labels = NULL;

    DLDA_TRY(find_labels_beside(spec->path, &labels));
    DLDA_TRY(read_files(spec, spec->path, labels, dataset));
done:
    dlda_release(labels);
    return status;
}

/* ---- Readers ---- */

static int is_digits(const dlda_source *source)
{
    return strcmp(source->spec->path, "digits") == 0;
}

static int has_both(const dlda_source *source, dlda_part part)
{
    (void)source;
    (void)part;
    return 1;
}

const dlda_reader dlda_digits_reader = {
    .name = "digits", .expected = "'digits'", .recognises = is_digits, .has_part = has_both, .read = read_embedded
};

/* 1 if any file of that part exists: an incomplete part is an error, not an absent part. */
static int folder_has_part(const dlda_source *source, dlda_part part)
{
    return dlda_folder_has(source->spec->path, part == DLDA_PART_TRAIN ? "train-" : "t10k-", source->failure);
}

static int is_folder(const dlda_source *source)
{
    return source->is_folder && (dlda_folder_has(source->spec->path, "train-images", source->failure) ||
                                 dlda_folder_has(source->spec->path, "train-labels", source->failure) ||
                                 dlda_folder_has(source->spec->path, "t10k-", source->failure));
}

static int is_file(const dlda_source *source)
{
    int zeros = source->n_start >= 4 && source->start[0] == 0 && source->start[1] == 0;
    int named = strstr(source->spec->path, "-ubyte") !=
                NULL; /* recognised even if damaged, so that the error names the format */
    return !source->is_folder && (zeros || named || dlda_starts_gzip(source));
}

static int recognises_idx(const dlda_source *source)
{
    return is_folder(source) || is_file(source);
}

/* A single file belongs to no part: using it as test data would mean testing on the training data. */
static int has_part(const dlda_source *source, dlda_part part)
{
    return source->is_folder ? folder_has_part(source, part) : part == DLDA_PART_TRAIN;
}

static dlda_status read_idx(const dlda_source *source, dlda_dataset **dataset)
{
    return source->is_folder ? read_folder(source->spec, dataset) : read_file(source->spec, dataset);
}

static int has_labels(const dlda_source *source)
{
    char *labels = NULL;

    if (source->is_folder) return 1;
    (void)find_labels_beside(source->spec->path, &labels);
    return dlda_labels_found(labels);
}

static dlda_status read_images(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };

    if (source->is_folder) return read_idx(source, dataset);
    (void)has_labels(source); /* which protects them */
    DLDA_TRY(dlda_idx_read_images(&(dlda_input){ .name = source->spec->path, .spec = source->spec }, &raw));
    DLDA_TRY(dlda_dataset_adopt(&raw, NULL, 0, NULL, dataset));
done:
    dlda_release(raw.bytes);
    return status;
}

const dlda_reader dlda_idx_reader = { .name = "idx",
                                      .expected = "a folder with IDX files or an IDX image file",
                                      .recognises = recognises_idx,
                                      .has_part = has_part,
                                      .read = read_idx,
                                      .read_images = read_images,
                                      .has_labels = has_labels };
