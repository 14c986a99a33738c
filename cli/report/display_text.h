/* SPDX-License-Identifier: MIT
 *
 * display_text.h - texts that reports show: the same in every locale, without control characters or invalid UTF-8.
 */
#ifndef DEEPLDA_CLI_DISPLAY_TEXT_H
#define DEEPLDA_CLI_DISPLAY_TEXT_H

#include "base/status.h"

/* A text of limited length, returned by value. */
typedef struct display_text {
    char text[512];
} display_text;

/* As snprintf, but numbers have a decimal point in every locale. */
display_text display_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* At most `most` characters of a text, the last of them an ellipsis if it is longer. Control characters become blanks, and
 * bytes that are not UTF-8 become question marks. */
display_text display_clean(const char *text, size_t most);

#endif
