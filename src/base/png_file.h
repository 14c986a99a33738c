/* SPDX-License-Identifier: MIT
 *
 * png_file.h - an image of bytes as PNG.
 */
#ifndef DLDA_BASE_PNG_FILE_H
#define DLDA_BASE_PNG_FILE_H

#include "base/status.h"

enum { DLDA_PNG_MOST_SIDE = 0x7FFFFFFF / 4 }; /* what libpng can compute with */

typedef struct dlda_pixels {
    size_t height, width, channels; /* 1 (grey) or 3 (RGB) channels */
    uint8_t *bytes;                 /* [height][width][channels]    */
} dlda_pixels;

/* In memory: *png is released with dlda_release. `name` stands for the image in errors. */
dlda_status dlda_png_encode(const char *name, const dlda_pixels *image, uint8_t **png, size_t *size);
/* As a file, which appears as a whole or not at all. */
dlda_status dlda_png_write(const char *path, const dlda_pixels *image);

#endif
