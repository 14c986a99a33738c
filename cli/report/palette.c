/* SPDX-License-Identifier: MIT
 *
 * palette.c - the colours of Okabe and Ito without yellow, which is too pale for lines, and with wine, indigo and brown;
 * and what each colour of a figure becomes on dark paper.
 *
 * For readers without red or green receptors (Machado, Oliveira, Fernandes 2009, full severity), any two colours of
 * classes are at least 17 apart in CIELAB, light and dark; shapes differ as well. On their paper they have a contrast
 * of at least 2.3 (light) and 3.2 (dark). Styles 11 to 20 have the same colours with other shapes.
 */
#include "report/palette.h"

#include <stdlib.h>

typedef struct two_colours {
    const char *light, *dark;
} two_colours;

/* First the classes, then the scale from few to many mistakes, then greys. */
static const two_colours colours[] = {
    { "#0072B2", "#3C7CE3" },       { "#D55E00", "#D55E00" },      { "#009E73", "#009E73" },
    { "#CC79A7", "#CC79A7" },       { "#E69F00", "#E69F00" },      { "#56B4E9", "#56B4E9" },
    { "#222222", "#F0F0F0" },       { "#882255", "#CA00A1" },      { "#4433CC", "#515CFA" },
    { "#775533", "#A8683A" },       { "#F0F7FE", "#1E2A38" },      { "#C1E0FA", "#1B3A57" },
    { "#92C9F6", "#144B78" },       { "#62B1ED", "#0B5D99" },      { "#2C99E0", "#1A72B8" },
    { "#0081CC", "#3C8BD2" },       { "#0069B2", "#64A5E4" },      { "#005192", "#90C1F2" },
    { "#003B6E", "#C2DEFC" },       { PALETTE_NUMBER, "#ECEDEF" }, { PALETTE_TEXT, "#C9CCD1" },
    { PALETTE_AXIS, "#8B9098" },    { PALETTE_GUIDE, "#9A9FA6" },  { PALETTE_PALE, "#76879A" },
    { PALETTE_GRID, "#34373D" },    { PALETTE_CELL, "#3A3E45" },   { PALETTE_OTHERS, "#6C7178" },
    { PALETTE_REVERSE, "#101214" },
};

enum {
    CLASS_COLOURS = 10,
    SCALE_STEPS = 9, /* after the classes */
    ALL_COLOURS = sizeof colours / sizeof colours[0]
};

/* gnuplot's numbers: 7 disc, 5 square, 9 and 11 triangles, 13 diamond, 15 pentagon. Hollow
 * ones are too faint if small. */
static const int shapes[PALETTE_STYLES] = { 7, 5, 9, 13, 11, 15, 7, 5, 9, 13, 9, 13, 11, 15, 7, 5, 11, 15, 7, 5 };

/* ---- Scripts ---- */

dlda_status palette_write_styles(dlda_file_writer *script)
{
    dlda_status status = DLDA_OK;

    for (int i = 0; i < PALETTE_STYLES; i++)
        DLDA_TRY(dlda_file_writer_print(script, "set linetype %d linecolor rgb '%s' pointtype %d\n", i + 1,
                                        colours[i % CLASS_COLOURS].light, shapes[i]));
    DLDA_TRY(dlda_file_writer_print(
        script, "set linetype %d linecolor rgb '" PALETTE_OTHERS "' pointtype 7\nset linetype cycle %d\n",
        PALETTE_STYLES + 1, PALETTE_STYLES + 1));
done:
    return status;
}

/* Steps instead of a continuous scale, so that each colour has a dark counterpart. */
dlda_status palette_write_scale(dlda_file_writer *script)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(script, "set palette maxcolors %d defined (", SCALE_STEPS));
    for (int i = 0; i < SCALE_STEPS; i++)
        DLDA_TRY(dlda_file_writer_print(script, "%s%d '%s'", i ? ", " : "", i, colours[CLASS_COLOURS + i].light));
    DLDA_TRY(dlda_file_writer_print(script, ")\n"));
done:
    return status;
}

/* ---- Pages ---- */

dlda_status palette_write_variables(dlda_file_writer *page, int dark)
{
    dlda_status status = DLDA_OK;

    for (int i = 0; i < ALL_COLOURS; i++)
        DLDA_TRY(
            dlda_file_writer_print(page, "%s--f%d:%s", i ? ";" : "", i, dark ? colours[i].dark : colours[i].light));
done:
    return status;
}

int palette_find(unsigned rgb)
{
    for (int i = 0; i < ALL_COLOURS; i++)
        if (strtoul(colours[i].light + 1, NULL, 16) == rgb) return i;
    return -1;
}
