/* SPDX-License-Identifier: MIT
 *
 * number.c - strtod and strtoll, without locale, hexadecimal, blanks, infinities and NaN.
 */
#define _GNU_SOURCE
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

int dlda_parse_real(const char *text, double *value)
{
    char *end = NULL;
    locale_t plain = (locale_t)0;

    if (!*text || text[strspn(text, "0123456789.eE+-")]) return 0;
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!plain) return 0;
    *value = strtod_l(text, &end, plain);
    freelocale(plain);
    return end != text && !*end && isfinite(*value);
}

int dlda_parse_whole(const char *text, int64_t *value)
{
    char *end = NULL;

    if (!*text || text[strspn(text, "0123456789+-")]) return 0;
    *value = strtoll(text, &end, 10); /* a number that does not fit becomes the largest: no range has it */
    return end != text && !*end;
}
