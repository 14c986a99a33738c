/* SPDX-License-Identifier: MIT
 *
 * picture.h - one picture in a file of its own, PNG or JPEG, as bytes of grey or RGB.
 *
 * Bytes are taken as they are: no colour profile, no gamma, no EXIF rotation is applied, and an alpha channel is
 * dropped. That is what Pillow's convert("RGB") does. A picture is grey if its file says so, not if it only looks grey.
 */
#ifndef DLDA_DATASET_PICTURE_H
#define DLDA_DATASET_PICTURE_H

#include "dataset/resize.h"

#include <stdio.h>

/* 1 if these are the first bytes of a file that this program takes for a picture. */
int dlda_starts_picture(const uint8_t *start, size_t n);

/* The shape that the header says, without decoding. */
dlda_status dlda_picture_shape(const char *path, dlda_image_shape *shape);
/* The pixels [height][width][channels]. */
dlda_status dlda_picture_read(const char *path, dlda_raw_images *image);

/* The same of a file's bytes in memory, which messages call `name`. */
dlda_status dlda_picture_decode(const void *bytes, size_t size, const char *name, dlda_raw_images *image);

/* ---- For read_png.c and read_jpeg.c ---- */

typedef struct dlda_picture_file {
    const char *path;
    FILE *stream; /* at its first byte */
    size_t size;
} dlda_picture_file;

/* Refuses a header that promises too much: more than any picture has, or than so many bytes can hold. */
dlda_status dlda_picture_check(const dlda_picture_file *file, const dlda_image_shape *shape,
                               size_t most_pixels_per_byte);

/* The header only if `pixels` is NULL; else memory is taken for [height][width][channels]. */
dlda_status dlda_png_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);
dlda_status dlda_jpeg_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);

#endif
