/* SPDX-License-Identifier: MIT
 *
 * dataset.h - images with labels, as the rest of the library sees them.
 *
 * The pixels lie in a storage that several sets may share (a split shares its parent's); a set is a list of
 * indices into it. Bytes stay bytes until a batch is gathered.
 */
#ifndef DLDA_DATASET_DATASET_H
#define DLDA_DATASET_DATASET_H

#include "base/parallel.h"

/* Sets the options that say how data were divided to what was done: those of dlda_dataset_divide, or else as many
 * validation samples as there are, of which nothing more is known. */
dlda_status dlda_dataset_record_division(const dlda_dataset *train, const dlda_dataset *validation,
                                         dlda_options *options);

/* Bytes of an image as a network sees them: 0 to 1. */
void dlda_scale_bytes(const uint8_t *bytes, size_t n, float *values);

/* Gathers samples indices[0 .. n-1] (positions in this set) as floats: images [n][height][width][channels]. */
void dlda_dataset_gather(const dlda_dataset *dataset, const size_t *indices, size_t n, dlda_team *team,
                         float *images);

#endif
