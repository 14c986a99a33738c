/* SPDX-License-Identifier: MIT
 *
 * picture_size.h - chooses one size for pictures of different sizes.
 */
#ifndef DLDA_DATASET_PICTURE_SIZE_H
#define DLDA_DATASET_PICTURE_SIZE_H

#include "dataset/resize.h"

/* The longest side of a size that is chosen: at 96 x 96, training on a CPU takes minutes, not hours. */
enum { DLDA_MOST_CHOSEN_SIDE = 96 };

/* Sets the height and width of *size from the shapes of n > 0 pictures. Pictures of one size up to the longest side keep
 * theirs. */
dlda_status dlda_picture_size_choose(const dlda_image_shape *shapes, size_t n, dlda_image_shape *size);

#endif
