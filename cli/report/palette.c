/* SPDX-License-Identifier: MIT
 *
 * palette.c - the colours of Okabe and Ito without yellow, which is too pale for lines, and
 * with wine, indigo and brown.
 *
 * For readers without red or green receptors (Machado, Oliveira, Fernandes 2009, full severity), any two of them
 * are at least 17 apart in CIELAB; shapes differ as well. Styles 11 to 20 have the same colours with other shapes.
 */
#include "report/palette.h"

enum { COLOURS = 10 };

static const char *const colours[COLOURS] = {
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222", "#882255", "#4433CC", "#775533",
};

/* gnuplot's numbers: 7 disc, 5 square, 9 and 11 triangles, 13 diamond, 15 pentagon. Hollow
 * ones are too faint if small. */
static const int shapes[PALETTE_STYLES] = { 7, 5, 9, 13, 11, 15, 7, 5, 9, 13, 9, 13, 11, 15, 7, 5, 11, 15, 7, 5 };

dlda_status palette_write_styles(dlda_file_writer *script)
{
    dlda_status status = DLDA_OK;

    for (int i = 0; i < PALETTE_STYLES; i++)
        DLDA_TRY(dlda_file_writer_print(script, "set linetype %d linecolor rgb '%s' pointtype %d\n", i + 1,
                                        colours[i % COLOURS], shapes[i]));
    DLDA_TRY(dlda_file_writer_print(script,
                                    "set linetype %d linecolor rgb '#BBBBBB' pointtype 7\nset linetype cycle %d\n",
                                    PALETTE_STYLES + 1, PALETTE_STYLES + 1));
done:
    return status;
}

dlda_status palette_write_scale(dlda_file_writer *script)
{
    static const char *const steps[] = { "#F0F7FE", "#C1E0FA", "#92C9F6", "#62B1ED", "#2C99E0",
                                         "#0081CC", "#0069B2", "#005192", "#003B6E" };
    enum { N_STEPS = sizeof steps / sizeof steps[0] };
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(script, "set palette defined ("));
    for (int i = 0; i < N_STEPS; i++)
        DLDA_TRY(dlda_file_writer_print(script, "%s%d '%s'", i ? ", " : "", i, steps[i]));
    DLDA_TRY(dlda_file_writer_print(script, ")\n"));
done:
    return status;
}
