/* SPDX-License-Identifier: MIT
 *
 * write_npy.c - writes data sets as pairs of NumPy files: X [count][height][width][channels], y [count].
 *
 * A .npy file of version 1.0 is: the magic bytes, the length of the header in two bytes, the header as a Python
 * dictionary, padded with blanks so that the data begins at a multiple of 64 bytes, then the data in native byte
 * order, which the header states.
 */
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/writers.h"

#include <string.h>

enum { ALIGNMENT = 64, PREFIX = 10, MOST_HEADER = 256 };

static char byte_order(void)
{
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
}

/* `type` is "|u1", "<f4", ...; `shape` is the inside of a Python tuple. */
static dlda_status add_header(dlda_file_writer *writer, const char *type, const char *shape)
{
    dlda_status status = DLDA_OK;
    char text[MOST_HEADER];
    size_t length = (size_t)snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
                                     type, shape);
    size_t whole = (PREFIX + length + 1 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT - PREFIX; /* 1: the line end */
    const uint8_t sizes[4] = { 1, 0, (uint8_t)whole, (uint8_t)(whole >> 8) };

    memset(text + length, ' ', whole - length);
    text[whole - 1] = '\n';
    DLDA_TRY(dlda_file_writer_add(writer, "\x93NUMPY", 6));
    DLDA_TRY(dlda_file_writer_add(writer, sizes, sizeof sizes));
    DLDA_TRY(dlda_file_writer_add(writer, text, whole));
done:
    return status;
}

static dlda_status add_samples(dlda_file_writer *writer, const dlda_dataset *self)
{
    dlda_status status = DLDA_OK;
    size_t size = self->height * self->width * self->channels;

    for (size_t i = 0; i < self->count; i++) {
        size_t bytes = self->storage->bytes ? size : size * sizeof(float);
        const char *all = self->storage->bytes ? (const char *)self->storage->bytes
                                               : (const char *)self->storage->values;
        DLDA_TRY(dlda_file_writer_add(writer, all + self->index[i] * bytes, bytes));
    }
done:
    return status;
}

/* Vectors are written as rows of a matrix; images keep their three dimensions. */
static dlda_status write_images(const dlda_dataset *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    char shape[96], type[4] = "|u1";

    if (self->height == 1 && self->width == 1)
        snprintf(shape, sizeof shape, "%zu, %zu", self->count, self->channels);
    else
        snprintf(shape, sizeof shape, "%zu, %zu, %zu, %zu", self->count, self->height, self->width, self->channels);
    if (!self->storage->bytes) snprintf(type, sizeof type, "%cf4", byte_order());
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(add_header(writer, type, shape));
    DLDA_TRY(add_samples(writer, self));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

dlda_status dlda_npy_add_labels(dlda_file_writer *writer, const int *labels, size_t n)
{
    dlda_status status = DLDA_OK;
    char shape[32], type[4];

    snprintf(shape, sizeof shape, "%zu,", n);
    snprintf(type, sizeof type, "%ci4", byte_order());
    DLDA_TRY(add_header(writer, type, shape));
    for (size_t i = 0; i < n; i++) DLDA_TRY(dlda_file_writer_add(writer, &(int32_t){ labels[i] }, sizeof(int32_t)));
done:
    return status;
}

static dlda_status write_labels(const dlda_dataset *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_npy_add_labels(writer, self->labels, self->count));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

dlda_status dlda_write_npy(const dlda_dataset *self, dlda_part part, const char *folder)
{
    dlda_status status = DLDA_OK;
    int train = part == DLDA_PART_TRAIN;
    char *images = NULL, *labels = NULL;

    DLDA_TRY(dlda_path_join(folder, train ? "X_train.npy" : "X_test.npy", &images));
    DLDA_TRY(dlda_path_join(folder, train ? "y_train.npy" : "y_test.npy", &labels));
    DLDA_TRY(dlda_file_guard_replace(labels)); /* before there are images without labels */
    DLDA_TRY(write_images(self, images));
    DLDA_TRY(write_labels(self, labels));
done:
    dlda_release(images);
    dlda_release(labels);
    return status;
}
