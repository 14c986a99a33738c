/* SPDX-License-Identifier: MIT
 *
 * read.c - finds out what a path stands for, and reads it: the embedded digits, a folder of IDX files, one file.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/embedded.h"
#include "dataset/readers.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A set of images that were read; it takes over their bytes. */
static dlda_status adopt(dlda_raw_images *raw, const int *labels, size_t classes, dlda_dataset **dataset)
{
    const dlda_dataset_spec spec = { .count = raw->count,
                                     .height = raw->height,
                                     .width = raw->width,
                                     .channels = raw->channels,
                                     .classes = classes,
                                     .labels = labels };
    dlda_status status = dlda_dataset_new(&spec, dataset);

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
    FILE *file = NULL;
    dlda_status status = dlda_file_open(path, &file);

    if (status != DLDA_OK) return status;
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
    if ((raw->channels != 1 && raw->channels != 3) || (channels != 1 && channels != 3))
        return dlda_fail(DLDA_E_SHAPE, "%zu channels, expected %zu; only 1 and 3 are converted into each other",
                         raw->channels, channels);
    DLDA_TRY(DLDA_TAKE(&bytes, pixels * channels, "images"));
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
