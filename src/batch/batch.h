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
    size_t n;            /* number of images of this rank        */
    size_t total;        /* number of images of all ranks        */
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
    const dlda_comm *comm; /* ranks among which the rows of a batch are divided; NULL: one            */
    size_t groups;         /* of rows in a batch, see dlda_rows_of_rank; 0 with one rank              */
    char *sent, *received; /* images of other ranks' and of this rank's rows; NULL: the data is not shared */
    size_t *counts;        /* [3 ranks] scratch                                                       */
} dlda_batch_source;

/* Takes the memory to exchange images, for batches of `most` rows of which this rank has `most_here`, if the source's data
 * is shared. */
dlda_status dlda_batch_source_take(dlda_batch_source *source, size_t most, size_t most_here);
void dlda_batch_source_release(dlda_batch_source *source);

/* Makes batch->index of batch->epoch: samples, labels and images, prepared and augmented. The result is a function
 * of (seed, epoch, index). Allocates nothing. */
dlda_status dlda_batch_fill(void *source, dlda_batch *batch);

#endif
