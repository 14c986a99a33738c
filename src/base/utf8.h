/* SPDX-License-Identifier: MIT
 *
 * utf8.h - validates UTF-8, which model files require for class names, and makes texts safe to print.
 *
 * Texts from files, and names of files, may contain sequences that a terminal executes. Safe texts have no control
 * characters (also not those of two bytes, U+0080 to U+009F), no marks that change the direction of writing, no ends of
 * lines or paragraphs, no marks that hide text (interlinear annotations, tags), and no invalid UTF-8; each of these
 * becomes '?'.
 */
#ifndef DLDA_BASE_UTF8_H
#define DLDA_BASE_UTF8_H

#include <stddef.h>

int dlda_is_utf8(const char *text);

/* Copies the first character of a text, made safe, and returns the number of bytes that it has there; 0 at the end. */
size_t dlda_safe_character(const char *text, char character[5]);
/* Makes a text safe in place. */
void dlda_make_safe(char *text);

/* The same for a copy of at most 4 kB, returned by value: valid until the end of the full expression. */
typedef struct dlda_safe_text {
    char text[4100];
} dlda_safe_text;
dlda_safe_text dlda_safe(const char *text);

#endif
