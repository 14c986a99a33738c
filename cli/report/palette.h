/* SPDX-License-Identifier: MIT
 *
 * palette.h - colours and shapes that can be told apart with any kind of colour vision.
 */
#ifndef DEEPLDA_CLI_PALETTE_H
#define DEEPLDA_CLI_PALETTE_H

#include "base/file.h"

enum {
    PALETTE_STYLES = 20 /* distinct pairs of colour and shape; further classes are grey */
};

/* Writes the styles as gnuplot's line types 1 .. PALETTE_STYLES, and grey as the next one. */
dlda_status palette_write_styles(dlda_file_writer *script);
/* Writes a colour scale from nearly white to dark blue, with uniform steps of lightness, as gnuplot's palette. */
dlda_status palette_write_scale(dlda_file_writer *script);

#endif
