/* SPDX-License-Identifier: MIT
 *
 * npz.h - selects the arrays of an .npz file that are images or features, and their labels.
 */
#ifndef DLDA_DATASET_NPZ_H
#define DLDA_DATASET_NPZ_H

#include "dataset/zip.h"

typedef struct dlda_npz_names {
    const dlda_zip_member *images, *labels;
    const dlda_zip_member *others;      /* labels of the other part, or NULL */
    const dlda_zip_member *class_names; /* or NULL                           */
} dlda_npz_names;

/* A file without parts has one set, which is returned for any part. */
dlda_status dlda_npz_find(const char *path, const dlda_zip *zip, dlda_part part, dlda_npz_names *names);

#endif
