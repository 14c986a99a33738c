/* SPDX-License-Identifier: MIT
 *
 * schedule.h - the learning rate of each step.
 */
#ifndef DLDA_OPTIMISER_SCHEDULE_H
#define DLDA_OPTIMISER_SCHEDULE_H

#include <stddef.h>

typedef enum dlda_schedule_kind {
    DLDA_HALVING, /* halved every `halve_every` epochs (0: never), as in the paper */
    DLDA_COSINE   /* half a cosine, reaching 0 at the end of the last epoch        */
} dlda_schedule_kind;

typedef struct dlda_schedule {
    dlda_schedule_kind kind;
    double rate;    /* initial rate, after the warm-up                */
    double warm_up; /* epochs in which the rate rises linearly from 0 */
    size_t halve_every, epochs;
} dlda_schedule;

/* The rate after `done` epochs, with fraction: 2.25 is a quarter into the third epoch. */
double dlda_schedule_rate(const dlda_schedule *schedule, double done);

#endif
