/* SPDX-License-Identifier: MIT
 *
 * words.h - texts for people: made the same in every locale, and cleaned of what files could smuggle in.
 */
#ifndef DLDA_REPORT_WORDS_H
#define DLDA_REPORT_WORDS_H

#include "base/status.h"

/* A text of limited length, returned by value. */
typedef struct dlda_words {
    char text[512];
} dlda_words;

/* As snprintf, but numbers have a decimal point in every locale. */
dlda_words dlda_words_of(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* At most `most` characters of a text, the last of them an ellipsis if it is longer. Control characters become blanks, and
 * bytes that are not UTF-8 become question marks. */
dlda_words dlda_clean_words(const char *text, size_t most);

#endif
