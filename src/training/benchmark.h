/* SPDX-License-Identifier: MIT
 *
 * benchmark.h - what benchmark.c (steps, inference) and benchmark_layers.c share.
 */
#ifndef DLDA_TRAINING_BENCHMARK_H
#define DLDA_TRAINING_BENCHMARK_H

#include "training/trainer.h"

/* Of a step; and the loader's work, which goes on beside it. */
enum {
    DLDA_GATHER,
    DLDA_FORWARD,
    DLDA_OBJECTIVE,
    DLDA_BACKWARD,
    DLDA_OPTIMISER,
    DLDA_PHASES,
    DLDA_LOADER = DLDA_PHASES
};
enum { DLDA_TIMES = DLDA_PHASES + 1 };

/* benchmark.c: dlda_trainer_step on the first batch of the next epoch (from 1), with a look at the clock after each
 * phase. */
dlda_status dlda_benchmark_step(dlda_trainer *trainer, double seconds[DLDA_TIMES]);

/* Sorts the values; n >= 1. */
double dlda_median(double *values, size_t n);

/* Fills with random values of deviation 1, which repeat after a while: enough for arithmetic not to be special. */
void dlda_benchmark_fill(float *values, size_t n);

/* benchmark_layers.c: times each convolution and dense layer alone. The rows are to be released. */
dlda_status dlda_benchmark_layers(const dlda_network *network, const dlda_benchmark_spec *spec, dlda_team *team,
                                  size_t *count, dlda_benchmark_layer **rows);

/* Direct work of one pass of a convolution on a batch, in floating-point operations. */
double dlda_benchmark_flop(const dlda_layer *layer, size_t batch);

#endif
