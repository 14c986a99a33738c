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

/* Where the first infinity or NaN of values [n] is; n if all are finite. */
size_t dlda_find_not_finite(const float *values, size_t n);

#endif
