/* SPDX-License-Identifier: MIT
 *
 * schedule.c - the paper's schedule: a rate that halves in fixed intervals.
 */
#include "optimiser/schedule.h"

#include <math.h>

double dlda_schedule_rate(double first, size_t halve_every, size_t epoch)
{
    if (halve_every == 0) return first;
    return ldexp(first, -(int)((epoch - 1) / halve_every));
}
