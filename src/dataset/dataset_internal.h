/* SPDX-License-Identifier: MIT
 *
 * dataset_internal.h - what a data set is made of, for the files of this folder.
 */
#ifndef DLDA_DATASET_DATASET_INTERNAL_H
#define DLDA_DATASET_DATASET_INTERNAL_H

#include "base/file.h"
#include "dataset/dataset.h"

#include <stdatomic.h>

/* What a set and the sets split from it have in common. The last user releases it. */
typedef struct dlda_storage {
    atomic_size_t users;
    uint8_t *bytes;       /* [images][height][width][channels], NULL if there are values */
    float *values;        /* the same shape, NULL if there are bytes                     */
    dlda_mapping mapping; /* the file that bytes or values lie in, if they were mapped and not read */
    char **names;         /* [classes], pointers into `text`                             */
    char *text;
} dlda_storage;

struct dlda_dataset {
    dlda_storage *storage;
    size_t count, height, width, channels, classes;
    size_t *index; /* [count]: where in the storage sample i lies */
    int *labels;   /* [count], NULL if there are none             */
};

/* A set with everything but the pixels, as `spec` says; the caller puts those into its storage. */
dlda_status dlda_dataset_new(const dlda_dataset_spec *spec, dlda_dataset **dataset);

/* Samples positions[0 .. n-1] of `parent` as a set of its own that shares the parent's storage. */
dlda_status dlda_dataset_select(const dlda_dataset *parent, const size_t *positions, size_t n,
                                dlda_dataset **dataset);

#endif
