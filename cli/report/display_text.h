/* SPDX-License-Identifier: MIT
 *
 * display_text.h - texts shown in reports: independent of the locale, without control characters or invalid UTF-8.
 */
#ifndef DEEPLDA_CLI_DISPLAY_TEXT_H
#define DEEPLDA_CLI_DISPLAY_TEXT_H

#include "base/status.h"

/* A text of limited length, returned by value. */
typedef struct display_text {
    char text[512];
} display_text;

/* Like snprintf, but with a decimal point in every locale. */
display_text display_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* At most `most` characters of a text; if it is longer, the last is an ellipsis. Control characters become blanks,
 * and invalid UTF-8 becomes question marks. */
display_text display_clean(const char *text, size_t most);
/* The width of a text in letters; Chinese, Japanese and Korean characters count as two. */
size_t display_letters(const char *text);

#endif
