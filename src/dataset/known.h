/* SPDX-License-Identifier: MIT
 *
 * known.h - the sets that have a name: what their files are, and how they are made from an archive.
 */
#ifndef DLDA_DATASET_KNOWN_H
#define DLDA_DATASET_KNOWN_H

#include "base/status.h"

/* A file that a set consists of. */
typedef struct dlda_known_file {
    const char *name;
    size_t size;
    const char *sha256; /* NULL: not known     */
    int optional;       /* the set is there without it too */
} dlda_known_file;

/* A file of the archive that is needed. */
typedef struct dlda_known_member {
    const char *path; /* in the archive                  */
    const char *name; /* of the file that is made of it  */
    size_t size;
} dlda_known_member;

typedef struct dlda_known {
    dlda_known_set set; /* what everybody may see                                 */
    const dlda_known_file *files;
    size_t n_files;
    /* only if set.package is not NULL: */
    const char *archive_sha256;
    const dlda_known_member *members;
    size_t n_members;
} dlda_known;

/* known_table.c; tests bring a table of their own. */
extern const dlda_known dlda_known_table[];
extern const size_t dlda_known_count;

/* NULL if there is no such set. */
const dlda_known *dlda_known_find(const char *name);

/* Where the files of a set are or would be, in new memory. */
dlda_status dlda_known_folder(const dlda_known *known, char **folder);

/* If nothing is at `path` and it is the name of a known set: the set's folder, in new memory; else NULL. A set that is
 * not there is an error that says how to get it. */
dlda_status dlda_known_resolve(const char *path, char **folder);

/* Fails unless a file has that size and digest. */
dlda_status dlda_known_check_file(const char *folder, const dlda_known_file *file);

#endif
