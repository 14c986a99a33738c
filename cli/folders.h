/* SPDX-License-Identifier: MIT
 *
 * folders.h - creates parent folders and compares modification times.
 */
#ifndef DEEPLDA_CLI_FOLDERS_H
#define DEEPLDA_CLI_FOLDERS_H

/* Creates the parent folders of a path. Errors are ignored; they show when the path itself is created. */
void folders_make_parents(const char *path);

int path_is_there(const char *path);
/* 1 if both exist and `path` was not modified before `other`. */
int path_is_newer(const char *path, const char *other);

#endif
