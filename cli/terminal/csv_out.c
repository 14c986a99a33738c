/* SPDX-License-Identifier: MIT
 *
 * csv_out.c - writes fields of CSV files (RFC 4180).
 */
#include "terminal/csv_out.h"
#include "base/utf8.h"
#include "terminal/json_out.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void write_field(FILE *file, const char *text)
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

/* Programs get the text as it is. On a terminal it is made safe. */
void csv_text(FILE *file, const char *text)
{
    if (isatty(fileno(file))) {
        const dlda_safe_text safe = dlda_safe(text);
        write_field(file, safe.text);
    } else {
        write_field(file, text);
    }
}

void csv_float(FILE *file, float number)
{
    char text[32] = "";

    if (!isnan(number)) shortest_float(number, text);
    fprintf(file, ",%s", text);
}
