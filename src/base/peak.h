/* SPDX-License-Identifier: MIT
 *
 * peak.h - how fast this machine multiplies and adds floats, and moves them, when nothing else holds it up.
 */
#ifndef DLDA_BASE_PEAK_H
#define DLDA_BASE_PEAK_H

#include <stddef.h>

/* GFLOPS of single-precision multiply-add on all `threads`, measured in about a tenth of a second: the best of some
 * rounds, since whatever disturbs makes it lower. */
double dlda_peak_gflops(size_t threads);

/* Gigabytes per second of reading one half of an array and writing the other, with all `threads`; both count. The
 * array, of n floats, must be much larger than the caches. The best of some rounds. */
double dlda_peak_bandwidth(size_t threads, float *values, size_t n);

#endif
