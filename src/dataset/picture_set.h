/* SPDX-License-Identifier: MIT
 *
 * picture_set.h - reads many pictures as one set of images of equal shape.
 */
#ifndef DLDA_DATASET_PICTURE_SET_H
#define DLDA_DATASET_PICTURE_SET_H

#include "base/name_list.h"
#include "dataset/picture.h"

/* Reads the listed files below `folder`, by several threads. They must have one size unless the spec sets a size.
 * Images have 3 channels if any picture has, unless the spec sets the channels. `good` [files] is set to 1 for each
 * picture that is in the result; it can be 0 only with skip_bad. */
dlda_status dlda_picture_set_read(const char *folder, const dlda_name_list *files, const dlda_read_spec *spec,
                                  uint8_t *good, dlda_raw_images *images);

#endif
