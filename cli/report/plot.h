/* SPDX-License-Identifier: MIT
 *
 * plot.h - a figure: its data in NAME.dat and its script NAME.gp, from which gnuplot makes NAME.svg and NAME.png.
 *
 * The files are stored together, so that users can edit a script and draw again. Texts from files (names of runs
 * and classes) appear in scripts only in single quotes, where gnuplot interprets nothing.
 */
#ifndef DEEPLDA_CLI_PLOT_H
#define DEEPLDA_CLI_PLOT_H

#include "base/file.h"
#include "report/display_text.h"

enum {
    ALL_RUNS = -1,
    PLOT_WIDTH = 420, /* pixels of a figure of half the page width */
    PLOT_WIDE = 600   /* of the whole page width                   */
};

/* Description of a figure. */
typedef struct report_figure {
    int run;              /* run number, from 0; or ALL_RUNS       */
    int wide;             /* 1: takes the whole width of the page  */
    int panels;           /* 1: its script arranges several panels */
    char name[48];        /* of its files                          */
    char subject[64];     /* "Learning curves"                     */
    display_text title;   /* the main result; the PNG shows it     */
    display_text caption; /* what follows from it; how to read it  */
    display_text missing; /* "": the figure exists; else why not   */
    int omitted;          /* 1: it would show nothing              */
} report_figure;

typedef struct plot_files {
    dlda_file_writer *data, *script;
} plot_files;

/* A text for a script: in single quotes, cleaned, at most `most` characters (90 or less). Characters that common
 * fonts lack are used for the SVG only, so the result may be an expression. Tick labels need % doubled. */
display_text plot_quote(const char *text, size_t most);
display_text plot_quote_tick(const char *text, size_t most);

/* Opens both files in `folder` and writes the common start of a script; width and height in pixels of the SVG. A
 * phone shrinks them to about 340 pixels, so that letters stay readable up to a width of PLOT_WIDE. Drawing commands go between _open and _finish, inside a loop over both terminals. */
dlda_status plot_open(const char *folder, const report_figure *figure, int width, int height, plot_files *plot);
/* Ends the loop and completes both files. Pictures of earlier data are removed. */
dlda_status plot_finish(const char *folder, const report_figure *figure, plot_files *plot);
/* Also after a failure. */
void plot_release(plot_files *plot);

/* Pixels that a legend above a figure of PLOT_WIDTH takes, with that many entries of at most `letters` letters. */
int plot_legend_height(size_t entries, size_t letters);

/* Writes a number to the data file, "NaN" if it is missing, with `before` in front. */
dlda_status plot_number(plot_files *plot, const char *before, double value);
/* Two empty lines: gnuplot's next index. */
dlda_status plot_next_block(plot_files *plot);

/* Range of the values along an axis. */
typedef struct plot_extent {
    double low, high; /* both NaN at first */
} plot_extent;

void plot_extend(plot_extent *extent, double value);
/* The values with a margin, also around a single one, which gnuplot does not handle well; within `lowest` and
 * `highest`, the limits of what is measured (-INFINITY, INFINITY: none). */
plot_extent plot_range_of(const plot_extent *extent, double lowest, double highest);
/* Sets the range of an axis ("yrange"). */
dlda_status plot_range(plot_files *plot, const char *axis, const plot_extent *range);
/* Tick step of a small panel's axis: 1, 2 or 5 times a power of ten, at most four steps in the range. */
double plot_tick_step(double range);

#endif
