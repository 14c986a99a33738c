/* SPDX-License-Identifier: MIT
 *
 * dataset_internal.h - what a data set is made of, for the files of this folder.
 */
#ifndef DLDA_DATASET_DATASET_INTERNAL_H
#define DLDA_DATASET_DATASET_INTERNAL_H

#include "base/file.h"
#include "base/name_list.h"
#include "dataset/dataset.h"

#include <stdatomic.h>

/* What a set and the sets split from it have in common. The last user releases it. */
typedef struct dlda_storage {
    atomic_size_t users;
    int borrowed;         /* bytes or values are the caller's                            */
    uint8_t *bytes;       /* [images][height][width][channels], NULL if there are values */
    float *values;        /* the same shape, NULL if there are bytes; borrowed ones may be unaligned */
    dlda_mapping mapping; /* the file that bytes or values lie in, if they were mapped and not read */
    size_t n_images;
    char **names; /* [classes], pointers into `text`                             */
    char *text;
    int named;            /* the names came with the data                          */
    dlda_name_list files; /* one for each image, or empty                          */
    /* the folds of a set that brings some along (STL-10): fold k, from 0, has the images
     * fold_samples[fold_start[k]] .. fold_samples[fold_start[k+1] - 1] */
    size_t n_folds;
    size_t *fold_start; /* [n_folds + 1], NULL if there are none */
    size_t *fold_samples;
} dlda_storage;

/* The options that dlda_dataset_divide made a set by, in the order of its table; "" if it was not made so. */
enum { DLDA_DIVISION_OPTIONS = 5, DLDA_DIVISION_TEXT = 40 };
typedef struct dlda_division {
    char values[DLDA_DIVISION_OPTIONS][DLDA_DIVISION_TEXT];
} dlda_division;

struct dlda_dataset {
    dlda_storage *storage;
    size_t count, height, width, channels, classes;
    size_t *index; /* [count]: where in the storage sample i lies */
    int *labels;   /* [count], NULL if there are none             */
    dlda_division division;
};

/* A set with everything but the pixels, as `spec` says; the caller puts those into its storage. */
dlda_status dlda_dataset_new(const dlda_dataset_spec *spec, dlda_dataset **dataset);

/* Gives a set the folds that came with it, n of them, as in dlda_storage; takes over both arrays. For readers.
 * DLDA_E_FORMAT if a sample does not exist. */
dlda_status dlda_dataset_set_folds(dlda_dataset *dataset, size_t n, size_t **start, size_t **samples);

/* Samples positions[0 .. n-1] of `parent` as a set of its own that shares the parent's storage. */
dlda_status dlda_dataset_select(const dlda_dataset *parent, const size_t *positions, size_t n,
                                dlda_dataset **dataset);

/* Replaces the class names; NULL: "0", "1", ... */
dlda_status dlda_storage_set_names(dlda_storage *storage, const char *const *names, size_t classes);

/* Makes labels places in the spec's list of names, if it has one and the data came with names. */
dlda_status dlda_dataset_match(dlda_dataset *dataset, const dlda_read_spec *spec);

#endif
