/* SPDX-License-Identifier: MIT
 *
 * peak.h - how fast this machine multiplies and adds floats, and moves them, when nothing else holds it up.
 */
#ifndef DEEPLDA_CLI_PEAK_H
#define DEEPLDA_CLI_PEAK_H

#include "base/parallel.h"

/* GFLOPS of single-precision multiply-add on all threads of a team, measured in about a tenth of a second: the best of some
 * rounds, since whatever disturbs makes it lower. */
double peak_gflops(dlda_team *team);

/* Gigabytes per second of reading one half of an array and writing the other, with all its threads; both count. The
 * array, of n floats, must be much larger than the caches. The best of some rounds. */
double peak_bandwidth(dlda_team *team, float *values, size_t n);

#endif
