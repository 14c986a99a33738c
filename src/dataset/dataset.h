/* SPDX-License-Identifier: MIT
 *
 * dataset.h - images with labels, as used by the rest of the library.
 *
 * The pixels lie in a storage that several sets may share (a split shares its parent's). A set is a list of indices
 * into it. Bytes are converted to floats only when a batch is gathered.
 */
#ifndef DLDA_DATASET_DATASET_H
#define DLDA_DATASET_DATASET_H

#include "base/comm.h"
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

/* share.c: data whose images are divided among ranks. All ranks have the same sets, with all labels. */
int dlda_dataset_is_shared(const dlda_dataset *dataset);
size_t dlda_dataset_ranks(const dlda_dataset *dataset);
/* 1 if sample i is in the memory of this rank; the rank that has it. */
int dlda_dataset_holds(const dlda_dataset *dataset, size_t i);
size_t dlda_dataset_owner(const dlda_dataset *dataset, size_t i);
/* In a pass over the set in which each rank visits some samples: 1 if it is this one's task to visit sample i. */
int dlda_dataset_is_visited(const dlda_dataset *dataset, size_t i, const dlda_comm *comm);
/* The next samples of this rank in such a pass, at most `most`; returns their number. *next begins at 0. */
size_t dlda_dataset_visit(const dlda_dataset *dataset, const dlda_comm *comm, size_t *next, size_t most,
                          size_t *positions);
/* A sample as it is stored, on the rank that holds it; its size in bytes; its conversion for a network. */
size_t dlda_dataset_raw_size(const dlda_dataset *dataset);
const void *dlda_dataset_raw(const dlda_dataset *dataset, size_t i);
void dlda_dataset_convert(const dlda_dataset *dataset, const void *raw, float *image);
/* DLDA_E_ARGUMENT if the images are divided among another number of ranks. */
dlda_status dlda_dataset_check_ranks(const dlda_dataset *dataset, const dlda_comm *comm);
/* DLDA_E_RANK if the ranks have different data. */
dlda_status dlda_dataset_agree(const dlda_dataset *dataset, const dlda_comm *comm, const char *what);

/* Gathers samples indices[0 .. n-1] (positions in this set) as floats: images [n][height][width][channels]. */
void dlda_dataset_gather(const dlda_dataset *dataset, const size_t *indices, size_t n, dlda_team *team,
                         float *images);

#endif
