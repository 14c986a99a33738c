/* SPDX-License-Identifier: MIT
 *
 * dataset.h - images with labels, as used by the rest of the library.
 *
 * The pixels lie in a storage that several sets may share (a split shares its parent's). A set is a list of indices
 * into it. Bytes are converted to floats only when a batch is gathered.
 */
#ifndef DLDA_DATASET_DATASET_H
#define DLDA_DATASET_DATASET_H

#include "base/parallel.h"

/* Sets the options that describe how data was divided: those used by dlda_dataset_divide; if it was divided
 * otherwise, just the number of validation samples. */
dlda_status dlda_dataset_record_division(const dlda_dataset *train, const dlda_dataset *validation,
                                         dlda_options *options);

/* Sets option resize if the size of the images was chosen when they were read. */
dlda_status dlda_dataset_record_size(const dlda_dataset *train, dlda_options *options);

/* Unless the spec has a size: pictures are resized to this one or, if not `resized`, they must have it. */
void dlda_read_spec_use_size(dlda_read_spec *spec, int resized, size_t height, size_t width);

/* The names of the columns of a table, one for each number of a sample; NULL: they have none. */
const char *const *dlda_dataset_columns(const dlda_dataset *dataset);

/* Scales bytes to 0 .. 1, the network's input range. */
void dlda_scale_bytes(const uint8_t *bytes, size_t n, float *values);

/* Gathers samples indices[0 .. n-1] (positions in this set) as floats: images [n][height][width][channels]. */
void dlda_dataset_gather(const dlda_dataset *dataset, const size_t *indices, size_t n, dlda_team *team,
                         float *images);

#endif
