/* SPDX-License-Identifier: MIT
 *
 * folder_probe.c - looks into folders of pictures without reading them. Allocates nothing.
 */
#define _GNU_SOURCE
#include "dataset/folder_probe.h"
#include "dataset/picture.h"

#include <dirent.h>
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

/* 1 if an open folder contains a folder or, if given, a name that `looked_for` accepts.
 * Closes it. */
static int find_entry(DIR *stream, int (*looked_for)(const char *name))
{
    struct stat info;
    int found = 0;

    if (!stream) return 0;
    for (struct dirent *entry = readdir(stream); entry && !found; entry = readdir(stream)) {
        if (entry->d_name[0] == '.') continue;
        found = (looked_for && looked_for(entry->d_name)) ||
                (fstatat(dirfd(stream), entry->d_name, &info, 0) == 0 && S_ISDIR(info.st_mode));
    }
    closedir(stream);
    return found;
}

int dlda_folder_has_folders(const char *folder)
{
    return find_entry(opendir(folder), NULL);
}

int dlda_folder_has_classes_or_pictures(const char *folder)
{
    return find_entry(opendir(folder), named_as_picture);
}

/* ---- Parts ---- */

/* folder/part, or NULL if that is no folder. */
static DIR *open_part(const char *folder, const char *part)
{
    int above = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = above < 0 ? -1 : openat(above, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (above >= 0) close(above);
    return file >= 0 ? fdopendir(file) : NULL;
}

int dlda_folder_has_part(const char *folder, const char *part)
{
    return find_entry(open_part(folder, part), NULL);
}

/* ---- Pictures ---- */

/* 1 if an entry of an open folder is a picture, by its name or by its first bytes. */
static int is_picture(int folder, const char *name)
{
    uint8_t start[16];
    int file = named_as_picture(name) ? -1 : openat(folder, name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    ssize_t n = file < 0 ? 0 : read(file, start, sizeof start); /* fails for a folder */

    if (file >= 0) close(file);
    return named_as_picture(name) || (n > 0 && dlda_starts_picture(start, (size_t)n));
}

static int contains_picture(DIR *stream)
{
    int found = 0;

    if (!stream) return 0;
    for (struct dirent *entry = readdir(stream); entry && !found; entry = readdir(stream))
        found = entry->d_name[0] != '.' && is_picture(dirfd(stream), entry->d_name);
    closedir(stream);
    return found;
}

/* 1 if a folder in this one contains a picture. */
static int has_class_with_pictures(DIR *stream)
{
    int found = 0;

    if (!stream) return 0;
    for (struct dirent *entry = readdir(stream); entry && !found; entry = readdir(stream)) {
        if (entry->d_name[0] == '.') continue;
        int folder = openat(dirfd(stream), entry->d_name, O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC);
        found = folder >= 0 && contains_picture(fdopendir(folder));
    }
    closedir(stream);
    return found;
}

int dlda_folder_has_pictures(const char *folder, const char *part)
{
    return has_class_with_pictures(part ? open_part(folder, part) : opendir(folder));
}
