/* SPDX-License-Identifier: MIT
 *
 * paths.c - growing lists of file names, and the files of a folder.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "predict/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int paths_add(path_list *self, const char *command, const char *path)
{
    if (self->count == self->room) {
        size_t room = self->room ? 2 * self->room : 64;
        char **larger = realloc(self->paths, room * sizeof *larger);
        if (larger) {
            self->paths = larger;
            self->room = room;
        }
    }
    char *copy = self->paths && self->count < self->room ? strdup(path) : NULL;
    if (!copy) {
        complain(command, "%s: no memory for its name", path);
        return EXIT_FAILED;
    }
    self->paths[self->count++] = copy;
    return EXIT_OK;
}

void paths_clear(path_list *self)
{
    for (size_t i = 0; i < self->count; i++) free(self->paths[i]);
    self->count = 0;
}

void paths_release(path_list *self)
{
    paths_clear(self);
    free(self->paths);
    *self = (path_list){ 0 };
}

/* ---- Folders ---- */

/* The output may be in the making in the folder that is searched. */
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !dlda_path_is_temporary(entry->d_name);
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static char *joined(const char *folder, const char *entry)
{
    char *path = NULL;
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";

    return asprintf(&path, "%s%s%s", folder, slash, entry) < 0 ? NULL : path;
}

/* Symbolic links to folders are not followed: they may form cycles. */
static int is_own_folder(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int add_entry(path_list *self, const char *command, const char *folder, const char *entry)
{
    char *path = joined(folder, entry);
    int code = EXIT_FAILED;

    if (!path) complain(command, "%s: no memory for the names of its files", folder);
    else if (is_own_folder(path)) code = paths_add_folder(self, command, path);
    else code = paths_add(self, command, path);
    free(path);
    return code;
}

int paths_add_folder(path_list *self, const char *command, const char *folder)
{
    struct dirent **entries = NULL;
    int n = scandir(folder, &entries, is_visible, by_bytes), code = EXIT_OK;

    if (n < 0) {
        complain(command, "%s: cannot read: %s", folder, strerror(errno));
        return EXIT_FAILED;
    }
    for (int i = 0; i < n; i++) {
        if (code == EXIT_OK) code = add_entry(self, command, folder, entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return code;
}
