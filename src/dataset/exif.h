/* SPDX-License-Identifier: MIT
 *
 * exif.h - the orientation that a camera records with a picture.
 */
#ifndef DLDA_DATASET_EXIF_H
#define DLDA_DATASET_EXIF_H

#include "dataset/resize.h"

/* 1 to 8, as EXIF numbers them; 1 is upright. */
typedef int dlda_orientation;

/* The orientation in the content of a JPEG's APP1 marker; 0 if it has none or is damaged. */
dlda_orientation dlda_exif_orientation(const uint8_t *marker, size_t n);

/* 1 if making the picture upright exchanges height and width. */
int dlda_orientation_transposes(dlda_orientation orientation);
/* Copies stored pixels [height][width][channels] of shape `stored` so that the picture is upright. */
void dlda_orientation_apply(dlda_orientation orientation, const dlda_image_shape *stored, const uint8_t *from,
                            uint8_t *to);

#endif
