/* SPDX-License-Identifier: MIT
 *
 * picture_set.h - reads many pictures as one set of images of equal shape.
 */
#ifndef DLDA_DATASET_PICTURE_SET_H
#define DLDA_DATASET_PICTURE_SET_H

#include "base/name_list.h"
#include "dataset/picture.h"

/* The result of reading many pictures. */
typedef struct dlda_picture_set {
    uint8_t *
        good; /* [files]: 1 for each picture that is in `images`; can be 0 only with skip_bad. The caller's array. */
    dlda_raw_images images;
    int resized; /* 1: their size was chosen, since the spec has none and the pictures differ or are large */
} dlda_picture_set;

/* Reads the listed files below `folder`, by several threads. The size is that of the spec, or one chosen by
 * picture_size.c. Images have 3 channels if any picture has, unless the spec sets the channels. */
dlda_status dlda_picture_set_read(const char *folder, const dlda_name_list *files, const dlda_read_spec *spec,
                                  dlda_picture_set *set);

#endif
