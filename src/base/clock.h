/* SPDX-License-Identifier: MIT
 *
 * clock.h - monotonic clocks.
 */
#ifndef DLDA_BASE_CLOCK_H
#define DLDA_BASE_CLOCK_H

#include <time.h>

/* Seconds since an arbitrary moment. */
static inline double dlda_seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Processor time of this thread, in seconds. */
static inline double dlda_thread_seconds(void)
{
    struct timespec used;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

#endif
