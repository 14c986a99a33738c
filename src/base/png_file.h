/* SPDX-License-Identifier: MIT
 *
 * png_file.h - writes a byte image as PNG.
 */
#ifndef DLDA_BASE_PNG_FILE_H
#define DLDA_BASE_PNG_FILE_H

#include "base/status.h"

enum { DLDA_PNG_MOST_SIDE = 0x7FFFFFFF / 4 }; /* limit of libpng's arithmetic */

typedef struct dlda_pixels {
    size_t height, width, channels; /* 1 (grey) or 3 (RGB) channels */
    uint8_t *bytes;                 /* [height][width][channels]    */
} dlda_pixels;

/* Encodes in memory; release *png with dlda_release. `name` names the image in errors. */
dlda_status dlda_png_encode(const char *name, const dlda_pixels *image, uint8_t **png, size_t *size);
/* Writes a file atomically. */
dlda_status dlda_png_write(const char *path, const dlda_pixels *image);

#endif
