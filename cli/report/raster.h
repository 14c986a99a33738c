/* SPDX-License-Identifier: MIT
 *
 * raster.h - draws text and small images into a picture.
 *
 * Small images are enlarged by an integer factor without smoothing.
 */
#ifndef DEEPLDA_CLI_RASTER_H
#define DEEPLDA_CLI_RASTER_H

#include "base/png_file.h"

enum { SHEET_PAPER = 246, SHEET_INK = 24, SHEET_PALE_INK = 112 };

/* Number of letters shown of a text, at most `most`: a UTF-8 character that the font lacks is one '?'. */
size_t raster_letters(const char *text, size_t most);
/* Draws them on a page of 3 channels, which must have room. */
void raster_text(const dlda_pixels *page, size_t y, size_t x, size_t scale, const char *text, size_t most, int ink);

/* An image of 1 or 3 channels; `low` becomes black and `high` white. */
typedef struct raster_source {
    size_t height, width, channels;
    const float *values; /* [height][width][channels] */
    float low, high;
} raster_source;

/* Its pixels as bytes, in 3 channels. */
void raster_pixel(const raster_source *source, size_t pixel, uint8_t rgb[3]);
void raster_image(const dlda_pixels *page, size_t y, size_t x, size_t scale, const raster_source *source);

#endif
