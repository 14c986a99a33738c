/* SPDX-License-Identifier: MIT
 *
 * picture.c - opens a picture, detects its format by its first bytes, and refuses implausible sizes.
 */
#define _GNU_SOURCE
#include "dataset/picture.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { SIGNATURE = 16 };

/* 200 MB in RGB: as large as the pictures of most cameras. Encoders use a dozen scans. */
static const size_t default_pixels = (size_t)1 << 26, default_scans = 100;

size_t dlda_picture_most_pixels(const dlda_picture_request *request)
{
    return request->most_pixels ? request->most_pixels : default_pixels;
}

size_t dlda_picture_most_scans(const dlda_picture_request *request)
{
    return request->most_scans ? request->most_scans : default_scans;
}

typedef dlda_status decoder(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);

static decoder *decoder_of(const uint8_t *start, size_t n)
{
    static const uint8_t png[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
    static const uint8_t jpeg[3] = { 0xff, 0xd8, 0xff };

    if (n >= sizeof png && memcmp(start, png, sizeof png) == 0) return dlda_png_read;
    if (n >= sizeof jpeg && memcmp(start, jpeg, sizeof jpeg) == 0) return dlda_jpeg_read;
    return NULL;
}

int dlda_starts_picture(const uint8_t *start, size_t n)
{
    return decoder_of(start, n) != NULL;
}

/* ---- Formats that are not read ---- */

static int begins(const uint8_t *start, size_t n, size_t at, const char *text, size_t length)
{
    return n >= at + length && memcmp(start + at, text, length) == 0;
}

/* A file of the ISO base media format: its first four letters after "ftyp" say of what kind. */
static const char *name_of_brand(const uint8_t *start, size_t n)
{
    static const char heic[][5] = { "heic", "heix", "hevc", "heim", "heis", "mif1", "msf1" };

    if (!begins(start, n, 4, "ftyp", 4)) return NULL;
    if (begins(start, n, 8, "avif", 4) || begins(start, n, 8, "avis", 4)) return "AVIF";
    for (size_t i = 0; i < sizeof heic / sizeof heic[0]; i++)
        if (begins(start, n, 8, heic[i], 4)) return "HEIC";
    return NULL;
}

const char *dlda_picture_foreign(const uint8_t *start, size_t n)
{
    static const char zeros[4] = { 0 };

    if (begins(start, n, 0, "GIF87a", 6) || begins(start, n, 0, "GIF89a", 6)) return "GIF";
    if (begins(start, n, 0, "RIFF", 4) && begins(start, n, 8, "WEBP", 4)) return "WebP";
    if (begins(start, n, 0, "BM", 2) && begins(start, n, 6, zeros, 4)) return "BMP";
    if (begins(start, n, 0, "II*\0", 4) || begins(start, n, 0, "MM\0*", 4)) return "TIFF";
    return name_of_brand(start, n);
}

const char *dlda_picture_file_foreign(const char *path)
{
    uint8_t start[SIGNATURE] = { 0 };
    size_t n = 0;

    return dlda_file_read_start(path, sizeof start, start, &n) == DLDA_OK ? dlda_picture_foreign(start, n) : NULL;
}

dlda_status dlda_picture_fail(const char *path, const uint8_t *start, size_t n)
{
    const char *foreign = dlda_picture_foreign(start, n);

    if (!foreign) return dlda_fail(DLDA_E_FORMAT, "%s: neither a PNG nor a JPEG picture", path);
    return dlda_fail(
        DLDA_E_FORMAT,
        "%s: a picture in %s format, expected PNG or JPEG; convert it, for example with ImageMagick: mogrify "
        "-auto-orient -format png FILE",
        path, foreign);
}

/* ---- Reading ---- */

dlda_status dlda_picture_check(const dlda_picture_file *file, const dlda_image_shape *shape,
                               size_t most_pixels_per_byte)
{
    size_t most_pixels = dlda_picture_most_pixels(file->request);

    if (shape->height == 0 || shape->width == 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu x %zu pixels, expected at least 1 x 1", file->path, shape->height,
                         shape->width);
    if (shape->height > most_pixels / shape->width)
        return dlda_fail(DLDA_E_FORMAT, "%s: %zu x %zu pixels, expected at most %zu in all", file->path,
                         shape->height, shape->width, most_pixels);
    if (shape->height * shape->width / most_pixels_per_byte > file->size)
        return dlda_fail(DLDA_E_FORMAT, "%s: the header promises %zu x %zu pixels, more than %zu bytes can hold",
                         file->path, shape->height, shape->width, file->size);
    return DLDA_OK;
}

static dlda_status size_of(const char *path, FILE *stream, size_t *size)
{
    struct stat info;

    if (fstat(fileno(stream), &info) != 0)
        return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
    *size = (size_t)info.st_size;
    return DLDA_OK;
}

/* Reads the header and compares it with the only size that the caller accepts. */
static dlda_status check_size(const dlda_picture_file *file, decoder *decode)
{
    dlda_status status = DLDA_OK;
    const dlda_image_shape *only = file->request->only;
    dlda_image_shape have = { 0 };

    if (!only) return DLDA_OK;
    DLDA_TRY(decode(file, &have, NULL));
    if (have.height != only->height || have.width != only->width)
        DLDA_FAIL(
            DLDA_E_SHAPE,
            "%s: %zu x %zu pixels (height, width), expected %zu x %zu; option resize %zux%zu converts pictures "
            "to that size",
            file->path, have.height, have.width, only->height, only->width, only->height, only->width);
    rewind(file->stream);
done:
    return status;
}

static dlda_status read_stream(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels)
{
    dlda_status status = DLDA_OK;
    uint8_t start[SIGNATURE] = { 0 };
    size_t n = fread(start, 1, sizeof start, file->stream);
    decoder *decode = decoder_of(start, n);

    if (ferror(file->stream)) return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", file->path, strerror(errno));
    if (!decode) return dlda_picture_fail(file->path, start, n);
    rewind(file->stream);
    if (pixels) DLDA_TRY(check_size(file, decode));
    DLDA_TRY(decode(file, shape, pixels));
done:
    return status;
}

static const dlda_picture_request no_request = { 0 };

static dlda_status read_picture(const char *path, const dlda_picture_request *request, dlda_image_shape *shape,
                                uint8_t **pixels)
{
    dlda_status status = DLDA_OK;
    dlda_picture_file file = { .path = path, .request = request ? request : &no_request };

    DLDA_TRY(dlda_file_open(path, &file.stream));
    DLDA_TRY(size_of(path, file.stream, &file.size));
    DLDA_TRY(read_stream(&file, shape, pixels));
done:
    if (file.stream) fclose(file.stream);
    return status;
}

dlda_status dlda_picture_shape(const char *path, const dlda_picture_request *request, dlda_image_shape *shape)
{
    return read_picture(path, request, shape, NULL);
}

dlda_status dlda_picture_size(const dlda_read_spec *spec, size_t *height, size_t *width, size_t *channels)
{
    DLDA_NEED(spec, height, width, channels);
    DLDA_NEED(spec->path);
    dlda_image_shape shape = { 0 };
    dlda_status status = dlda_picture_shape(spec->path, &(dlda_picture_request){ .most_pixels = spec->most_pixels },
                                            &shape);

    if (status != DLDA_OK) return status;
    *height = shape.height;
    *width = shape.width;
    *channels = shape.channels;
    return DLDA_OK;
}

dlda_status dlda_picture_read(const char *path, const dlda_picture_request *request, dlda_raw_images *image)
{
    dlda_image_shape shape = { 0 };
    uint8_t *pixels = NULL;
    dlda_status status = read_picture(path, request, &shape, &pixels);

    if (status == DLDA_OK) *image = (dlda_raw_images){ 1, shape.height, shape.width, shape.channels, pixels };
    return status;
}

dlda_status dlda_picture_decode(const void *bytes, size_t size, const char *name,
                                const dlda_picture_request *request, dlda_raw_images *image)
{
    dlda_image_shape shape = { 0 };
    uint8_t *pixels = NULL;
    dlda_picture_file file = { .path = name, .size = size, .request = request ? request : &no_request };

    if (size == 0) return dlda_fail(DLDA_E_FORMAT, "%s: 0 bytes, expected a PNG or JPEG picture", name);
    file.stream = fmemopen((void *)bytes, size, "r"); /* opened for reading only */
    if (!file.stream) return dlda_fail(DLDA_E_MEMORY, "%s: cannot read from memory: %s", name, strerror(errno));
    dlda_status status = read_stream(&file, &shape, &pixels);
    fclose(file.stream);
    if (status == DLDA_OK) *image = (dlda_raw_images){ 1, shape.height, shape.width, shape.channels, pixels };
    return status;
}

/* ---- Reader: a single picture, without label ---- */

static int recognises_picture(const dlda_source *source)
{
    return dlda_starts_picture(source->start, source->n_start);
}

static int has_no_part(const dlda_source *source, dlda_part part)
{
    (void)source;
    (void)part;
    return 0;
}

static int has_no_labels(const dlda_source *source)
{
    (void)source;
    return 0;
}

static dlda_status refuse_picture(const dlda_source *source, dlda_dataset **dataset)
{
    (void)dataset;
    return dlda_fail(DLDA_E_FORMAT,
                     "%s: a single picture has no label; expected a folder with a sub-folder per class",
                     source->spec->path);
}

/* A size in the spec lets a picture be decoded at a part of its size, or be refused by its header. */
static dlda_status read_alone(const dlda_source *source, dlda_dataset **dataset)
{
    dlda_status status = DLDA_OK;
    dlda_raw_images raw = { 0 };
    const dlda_read_spec *spec = source->spec;
    const dlda_image_shape wanted = { .height = spec->height, .width = spec->width };
    const dlda_image_shape fixed = { .height = spec->fixed_height, .width = spec->fixed_width };
    const dlda_picture_request request = { .want = wanted.height ? &wanted : NULL,
                                           .only = !wanted.height && fixed.height ? &fixed : NULL,
                                           .most_pixels = spec->most_pixels,
                                           .most_scans = spec->most_scans };

    if (fixed.height * fixed.width == 1)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: found a picture, expected a table with rows of numbers", spec->path);
    DLDA_TRY(dlda_picture_read(spec->path, &request, &raw));
    DLDA_TRY(dlda_dataset_adopt(&raw, NULL, 0, NULL, dataset));
done:
    dlda_release(raw.bytes);
    return status;
}

const dlda_reader dlda_picture_reader = { .name = "picture",
                                          .expected = "a PNG or JPEG picture",
                                          .recognises = recognises_picture,
                                          .has_part = has_no_part,
                                          .read = refuse_picture,
                                          .read_images = read_alone,
                                          .has_labels = has_no_labels };
