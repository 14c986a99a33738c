/* SPDX-License-Identifier: MIT
 *
 * planar.h - files of equal records without a header: some label bytes, then the red, the green and the blue plane of
 * an image. CIFAR and STL-10 are such files.
 */
#ifndef DLDA_DATASET_PLANAR_H
#define DLDA_DATASET_PLANAR_H

#include "base/name_list.h"
#include "dataset/resize.h"

typedef struct dlda_planar_layout {
    size_t side;        /* of an image, in pixels                                           */
    size_t label_bytes; /* before each image                                                */
    size_t label_at;    /* which of them is the label                                       */
    size_t classes;     /* labels are below                                                 */
    int by_columns;     /* each plane is stored column by column, from left to right        */
} dlda_planar_layout;

/* Bytes of a record. */
size_t dlda_planar_record(const dlda_planar_layout *layout);

/* How many records a file has, by its size, which must be a multiple of theirs. */
dlda_status dlda_planar_count(const char *path, const dlda_planar_layout *layout, size_t *count);

/* Reads several files one after the other into one set of images, upright, as `spec` wants them. labels [count] is
 * new memory too, or untouched if there are no label bytes. */
dlda_status dlda_planar_read(const char *const *paths, size_t n, const dlda_planar_layout *layout,
                             const dlda_read_spec *spec, dlda_raw_images *images, int **labels);

/* The class names in `file` of the folder, one in each line; the list stays empty if there is no such file. */
dlda_status dlda_class_names_read(const char *folder, const char *file, size_t classes, dlda_name_list *list);

/* A set of what was read; the names are those of the list, or `usual` (which may be NULL) if it is empty. */
dlda_status dlda_planar_adopt(const dlda_name_list *list, const char *const *usual, const int *labels,
                              size_t classes, dlda_raw_images *raw, dlda_dataset **dataset);

#endif
