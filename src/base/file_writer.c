/* SPDX-License-Identifier: MIT
 *
 * file_writer.c - writes files atomically: temporary name, fsync, rename, fsync of the folder.
 *
 * The temporary file lies beside the final one and is created exclusively: a file or link that has its name already is
 * neither followed nor overwritten, and two threads that write the same path use two files.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/file_guard.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct dlda_file_writer {
    char *path, *temporary;
    FILE *stream;
    int finished;
};

/* The path that a link points to, relative to the link's folder; in new memory. */
static dlda_status follow_link(const char *path, char **next)
{
    dlda_status status = DLDA_OK;
    char text[4096], *folder = NULL;
    ssize_t n = readlink(path, text, sizeof text - 1);

    if (n < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot read the link: %s", path, strerror(errno));
    text[n] = '\0';
    if (text[0] == '/') DLDA_TRY(dlda_take_text(text, next));
    else {
        DLDA_TRY(dlda_path_folder(path, &folder));
        DLDA_TRY(dlda_path_join(folder, text, next));
    }
done:
    dlda_release(folder);
    return status;
}

dlda_status dlda_path_resolve(const char *path, char **target)
{
    enum { MOST_LINKS = 40 }; /* as in Linux */
    dlda_status status = DLDA_OK;
    struct stat info;
    char *at = NULL;

    DLDA_TRY(dlda_take_text(path, &at));
    for (int links = 0; lstat(at, &info) == 0 && S_ISLNK(info.st_mode); links++) {
        char *next = NULL;
        if (links == MOST_LINKS) DLDA_FAIL(DLDA_E_IO, "%s: cannot write: %s", path, strerror(ELOOP));
        DLDA_TRY(follow_link(at, &next));
        dlda_release(at);
        at = next;
    }
    *target = at;
    at = NULL;
done:
    dlda_release(at);
    return status;
}

/* The rename must replace the target of a link, not the link. Refuses folders and devices. */
static dlda_status find_target(const char *path, char **target)
{
    struct stat info;

    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return dlda_fail(DLDA_E_IO, "%s: cannot write: not a regular file", path);
    return dlda_path_resolve(path, target);
}

/* Creates a file beside `path`, and returns its name in new memory. A name is taken if another thread writes the same
 * path, or a killed process with the same number left it. */
static dlda_status create_temporary(const char *path, char **temporary, int *file)
{
    enum { MOST_TRIES = 1000 };
    size_t size = strlen(path) + 64;
    char *name = NULL;
    dlda_status status = DLDA_TAKE(&name, size, "file name");

    if (status != DLDA_OK) return status;
    *file = -1;
    for (int i = 0; i < MOST_TRIES && *file < 0 && (i == 0 || errno == EEXIST); i++) {
        if (i == 0) snprintf(name, size, "%s.tmp-%ld", path, (long)getpid());
        else snprintf(name, size, "%s.tmp-%ld-%d", path, (long)getpid(), i);
        *file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    if (*file >= 0) *temporary = name;
    else {
        dlda_release(name);
        status = dlda_fail(DLDA_E_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    return status;
}

static dlda_status open_stream(dlda_file_writer *self)
{
    int file = -1;
    dlda_status status = create_temporary(self->path, &self->temporary, &file); /* from here on ours to remove */

    if (status != DLDA_OK) return status;
    self->stream = fdopen(file, "wb");
    if (self->stream) return dlda_file_guard_create(file);
    close(file);
    return dlda_fail(DLDA_E_MEMORY, "%s: no memory for a stream", self->path);
}

dlda_status dlda_file_writer_open(const char *path, dlda_file_writer **writer)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "file writer"));
    DLDA_TRY(find_target(path, &self->path));
    DLDA_TRY(dlda_file_guard_replace(self->path)); /* a refusal before the work is done */
    DLDA_TRY(open_stream(self));
    *writer = self;
    self = NULL;
done:
    dlda_file_writer_destroy(self);
    return status;
}

FILE *dlda_file_writer_stream(dlda_file_writer *self)
{
    return self->stream;
}

static dlda_status write_failed(const dlda_file_writer *self)
{
    return dlda_fail(DLDA_E_IO, "%s: cannot write: %s", self->path, strerror(errno));
}

dlda_status dlda_file_writer_add(dlda_file_writer *self, const void *bytes, size_t size)
{
    if (size > 0 && fwrite(bytes, 1, size, self->stream) != size) return write_failed(self);
    return DLDA_OK;
}

dlda_status dlda_file_writer_print(dlda_file_writer *self, const char *format, ...)
{
    va_list arguments;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = (locale_t)0;

    if (!plain) return dlda_fail(DLDA_E_MEMORY, "%s: no memory for a locale", self->path);
    before = uselocale(plain); /* for this thread: decimal points, not commas */
    va_start(arguments, format);
    int n = vfprintf(self->stream, format, arguments);
    va_end(arguments);
    uselocale(before);
    freelocale(plain);
    return n < 0 ? write_failed(self) : DLDA_OK;
}

/* Opens the folder that contains the path, so that it can be synced. */
static dlda_status open_folder_of(const char *path, int *file)
{
    dlda_status status = DLDA_OK;
    char *folder = NULL;

    DLDA_TRY(dlda_path_folder(path, &folder));
    *file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*file < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot open the folder: %s", folder, strerror(errno));
done:
    dlda_release(folder);
    return status;
}

/* A rename is durable only once the folder is synced. EINVAL: the file system does not support it. */
static dlda_status sync_folder(const char *path, int folder)
{
    if (fsync(folder) == 0 || errno == EINVAL) return DLDA_OK;
    return dlda_fail(DLDA_E_IO, "%s: written, but the folder could not be synced: %s", path, strerror(errno));
}

dlda_status dlda_file_writer_complete(dlda_file_writer *self)
{
    if (!self->stream) return DLDA_OK;
    if (fflush(self->stream) != 0 || ferror(self->stream) || fsync(fileno(self->stream)) != 0)
        return write_failed(self);
    FILE *stream = self->stream;
    self->stream = NULL;
    return fclose(stream) == 0 ? DLDA_OK : write_failed(self);
}

dlda_status dlda_file_writer_finish(dlda_file_writer *self)
{
    dlda_status status = DLDA_OK;
    int folder = -1;

    DLDA_TRY(open_folder_of(self->path, &folder));
    DLDA_TRY(dlda_file_writer_complete(self));
    DLDA_TRY(dlda_file_guard_replace(self->path)); /* it may have been read meanwhile */
    if (rename(self->temporary, self->path) != 0) DLDA_TRY(write_failed(self));
    self->finished = 1;
    DLDA_TRY(sync_folder(self->path, folder));
done:
    if (folder >= 0) close(folder);
    return status;
}

void dlda_file_writer_destroy(dlda_file_writer *self)
{
    if (!self) return;
    if (self->stream) fclose(self->stream);
    if (self->temporary && !self->finished) unlink(self->temporary);
    dlda_release(self->temporary);
    dlda_release(self->path);
    dlda_release(self);
}

dlda_status dlda_file_write(const char *path, const void *bytes, size_t size)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    DLDA_TRY(dlda_file_writer_add(writer, bytes, size));
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}

/* ---- Files that belong together ---- */

/* Renames an old file to a temporary name, where it waits until all new files are in place. */
static dlda_status set_aside(const char *path, char **aside)
{
    int file = -1;

    if (!dlda_path_exists(path)) return DLDA_OK;
    dlda_status status = create_temporary(path, aside, &file);
    if (status != DLDA_OK) return status;
    close(file);
    if (rename(path, *aside) == 0) return DLDA_OK;
    status = dlda_fail(DLDA_E_IO, "%s: cannot rename: %s", path, strerror(errno));
    unlink(*aside);
    dlda_release(*aside);
    *aside = NULL;
    return status;
}

static dlda_status sync_folder_of(const char *path)
{
    int folder = -1;
    dlda_status status = open_folder_of(path, &folder);

    if (status != DLDA_OK) return status;
    status = sync_folder(path, folder);
    close(folder);
    return status;
}

/* Puts the new files in place, or takes them back and restores the old ones. */
static dlda_status place(const char *const *from, const char *const *to, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!from[i] || rename(from[i], to[i]) == 0) continue;
        dlda_status status = dlda_fail(DLDA_E_IO, "%s: cannot rename: %s", to[i], strerror(errno));
        while (i-- > 0)
            if (from[i]) (void)rename(to[i], from[i]); /* the first failure is reported */
        return status;
    }
    return DLDA_OK;
}

dlda_status dlda_paths_move_together(const char *const *from, const char *const *to, size_t n)
{
    dlda_status status = DLDA_OK;
    char **aside = NULL;

    for (size_t i = 0; i < n; i++) DLDA_TRY(dlda_file_guard_replace(to[i]));
    DLDA_TRY(DLDA_TAKE(&aside, n, "file names"));
    for (size_t i = n; i-- > 0;) DLDA_TRY(set_aside(to[i], &aside[i]));
    DLDA_TRY(place(from, to, n));
done:
    for (size_t i = 0; aside && i < n; i++) {
        if (aside[i] && status == DLDA_OK) unlink(aside[i]);
        else if (aside[i]) (void)rename(aside[i], to[i]);
        dlda_release(aside[i]);
    }
    dlda_release(aside);
    for (size_t i = 0; status == DLDA_OK && i < n; i++) status = sync_folder_of(to[i]);
    return status;
}

dlda_status dlda_file_writers_finish(dlda_file_writer *const *writers, size_t n, const char *obsolete)
{
    dlda_status status = DLDA_OK;
    size_t all = n + (obsolete != NULL);
    const char **from = NULL, **to = NULL;

    DLDA_TRY(DLDA_TAKE(&from, all, "file names"));
    DLDA_TRY(DLDA_TAKE(&to, all, "file names"));
    for (size_t i = 0; i < n; i++) {
        DLDA_TRY(dlda_file_writer_complete(writers[i]));
        from[i] = writers[i]->temporary;
        to[i] = writers[i]->path;
    }
    if (obsolete) to[n] = obsolete;
    DLDA_TRY(dlda_paths_move_together(from, to, all));
done:
    for (size_t i = 0; i < n; i++) /* if only the last sync failed, they are in place */
        writers[i]->finished = !dlda_path_exists(writers[i]->temporary);
    dlda_release(from);
    dlda_release(to);
    return status;
}

/* ---- Moving ---- */

dlda_status dlda_path_move(const char *from, const char *to)
{
    dlda_status status = DLDA_OK;
    int folder = -1;

    DLDA_TRY(open_folder_of(to, &folder));
    if (rename(from, to) != 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot rename to %s: %s", from, to, strerror(errno));
    DLDA_TRY(sync_folder(to, folder));
done:
    if (folder >= 0) close(folder);
    return status;
}
