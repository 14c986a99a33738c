/* SPDX-License-Identifier: MIT
 *
 * zip.h - the directory of a zip file, for the arrays in an .npz.
 */
#ifndef DLDA_DATASET_ZIP_H
#define DLDA_DATASET_ZIP_H

#include "dataset/byte_flow.h"

typedef struct dlda_zip_member {
    char *name; /* without ".npy" */
    dlda_zip_part part;
} dlda_zip_member;

/* The .npy members of a zip file; others are skipped. */
typedef struct dlda_zip {
    size_t count;
    dlda_zip_member *members; /* [count] */
} dlda_zip;

dlda_status dlda_zip_open(const char *path, dlda_zip **zip);
void dlda_zip_destroy(dlda_zip *zip);

/* The member of that name, NULL if there is none. */
const dlda_zip_member *dlda_zip_find(const dlda_zip *zip, const char *name);

#endif
