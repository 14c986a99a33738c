/* SPDX-License-Identifier: MIT
 *
 * file.c - paths, reading of whole files, folders. file_writer.c writes files; leftovers.c removes what killed processes
 * left.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int dlda_path_exists(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0;
}

int dlda_path_is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

int dlda_path_is_link(const char *path)
{
    struct stat info;
    return lstat(path, &info) == 0 && S_ISLNK(info.st_mode);
}

dlda_status dlda_path_remove_link(const char *path)
{
    if (!dlda_path_is_link(path) || unlink(path) == 0) return DLDA_OK;
    return dlda_fail(DLDA_E_IO, "%s: a link that cannot be replaced: %s", path, strerror(errno));
}

dlda_status dlda_path_join(const char *folder, const char *name, char **path)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    dlda_status status = DLDA_TAKE(path, size, "path");
    const char *slash = folder[0] && folder[strlen(folder) - 1] != '/' ? "/" : "";

    if (status == DLDA_OK) snprintf(*path, size, "%s%s%s", folder, slash, name);
    return status;
}

dlda_status dlda_path_folder(const char *path, char **folder)
{
    const char *slash = strrchr(path, '/');

    if (!slash) return dlda_take_text(".", folder);
    return dlda_take_text_n(path, slash == path ? 1 : (size_t)(slash - path), folder);
}

const char *dlda_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

int dlda_path_ends(const char *path, const char *end)
{
    size_t n = strlen(path), m = strlen(end);
    return n >= m && strcmp(path + n - m, end) == 0;
}

/* ---- Reading ---- */

static dlda_status checked_size(const char *path, int file, size_t most, size_t *size)
{
    struct stat info;

    if (fstat(file, &info) != 0) return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
    if (S_ISDIR(info.st_mode)) return dlda_fail(DLDA_E_IO, "%s: a folder, expected a file", path);
    if (!S_ISREG(info.st_mode)) return dlda_fail(DLDA_E_IO, "%s: not a regular file", path);
    if ((uintmax_t)info.st_size > most)
        return dlda_fail(DLDA_E_FORMAT, "%s: %jd bytes, expected at most %zu", path, (intmax_t)info.st_size, most);
    *size = (size_t)info.st_size;
    return DLDA_OK;
}

static dlda_status read_exactly(const char *path, int file, size_t size, char *bytes)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
        if (n == 0) return dlda_fail(DLDA_E_IO, "%s: was truncated while it was read", path);
        done += (size_t)n;
    }
    return DLDA_OK;
}

static dlda_status open_stream(const char *path, FILE **stream)
{
    dlda_status status = DLDA_OK;
    size_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    DLDA_TRY(checked_size(path, file, SIZE_MAX, &length));
    *stream = fdopen(file, "rb");
    if (!*stream) DLDA_FAIL(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    file = -1;
done:
    if (file >= 0) close(file);
    return status;
}

dlda_status dlda_file_open(const char *path, FILE **stream)
{
    FILE *file = NULL;
    dlda_status status = open_stream(path, &file);

    if (status != DLDA_OK) return status;
    status = dlda_file_guard_read(fileno(file));
    if (status == DLDA_OK) *stream = file;
    else fclose(file);
    return status;
}

dlda_status dlda_file_read(const char *path, size_t most, char **bytes, size_t *size)
{
    dlda_status status = DLDA_OK;
    char *content = NULL;
    size_t length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* opening a pipe would block until it has a writer */

    if (file < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    DLDA_TRY(checked_size(path, file, most, &length));
    DLDA_TRY(dlda_file_guard_read(file));
    DLDA_TRY(DLDA_TAKE(&content, length + 1, path));
    DLDA_TRY(read_exactly(path, file, length, content));
    *bytes = content;
    *size = length;
    content = NULL;
done:
    if (file >= 0) close(file);
    dlda_release(content);
    return status;
}

dlda_status dlda_file_read_start(const char *path, size_t most, uint8_t *start, size_t *n)
{
    FILE *file = NULL;
    dlda_status status = open_stream(path, &file);

    if (status != DLDA_OK) return status;
    *n = fread(start, 1, most, file);
    if (ferror(file)) status = dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

dlda_status dlda_file_length(const char *path, FILE *stream, size_t *length)
{
    return checked_size(path, fileno(stream), SIZE_MAX, length);
}

/* ---- Folders ---- */

dlda_status dlda_folder_make(const char *path)
{
    dlda_status status = DLDA_OK;
    char *part = NULL;

    DLDA_TRY(dlda_take_text(path, &part));
    for (char *slash = strchr(part + (part[0] == '/'), '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(part, 0777); /* errors are reported by the last mkdir below */
        *slash = '/';
    }
    if (mkdir(path, 0777) != 0 && !dlda_path_is_folder(path))
        DLDA_FAIL(DLDA_E_IO, "%s: cannot make the folder: %s", path, strerror(errno));
done:
    dlda_release(part);
    return status;
}

dlda_status dlda_folder_make_temporary(const char *path, char **temporary)
{
    enum { MOST_TRIES = 1000 };
    dlda_status status = DLDA_OK;
    size_t size = strlen(path) + 64;
    char *name = NULL;
    int made = 0;

    DLDA_TRY(DLDA_TAKE(&name, size, "folder name"));
    for (int i = 0; i < MOST_TRIES && !made && (i == 0 || errno == EEXIST); i++) {
        if (i == 0) snprintf(name, size, "%s.tmp-%ld", path, (long)getpid());
        else snprintf(name, size, "%s.tmp-%ld-%d", path, (long)getpid(), i);
        made = mkdir(name, 0777) == 0;
    }
    if (!made) DLDA_FAIL(DLDA_E_IO, "%s: cannot make the folder: %s", path, strerror(errno));
    *temporary = name;
    name = NULL;
done:
    dlda_release(name);
    return status;
}
