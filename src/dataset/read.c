/* SPDX-License-Identifier: MIT
 *
 * read.c - finds out what a path stands for, and has it read: a data set by one of the readers, or images alone.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/readers.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* Asked in this order; the first that recognises a source reads it. */
static const dlda_reader *const readers[] = { &dlda_digits_reader, &dlda_npy_reader, &dlda_npz_reader,
                                              &dlda_csv_reader, &dlda_idx_reader };

enum { N_READERS = sizeof readers / sizeof readers[0] };

/* ---- For the readers ---- */

int dlda_folder_has(const char *folder, const char *start)
{
    DIR *stream = opendir(folder);
    int found = 0;

    if (!stream) return 0;
    for (struct dirent *entry = readdir(stream); entry && !found; entry = readdir(stream))
        found = strncmp(entry->d_name, start, strlen(start)) == 0;
    closedir(stream);
    return found;
}

int dlda_starts_gzip(const dlda_source *source)
{
    return source->n_start >= 2 && source->start[0] == 0x1f && source->start[1] == 0x8b;
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

static dlda_status fail_unknown(dlda_status status, const char *path, const char *problem)
{
    static const char *const words[] = { "digits" };
    char expected[1024];

    if (dlda_closest_word(path, words, 1) == 0)
        return dlda_fail(status, "%s: %s; did you mean 'digits'?", path, problem);
    list_expected(expected, sizeof expected);
    return dlda_fail(status, "%s: %s; expected %s", path, problem, expected);
}

static dlda_status named_reader(const char *format, const dlda_reader **reader)
{
    for (size_t i = 0; i < N_READERS; i++)
        if (strcmp(readers[i]->name, format) == 0) {
            *reader = readers[i];
            return DLDA_OK;
        }
    return dlda_fail(DLDA_E_OPTION, "format: found '%s', which is not known", format);
}

static dlda_status find_reader(const dlda_read_spec *spec, dlda_source *source, const dlda_reader **reader)
{
    dlda_status status = DLDA_OK;

    *source = (dlda_source){ .spec = spec, .is_folder = dlda_path_is_folder(spec->path) };
    if (!dlda_digits_reader.recognises(source)) {
        if (!dlda_path_exists(spec->path)) return fail_unknown(DLDA_E_IO, spec->path, "no such file or folder");
        if (!source->is_folder)
            DLDA_TRY(dlda_file_read_start(spec->path, sizeof source->start, source->start, &source->n_start));
    }
    if (spec->format) return named_reader(spec->format, reader);
    for (size_t i = 0; i < N_READERS; i++)
        if (readers[i]->recognises(source)) {
            *reader = readers[i];
            return DLDA_OK;
        }
    return fail_unknown(DLDA_E_FORMAT, spec->path,
                        source->is_folder ? "nothing that is known in this folder" : "not a known format");
done:
    return status;
}

dlda_status dlda_dataset_open(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_source source;
    const dlda_reader *reader = NULL;

    if (spec->part != DLDA_TRAIN && spec->part != DLDA_TEST)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: part %d, expected DLDA_TRAIN or DLDA_TEST", spec->path, (int)spec->part);
    DLDA_TRY(find_reader(spec, &source, &reader));
    DLDA_TRY(reader->read(&source, dataset));
done:
    return status;
}

dlda_status dlda_dataset_read(const char *path, dlda_part part, dlda_dataset **dataset)
{
    return dlda_dataset_open(&(dlda_read_spec){ .path = path, .part = part }, dataset);
}

int dlda_dataset_has_part(const dlda_read_spec *spec)
{
    dlda_source source;
    const dlda_reader *reader = NULL;

    return find_reader(spec, &source, &reader) == DLDA_OK && reader->has_part(&source, spec->part);
}

/* ---- Images without labels ---- */

typedef enum file_kind { FILE_PNG, FILE_NPY, FILE_IDX, FILE_OTHER } file_kind;

/* By its first bytes, whatever its name. */
static dlda_status recognise(const char *path, file_kind *kind)
{
    static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    uint8_t start[8] = { 0xff };
    size_t n = 0;
    dlda_status status = dlda_file_read_start(path, sizeof start, start, &n);

    if (status != DLDA_OK) return status;
    int gzip = start[0] == 0x1f && start[1] == 0x8b;
    if (n == sizeof png && memcmp(start, png, sizeof png) == 0) *kind = FILE_PNG;
    else if (dlda_starts_npy(start, n)) *kind = FILE_NPY;
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
    if (kind == FILE_OTHER) DLDA_FAIL(DLDA_E_FORMAT, "%s: neither an IDX image file nor a PNG nor an .npy", path);
    if (kind == FILE_NPY) return dlda_npy_read_images(path, dataset);
    if (kind == FILE_PNG) DLDA_TRY(dlda_png_read(path, &raw));
    else DLDA_TRY(dlda_idx_read_images(&(dlda_input){ .name = path }, &raw));
    if ((status = convert_channels(&raw, channels)) != DLDA_OK) {
        status = dlda_fail_at(status, "%s", path);
        goto done;
    }
    DLDA_TRY(dlda_dataset_adopt(&raw, NULL, 0, NULL, dataset));
done:
    dlda_release(raw.bytes);
    return status;
}
