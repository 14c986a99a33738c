/* SPDX-License-Identifier: MIT
 *
 * array_set.h - data sets made from arrays: images of any layout, and a label for each.
 */
#ifndef DLDA_DATASET_ARRAY_SET_H
#define DLDA_DATASET_ARRAY_SET_H

#include "dataset/array.h"

/* The arrays of a set; all except images may be NULL. */
typedef struct dlda_array_set {
    dlda_array *images; /* u1, f4 or f8       */
    dlda_array *labels; /* one for each image */
    dlda_array
        *others;       /* labels of the other part (train or test), so that both parts number their classes alike */
    dlda_array *names; /* class names, as text; labels are then indices into them */
} dlda_array_set;

/* `spec` determines how rows of N x D become images (dlda_shape_rows). */
dlda_status dlda_array_set_read(const dlda_array_set *arrays, const dlda_read_spec *spec, dlda_dataset **dataset);

#endif
