/* SPDX-License-Identifier: MIT
 *
 * batch.c - makes a batch: the sampler selects samples, the data set gathers them as floats, then they
 * are prepared and augmented.
 *
 * With several ranks, all know the samples of the whole batch; each makes its own rows. If the images are divided among
 * ranks, each sends those that it holds to the ranks that need them, in the order of the rows.
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

/* ---- Images of other ranks ---- */

dlda_status dlda_batch_source_take(dlda_batch_source *self, size_t most, size_t most_here)
{
    dlda_status status = DLDA_OK;
    size_t size = dlda_dataset_raw_size(self->dataset), to_send = 0, to_receive = 0;

    if (!dlda_dataset_is_shared(self->dataset)) return DLDA_OK;
    DLDA_TRY(dlda_multiply_sizes(most, size, "images to exchange", &to_send));
    DLDA_TRY(dlda_multiply_sizes(most_here, size, "images to exchange", &to_receive));
    DLDA_TRY(DLDA_TAKE(&self->sent, to_send, "images to exchange"));
    DLDA_TRY(DLDA_TAKE(&self->received, to_receive, "images to exchange"));
    DLDA_TRY(DLDA_TAKE(&self->counts, 3 * dlda_comm_size(self->comm), "images to exchange"));
done:
    return status;
}

void dlda_batch_source_release(dlda_batch_source *self)
{
    dlda_release(self->sent);
    dlda_release(self->received);
    dlda_release(self->counts);
}

static dlda_rows rows_of(const dlda_batch_source *self, size_t n, size_t rank)
{
    return self->comm ? dlda_rows_of_rank(n, self->groups, rank, dlda_comm_size(self->comm)) : (dlda_rows){ 0, n };
}

/* Packs the images that this rank holds for rank after rank; to[r] is their size. */
static void pack(const dlda_batch_source *self, const size_t *samples, size_t n, size_t *to)
{
    size_t size = dlda_dataset_raw_size(self->dataset), used = 0;

    for (size_t rank = 0; rank < dlda_comm_size(self->comm); rank++) {
        dlda_rows rows = rows_of(self, n, rank);
        size_t before = used;
        for (size_t i = rows.first; i < rows.first + rows.count; i++) {
            if (!dlda_dataset_holds(self->dataset, samples[i])) continue;
            memcpy(self->sent + used, dlda_dataset_raw(self->dataset, samples[i]), size);
            used += size;
        }
        to[rank] = used - before;
    }
}

static dlda_status exchange(const dlda_batch_source *self, const size_t *samples, dlda_batch *batch)
{
    size_t ranks = dlda_comm_size(self->comm), size = dlda_dataset_raw_size(self->dataset);
    size_t values = self->augmentation.height * self->augmentation.width * self->augmentation.channels;
    size_t *to = self->counts, *from = to + ranks, *at = from + ranks;

    pack(self, samples, batch->total, to);
    memset(from, 0, ranks * sizeof *from);
    for (size_t i = 0; i < batch->n; i++) from[dlda_dataset_owner(self->dataset, batch->samples[i])] += size;
    dlda_status status = dlda_comm_exchange(self->comm, self->sent, to, self->received, from);
    at[0] = 0;
    for (size_t rank = 1; rank < ranks; rank++) at[rank] = at[rank - 1] + from[rank - 1];
    for (size_t i = 0; status == DLDA_OK && i < batch->n; i++) {
        size_t owner = dlda_dataset_owner(self->dataset, batch->samples[i]);
        dlda_dataset_convert(self->dataset, self->received + at[owner], batch->images + i * values);
        at[owner] += size;
    }
    return status;
}

/* ---- The batch ---- */

dlda_status dlda_batch_fill(void *source, dlda_batch *batch)
{
    const dlda_batch_source *self = source;
    const int *labels = dlda_dataset_labels(self->dataset);
    dlda_status status = DLDA_OK;

    dlda_sampler_epoch(self->sampler, batch->epoch);
    const size_t *samples = dlda_sampler_batch(self->sampler, batch->index, &batch->total);
    dlda_rows mine = rows_of(self, batch->total, dlda_comm_rank(self->comm));
    batch->n = mine.count;
    memcpy(batch->samples, samples + mine.first, batch->n * sizeof *samples);
    for (size_t i = 0; i < batch->n; i++) batch->labels[i] = labels[batch->samples[i]];
    if (self->sent) status = exchange(self, samples, batch);
    else dlda_dataset_gather(self->dataset, batch->samples, batch->n, NULL, batch->images);
    if (status != DLDA_OK) return status;
    dlda_preparation_run(self->preparation, NULL, batch->n, batch->images, NULL);
    dlda_augment_batch(&self->augmentation, batch->epoch, batch->samples, batch->n, batch->images);
    return DLDA_OK;
}
