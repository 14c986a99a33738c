/* SPDX-License-Identifier: MIT
 *
 * schedule.c - learning rate schedules: the paper's halving at fixed intervals, or a cosine;
 * both with optional warm-up.
 */
#include "optimiser/schedule.h"

#include <math.h>

static double halving_rate(const dlda_schedule *self, double done)
{
    if (self->halve_every == 0) return self->rate;
    return ldexp(self->rate, -(int)floor(done / (double)self->halve_every));
}

static double cosine_rate(const dlda_schedule *self, double done)
{
    double share = fmin(done / (double)self->epochs, 1);
    return self->rate * 0.5 * (1 + cos(share * acos(-1)));
}

double dlda_schedule_rate(const dlda_schedule *self, double done)
{
    double rate = self->kind == DLDA_COSINE ? cosine_rate(self, done) : halving_rate(self, done);

    return done < self->warm_up ? rate * (done / self->warm_up) : rate;
}
