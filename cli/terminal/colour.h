/* SPDX-License-Identifier: MIT
 *
 * colour.h - colours of messages and results on a terminal.
 *
 *     print_to(file, "%sbest%s\n", colour(file, COLOUR_GOOD), colour(file, COLOUR_END));
 */
#ifndef DEEPLDA_CLI_COLOUR_H
#define DEEPLDA_CLI_COLOUR_H

#include <stdio.h>

typedef enum colour_kind {
    COLOUR_END,     /* back to plain text     */
    COLOUR_HEADING, /* bold                   */
    COLOUR_GOOD,    /* bold green: the best   */
    COLOUR_ERROR    /* bold red: a failure    */
} colour_kind;

/* The escape sequence that begins a colour, or ends it; "" if `file` is not a terminal, if that cannot show
 * colours (TERM is unset or dumb), or if the user wants none (NO_COLOR is set and not empty). */
const char *colour(FILE *file, colour_kind kind);

/* 1 if `text` was returned by colour(), whatever other texts contain. */
int is_colour(const char *text);

/* 1 if `file` is a terminal that understands escape sequences. */
int is_screen(FILE *file);

#endif
