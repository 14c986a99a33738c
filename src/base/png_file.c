/* SPDX-License-Identifier: MIT
 *
 * png_file.c - writes PNG files with libpng's simplified interface.
 */
#include "base/png_file.h"
#include "base/file.h"
#include "base/memory.h"

#include <png.h>

dlda_status dlda_png_encode(const char *name, const dlda_pixels *pixels, uint8_t **png, size_t *size)
{
    dlda_status status = DLDA_OK;
    png_image image = { .version = PNG_IMAGE_VERSION,
                        .width = (png_uint_32)pixels->width,
                        .height = (png_uint_32)pixels->height,
                        .format = pixels->channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY };
    png_alloc_size_t room = PNG_IMAGE_PNG_SIZE_MAX(image);

    DLDA_TRY(DLDA_TAKE(png, room, name));
    if (!png_image_write_to_memory(&image, *png, &room, 0, pixels->bytes, 0, NULL))
        DLDA_FAIL(DLDA_E_MEMORY, "%s: cannot make a PNG: %s", name, image.message);
    *size = room;
done:
    png_image_free(&image);
    return status;
}

dlda_status dlda_png_write(const char *path, const dlda_pixels *image)
{
    dlda_status status = DLDA_OK;
    uint8_t *png = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_png_encode(path, image, &png, &size));
    DLDA_TRY(dlda_file_write(path, png, size));
done:
    dlda_release(png);
    return status;
}
