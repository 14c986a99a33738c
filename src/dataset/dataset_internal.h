/* SPDX-License-Identifier: MIT
 *
 * dataset_internal.h - what a data set is made of, for the files of this folder.
 */
#ifndef DLDA_DATASET_DATASET_INTERNAL_H
#define DLDA_DATASET_DATASET_INTERNAL_H

#include "base/name_list.h"
#include "dataset/dataset.h"

#include <stdatomic.h>

/* What a set and the sets split from it have in common. The last user releases it. */
typedef struct dlda_storage {
    atomic_size_t users;
    uint8_t *bytes; /* [images][height][width][channels], NULL if there are values */
    float *values;  /* the same shape, NULL if there are bytes                     */
    char **names;   /* [classes], pointers into `text`                             */
    char *text;
    int named;            /* the names came with the data                          */
    dlda_name_list files; /* one for each image, or empty                          */
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

/* Replaces the class names; NULL: "0", "1", ... */
dlda_status dlda_storage_set_names(dlda_storage *storage, const char *const *names, size_t classes);

/* Makes labels places in the spec's list of names, if it has one and the data came with names. */
dlda_status dlda_dataset_match(dlda_dataset *dataset, const dlda_read_spec *spec);

#endif
