/* SPDX-License-Identifier: MIT
 *
 * schedule.h - the learning rate of each step.
 */
#ifndef DLDA_OPTIMISER_SCHEDULE_H
#define DLDA_OPTIMISER_SCHEDULE_H

#include <stddef.h>

typedef enum dlda_schedule_kind {
    DLDA_HALVING, /* halved after every `halve_every` epochs (0: never), as in the paper */
    DLDA_COSINE   /* along half a cosine to 0 at the end of the last epoch               */
} dlda_schedule_kind;

typedef struct dlda_schedule {
    dlda_schedule_kind kind;
    double rate;    /* the first one, or rather the one after warming up        */
    double warm_up; /* epochs in which the rate rises from 0 in a straight line */
    size_t halve_every, epochs;
} dlda_schedule;

/* The rate of a step in the middle of which `done` epochs are complete: 2.25 is a quarter into the third. */
double dlda_schedule_rate(const dlda_schedule *schedule, double done);

#endif
