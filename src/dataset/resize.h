/* SPDX-License-Identifier: MIT
 *
 * resize.h - resizes byte images and converts between grey and colour.
 */
#ifndef DLDA_DATASET_RESIZE_H
#define DLDA_DATASET_RESIZE_H

#include "dataset/readers.h"

typedef struct dlda_image_shape {
    size_t height, width, channels;
} dlda_image_shape;

size_t dlda_image_size(const dlda_image_shape *shape);
int dlda_image_shape_equal(const dlda_image_shape *a, const dlda_image_shape *b);
/* The shape that images of shape `have` get under a spec. */
dlda_image_shape dlda_image_shape_wanted(const dlda_read_spec *spec, const dlda_image_shape *have);

/* Planned for images of one shape; each thread needs its own. */
typedef struct dlda_resizer dlda_resizer;

/* The channels must be equal, or 1 and 3 in either order. */
dlda_status dlda_resizer_create(const dlda_image_shape *from, const dlda_image_shape *to, dlda_resizer **resizer);
void dlda_resizer_run(dlda_resizer *resizer, const uint8_t *from, uint8_t *to);
void dlda_resizer_destroy(dlda_resizer *resizer);

/* Converts all images to the shape that a spec requests; allocates only if something changes. */
dlda_status dlda_images_fit(dlda_raw_images *images, const dlda_read_spec *spec);

#endif
