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

/* How to read pictures; zeros are the defaults. */
typedef struct dlda_picture_request {
    const dlda_image_shape
        *want; /* the caller is going to shrink the picture to this size: a large JPEG is then decoded at
                                     a part of its size, still at least twice as large; NULL: the full size */
    const dlda_image_shape *only;   /* DLDA_E_SHAPE for pictures of another height or width; NULL: any size  */
    size_t most_pixels, most_scans; /* see dlda_read_spec */
} dlda_picture_request;

/* Reads the shape from the header, without decoding. */
dlda_status dlda_picture_shape(const char *path, const dlda_picture_request *request, dlda_image_shape *shape);
/* Reads the pixels [height][width][channels]. What the request forbids is refused by the header, before decoding. */
dlda_status dlda_picture_read(const char *path, const dlda_picture_request *request, dlda_raw_images *image);

/* The same for a file in memory; `name` is for messages. */
dlda_status dlda_picture_decode(const void *bytes, size_t size, const char *name,
                                const dlda_picture_request *request, dlda_raw_images *image);

/* ---- For read_png.c and read_jpeg.c ---- */

typedef struct dlda_picture_file {
    const char *path;
    FILE *stream; /* at the first byte */
    size_t size;
    const dlda_picture_request *request;
} dlda_picture_file;

/* The limits of a request, or their defaults. */
size_t dlda_picture_most_pixels(const dlda_picture_request *request);
size_t dlda_picture_most_scans(const dlda_picture_request *request);

/* Refuses implausible headers: more pixels than the limit, or than the file size allows. */
dlda_status dlda_picture_check(const dlda_picture_file *file, const dlda_image_shape *shape,
                               size_t most_pixels_per_byte);

/* Reads the header only if `pixels` is NULL; else allocates [height][width][channels]. */
dlda_status dlda_png_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);
dlda_status dlda_jpeg_read(const dlda_picture_file *file, dlda_image_shape *shape, uint8_t **pixels);

#endif
