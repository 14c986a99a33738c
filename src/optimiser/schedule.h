/* SPDX-License-Identifier: MIT
 *
 * schedule.h - the learning rate of each epoch.
 */
#ifndef DLDA_OPTIMISER_SCHEDULE_H
#define DLDA_OPTIMISER_SCHEDULE_H

#include <stddef.h>

/* `first`, halved after every `halve_every` epochs (0: never); epochs count from 1. */
double dlda_schedule_rate(double first, size_t halve_every, size_t epoch);

#endif
