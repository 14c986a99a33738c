/* SPDX-License-Identifier: MIT
 *
 * nesterov.c - Nesterov momentum as one loop over all weights (docs/method.md, step 7):
 *     g = gradient + 2 decay w,   v = momentum v - rate g,   w = w + momentum v - rate g.
 */
#include "optimiser/nesterov.h"

typedef struct step {
    float rate, momentum, penalty;
    const float *gradient;
    float *velocity, *weights;
} step;

static void step_chunk(void *context, const dlda_chunk *chunk)
{
    const step s = *(const step *)context;

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        float descent = s.rate * (s.gradient[i] + s.penalty * s.weights[i]);
        float v = s.momentum * s.velocity[i] - descent;
        s.velocity[i] = v;
        s.weights[i] += s.momentum * v - descent;
    }
}

void dlda_nesterov_step(const dlda_nesterov *rule, dlda_team *team, size_t n, const float *gradient,
                        float *velocity, float *weights)
{
    step s = { (float)rule->rate, (float)rule->momentum, (float)(2 * rule->decay), gradient, velocity, weights };
    dlda_parallel_for(team, n, 1 << 16, step_chunk, &s);
}
