/* SPDX-License-Identifier: MIT
 *
 * doc_folder.c - finds the documentation, relative to the program.
 *
 * DOC_FROM_PROGRAM is the path from the folder of the installed program to the installed documentation, such as
 * ../share/doc/deeplda. Meson creates a link of the same relative path in the build folder, to the source. So the
 * program finds its own documentation, also if the installation is moved.
 */
#define _GNU_SOURCE
#include "doc_folder.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Cuts the last component of a path. */
static void cut_name(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash) *slash = '\0';
}

int doc_folder_find(char *folder, size_t size)
{
    char *program = realpath("/proc/self/exe", NULL), path[2 * PATH_MAX];

    if (!program) return 0;
    cut_name(program);
    snprintf(path, sizeof path, "%s/" DOC_FROM_PROGRAM "/docs/options.md", program);
    free(program);
    char *found = realpath(path, NULL);
    if (!found) return 0;
    cut_name(found);
    cut_name(found);
    int length = snprintf(folder, size, "%s", found);
    free(found);
    return length > 0 && (size_t)length < size;
}
