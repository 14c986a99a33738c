/* SPDX-License-Identifier: MIT
 *
 * gnuplot.h - draws the figures of a report.
 */
#ifndef DEEPLDA_CLI_GNUPLOT_H
#define DEEPLDA_CLI_GNUPLOT_H

#include "cli.h"

/* 1 if there is a gnuplot that can be run; says so on stderr if not. */
int gnuplot_is_there(const char *command);

/* Runs NAME.gp in `folder`: NAME.svg and NAME.png appear there as a whole, or not at all. Returns an exit code. */
int gnuplot_draw(const char *command, const char *folder, const char *figure);

#endif
