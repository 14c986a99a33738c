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

/* An exponent of ones. Counting has no early end, so that the loop can be vectorised. */
static size_t count_not_finite(const float *values, size_t n)
{
    const uint32_t exponent = 0x7f800000;
    uint32_t count = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        count += (bits & exponent) == exponent;
    }
    return count;
}

size_t dlda_find_not_finite(const float *values, size_t n)
{
    enum { BLOCK = 4096 };

    for (size_t first = 0; first < n; first += BLOCK) {
        size_t end = n - first < BLOCK ? n : first + BLOCK;
        if (count_not_finite(values + first, end - first) == 0) continue;
        while (isfinite(values[first])) first++;
        return first;
    }
    return n;
}
