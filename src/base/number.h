/* SPDX-License-Identifier: MIT
 *
 * number.h - numbers as text, the same in every locale: files and options are not written for one country; and whether
 * they are finite.
 */
#ifndef DLDA_BASE_NUMBER_H
#define DLDA_BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* 1 and the value if the whole text is a plain decimal number, as 12, -0.5 or 1e-3; else 0. */
int dlda_parse_real(const char *text, double *value);
/* 1 and the value if it is a plain whole number; else 0. What does not fit becomes the largest or smallest value. */
int dlda_parse_whole(const char *text, int64_t *value);

/* The reverse, with so many digits; 0 without memory. */
int dlda_print_real(double value, int digits, char text[40]);

/* 1 and the nearest float if the n characters are a plain decimal number, blanks around it allowed; else 0. For tables of
 * millions: many times as fast as dlda_parse_real, and right but for one case in about 2^39, which is off by one bit. */
int dlda_parse_float(const char *text, size_t n, float *value);

/* Where the first infinity or NaN of values [n] is; n if all are finite. */
size_t dlda_find_not_finite(const float *values, size_t n);

#endif
