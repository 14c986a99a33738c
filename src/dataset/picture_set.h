/* SPDX-License-Identifier: MIT
 *
 * picture_set.h - many pictures as one set of equal images.
 */
#ifndef DLDA_DATASET_PICTURE_SET_H
#define DLDA_DATASET_PICTURE_SET_H

#include "base/name_list.h"
#include "dataset/picture.h"

/* Reads the files of a list, named below `folder`, by several threads. They must be of one size unless the spec has a
 * size. Images have 3 channels if one of the pictures has, unless the spec says otherwise. `good` [files] becomes 1 for
 * each picture that is among the images; others are there only with skip_bad. */
dlda_status dlda_picture_set_read(const char *folder, const dlda_name_list *files, const dlda_read_spec *spec,
                                  uint8_t *good, dlda_raw_images *images);

#endif
