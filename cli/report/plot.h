/* SPDX-License-Identifier: MIT
 *
 * plot.h - a figure: its data in NAME.dat, and NAME.gp, by which gnuplot makes NAME.svg and NAME.png of them.
 *
 * The files go together and stand beside each other, so that people can change a script and draw again. Texts from files
 * (names of runs and classes) go into scripts in single quotes only, where gnuplot replaces nothing.
 */
#ifndef DEEPLDA_CLI_PLOT_H
#define DEEPLDA_CLI_PLOT_H

#include "base/file.h"
#include "report/display_text.h"

enum { ALL_RUNS = -1 };

/* What is said of a figure. */
typedef struct report_figure {
    int run;              /* which it shows, from 0; or ALL_RUNS        */
    int wide;             /* 1: it needs a whole row of the page             */
    char name[48];        /* of its files                                    */
    char subject[64];     /* "Learning curves"                               */
    display_text title;   /* what is to be seen; stands in the figure itself */
    display_text caption; /* how to read it                                  */
    display_text missing; /* "": the figure is there; else why it is not     */
} report_figure;

typedef struct plot_files {
    dlda_file_writer *data, *script;
} plot_files;

/* A text for a script: in single quotes, cleaned, of at most `most` characters (90 or less); characters that common fonts
 * lack are for the SVG only, which makes it an expression. Labels at ticks need % doubled. */
display_text plot_quote(const char *text, size_t most);
display_text plot_quote_tick(const char *text, size_t most);

/* Opens both files in `folder` and writes what all scripts begin with; width and height in points of the SVG. What is drawn
 * stands between _open and _finish, inside a loop over both kinds of pictures. */
dlda_status plot_open(const char *folder, const report_figure *figure, int width, int height, plot_files *plot);
/* Ends the loop; both files get their names. Pictures of earlier data are removed. */
dlda_status plot_finish(const char *folder, const report_figure *figure, plot_files *plot);
/* Also after a failure. */
void plot_release(plot_files *plot);

/* A number for a data file: "NaN" for what does not exist. `before` comes before it. */
dlda_status plot_number(plot_files *plot, const char *before, double value);
/* Two empty lines: gnuplot's next index. */
dlda_status plot_next_block(plot_files *plot);

/* Values that are to be shown along an axis. */
typedef struct plot_extent {
    double low, high; /* both NaN at first */
} plot_extent;

void plot_extend(plot_extent *extent, double value);
/* Gives an axis ("yrange") room if all its values are the same; gnuplot does well with all others. */
dlda_status plot_room(plot_files *plot, const char *axis, const plot_extent *extent);
/* Between labels of a small panel's axis: 1, 2 or 5 times a power of ten, at most four steps in the range. */
double plot_tick_step(double range);

#endif
