/* SPDX-License-Identifier: MIT
 *
 * colour.c - colours of messages and results on a terminal; none in files, pipes and JSON.
 *
 * NO_COLOR is the variable of https://no-color.org.
 */
#include "terminal/colour.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int is_screen(FILE *file)
{
    const char *terminal = getenv("TERM");

    return terminal && terminal[0] && strcmp(terminal, "dumb") != 0 && isatty(fileno(file));
}

static const char *const sequences[] = { [COLOUR_END] = "\033[0m",
                                         [COLOUR_HEADING] = "\033[1m",
                                         [COLOUR_GOOD] = "\033[1;32m",
                                         [COLOUR_ERROR] = "\033[1;31m" };

/* Compares addresses: a text of a file that has the same characters is no colour. */
int is_colour(const char *text)
{
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++)
        if (text == sequences[i]) return 1;
    return 0;
}

const char *colour(FILE *file, colour_kind kind)
{
    const char *refused = getenv("NO_COLOR");

    return is_screen(file) && !(refused && refused[0]) ? sequences[kind] : "";
}
