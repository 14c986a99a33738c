/* SPDX-License-Identifier: MIT
 *
 * raster.c - draws text and images pixel by pixel.
 */
#include "report/raster.h"
#include "report/font.h"

#include <math.h>
#include <string.h>

/* ---- Text ---- */

static void put_pixel(const dlda_pixels *page, size_t y, size_t x, const uint8_t rgb[3])
{
    memcpy(page->bytes + (y * page->width + x) * 3, rgb, 3);
}

static void put_square(const dlda_pixels *page, size_t y, size_t x, size_t side, const uint8_t rgb[3])
{
    for (size_t i = 0; i < side; i++)
        for (size_t j = 0; j < side; j++) put_pixel(page, y + i, x + j, rgb);
}

static void put_letter(const dlda_pixels *page, size_t y, size_t x, size_t scale, char letter, int ink)
{
    const uint8_t rgb[3] = { (uint8_t)ink, (uint8_t)ink, (uint8_t)ink };
    const uint8_t *rows = font_glyph(letter);

    for (size_t i = 0; i < GLYPH_HEIGHT; i++)
        for (size_t j = 0; j < GLYPH_WIDTH; j++)
            if (rows[i] >> (GLYPH_WIDTH - 1 - j) & 1) put_square(page, y + i * scale, x + j * scale, scale, rgb);
}

/* A UTF-8 character that the font lacks is shown as one letter: its continuation bytes are skipped. */
static int is_shown(char byte)
{
    return ((unsigned char)byte & 0xC0) != 0x80;
}

/* The letter of the font for a character: accents of the Latin letters U+00C0 to U+00FF are omitted; the ellipsis of
 * shortened texts is a dot; the font shows others as '?'. */
static char letter_of(const char *text)
{
    static const char plain[] = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYPsaaaaaaaceeeeiiiidnooooo/ouuuuypy";

    if ((unsigned char)text[0] == 0xC3 && !is_shown(text[1])) return plain[(unsigned char)text[1] & 0x3F];
    return strncmp(text, "\xE2\x80\xA6", 3) == 0 ? '.' : text[0];
}

size_t raster_letters(const char *text, size_t most)
{
    size_t count = 0;

    for (; *text; text++) count += (size_t)is_shown(*text);
    return count < most ? count : most;
}

void raster_text(const dlda_pixels *page, size_t y, size_t x, size_t scale, const char *text, size_t most, int ink)
{
    size_t used = 0;

    for (; *text && used < most; text++) {
        if (!is_shown(*text)) continue;
        put_letter(page, y, x + used * (GLYPH_WIDTH + 1) * scale, scale, letter_of(text), ink);
        used++;
    }
}

/* ---- Images ---- */

static uint8_t shade(const raster_source *source, float value)
{
    float share = (value - source->low) / (source->high - source->low);

    return (uint8_t)lroundf(255 * (share < 0 ? 0 : share > 1 ? 1 : share));
}

void raster_pixel(const raster_source *source, size_t pixel, uint8_t rgb[3])
{
    const float *values = source->values + pixel * source->channels;

    for (size_t c = 0; c < 3; c++) rgb[c] = shade(source, values[source->channels == 3 ? c : 0]);
}

void raster_image(const dlda_pixels *page, size_t y, size_t x, size_t scale, const raster_source *source)
{
    uint8_t rgb[3];

    for (size_t p = 0; p < source->height * source->width; p++) {
        raster_pixel(source, p, rgb);
        put_square(page, y + p / source->width * scale, x + p % source->width * scale, scale, rgb);
    }
}
