/* SPDX-License-Identifier: MIT
 *
 * write_idx.c - writes data sets as IDX files under their usual names. The format is described in read_idx.c.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/writers.h"

enum { MAGIC_LABELS = 0x801, MAGIC_IMAGES = 0x803, MAGIC_CHANNELS = 0x804, MOST_CLASSES = 256 };

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

static dlda_status add_images(const dlda_dataset *self, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;
    size_t size = self->height * self->width * self->channels;

    DLDA_TRY(add_header(writer, self));
    for (size_t i = 0; i < self->count; i++)
        DLDA_TRY(dlda_file_writer_add(writer, dlda_sample_bytes(self, i), size));
done:
    return status;
}

static dlda_status add_labels(const dlda_dataset *self, dlda_file_writer *writer)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(add_u32(writer, MAGIC_LABELS));
    DLDA_TRY(add_u32(writer, self->count));
    for (size_t i = 0; i < self->count; i++)
        DLDA_TRY(dlda_file_writer_add(writer, &(uint8_t){ (uint8_t)self->labels[i] }, 1));
done:
    return status;
}

dlda_status dlda_write_idx(const dlda_dataset *self, dlda_part part, const char *folder)
{
    dlda_status status = DLDA_OK;
    int train = part == DLDA_PART_TRAIN;
    dlda_file_writer *files[2] = { NULL }; /* images, labels */

    DLDA_TRY(dlda_expect_bytes(self, "idx"));
    if (self->classes > MOST_CLASSES)
        DLDA_FAIL(DLDA_E_SHAPE, "idx: %zu classes, expected at most %d; use npy", self->classes, MOST_CLASSES);
    if (self->height > UINT32_MAX || self->width > UINT32_MAX || self->channels > UINT32_MAX)
        DLDA_FAIL(DLDA_E_SHAPE, "idx: images of %zu x %zu x %zu, expected sides of 32 bits", self->height,
                  self->width, self->channels);
    DLDA_TRY(dlda_writer_open_in(folder, train ? "train-images-idx3-ubyte" : "t10k-images-idx3-ubyte", &files[0]));
    DLDA_TRY(dlda_writer_open_in(folder, train ? "train-labels-idx1-ubyte" : "t10k-labels-idx1-ubyte", &files[1]));
    DLDA_TRY(add_images(self, files[0]));
    DLDA_TRY(add_labels(self, files[1]));
    DLDA_TRY(dlda_file_writers_finish(files, 2, NULL));
done:
    dlda_file_writer_destroy(files[0]);
    dlda_file_writer_destroy(files[1]);
    return status;
}
