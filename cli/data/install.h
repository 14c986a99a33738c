/* SPDX-License-Identifier: MIT
 *
 * install.h - brings known data sets into the data folder.
 */
#ifndef DEEPLDA_CLI_INSTALL_H
#define DEEPLDA_CLI_INSTALL_H

#include "deeplda.h"

/* Puts a set into the data folder. Between _begin, which locks the data folder (DLDA_E_EXISTS if another process has
 * it), and _finish, which unpacks, converts, checks and moves into place, the caller brings the archive. */
typedef struct dlda_install dlda_install;

dlda_status dlda_install_begin(const char *name, dlda_install **install);
/* The folder in which the archive belongs under its name. */
const char *dlda_install_folder(const dlda_install *install);
/* 1 if something is there under the archive's name; it may be from an earlier attempt. */
int dlda_install_has_archive(const dlda_install *install);
/* Whether it has the right SHA-256; if not, it is removed. */
dlda_status dlda_install_check_archive(const dlda_install *install);
/* `step` may be NULL; it is told what is done next. On failure the archive stays, and the set is as it was. */
dlda_status dlda_install_finish(dlda_install *install, void *user,
                                         void (*step)(void *user, const char *words));
void dlda_install_destroy(dlda_install *install);

/* Makes the binary files of CIFAR-10 from six sheets of pictures and two lists of labels, which lie in the same folder and
 * are removed. */
dlda_status dlda_cifar10_convert(const char *folder, void *user, void (*step)(void *user, const char *words));

#endif
