/* SPDX-License-Identifier: MIT
 *
 * peak.h - measures the peak float multiply-add rate and memory bandwidth of this machine.
 */
#ifndef DEEPLDA_CLI_PEAK_H
#define DEEPLDA_CLI_PEAK_H

#include "base/parallel.h"

/* GFLOPS of single-precision multiply-adds on all threads of a team, measured in about a tenth of a second. The
 * best of several rounds, since disturbances only lower it. */
double peak_gflops(dlda_team *team);

/* Gigabytes per second of reading one half of an array and writing the other on all threads; both count. The array
 * of n floats must be much larger than the caches. The best of several rounds. */
double peak_bandwidth(dlda_team *team, float *values, size_t n);

#endif
