/* SPDX-License-Identifier: MIT
 *
 * unpack.c - extracts the needed files from a .tgz archive with libarchive.
 *
 * Names in the archive are only compared with the expected ones, which determine target and size. So an archive
 * cannot write elsewhere, or more than expected.
 */
#include "base/file.h"
#include "base/memory.h"
#include "data/data.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>

enum { PORTION = 1 << 16 };

typedef struct unpacker {
    const char *path; /* of the archive */
    FILE *file;
    struct archive *archive;
    struct archive_entry *entry; /* current entry */
    uint8_t *bytes;              /* [PORTION]     */
    const char *folder;          /* target folder */
} unpacker;

/* Reports libarchive's last error. */
static dlda_status fail(const unpacker *self)
{
    const char *words = archive_error_string(self->archive);
    int code = archive_errno(self->archive);
    dlda_status status = code == ENOMEM ? DLDA_E_MEMORY : code == EIO ? DLDA_E_IO : DLDA_E_FORMAT;

    return dlda_fail(status, "%s: not a complete .tgz archive: %s", self->path,
                     words ? words : "it ends too early");
}

static dlda_status open_archive(unpacker *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_open(self->path, &self->file));
    DLDA_TRY(DLDA_TAKE(&self->bytes, PORTION, self->path));
    self->archive = archive_read_new();
    if (!self->archive) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for libarchive", self->path);
    if (archive_read_support_filter_gzip(self->archive) != ARCHIVE_OK ||
        archive_read_support_format_tar(self->archive) != ARCHIVE_OK ||
        archive_read_open_FILE(self->archive, self->file) != ARCHIVE_OK)
        status = fail(self);
done:
    return status;
}

static void close_archive(unpacker *self)
{
    archive_read_free(self->archive); /* accepts NULL */
    dlda_release(self->bytes);
    if (self->file) fclose(self->file);
}

/* Advances to the next member; `entry` is NULL after the last. Warnings concern names or times and are ignored. */
static dlda_status next(unpacker *self)
{
    int code = archive_read_next_header(self->archive, &self->entry);

    if (code == ARCHIVE_EOF) self->entry = NULL;
    return code == ARCHIVE_OK || code == ARCHIVE_WARN || code == ARCHIVE_EOF ? DLDA_OK : fail(self);
}

static const known_member *find_member(const known_member *members, size_t n, const char *path)
{
    for (size_t i = 0; path && i < n; i++)
        if (strcmp(members[i].path, path) == 0) return &members[i];
    return NULL;
}

static dlda_status check_entry(const unpacker *self, const known_member *wanted)
{
    la_int64_t size = archive_entry_size(self->entry);

    if (archive_entry_filetype(self->entry) != AE_IFREG || archive_entry_hardlink(self->entry))
        return dlda_fail(DLDA_E_FORMAT, "%s: %s is not a plain file", self->path, wanted->path);
    if (size < 0 || (uintmax_t)size != wanted->size)
        return dlda_fail(DLDA_E_FORMAT, "%s: %s has %jd bytes, expected %zu", self->path, wanted->path,
                         (intmax_t)size, wanted->size);
    return DLDA_OK;
}

static dlda_status write_entry(const unpacker *self, const known_member *wanted)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;
    char *path = NULL;

    DLDA_TRY(check_entry(self, wanted));
    DLDA_TRY(dlda_path_join(self->folder, wanted->name, &path));
    if (dlda_path_exists(path))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: contains two files named %s", self->path, wanted->path);
    DLDA_TRY(dlda_file_writer_open(path, &writer));
    for (size_t left = wanted->size; left > 0;) {
        la_ssize_t n = archive_read_data(self->archive, self->bytes, left < PORTION ? left : PORTION);
        if (n <= 0) DLDA_TRY(fail(self));
        DLDA_TRY(dlda_file_writer_add(writer, self->bytes, (size_t)n));
        left -= (size_t)n;
    }
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    dlda_release(path);
    return status;
}

dlda_status unpack_members(const char *archive, const known_member *members, size_t n, const char *folder,
                           const known_steps *steps)
{
    dlda_status status = DLDA_OK;
    unpacker self = { .path = archive, .folder = folder };
    size_t found = 0;
    char words[128];

    DLDA_TRY(open_archive(&self));
    for (;;) {
        DLDA_TRY(next(&self));
        if (!self.entry) break;
        const known_member *wanted = find_member(members, n, archive_entry_pathname(self.entry));
        if (!wanted) continue;
        snprintf(words, sizeof words, "unpacking %s (%zu of %zu)", wanted->name, ++found, n);
        if (steps->tell) steps->tell(steps->user, words);
        DLDA_TRY(write_entry(&self, wanted));
    }
    if (found != n)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu of the files that are needed, expected %zu", archive, found, n);
done:
    close_archive(&self);
    return status;
}
