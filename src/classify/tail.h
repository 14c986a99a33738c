/* SPDX-License-Identifier: MIT
 *
 * tail.h - the distribution of a positive number in a sample, with high resolution in its upper tail: which share of
 * such samples has a larger value?
 */
#ifndef DLDA_CLASSIFY_TAIL_H
#define DLDA_CLASSIFY_TAIL_H

#include "base/status.h"

enum { DLDA_TAIL_ROWS = 64 };

typedef struct dlda_tail {
    size_t count;                   /* 0: unknown                                                              */
    double rows[DLDA_TAIL_ROWS][2]; /* a value, rising, and the share above it, falling; the last is estimated */
} dlda_tail;

/* From n >= 2 values, which are sorted. */
void dlda_tail_fit(dlda_tail *tail, double *values, size_t n);

/* The share of samples with a larger value, above 0 and at most 1: a p-value. */
double dlda_tail_share(const dlda_tail *tail, double value);

#endif
