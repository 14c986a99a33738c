/* SPDX-License-Identifier: MIT
 *
 * write_idx.c - writes data sets as IDX files under their usual names. The format is described in read_idx.c.
 */
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/writers.h"

enum { MAGIC_LABELS = 0x801, MAGIC_IMAGES = 0x803, MAGIC_CHANNELS = 0x804, MOST_CLASSES = 256 };

static dlda_status check_replaceable(const char *folder, const char *name)
{
    char *path = NULL;
    dlda_status status = dlda_path_join(folder, name, &path);

    if (status == DLDA_OK) status = dlda_file_guard_replace(path);
    dlda_release(path);
    return status;
}

static dlda_status open_writer(const char *folder, const char *name, dlda_file_writer **writer)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, name, &path));
    DLDA_TRY(dlda_file_writer_open(path, writer));
done:
    dlda_release(path);
    return status;
}

static dlda_status add_u32(dlda_file_writer *writer, size_t value)
{
    const uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8),
                               (uint8_t)value };

    return dlda_file_writer_add(writer, bytes, sizeof bytes);
}

static dlda_status add_header(dlda_file_writer *writer, const dlda_dataset *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(add_u32(writer, self->channels == 1 ? MAGIC_IMAGES : MAGIC_CHANNELS));
    DLDA_TRY(add_u32(writer, self->count));
    DLDA_TRY(add_u32(writer, self->height));
    DLDA_TRY(add_u32(writer, self->width));
    if (self->channels != 1) DLDA_TRY(add_u32(writer, self->channels));
done:
    return status;
}

static dlda_status write_images(const dlda_dataset *self, const char *folder, const char *name)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    size_t size = self->height * self->width * self->channels;

    DLDA_TRY(open_writer(folder, name, &writer));
    DLDA_TRY(add_header(writer, self));
    for (size_t i = 0; i < self->count; i++)
        DLDA_TRY(dlda_file_writer_add(writer, dlda_sample_bytes(self, i), size));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

static dlda_status write_labels(const dlda_dataset *self, const char *folder, const char *name)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(open_writer(folder, name, &writer));
    DLDA_TRY(add_u32(writer, MAGIC_LABELS));
    DLDA_TRY(add_u32(writer, self->count));
    for (size_t i = 0; i < self->count; i++)
        DLDA_TRY(dlda_file_writer_add(writer, &(uint8_t){ (uint8_t)self->labels[i] }, 1));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

dlda_status dlda_write_idx(const dlda_dataset *self, dlda_part part, const char *folder)
{
    dlda_status status = DLDA_OK;
    int train = part == DLDA_PART_TRAIN;
    const char *images = train ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte";
    const char *labels = train ? "train-labels-idx1-ubyte" : "t10k-labels-idx1-ubyte";

    DLDA_TRY(dlda_expect_bytes(self, "idx"));
    if (self->classes > MOST_CLASSES)
        DLDA_FAIL(DLDA_E_SHAPE, "idx: %zu classes, expected at most %d; use npy", self->classes, MOST_CLASSES);
    if (self->height > UINT32_MAX || self->width > UINT32_MAX || self->channels > UINT32_MAX)
        DLDA_FAIL(DLDA_E_SHAPE, "idx: images of %zu x %zu x %zu, expected sides of 32 bits", self->height,
                  self->width, self->channels);
    DLDA_TRY(check_replaceable(folder, labels)); /* before there are images without labels */
    DLDA_TRY(write_images(self, folder, images));
    DLDA_TRY(write_labels(self, folder, labels));
done:
    return status;
}
