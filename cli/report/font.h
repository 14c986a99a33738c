/* SPDX-License-Identifier: MIT
 *
 * font.h - a small bitmap font for text in pictures.
 */
#ifndef DEEPLDA_CLI_FONT_H
#define DEEPLDA_CLI_FONT_H

#include <stdint.h>

enum { GLYPH_WIDTH = 5, GLYPH_HEIGHT = 7 };

/* The rows [GLYPH_HEIGHT] of a character: bit 4 is the leftmost pixel. Other than
 * printable ASCII is shown as '?'. */
const uint8_t *font_glyph(char character);

#endif
