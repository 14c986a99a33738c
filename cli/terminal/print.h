/* SPDX-License-Identifier: MIT
 *
 * print.h - how the program prints for people: as printf, with every text made safe.
 *
 * Names and texts from files may contain sequences that a terminal executes. Each text of a %s or %c is cleaned here
 * (base/utf8.h), whatever it is, so that no caller can forget it; a line feed in it becomes '?' as well. The format
 * itself and the sequences of colour.h are the program's own and stay as they are.
 *
 * tests/printing.py refuses other functions that print. Exceptions have their own escapes or contain only texts of the
 * program: JSON, CSV, completions, generated documents.
 */
#ifndef DEEPLDA_CLI_PRINT_H
#define DEEPLDA_CLI_PRINT_H

#include <stdio.h>

/* Conversions: d i u x o c s f e g and %%, with the flags, widths, precisions and lengths (h l ll z j) of printf. Of a
 * text, the width counts characters, and the precision bytes, of which no character is cut. */
void print(const char *format, ...) __attribute__((format(printf, 1, 2)));
void print_to(FILE *file, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
