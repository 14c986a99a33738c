/* SPDX-License-Identifier: MIT
 *
 * plot.h - a figure: its data in NAME.dat, and NAME.gp, by which gnuplot makes NAME.svg and NAME.png of them.
 *
 * The files go together and stand beside each other, so that people can change a script and draw again. Texts from files
 * (names of runs and classes) go into scripts in single quotes only, where gnuplot replaces nothing.
 */
#ifndef DLDA_REPORT_PLOT_H
#define DLDA_REPORT_PLOT_H

#include "base/file.h"
#include "report/words.h"

enum { DLDA_ALL_RUNS = -1 };

/* What is said of a figure. */
typedef struct dlda_figure {
    int run;            /* which it shows, from 0; or DLDA_ALL_RUNS        */
    int wide;           /* 1: it needs a whole row of the page             */
    char name[48];      /* of its files                                    */
    char subject[64];   /* "Learning curves"                               */
    dlda_words title;   /* what is to be seen; stands in the figure itself */
    dlda_words caption; /* how to read it                                  */
    dlda_words missing; /* "": the figure is there; else why it is not     */
} dlda_figure;

typedef struct dlda_plot {
    dlda_file_writer *data, *script;
} dlda_plot;

/* A text for a script: in single quotes, cleaned, of at most `most` characters (90 or less); characters that common fonts
 * lack are for the SVG only, which makes it an expression. Labels at ticks need % doubled. */
dlda_words dlda_plot_quote(const char *text, size_t most);
dlda_words dlda_plot_quote_tick(const char *text, size_t most);

/* Opens both files in `folder` and writes what all scripts begin with; width and height in points of the SVG. What is drawn
 * stands between _open and _finish, inside a loop over both kinds of pictures. */
dlda_status dlda_plot_open(const char *folder, const dlda_figure *figure, int width, int height, dlda_plot *plot);
/* Ends the loop; both files get their names. Pictures of earlier data are removed. */
dlda_status dlda_plot_finish(const char *folder, const dlda_figure *figure, dlda_plot *plot);
/* Also after a failure. */
void dlda_plot_release(dlda_plot *plot);

/* A number for a data file: "NaN" for what does not exist. `before` comes before it. */
dlda_status dlda_plot_number(dlda_plot *plot, const char *before, double value);
/* Two empty lines: gnuplot's next index. */
dlda_status dlda_plot_next_block(dlda_plot *plot);

/* Values that are to be shown along an axis. */
typedef struct dlda_plot_extent {
    double low, high; /* both NaN at first */
} dlda_plot_extent;

void dlda_plot_extend(dlda_plot_extent *extent, double value);
/* Gives an axis ("yrange") room if all its values are the same; gnuplot does well with all others. */
dlda_status dlda_plot_room(dlda_plot *plot, const char *axis, const dlda_plot_extent *extent);
/* Between labels of a small panel's axis: 1, 2 or 5 times a power of ten, at most four steps in the range. */
double dlda_plot_tick_step(double range);

#endif
