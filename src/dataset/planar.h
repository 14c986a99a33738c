/* SPDX-License-Identifier: MIT
 *
 * planar.h - files of equal records without a header: label bytes, then the red, green and blue plane of an image.
 * CIFAR and STL-10 use this format.
 */
#ifndef DLDA_DATASET_PLANAR_H
#define DLDA_DATASET_PLANAR_H

#include "base/name_list.h"
#include "dataset/resize.h"

typedef struct dlda_planar_layout {
    size_t side;        /* of an image, in pixels             */
    size_t label_bytes; /* before each image                  */
    size_t label_at;    /* which of them is the label         */
    size_t classes;     /* labels are less than this          */
    int by_columns;     /* planes are stored column by column */
} dlda_planar_layout;

/* Bytes of a record. */
size_t dlda_planar_record(const dlda_planar_layout *layout);

/* Number of records, from the file size, which must be a multiple of the record size. */
dlda_status dlda_planar_count(const char *path, const dlda_planar_layout *layout, size_t *count);

/* Reads several files in sequence into one set of images, upright, in the size that `spec` requests. labels [count]
 * is allocated too, or left unchanged if the layout has no label bytes. */
dlda_status dlda_planar_read(const char *const *paths, size_t n, const dlda_planar_layout *layout,
                             const dlda_read_spec *spec, dlda_raw_images *images, int **labels);

/* Reads class names from `file` in the folder, one per line; the list is empty if there is no such file. */
dlda_status dlda_class_names_read(const char *folder, const char *file, size_t classes, dlda_name_list *list);

/* Creates a set from the images read. Its names are those of the list, or `usual` (may be
 * NULL) if the list is empty. */
dlda_status dlda_planar_adopt(const dlda_name_list *list, const char *const *usual, const int *labels,
                              size_t classes, dlda_raw_images *raw, dlda_dataset **dataset);

#endif
