/* SPDX-License-Identifier: MIT
 *
 * csv_out.h - writes fields of CSV files (RFC 4180).
 */
#ifndef DEEPLDA_CLI_CSV_OUT_H
#define DEEPLDA_CLI_CSV_OUT_H

#include <stdio.h>

/* A text, quoted if needed. */
void csv_text(FILE *file, const char *text);
/* A comma and the shortest decimal form of a number; just the comma for NaN. */
void csv_float(FILE *file, float number);

#endif
