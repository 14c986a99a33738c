/* SPDX-License-Identifier: MIT
 *
 * share.c - a data set whose pixels are divided among ranks.
 *
 * Each rank keeps a block of the images of a storage; labels and indices remain complete, so that all ranks divide, sample
 * and count alike. An image that another rank holds comes from it when a batch is made (batch/batch.c); passes over a whole
 * set visit on each rank the samples that it holds.
 */
#include "base/memory.h"
#include "dataset/dataset_internal.h"

#include <string.h>

/* ---- Which rank has a sample ---- */

static size_t first_image(const dlda_storage *storage, size_t rank)
{
    return rank * storage->n_images / storage->ranks;
}

int dlda_dataset_is_shared(const dlda_dataset *self)
{
    return self->storage->ranks > 1;
}

size_t dlda_dataset_ranks(const dlda_dataset *self)
{
    return self->storage->ranks;
}

size_t dlda_dataset_owner(const dlda_dataset *self, size_t i)
{
    const dlda_storage *storage = self->storage;
    size_t image = self->index[i], rank = image * storage->ranks / storage->n_images;

    while (image < first_image(storage, rank)) rank--;
    while (image >= first_image(storage, rank + 1)) rank++;
    return rank;
}

int dlda_dataset_holds(const dlda_dataset *self, size_t i)
{
    const dlda_storage *storage = self->storage;

    return storage->ranks <= 1 ||
           (self->index[i] >= storage->first_held && self->index[i] - storage->first_held < storage->n_held);
}

int dlda_dataset_is_visited(const dlda_dataset *self, size_t i, const dlda_comm *comm)
{
    if (dlda_dataset_is_shared(self)) return dlda_dataset_holds(self, i);
    dlda_rows mine = dlda_rows_of_rank(self->count, dlda_comm_size(comm), dlda_comm_rank(comm),
                                       dlda_comm_size(comm));

    return i >= mine.first && i - mine.first < mine.count;
}

size_t dlda_dataset_visit(const dlda_dataset *self, const dlda_comm *comm, size_t *next, size_t most,
                          size_t *positions)
{
    size_t n = 0;

    for (; n < most && *next < self->count; ++*next)
        if (dlda_dataset_is_visited(self, *next, comm)) positions[n++] = *next;
    return n;
}

/* ---- Images as they are stored ---- */

size_t dlda_dataset_raw_size(const dlda_dataset *self)
{
    size_t values = self->height * self->width * self->channels;

    return self->storage->values ? values * sizeof(float) : values;
}

const void *dlda_dataset_raw(const dlda_dataset *self, size_t i)
{
    const dlda_storage *storage = self->storage;
    const char *all = storage->values ? (const char *)storage->values : (const char *)storage->bytes;

    return all + (self->index[i] - storage->first_held) * dlda_dataset_raw_size(self);
}

void dlda_dataset_convert(const dlda_dataset *self, const void *raw, float *image)
{
    size_t size = dlda_dataset_raw_size(self);

    if (self->storage->values) memcpy(image, raw, size);
    else dlda_scale_bytes(raw, size, image);
}

/* ---- Keeping a share ---- */

/* Some images of the set and all labels: enough to see that ranks have read different data. */
static uint32_t fingerprint(const dlda_dataset *self)
{
    enum { IMAGES = 256 };
    const size_t shape[] = { self->count, self->height, self->width, self->channels, self->classes };
    size_t step = self->count / IMAGES + 1;
    uint32_t mark = dlda_comm_checksum(0, shape, sizeof shape);

    if (self->labels) mark = dlda_comm_checksum(mark, self->labels, self->count * sizeof *self->labels);
    for (size_t i = 0; i < self->count; i += step)
        if (dlda_dataset_holds(self, i))
            mark = dlda_comm_checksum(mark, dlda_dataset_raw(self, i), dlda_dataset_raw_size(self));
    return mark;
}

dlda_status dlda_dataset_agree(const dlda_dataset *self, const dlda_comm *comm, const char *what)
{
    if (dlda_comm_size(comm) == 1 || dlda_dataset_is_shared(self))
        return DLDA_OK; /* compared before it was shared */
    const uint32_t mark = fingerprint(self);

    return dlda_comm_agree(comm, &mark, sizeof mark, what);
}

dlda_status dlda_dataset_check_ranks(const dlda_dataset *self, const dlda_comm *comm)
{
    if (!dlda_dataset_is_shared(self) || dlda_dataset_ranks(self) == dlda_comm_size(comm)) return DLDA_OK;
    return dlda_fail(DLDA_E_ARGUMENT, "the data is divided among %zu ranks, expected %zu", dlda_dataset_ranks(self),
                     dlda_comm_size(comm));
}

dlda_status dlda_dataset_keep_share(dlda_dataset *self, const dlda_comm *comm)
{
    DLDA_NEED(self);
    dlda_status status = DLDA_OK;
    dlda_storage *storage = self->storage;
    size_t size = dlda_dataset_raw_size(self), rank = dlda_comm_rank(comm);
    char *held = NULL;

    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    if (dlda_dataset_is_shared(self))
        return dlda_fail(DLDA_E_ARGUMENT, "share: the images are divided among %zu ranks already", storage->ranks);
    DLDA_TRY(dlda_dataset_agree(self, comm, "the data"));
    storage->ranks = dlda_comm_size(comm);
    size_t first = first_image(storage, rank), n = first_image(storage, rank + 1) - first;
    DLDA_TRY(DLDA_TAKE(&held, n * size + 1, "images")); /* never 0 bytes */
    const char *all = storage->values ? (const char *)storage->values : (const char *)storage->bytes;
    memcpy(held, all + first * size, n * size);
    dlda_storage_drop_images(storage);
    if (storage->values) storage->values = (float *)(void *)held;
    else storage->bytes = (uint8_t *)held;
    storage->first_held = first;
    storage->n_held = n;
    held = NULL;
done:
    if (status != DLDA_OK) storage->ranks = 0;
    dlda_release(held);
    return status == DLDA_OK ? status : dlda_comm_fail(comm, status);
}
