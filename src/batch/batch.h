/* SPDX-License-Identifier: MIT
 *
 * batch.h - one batch, ready for a training step, and its sources.
 */
#ifndef DLDA_BATCH_BATCH_H
#define DLDA_BATCH_BATCH_H

#include "batch/augment.h"
#include "batch/sampler.h"
#include "dataset/dataset.h"
#include "dataset/preparation.h"

typedef struct dlda_batch {
    size_t epoch, index; /* batch `index`, from 0, of that epoch */
    size_t n;            /* number of images                     */
    size_t *samples;     /* [n] positions in the data set        */
    int *labels;         /* [n]                                  */
    float *images;       /* [n][height][width][channels]         */
    double seconds;      /* processor time to make the batch     */
} dlda_batch;

/* Allocates for `most` images of `values` floats. */
dlda_status dlda_batch_take(dlda_batch *batch, size_t most, size_t values);
void dlda_batch_release(dlda_batch *batch);

typedef struct dlda_batch_source {
    const dlda_dataset *dataset;         /* has labels                                              */
    dlda_sampler *sampler;               /* used by no one else                                     */
    const dlda_preparation *preparation; /* applied to each batch; NULL: not needed, or done before */
    dlda_augmentation augmentation;
} dlda_batch_source;

/* Makes batch->index of batch->epoch: samples, labels and images, prepared and augmented. The result is a function
 * of (seed, epoch, index). Allocates nothing. */
dlda_status dlda_batch_fill(void *source, dlda_batch *batch);

#endif
