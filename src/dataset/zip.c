/* SPDX-License-Identifier: MIT
 *
 * zip.c - reads the central directory of a zip file and validates it.
 *
 * A record at the end of the file gives the position of the directory. With more than 4 GB or 65,535 members, a
 * zip64 record before it has the actual numbers. Sizes and checksums are taken from the directory: the local header
 * of a member may lack them, and is used only to find the start of the data.
 */
#define _FILE_OFFSET_BITS 64
#include "dataset/zip.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>

enum {
    END_SIZE = 22,
    MOST_COMMENT = 65535,
    END64_SIZE = 56,
    LOCATOR_SIZE = 20,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MOST_DIRECTORY = 1 << 24,
    MOST_MEMBERS = 4096,
    MOST_DEFLATE = 1032, /* maximum expansion of deflate */
    STORED = 0,
    DEFLATED = 8
};

typedef struct zip_reader {
    const char *path;
    FILE *file;
    size_t size;                              /* of the file                        */
    size_t n_entries, directory, n_directory; /* position and size of the directory */
    uint8_t *bytes;                           /* [n_directory]                      */
    dlda_zip *zip;
} zip_reader;

static size_t u16(const uint8_t *at)
{
    return (size_t)at[0] | (size_t)at[1] << 8;
}

static size_t u32(const uint8_t *at)
{
    return u16(at) | u16(at + 2) << 16;
}

static uint64_t u64(const uint8_t *at)
{
    return (uint64_t)u32(at) | (uint64_t)u32(at + 4) << 32;
}

static dlda_status damaged(const zip_reader *self, const char *what)
{
    return dlda_fail(DLDA_E_FORMAT, "%s: not a valid zip file: %s", self->path, what);
}

static dlda_status read_at(const zip_reader *self, size_t offset, void *to, size_t n)
{
    if (offset > self->size || n > self->size - offset) return damaged(self, "cut short");
    if (fseeko(self->file, (off_t)offset, SEEK_SET) != 0 || fread(to, 1, n, self->file) != n)
        return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->path, strerror(errno));
    return DLDA_OK;
}

/* ---- Finding the directory ---- */

/* Reads the last bytes of the file into `tail` and finds the end record in them. */
static dlda_status find_end(zip_reader *self, uint8_t *tail, size_t n, size_t *at)
{
    dlda_status status = read_at(self, self->size - n, tail, n);

    if (status != DLDA_OK) return status;
    for (size_t i = n - END_SIZE + 1; i-- > 0;)
        if (memcmp(tail + i, "PK\5\6", 4) == 0 && u16(tail + i + 20) == n - i - END_SIZE) {
            *at = i;
            return DLDA_OK;
        }
    return damaged(self, "no end of its directory; it may be cut short");
}

static dlda_status read_end64(zip_reader *self, size_t end)
{
    dlda_status status = DLDA_OK;
    uint8_t locator[LOCATOR_SIZE], record[END64_SIZE];

    if (end < LOCATOR_SIZE) return damaged(self, "its zip64 record is missing");
    DLDA_TRY(read_at(self, end - LOCATOR_SIZE, locator, sizeof locator));
    if (memcmp(locator, "PK\6\7", 4) != 0) return damaged(self, "its zip64 record is missing");
    DLDA_TRY(read_at(self, u64(locator + 8), record, sizeof record));
    if (memcmp(record, "PK\6\6", 4) != 0) return damaged(self, "its zip64 record is missing");
    self->n_entries = u64(record + 32);
    self->n_directory = u64(record + 40);
    self->directory = u64(record + 48);
done:
    return status;
}

static dlda_status find_directory(zip_reader *self)
{
    dlda_status status = DLDA_OK;
    size_t n = self->size < END_SIZE + MOST_COMMENT ? self->size : END_SIZE + MOST_COMMENT, at = 0;
    uint8_t *tail = NULL;

    if (n < END_SIZE) DLDA_TRY(damaged(self, "cut short"));
    DLDA_TRY(DLDA_TAKE(&tail, n, self->path));
    DLDA_TRY(find_end(self, tail, n, &at));
    self->n_entries = u16(tail + at + 10);
    self->n_directory = u32(tail + at + 12);
    self->directory = u32(tail + at + 16);
    if (self->n_entries == 0xffff || self->n_directory == 0xffffffff || self->directory == 0xffffffff)
        DLDA_TRY(read_end64(self, self->size - n + at));
    if (self->directory > self->size || self->n_directory > self->size - self->directory)
        DLDA_TRY(damaged(self, "its directory lies behind its end"));
    if (self->n_directory > MOST_DIRECTORY || self->n_entries > MOST_MEMBERS)
        DLDA_TRY(damaged(self, "its directory is too large for arrays"));
done:
    dlda_release(tail);
    return status;
}

/* ---- Members ---- */

/* For sizes of 2^32 - 1 the actual ones are in an extra field: only those needed, in this order. */
static dlda_status read_extra(const zip_reader *self, const uint8_t *extra, size_t n, dlda_zip_part *part)
{
    size_t *const fields[] = { &part->size, &part->packed_size, &part->offset };

    for (size_t at = 0; at + 4 <= n && u16(extra + at + 2) <= n - at - 4; at += 4 + u16(extra + at + 2)) {
        const uint8_t *value = extra + at + 4, *end = value + u16(extra + at + 2);
        if (u16(extra + at) != 1) continue;
        for (size_t i = 0; i < 3; i++) {
            if (*fields[i] != 0xffffffff) continue;
            if (end - value < 8) return damaged(self, "a zip64 field is too short");
            *fields[i] = u64(value);
            value += 8;
        }
    }
    return DLDA_OK;
}

/* Advances the offset of a member from its local header to its data. */
static dlda_status skip_header(const zip_reader *self, const char *name, size_t n_name, dlda_zip_part *part)
{
    dlda_status status = DLDA_OK;
    uint8_t header[LOCAL_SIZE];
    char found[256];

    DLDA_TRY(read_at(self, part->offset, header, sizeof header));
    if (memcmp(header, "PK\3\4", 4) != 0 || u16(header + 26) != n_name)
        return damaged(self, "a member is not where its directory says");
    DLDA_TRY(read_at(self, part->offset + LOCAL_SIZE, found, n_name));
    if (memcmp(found, name, n_name) != 0) return damaged(self, "a member is not where its directory says");
    part->offset += LOCAL_SIZE + n_name + u16(header + 28);
    if (part->offset > self->size || part->packed_size > self->size - part->offset)
        return damaged(self, "a member reaches beyond its end");
done:
    return status;
}

static dlda_status check_member(const zip_reader *self, const char *name, size_t flags, size_t method,
                                const dlda_zip_part *part)
{
    enum { ENCRYPTED = 1 };

    if (flags & ENCRYPTED)
        return dlda_fail(DLDA_E_FORMAT, "%s: %s: encrypted, expected plain data", self->path, name);
    if (method != STORED && method != DEFLATED)
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: %s: packed by method %zu, expected 0 or 8, as np.savez and np.savez_compressed write",
                         self->path, name, method);
    if (method == STORED && part->size != part->packed_size)
        return dlda_fail(DLDA_E_FORMAT, "%s: %s: stored in %zu bytes, but its size is %zu", self->path, name,
                         part->packed_size, part->size);
    if (part->size / MOST_DEFLATE > part->packed_size)
        return dlda_fail(DLDA_E_FORMAT, "%s: %s: %zu bytes cannot expand to %zu", self->path, name,
                         part->packed_size, part->size);
    return DLDA_OK;
}

/* Reads one entry of the directory; members other than .npy are skipped. */
static dlda_status read_entry(zip_reader *self, const uint8_t *entry, size_t n_name, size_t n_extra)
{
    dlda_status status = DLDA_OK;
    const char *name = (const char *)entry + ENTRY_SIZE;
    dlda_zip_member *member = &self->zip->members[self->zip->count];
    dlda_zip_part part = { .offset = u32(entry + 42),
                           .packed_size = u32(entry + 20),
                           .size = u32(entry + 24),
                           .crc = (uint32_t)u32(entry + 16),
                           .deflated = u16(entry + 10) == DEFLATED };

    if (n_name <= 4 || n_name > 255 || memcmp(name + n_name - 4, ".npy", 4) != 0) return DLDA_OK;
    if (memchr(name, '\0', n_name)) return damaged(self, "a name with a zero byte");
    DLDA_TRY(dlda_take_text_n(name, n_name - 4, &member->name));
    self->zip->count++;
    DLDA_TRY(read_extra(self, entry + ENTRY_SIZE + n_name, n_extra, &part));
    DLDA_TRY(check_member(self, member->name, u16(entry + 8), u16(entry + 10), &part));
    DLDA_TRY(skip_header(self, name, n_name, &part));
    member->part = part;
done:
    return status;
}

static dlda_status read_directory(zip_reader *self)
{
    dlda_status status = DLDA_OK;
    size_t at = 0;

    for (size_t i = 0; i < self->n_entries; i++) {
        const uint8_t *entry = self->bytes + at;
        size_t left = self->n_directory - at;
        if (left < ENTRY_SIZE || memcmp(entry, "PK\1\2", 4) != 0) return damaged(self, "its directory is damaged");
        size_t n_name = u16(entry + 28), n_extra = u16(entry + 30),
               all = ENTRY_SIZE + n_name + n_extra + u16(entry + 32);
        if (left < all) return damaged(self, "its directory is damaged");
        DLDA_TRY(read_entry(self, entry, n_name, n_extra));
        at += all;
    }
done:
    return status;
}

static dlda_status check_names(const zip_reader *self)
{
    for (size_t i = 0; i < self->zip->count; i++)
        if (dlda_zip_find(self->zip, self->zip->members[i].name) != &self->zip->members[i])
            return dlda_fail(DLDA_E_FORMAT, "%s: two members are called %s", self->path,
                             self->zip->members[i].name);
    return DLDA_OK;
}

dlda_status dlda_zip_open(const char *path, dlda_zip **zip)
{
    dlda_status status = DLDA_OK;
    zip_reader self = { .path = path };

    DLDA_TRY(dlda_file_open(path, &self.file));
    DLDA_TRY(dlda_file_length(path, self.file, &self.size));
    DLDA_TRY(find_directory(&self));
    DLDA_TRY(DLDA_TAKE(&self.bytes, self.n_directory, path));
    DLDA_TRY(read_at(&self, self.directory, self.bytes, self.n_directory));
    DLDA_TRY(DLDA_TAKE(&self.zip, 1, path));
    DLDA_TRY(DLDA_TAKE(&self.zip->members, self.n_entries, path));
    DLDA_TRY(read_directory(&self));
    DLDA_TRY(check_names(&self));
    *zip = self.zip;
    self.zip = NULL;
done:
    if (self.file) fclose(self.file);
    dlda_release(self.bytes);
    dlda_zip_destroy(self.zip);
    return status;
}

void dlda_zip_destroy(dlda_zip *zip)
{
    if (!zip) return;
    for (size_t i = 0; zip->members && i < zip->count; i++) dlda_release(zip->members[i].name);
    dlda_release(zip->members);
    dlda_release(zip);
}

const dlda_zip_member *dlda_zip_find(const dlda_zip *zip, const char *name)
{
    for (size_t i = 0; i < zip->count; i++)
        if (strcmp(zip->members[i].name, name) == 0) return &zip->members[i];
    return NULL;
}
