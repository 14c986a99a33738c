/* SPDX-License-Identifier: MIT
 *
 * number.c - parses numbers like strtod and strtoll, but without locale, hexadecimal, blanks, infinities and NaN.
 */
#define _GNU_SOURCE
#include "base/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
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
    *value = strtoll(text, &end, 10); /* overflow gives the largest value, which no option range includes */
    return end != text && !*end;
}

int dlda_print_real(double value, int digits, char text[40])
{
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);

    if (!plain) return 0;
    locale_t before = uselocale(plain); /* of this thread */
    snprintf(text, 40, "%.*g", digits, value);
    uselocale(before);
    freelocale(plain);
    return 1;
}

/* ---- Fast parsing of floats ---- */

static int is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The part of a number before 'e': its digits as a whole number, and a power of ten. */
typedef struct decimal {
    uint64_t digits;
    int power;
    int any; /* at least one digit */
} decimal;

/* Digits after the 19th do not affect a float. */
static void add_digit(decimal *number, char c, int behind_point)
{
    const uint64_t most = (UINT64_MAX - 9) / 10;

    if (number->digits <= most) {
        number->digits = 10 * number->digits + (uint64_t)(c - '0');
        number->power -= behind_point;
    } else {
        number->power += !behind_point;
    }
    number->any = 1;
}

/* Parses "12.5" at `at`; returns what follows. */
static const char *read_digits(const char *at, const char *end, decimal *number)
{
    int behind_point = 0;

    for (; at < end && (is_digit(*at) || (*at == '.' && !behind_point)); at++) {
        if (*at == '.') behind_point = 1;
        else add_digit(number, *at, behind_point);
    }
    return at;
}

/* Parses "e-3" if present; NULL if it is malformed. */
static const char *read_power(const char *at, const char *end, decimal *number)
{
    enum { MOST = 9999 }; /* far beyond any float */
    int power = 0;

    if (at == end || (*at != 'e' && *at != 'E')) return at;
    int negative = ++at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return NULL;
    for (; at < end && is_digit(*at); at++)
        if (power < MOST) power = 10 * power + (*at - '0');
    number->power += negative ? -power : power;
    return at;
}

/* Powers of ten up to 27 are exact in the 64 bits of a long double, and so are the digits. */
static double scaled(const decimal *number)
{
    static const long double tens[] = { 1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                        1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                        1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L };
    int power = number->power;

    if (power >= -27 && power <= 27)
        return (double)(power < 0 ? number->digits / tens[-power] : number->digits * tens[power]);
    return (double)(number->digits * powl(10, power));
}

int dlda_parse_float(const char *text, size_t n, float *value)
{
    const char *at = text, *end = text + n;
    decimal number = { 0 };

    while (at < end && is_blank(*at)) at++;
    while (end > at && is_blank(end[-1])) end--;
    int negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    at = read_digits(at, end, &number);
    if (!number.any || !(at = read_power(at, end, &number)) || at != end) return 0;
    double size = scaled(&number);
    *value = (float)(negative ? -size : size);
    return isfinite(*value);
}

/* ---- Test for finite values ---- */

/* Tests the exponent bits. Without early exit, so that the loop can be vectorised. */
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

static size_t count_not_finite_double(const double *values, size_t n)
{
    const uint64_t exponent = 0x7ff0000000000000;
    uint64_t count = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, values + i, sizeof bits);
        count += (bits & exponent) == exponent;
    }
    return count;
}

size_t dlda_find_not_finite_double(const double *values, size_t n)
{
    enum { BLOCK = 4096 };

    for (size_t first = 0; first < n; first += BLOCK) {
        size_t end = n - first < BLOCK ? n : first + BLOCK;
        if (count_not_finite_double(values + first, end - first) == 0) continue;
        while (isfinite(values[first])) first++;
        return first;
    }
    return n;
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
