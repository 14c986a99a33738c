/* SPDX-License-Identifier: MIT
 *
 * sampler.h - shuffled, stratified batches: every sample once per epoch, class proportions kept in each batch.
 *
 * An epoch has ceil(count / batch) batches whose sizes differ by at most one, so there is no small last batch, on
 * which an LDA would be meaningless. A class is in every batch as long as it has samples left.
 */
#ifndef DLDA_BATCH_SAMPLER_H
#define DLDA_BATCH_SAMPLER_H

#include "base/status.h"

typedef struct dlda_sampler dlda_sampler;

/* labels [count] in 0 .. classes-1. DLDA_E_ARGUMENT if batch is 0 or larger than count. */
dlda_status dlda_sampler_create(const int *labels, size_t count, size_t classes, size_t batch, uint64_t seed,
                                dlda_sampler **sampler);
void dlda_sampler_destroy(dlda_sampler *sampler);

size_t dlda_sampler_batches(const dlda_sampler *sampler);
/* Size of batch i of any epoch; the first is the largest. */
size_t dlda_sampler_size(const dlda_sampler *sampler, size_t i);
/* Computes the order of one epoch, a function of (seed, epoch). Allocates nothing. */
void dlda_sampler_epoch(dlda_sampler *sampler, size_t epoch);
/* The samples of batch i of the current epoch. */
const size_t *dlda_sampler_batch(const dlda_sampler *sampler, size_t i, size_t *n);

#endif
