/* SPDX-License-Identifier: MIT
 *
 * number.h - parses numbers independently of the locale, and tests whether values are finite.
 */
#ifndef DLDA_BASE_NUMBER_H
#define DLDA_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Returns 1 and the value if the whole text is a plain decimal number, such as 12, -0.5 or 1e-3; else 0. */
int dlda_parse_real(const char *text, double *value);
/* Returns 1 and the value if the text is a plain whole number; else 0. Overflow gives the
 * largest or smallest value. */
int dlda_parse_whole(const char *text, int64_t *value);

/* Prints a number with that many digits and a decimal point in every locale; 0 if out of memory. */
int dlda_print_real(double value, int digits, char text[40]);

/* Returns 1 and the nearest float if the n characters are a plain decimal number, optionally surrounded by blanks;
 * else 0. For large tables: many times as fast as dlda_parse_real. About one result in 2^39 is off by one bit. */
int dlda_parse_float(const char *text, size_t n, float *value);

/* Index of the first infinity or NaN in values [n]; n if all are finite. */
size_t dlda_find_not_finite(const float *values, size_t n);
size_t dlda_find_not_finite_double(const double *values, size_t n);

#endif
