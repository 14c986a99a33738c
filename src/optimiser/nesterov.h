/* SPDX-License-Identifier: MIT
 *
 * nesterov.h - stochastic gradient descent with Nesterov momentum and weight decay.
 */
#ifndef DLDA_OPTIMISER_NESTEROV_H
#define DLDA_OPTIMISER_NESTEROV_H

#include "base/parallel.h"

typedef struct dlda_nesterov {
    double rate, momentum;
    double decay; /* adds decay * sum of w^2 to the loss */
} dlda_nesterov;

/* One step on n weights; gradient, velocity and weights are blocks of equal layout. */
void dlda_nesterov_step(const dlda_nesterov *rule, dlda_team *team, size_t n, const float *gradient,
                        float *velocity, float *weights);

#endif
