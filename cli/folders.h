/* SPDX-License-Identifier: MIT
 *
 * folders.h - folders that lead to a file, and times of files.
 */
#ifndef DEEPLDA_CLI_FOLDERS_H
#define DEEPLDA_CLI_FOLDERS_H

/* Makes the folders that lead to a path. What fails here fails again, with a message, when the path itself is made. */
void folders_make_parents(const char *path);

int path_is_there(const char *path);
/* 1 if both are there and `path` was not changed before `other`. */
int path_is_newer(const char *path, const char *other);

#endif
