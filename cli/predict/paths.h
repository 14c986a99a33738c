/* SPDX-License-Identifier: MIT
 *
 * paths.h - a growing list of file names, and the files of a folder.
 */
#ifndef DEEPLDA_CLI_PATHS_H
#define DEEPLDA_CLI_PATHS_H

#include "cli.h"

typedef struct path_list {
    char **paths; /* [count] */
    size_t count, room;
} path_list;

/* Copies the name. Returns an exit code. */
int paths_add(path_list *list, const char *command, const char *path);
/* Adds all files in a folder and its sub-folders, in bytewise order of their names, except hidden and
 * unfinished ones. */
int paths_add_folder(path_list *list, const char *command, const char *folder);
/* Empties the list but keeps its memory. */
void paths_clear(path_list *list);
void paths_release(path_list *list);

#endif
