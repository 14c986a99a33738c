/* SPDX-License-Identifier: MIT
 *
 * batch.c - makes a batch: the sampler selects samples, the data set gathers them as floats, then they
 * are prepared and augmented.
 */
#include "batch/batch.h"
#include "base/memory.h"

#include <string.h>

dlda_status dlda_batch_take(dlda_batch *batch, size_t most, size_t values)
{
    dlda_status status = DLDA_OK;
    size_t size = 0;

    DLDA_TRY(dlda_multiply_sizes(most, values, "images of a batch", &size));
    DLDA_TRY(DLDA_TAKE(&batch->samples, most, "samples of a batch"));
    DLDA_TRY(DLDA_TAKE(&batch->labels, most, "labels of a batch"));
    DLDA_TRY(DLDA_TAKE(&batch->images, size, "images of a batch"));
done:
    return status;
}

void dlda_batch_release(dlda_batch *batch)
{
    dlda_release(batch->samples);
    dlda_release(batch->labels);
    dlda_release(batch->images);
}

dlda_status dlda_batch_fill(void *source, dlda_batch *batch)
{
    const dlda_batch_source *self = source;
    const int *labels = dlda_dataset_labels(self->dataset);

    dlda_sampler_epoch(self->sampler, batch->epoch);
    const size_t *samples = dlda_sampler_batch(self->sampler, batch->index, &batch->n);
    memcpy(batch->samples, samples, batch->n * sizeof *samples);
    for (size_t i = 0; i < batch->n; i++) batch->labels[i] = labels[samples[i]];
    dlda_dataset_gather(self->dataset, batch->samples, batch->n, NULL, batch->images);
    dlda_preparation_run(self->preparation, NULL, batch->n, batch->images, NULL);
    dlda_augment_batch(&self->augmentation, batch->epoch, batch->samples, batch->n, batch->images);
    return DLDA_OK;
}
