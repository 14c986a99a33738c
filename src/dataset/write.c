/* SPDX-License-Identifier: MIT
 *
 * write.c - writes data sets: checks what all formats require, then calls the writer of the format.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/writers.h"

dlda_status dlda_expect_bytes(const dlda_dataset *dataset, const char *format)
{
    if (dataset->storage->bytes) return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "%s: found values that are not bytes, which this format cannot hold; use npy",
                     format);
}

const uint8_t *dlda_sample_bytes(const dlda_dataset *dataset, size_t i)
{
    return dataset->storage->bytes + dataset->index[i] * dataset->height * dataset->width * dataset->channels;
}

dlda_status dlda_writer_open_in(const char *folder, const char *name, dlda_file_writer **writer)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(folder, name, &path));
    DLDA_TRY(dlda_file_writer_open(path, writer));
done:
    dlda_release(path);
    return status;
}

dlda_status dlda_dataset_write(const dlda_dataset *dataset, dlda_part part, dlda_data_format format,
                               const char *folder)
{
    DLDA_NEED(dataset, folder);
    static dlda_status (*const writers[])(const dlda_dataset *, dlda_part,
                                          const char *) = { [DLDA_FORMAT_IDX] = dlda_write_idx,
                                                            [DLDA_FORMAT_NPY] = dlda_write_npy,
                                                            [DLDA_FORMAT_PNG] = dlda_write_png_folder };
    dlda_status status = DLDA_OK;

    if (part != DLDA_PART_TRAIN && part != DLDA_PART_TEST)
        DLDA_FAIL(DLDA_E_ARGUMENT, "write data set: part %d, expected DLDA_PART_TRAIN or DLDA_PART_TEST",
                  (int)part);
    if ((unsigned)format >= sizeof writers / sizeof writers[0])
        DLDA_FAIL(DLDA_E_ARGUMENT,
                  "write data set: format %d, expected DLDA_FORMAT_IDX, DLDA_FORMAT_NPY or DLDA_FORMAT_PNG",
                  (int)format);
    if (!dataset->labels) DLDA_FAIL(DLDA_E_CLASS, "write data set: it has no labels");
    DLDA_TRY(dlda_folder_make(folder));
    DLDA_TRY(writers[format](dataset, part, folder));
done:
    return status;
}
