/* SPDX-License-Identifier: MIT
 *
 * dataset_internal.h - the fields of a data set, for the files of this folder.
 */
#ifndef DLDA_DATASET_DATASET_INTERNAL_H
#define DLDA_DATASET_DATASET_INTERNAL_H

#include "base/file.h"
#include "base/name_list.h"
#include "dataset/dataset.h"

#include <stdatomic.h>

/* Shared by a set and the sets split from it. Reference counted. */
typedef struct dlda_storage {
    atomic_size_t users;
    int borrowed;   /* bytes or values belong to the caller                                  */
    uint8_t *bytes; /* [images][height][width][channels]; NULL if there are values           */
    float *values;  /* the same shape; NULL if there are bytes; may be unaligned if borrowed */
    size_t n_images;
    size_t ranks; /* above 1: divided among so many ranks, and bytes or values have these images only */
    size_t first_held, n_held;
    char **names; /* [classes], pointers into `text`                             */
    char *text;
    int named;      /* the names came with the data                                      */
    char **columns; /* [n_columns]: names of the columns of a table; NULL if it has none */
    size_t n_columns;
    dlda_name_list files; /* one for each image, or empty */
    /* folds defined by the data set itself (STL-10): fold k, from 0, has the images fold_samples[fold_start[k]] ..
     * fold_samples[fold_start[k+1] - 1] */
    size_t n_folds;
    size_t *fold_start; /* [n_folds + 1], NULL if there are none */
    size_t *fold_samples;
} dlda_storage;

/* The options with which dlda_dataset_divide made a set, in the order of its table; "" if made otherwise. */
enum { DLDA_DIVISION_OPTIONS = 5, DLDA_DIVISION_TEXT = 40 };
typedef struct dlda_division {
    char values[DLDA_DIVISION_OPTIONS][DLDA_DIVISION_TEXT];
} dlda_division;

struct dlda_dataset {
    dlda_storage *storage;
    size_t count, height, width, channels, classes;
    int resized;   /* height and width were chosen for pictures of other sizes */
    size_t *index; /* [count]: index of sample i in the storage */
    int *labels;   /* [count], NULL if there are none           */
    dlda_division division;
};

/* Creates a set without pixels according to `spec`; the caller adds them to the storage. */
dlda_status dlda_dataset_new(const dlda_dataset_spec *spec, dlda_dataset **dataset);

/* For readers: sets the n folds of a data set, laid out as in dlda_storage. Takes ownership of both arrays.
 * DLDA_E_FORMAT if a sample does not exist. */
dlda_status dlda_dataset_set_folds(dlda_dataset *dataset, size_t n, size_t **start, size_t **samples);

/* Selects samples positions[0 .. n-1] of `parent` as a set that shares its storage. */
dlda_status dlda_dataset_select(const dlda_dataset *parent, const size_t *positions, size_t n,
                                dlda_dataset **dataset);

/* Releases the memory of bytes or values. The pointers are left as they are. */
void dlda_storage_drop_images(dlda_storage *storage);

/* Replaces the class names; NULL: "0", "1", ... */
dlda_status dlda_storage_set_names(dlda_storage *storage, const char *const *names, size_t classes);

/* Names the columns of a table: as many as the numbers of a sample. `columns` NULL: they have no names. */
dlda_status dlda_dataset_set_columns(dlda_dataset *dataset, const char *const *columns);

/* Renumbers labels as indices into the spec's list of names, if it has one and the data has names. */
dlda_status dlda_dataset_match(dlda_dataset *dataset, const dlda_read_spec *spec);

#endif
