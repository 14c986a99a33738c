/* SPDX-License-Identifier: MIT
 *
 * raster.h - words and small images on a picture of pixels.
 *
 * Small images are enlarged by a whole factor, each pixel to a square, so that what is shown is what is there.
 */
#ifndef DLDA_REPORT_RASTER_H
#define DLDA_REPORT_RASTER_H

#include "dataset/writers.h"

enum { DLDA_SHEET_PAPER = 246, DLDA_SHEET_INK = 24, DLDA_SHEET_PALE_INK = 112 };

/* How many letters of a text are shown, at most `most`: a UTF-8 character that the font does not have is one '?'. */
size_t dlda_raster_letters(const char *text, size_t most);
/* Puts them on a page of 3 channels, which must have room. */
void dlda_raster_words(const dlda_raw_images *page, size_t y, size_t x, size_t scale, const char *text, size_t most,
                       int ink);

/* An image of 1 or 3 channels; `low` becomes black and `high` white. */
typedef struct dlda_raster_source {
    size_t height, width, channels;
    const float *values; /* [height][width][channels] */
    float low, high;
} dlda_raster_source;

/* Its pixels as bytes, in 3 channels. */
void dlda_raster_pixel(const dlda_raster_source *source, size_t pixel, uint8_t rgb[3]);
void dlda_raster_image(const dlda_raw_images *page, size_t y, size_t x, size_t scale,
                       const dlda_raster_source *source);

#endif
