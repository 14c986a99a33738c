/* SPDX-License-Identifier: MIT
 *
 * csv_out.c - writes fields of CSV files (RFC 4180).
 */
#include "terminal/csv_out.h"
#include "terminal/json_out.h"

#include <math.h>
#include <string.h>

void csv_text(FILE *file, const char *text)
{
    if (!text[strcspn(text, ",\"\r\n")] && text[0] != ' ') {
        fputs(text, file);
        return;
    }
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

void csv_float(FILE *file, float number)
{
    char text[32] = "";

    if (!isnan(number)) shortest_float(number, text);
    fprintf(file, ",%s", text);
}
