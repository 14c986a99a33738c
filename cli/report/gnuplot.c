/* SPDX-License-Identifier: MIT
 *
 * gnuplot.c - runs gnuplot on a script that draws `out`.svg and `out`.png.
 */
#include "report/gnuplot.h"
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int gnuplot_is_there(const char *command)
{
    const char *const argv[] = { "gnuplot", "--version", NULL };

    if (child_run(&(cli_child){ .folder = ".", .argv = argv }) == 0) return 1;
    say_note(command, "gnuplot cannot be run, so no figure is drawn; data and scripts are written. On Debian: "
                      "apt-get install gnuplot-nox");
    return 0;
}

/* Renames a complete drawing, or removes it. Returns 1 if it exists. */
static int settle(const char *folder, const char *temporary, const char *figure, const char *ending, int keep)
{
    char from[4400], to[4400];

    snprintf(from, sizeof from, "%s/%s.%s", folder, temporary, ending);
    snprintf(to, sizeof to, "%s/%s.%s", folder, figure, ending);
    if (keep && rename(from, to) == 0) return 1;
    unlink(from);
    return 0;
}

int gnuplot_draw(const char *command, const char *folder, const char *figure)
{
    char script[128], temporary[128], out[160];
    /* -d: ignore the user's gnuplot settings */
    const char *const argv[] = { "gnuplot", "-d", "-e", out, script, NULL };

    snprintf(script, sizeof script, "%s.gp", figure);
    snprintf(temporary, sizeof temporary, "%s.tmp-%ld", figure, (long)getpid());
    snprintf(out, sizeof out, "out = '%s'", temporary);
    int code = child_run(&(cli_child){ .folder = folder, .argv = argv });
    int svg = settle(folder, temporary, figure, "svg", code == 0);
    int png = settle(folder, temporary, figure, "png", code == 0);
    if (svg && png) return EXIT_OK;
    if (code < 0) complain(command, "%s/%s: cannot run gnuplot: %s", folder, script, strerror(errno));
    else complain(command, "%s/%s: gnuplot could not draw it (exit status %d)", folder, script, code);
    return EXIT_FAILED;
}
