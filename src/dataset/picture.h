/* SPDX-License-Identifier: MIT
 *
 * picture.h - reads one PNG or JPEG picture as grey or RGB bytes.
 *
 * Bytes are used unchanged: no colour profile, gamma or EXIF rotation is applied, and an alpha channel is dropped,
 * as in Pillow's convert("RGB"). A picture is grey if its format is, not if its colours happen to be.
 */
#ifndef DLDA_DATASET_PICTURE_H
#define DLDA_DATASET_PICTURE_H

#include "dataset/resize.h"

#include <stdio.h>

/* 1 if these are the first bytes of a supported picture format. */
int dlda_starts_picture(const uint8_t *start, size_t n);

/* Reads the shape from the header, without decoding. */
dlda_status dlda_picture_shape(const char *path, dlda_image_shape *shape);
/* Reads the pixels [height][width][channels]. */
dlda_status dlda_picture_read(const char *path, dlda_raw_images *image);

/* The same for a file in memory; `name` is for messages. */
dlda_status dlda_picture_decode(const void *bytes, size_t size, const char *name, dlda_raw_images *image);

/* ---- For read_png.c and read_jpeg.c ---- */

typedef struct dlda_picture_file {
    const char *path;
    FILE *stream; /* at the first byte */
    size_t size;
} dlda_picture_file;

/* Refuses implausible headers: more pixels than the limit, or than the file size allows. */
dlda_status dlda_picture_check(const dlda_picture_file *file, const dlda_image_shape *shape,
                               size_t most_pixels_per_byte);

/* Reads the header only if `pixels` is NULL; else allocates [height][width][channels]. */
dlda_status dlda_png_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);
dlda_status dlda_jpeg_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);

#endif
