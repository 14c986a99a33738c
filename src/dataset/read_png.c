/* SPDX-License-Identifier: MIT
 *
 * read_png.c - one PNG image as grey or RGB bytes, by libpng's simplified interface.
 *
 * That interface has no setjmp and frees what it took when it fails. Palettes and 16 bits become 8 bits;
 * what is transparent lies on black.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/readers.h"

#include <png.h>
#include <string.h>

enum { SIGNATURE = 8, CHUNK_FRAME = 12, MOST_SIDE = 16384, MOST_DEFLATE = 1032 };

static const size_t most_file = (size_t)1 << 30;

/* libpng is content when it has all rows; a file cut behind them is damaged all the same. */
static dlda_status check_last_chunk(const char *path, const uint8_t *bytes, size_t size)
{
    for (size_t at = SIGNATURE; size - at >= CHUNK_FRAME;) {
        const uint8_t *b = bytes + at;
        size_t length = (size_t)b[0] << 24 | (size_t)b[1] << 16 | (size_t)b[2] << 8 | b[3];
        if (length > size - at - CHUNK_FRAME) break;
        if (memcmp(b + 4, "IEND", 4) == 0) return DLDA_OK;
        at += length + CHUNK_FRAME;
    }
    return dlda_fail(DLDA_E_FORMAT, "%s: PNG cut short: %zu bytes without the chunk IEND", path, size);
}

/* The header is a promise: no file holds more pixels than deflate can make of its bytes, at one bit each. */
static dlda_status check_size(const char *path, const png_image *image, size_t file_size)
{
    if (image->width > MOST_SIDE || image->height > MOST_SIDE)
        return dlda_fail(DLDA_E_FORMAT, "%s: %u x %u pixels, expected at most %d x %d", path, image->width,
                         image->height, MOST_SIDE, MOST_SIDE);
    if ((size_t)image->width * image->height / 8 > file_size * MOST_DEFLATE)
        return dlda_fail(DLDA_E_FORMAT, "%s: the header promises %u x %u pixels, more than %zu bytes can hold",
                         path, image->width, image->height, file_size);
    return DLDA_OK;
}

static dlda_status decode(const char *path, png_image *image, dlda_raw_images *result)
{
    dlda_status status = DLDA_OK;
    int colour = (image->format & PNG_FORMAT_FLAG_COLOR) != 0;
    size_t channels = colour ? 3 : 1;
    const png_color black = { 0, 0, 0 };
    uint8_t *pixels = NULL;

    image->format = colour ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    DLDA_TRY(DLDA_TAKE(&pixels, (size_t)image->width * image->height * channels, path));
    if (!png_image_finish_read(image, &black, pixels, 0, NULL))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: not a valid PNG: %s", path, image->message);
    *result = (dlda_raw_images){ 1, image->height, image->width, channels, pixels };
    pixels = NULL;
done:
    dlda_release(pixels);
    return status;
}

dlda_status dlda_png_read(const char *path, dlda_raw_images *result)
{
    dlda_status status = DLDA_OK;
    png_image image = { .version = PNG_IMAGE_VERSION };
    char *bytes = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_file_read(path, most_file, &bytes, &size));
    if (size < SIGNATURE || !png_image_begin_read_from_memory(&image, bytes, size))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: not a valid PNG: %s", path, image.message);
    DLDA_TRY(check_last_chunk(path, (const uint8_t *)bytes, size));
    DLDA_TRY(check_size(path, &image, size));
    DLDA_TRY(decode(path, &image, result));
done:
    png_image_free(&image);
    dlda_release(bytes);
    return status;
}
