/* SPDX-License-Identifier: MIT
 *
 * font.h - a small font of our own for words in pictures.
 */
#ifndef DLDA_REPORT_FONT_H
#define DLDA_REPORT_FONT_H

#include <stdint.h>

enum { DLDA_GLYPH_WIDTH = 5, DLDA_GLYPH_HEIGHT = 7 };

/* The rows [DLDA_GLYPH_HEIGHT] of a character: bit 4 is the leftmost pixel. What is not printable ASCII looks like '?'. */
const uint8_t *dlda_glyph(char character);

#endif
