/* SPDX-License-Identifier: MIT
 *
 * folder_probe.c - looks into folders without reading what they contain.
 */
#define _GNU_SOURCE
#include "dataset/folder_probe.h"
#include "dataset/picture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Includes formats that are not read: their folder is one of pictures, and the message says how to convert them. */
static int named_as_picture(const char *name)
{
    static const char ends[][6] = { ".png", ".jpg",  ".jpeg", ".gif",  ".webp",
                                    ".bmp", ".tiff", ".tif",  ".heic", ".avif" };
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; dot && i < sizeof ends / sizeof ends[0]; i++)
        if (strcasecmp(dot, ends[i]) == 0) return 1;
    return 0;
}

/* ---- Folders ---- */

/* What is absent is an answer; what cannot be read is a failure. */
static int is_absent(int error)
{
    return error == 0 || error == ENOENT || error == ENOTDIR || error == ELOOP;
}

static void note_failure(const char *folder, int error, dlda_status *failure)
{
    if (!is_absent(error))
        *failure = dlda_fail(error == ENOMEM ? DLDA_E_MEMORY : DLDA_E_IO, "%s: cannot read: %s", folder,
                             strerror(error));
}

/* The next entry that is not hidden; NULL at the end, and if reading fails. */
static const char *next_name(DIR *stream, const char *folder, dlda_status *failure)
{
    const struct dirent *entry = NULL;

    do {
        errno = 0;
        entry = readdir(stream);
    } while (entry && entry->d_name[0] == '.');
    if (!entry) note_failure(folder, errno, failure);
    return entry ? entry->d_name : NULL;
}

/* NULL if there is no such folder, and on failure. */
static DIR *open_folder(const char *folder, dlda_status *failure)
{
    DIR *stream = opendir(folder);

    if (!stream) note_failure(folder, errno, failure);
    return stream;
}

/* Like open_folder, for a folder in an open one; `folder` is for messages. */
static DIR *open_inner(int above, const char *name, const char *folder, dlda_status *failure)
{
    int file = openat(above, name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
    DIR *stream = file >= 0 ? fdopendir(file) : NULL;

    if (!stream) note_failure(folder, errno, failure);
    if (!stream && file >= 0) close(file);
    return stream;
}

int dlda_folder_has(const char *folder, const char *start, dlda_status *failure)
{
    DIR *stream = open_folder(folder, failure);
    const char *name = NULL;
    int found = 0;

    while (stream && !found && (name = next_name(stream, folder, failure)))
        found = strncmp(name, start, strlen(start)) == 0;
    if (stream) closedir(stream);
    return found;
}

/* 1 if an open folder contains a folder or, if given, a name that `looked_for` accepts. Closes it. */
static int find_entry(DIR *stream, int (*looked_for)(const char *name), const char *folder, dlda_status *failure)
{
    struct stat info;
    const char *name = NULL;
    int found = 0;

    while (stream && !found && (name = next_name(stream, folder, failure)))
        found = (looked_for && looked_for(name)) ||
                (fstatat(dirfd(stream), name, &info, 0) == 0 && S_ISDIR(info.st_mode));
    if (stream) closedir(stream);
    return found;
}

int dlda_folder_has_folders(const char *folder, dlda_status *failure)
{
    return find_entry(open_folder(folder, failure), NULL, folder, failure);
}

int dlda_folder_has_classes_or_pictures(const char *folder, dlda_status *failure)
{
    return find_entry(open_folder(folder, failure), named_as_picture, folder, failure);
}

/* ---- Parts ---- */

/* folder/part, or NULL if that is no folder. */
static DIR *open_part(const char *folder, const char *part, dlda_status *failure)
{
    int above = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = NULL;

    if (above < 0) note_failure(folder, errno, failure);
    else stream = open_inner(above, part, folder, failure);
    if (above >= 0) close(above);
    return stream;
}

int dlda_folder_has_part(const char *folder, const char *part, dlda_status *failure)
{
    return find_entry(open_part(folder, part, failure), NULL, folder, failure);
}

/* ---- Pictures ---- */

/* 1 if an entry of an open folder is a picture, by its name or by its first bytes. Files that may not be read are none. */
static int is_picture(DIR *stream, const char *name, const char *folder, dlda_status *failure)
{
    uint8_t start[16];

    if (named_as_picture(name)) return 1;
    int file = openat(dirfd(stream), name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = file < 0 ? -1 : read(file, start, sizeof start);
    if (n < 0 && errno != EISDIR && errno != EACCES && errno != ENXIO) note_failure(folder, errno, failure);
    if (file >= 0) close(file);
    return n > 0 && dlda_starts_picture(start, (size_t)n);
}

/* Closes the folder. */
static int contains_picture(DIR *stream, const char *folder, dlda_status *failure)
{
    const char *name = NULL;
    int found = 0;

    while (stream && !found && (name = next_name(stream, folder, failure)))
        found = is_picture(stream, name, folder, failure);
    if (stream) closedir(stream);
    return found;
}

/* 1 if a folder in this one contains a picture. Closes it. */
static int has_class_with_pictures(DIR *stream, const char *folder, dlda_status *failure)
{
    const char *name = NULL;
    int found = 0;

    while (stream && !found && (name = next_name(stream, folder, failure)))
        found = contains_picture(open_inner(dirfd(stream), name, folder, failure), folder, failure);
    if (stream) closedir(stream);
    return found;
}

int dlda_folder_has_pictures(const char *folder, const char *part, dlda_status *failure)
{
    DIR *stream = part ? open_part(folder, part, failure) : open_folder(folder, failure);

    return has_class_with_pictures(stream, folder, failure);
}
