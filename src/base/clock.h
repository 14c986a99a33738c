/* SPDX-License-Identifier: MIT
 *
 * clock.h - a clock that only goes forward.
 */
#ifndef DLDA_BASE_CLOCK_H
#define DLDA_BASE_CLOCK_H

#include <time.h>

/* Seconds since some moment in the past. */
static inline double dlda_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
