/* SPDX-License-Identifier: MIT
 *
 * palette.h - colours and shapes that can be told apart with any kind of colour vision, on light and on dark paper.
 */
#ifndef DEEPLDA_CLI_PALETTE_H
#define DEEPLDA_CLI_PALETTE_H

#include "base/file.h"

enum {
    PALETTE_STYLES = 20 /* distinct pairs of colour and shape; further classes are grey */
};

/* Greys of the scripts. */
#define PALETTE_NUMBER  "#111111" /* numbers in cells                        */
#define PALETTE_TEXT    "#333333"
#define PALETTE_AXIS    "#666666"
#define PALETTE_GUIDE   "#888888" /* lines to compare with                  */
#define PALETTE_PALE    "#8899AA" /* data that are not the main subject     */
#define PALETTE_GRID    "#DDDDDD"
#define PALETTE_CELL    "#DCDCDC" /* the diagonal of a confusion matrix     */
#define PALETTE_OTHERS  "#BBBBBB" /* classes without a style of their own   */
#define PALETTE_REVERSE "#FFFFFF" /* text on cells of the strongest colours */

/* Writes the styles as gnuplot's line types 1 .. PALETTE_STYLES, and grey as the next one. */
dlda_status palette_write_styles(dlda_file_writer *script);
/* Writes a colour scale from nearly white to dark blue, with uniform steps of lightness, as gnuplot's palette. */
dlda_status palette_write_scale(dlda_file_writer *script);

/* Writes the colours as CSS variables: --f0, --f1 and so on, for light screens and paper; or for dark screens. */
dlda_status palette_write_variables(dlda_file_writer *page, int dark);
/* The number of the variable of a colour 0xRRGGBB; -1 if it is not one of the palette. */
int palette_find(unsigned rgb);

#endif
