/* SPDX-License-Identifier: MIT
 *
 * gnuplot.c - runs gnuplot on a script that draws `out`.svg and `out`.png.
 */
#include "report/gnuplot.h"
#include "base/file.h"
#include "base/memory.h"
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
    char from[8400], to[4400];

    snprintf(from, sizeof from, "%s/%s.%s", temporary, figure, ending);
    snprintf(to, sizeof to, "%s/%s.%s", folder, figure, ending);
    if (keep && rename(from, to) == 0) return 1;
    unlink(from);
    return 0;
}

/* gnuplot follows links, so it draws in a folder that only this call uses. */
int gnuplot_draw(const char *command, const char *folder, const char *figure)
{
    char script[128], path[4400], out[400], *temporary = NULL;
    /* -d: ignore the user's gnuplot settings */
    const char *const argv[] = { "gnuplot", "-d", "-e", out, script, NULL };

    snprintf(script, sizeof script, "%s.gp", figure);
    snprintf(path, sizeof path, "%s/%s", folder, figure);
    int code = exit_code_of(command, dlda_folder_make_temporary(path, &temporary));
    if (code != EXIT_OK) return code;
    snprintf(out, sizeof out, "out = '%s/%s'", dlda_path_name(temporary), figure);
    int result = child_run(&(cli_child){ .folder = folder, .argv = argv }), cause = errno;
    int svg = settle(folder, temporary, figure, "svg", result == 0);
    int png = settle(folder, temporary, figure, "png", result == 0);
    rmdir(temporary);
    dlda_release(temporary);
    if (svg && png) return EXIT_OK;
    if (result < 0) complain(command, "%s/%s: cannot run gnuplot: %s", folder, script, strerror(cause));
    else complain(command, "%s/%s: gnuplot could not draw it (exit status %d)", folder, script, result);
    return EXIT_FAILED;
}
