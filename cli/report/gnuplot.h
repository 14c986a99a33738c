/* SPDX-License-Identifier: MIT
 *
 * gnuplot.h - draws the figures of a report with gnuplot.
 */
#ifndef DEEPLDA_CLI_GNUPLOT_H
#define DEEPLDA_CLI_GNUPLOT_H

#include "cli.h"

/* 1 if gnuplot can be run; otherwise reports that on stderr. */
int gnuplot_is_there(const char *command);

/* Runs NAME.gp in `folder`; NAME.svg and NAME.png are written atomically. Returns an exit code. */
int gnuplot_draw(const char *command, const char *folder, const char *figure);

#endif
