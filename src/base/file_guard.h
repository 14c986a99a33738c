/* SPDX-License-Identifier: MIT
 *
 * file_guard.h - lets a program protect files from being replaced.
 *
 * A command must not overwrite what it reads. The readers and writers of the library report the files that they open
 * to the guard, and ask it before they replace or remove one. The library keeps no list: what is protected is decided by
 * the program that installs a guard. This header is not public, so programs that embed the library have none.
 */
#ifndef DLDA_BASE_FILE_GUARD_H
#define DLDA_BASE_FILE_GUARD_H

#include "base/status.h"

/* Functions of the program. They may be called by several threads at once; a failure becomes that of the operation. */
typedef struct dlda_file_guard {
    dlda_status (*read)(int file);            /* an existing file was opened for reading         */
    dlda_status (*create)(int file);          /* a new file was created, which replaces no other */
    dlda_status (*replace)(const char *path); /* may a file of this name be replaced or removed? */
} dlda_file_guard;

/* NULL, as at the start of a program, protects nothing. The structure must stay valid. */
void dlda_file_guard_install(const dlda_file_guard *guard);

/* Call the functions of the guard, if there is one. */
dlda_status dlda_file_guard_read(int file);
dlda_status dlda_file_guard_create(int file);
dlda_status dlda_file_guard_replace(const char *path);

#endif
