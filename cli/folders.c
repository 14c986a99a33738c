/* SPDX-License-Identifier: MIT
 *
 * folders.c - creates parent folders and compares modification times.
 */
#include "folders.h"

#include <string.h>
#include <sys/stat.h>

void folders_make_parents(const char *path)
{
    char copy[4096];

    if (strlen(path) >= sizeof copy) return;
    memcpy(copy, path, strlen(path) + 1);
    for (char *slash = strchr(copy + 1, '/'); slash && slash[1]; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(copy, 0777);
        *slash = '/';
    }
}

int path_is_there(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

int path_is_newer(const char *path, const char *other)
{
    struct stat ours, theirs;

    if (stat(path, &ours) != 0 || stat(other, &theirs) != 0) return 0;
    if (ours.st_mtim.tv_sec != theirs.st_mtim.tv_sec) return ours.st_mtim.tv_sec > theirs.st_mtim.tv_sec;
    return ours.st_mtim.tv_nsec >= theirs.st_mtim.tv_nsec;
}
