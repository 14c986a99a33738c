/* SPDX-License-Identifier: MIT
 *
 * batch.h - one batch, ready for a training step, and what it is made from.
 */
#ifndef DLDA_BATCH_BATCH_H
#define DLDA_BATCH_BATCH_H

#include "batch/augment.h"
#include "batch/sampler.h"
#include "dataset/dataset.h"
#include "dataset/preparation.h"

typedef struct dlda_batch {
    size_t epoch, index; /* batch `index`, from 0, of that epoch      */
    size_t n;            /* images in it                              */
    size_t *samples;     /* [n] positions in the data set             */
    int *labels;         /* [n]                                       */
    float *images;       /* [n][height][width][channels]              */
    double seconds;      /* of processor time that it took to make it */
} dlda_batch;

/* Room for `most` images of `values` floats. */
dlda_status dlda_batch_take(dlda_batch *batch, size_t most, size_t values);
void dlda_batch_release(dlda_batch *batch);

typedef struct dlda_batch_source {
    const dlda_dataset *dataset;         /* has labels                                            */
    dlda_sampler *sampler;               /* nobody else draws from it                             */
    const dlda_preparation *preparation; /* of little work; NULL: the images need none (any more) */
    dlda_augmentation augmentation;
} dlda_batch_source;

/* Makes batch->index of batch->epoch: samples, labels, images; prepared, then augmented. It is a function of
 * (seed, epoch, index). Takes no memory. */
dlda_status dlda_batch_fill(void *source, dlda_batch *batch);

#endif
