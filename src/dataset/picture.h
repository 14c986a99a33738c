/* SPDX-License-Identifier: MIT
 *
 * picture.h - reads one PNG or JPEG picture as grey or RGB bytes.
 *
 * Bytes are used unchanged: no colour profile or gamma is applied, and an alpha channel is dropped, as in Pillow's
 * convert("RGB"). A JPEG is turned upright as its EXIF data says. A picture is grey if its format is, not if its
 * colours happen to be.
 */
#ifndef DLDA_DATASET_PICTURE_H
#define DLDA_DATASET_PICTURE_H

#include "dataset/resize.h"

#include <stdio.h>

/* 1 if these are the first bytes of a supported picture format. */
int dlda_starts_picture(const uint8_t *start, size_t n);

/* The name of a picture format that is recognised but not read, such as "GIF"; NULL for anything else. */
const char *dlda_picture_foreign(const uint8_t *start, size_t n);
/* The same for a file; NULL also if it cannot be read. */
const char *dlda_picture_file_foreign(const char *path);

/* Fails with what these first bytes are instead of a supported format and, if they are another picture, what to do. */
dlda_status dlda_picture_fail(const char *path, const uint8_t *start, size_t n);

/* Reads the shape from the header, without decoding. */
dlda_status dlda_picture_shape(const char *path, dlda_image_shape *shape);
/* Reads the pixels [height][width][channels]. If the caller is going to shrink the picture, `want` is the size to come: a
 * large JPEG is then decoded at a part of its size, still at least twice as large. NULL: the full size. */
dlda_status dlda_picture_read(const char *path, const dlda_image_shape *want, dlda_raw_images *image);

/* The same for a file in memory; `name` is for messages. */
dlda_status dlda_picture_decode(const void *bytes, size_t size, const char *name, const dlda_image_shape *want,
                                dlda_raw_images *image);

/* ---- For read_png.c and read_jpeg.c ---- */

typedef struct dlda_picture_file {
    const char *path;
    FILE *stream; /* at the first byte */
    size_t size;
    const dlda_image_shape *want; /* see dlda_picture_read */
} dlda_picture_file;

/* Refuses implausible headers: more pixels than the limit, or than the file size allows. */
dlda_status dlda_picture_check(const dlda_picture_file *file, const dlda_image_shape *shape,
                               size_t most_pixels_per_byte);

/* Reads the header only if `pixels` is NULL; else allocates [height][width][channels]. */
dlda_status dlda_png_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);
dlda_status dlda_jpeg_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);

#endif
