/* SPDX-License-Identifier: MIT
 *
 * writers.h - the writers of data sets, one write_<format>.c each.
 */
#ifndef DLDA_DATASET_WRITERS_H
#define DLDA_DATASET_WRITERS_H

#include "base/file.h"
#include "dataset/readers.h"

/* Each writes a labelled set as one part into an existing folder. */
dlda_status dlda_write_idx(const dlda_dataset *dataset, dlda_part part, const char *folder);
dlda_status dlda_write_npy(const dlda_dataset *dataset, dlda_part part, const char *folder);
dlda_status dlda_write_png_folder(const dlda_dataset *dataset, dlda_part part, const char *folder);

/* Opens a writer for folder/name. */
dlda_status dlda_writer_open_in(const char *folder, const char *name, dlda_file_writer **writer);
/* Adds a complete .npy file of labels, i4 [n]. */
dlda_status dlda_npy_add_labels(dlda_file_writer *writer, const int *labels, size_t n);

/* Fails for sets of floats, which `format` cannot store. */
dlda_status dlda_expect_bytes(const dlda_dataset *dataset, const char *format);
/* The bytes [height][width][channels] of sample i of a set that has bytes. */
const uint8_t *dlda_sample_bytes(const dlda_dataset *dataset, size_t i);

#endif
