/* SPDX-License-Identifier: MIT
 *
 * folder_probe.h - looks into folders without reading what they contain.
 *
 * If something cannot be read, there is no answer: *failure is set, and is not changed otherwise.
 */
#ifndef DLDA_DATASET_FOLDER_PROBE_H
#define DLDA_DATASET_FOLDER_PROBE_H

#include "base/status.h"

/* 1 if it has an entry whose name begins with `start`. */
int dlda_folder_has(const char *folder, const char *start, dlda_status *failure);
/* 1 if it contains a folder. */
int dlda_folder_has_folders(const char *folder, dlda_status *failure);
/* 1 if it contains a folder, or a file with the name of a picture, also of a format that is not read. */
int dlda_folder_has_classes_or_pictures(const char *folder, dlda_status *failure);

/* 1 if folder/part exists and contains folders. A class may be named "train" too, but then it contains pictures. */
int dlda_folder_has_part(const char *folder, const char *part, dlda_status *failure);

/* 1 if a folder in folder/part, or in `folder` if part is NULL, contains a picture. */
int dlda_folder_has_pictures(const char *folder, const char *part, dlda_status *failure);

#endif
