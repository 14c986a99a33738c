/* SPDX-License-Identifier: MIT
 *
 * palette.h - colours and shapes that readers with any kind of colour vision can tell apart.
 */
#ifndef DEEPLDA_CLI_PALETTE_H
#define DEEPLDA_CLI_PALETTE_H

#include "base/file.h"

enum {
    PALETTE_STYLES = 20 /* different pairs of colour and shape; what comes later is drawn in grey */
};

/* Writes the styles as gnuplot's line types 1 .. PALETTE_STYLES, and grey as the next one. */
dlda_status palette_write_styles(dlda_file_writer *script);
/* Writes a scale from nearly white to dark blue in equal steps of lightness as gnuplot's palette. */
dlda_status palette_write_scale(dlda_file_writer *script);

#endif
