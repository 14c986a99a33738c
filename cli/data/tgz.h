/* SPDX-License-Identifier: MIT
 *
 * tgz.h - the files in a .tgz archive, one after the other, in bounded memory.
 */
#ifndef DLDA_DATASET_TGZ_H
#define DLDA_DATASET_TGZ_H

#include "base/status.h"

typedef struct dlda_tgz dlda_tgz;

typedef struct dlda_tgz_member {
    char name[257]; /* "package/index.js"; "" behind the last one */
    size_t size;
} dlda_tgz_member;

dlda_status dlda_tgz_open(const char *path, dlda_tgz **tgz);
/* The next regular file; folders are passed over, links and devices are refused. */
dlda_status dlda_tgz_next(dlda_tgz *tgz, dlda_tgz_member *member);
/* Writes the bytes of the member that came last to a file. */
dlda_status dlda_tgz_extract(dlda_tgz *tgz, const char *path);
void dlda_tgz_close(dlda_tgz *tgz);

#endif
