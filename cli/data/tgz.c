/* SPDX-License-Identifier: MIT
 *
 * tgz.c - reads .tgz archives: the POSIX ustar format through zlib.
 *
 * An archive is a row of 512-byte blocks: a header, then the file's bytes filled up with zeros, and so on; two blocks of
 * zeros end it. Names are only looked at: the caller says where bytes go, so no archive can write where it likes.
 * pax headers (type x and g), in which npm's packer puts times and long names, are passed over: what they say is
 * not needed for the files that are.
 */
#include "data/tgz.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    BLOCK = 512,
    PORTION = 1 << 16,
    NAME = 0,
    SIZE = 124,
    CHECKSUM = 148,
    TYPE = 156,
    MAGIC = 257,
    PREFIX = 345
};

struct dlda_tgz {
    char *path;
    gzFile stream;
    size_t left;    /* bytes of the current member that were not yet read */
    size_t padding; /* zeros behind them                                  */
    uint8_t *bytes; /* [PORTION]                                          */
};

/* ---- Bytes ---- */

static dlda_status damaged(const dlda_tgz *self, const char *words)
{
    return dlda_fail(DLDA_E_FORMAT, "%s: not a whole .tgz archive: %s", self->path, words);
}

/* Exactly n bytes, n <= PORTION. */
static dlda_status get(dlda_tgz *self, uint8_t *to, size_t n)
{
    int got = gzread(self->stream, to, (unsigned)n), code = Z_OK;

    if (got == (int)n) return DLDA_OK;
    const char *words = gzerror(self->stream, &code);
    if (code == Z_ERRNO) return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->path, strerror(errno));
    if (code == Z_MEM_ERROR) return dlda_fail(DLDA_E_MEMORY, "%s: no memory for zlib", self->path);
    return damaged(self, code == Z_OK ? "it ends too early" : words);
}

static dlda_status skip(dlda_tgz *self, size_t n)
{
    dlda_status status = DLDA_OK;

    for (; n > 0 && status == DLDA_OK; n -= n < PORTION ? n : PORTION)
        status = get(self, self->bytes, n < PORTION ? n : PORTION);
    return status;
}

dlda_status dlda_tgz_open(const char *path, dlda_tgz **tgz)
{
    dlda_status status = DLDA_OK;
    dlda_tgz *self = NULL;
    FILE *file = NULL;
    int copy = -1;

    DLDA_TRY(DLDA_TAKE(&self, 1, path));
    DLDA_TRY(DLDA_TAKE(&self->bytes, PORTION, path));
    DLDA_TRY(dlda_take_text(path, &self->path));
    DLDA_TRY(dlda_file_open(path, &file));
    copy = dup(fileno(file));
    if (copy < 0) DLDA_FAIL(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    self->stream = gzdopen(copy, "rb");
    if (!self->stream) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for zlib", path);
    copy = -1;
    if (gzdirect(self->stream)) DLDA_TRY(damaged(self, "it is not compressed by gzip"));
    *tgz = self;
    self = NULL;
done:
    if (copy >= 0) close(copy);
    if (file) fclose(file);
    dlda_tgz_close(self);
    return status;
}

void dlda_tgz_close(dlda_tgz *self)
{
    if (!self) return;
    if (self->stream) gzclose(self->stream);
    dlda_release(self->path);
    dlda_release(self->bytes);
    dlda_release(self);
}

/* ---- Headers ---- */

/* A number in octal digits, ended by a blank or a zero byte; 0 if it is something else. */
static int parse_octal(const uint8_t *text, size_t width, size_t *number)
{
    size_t i = 0;

    *number = 0;
    while (i < width && text[i] == ' ') i++;
    size_t first = i;
    for (; i < width && text[i] >= '0' && text[i] <= '7'; i++) *number = *number * 8 + (size_t)(text[i] - '0');
    return i > first && i < width && (text[i] == ' ' || text[i] == 0);
}

/* The sum of all bytes of the header, with blanks for the sum itself. */
static int checksum_fits(const uint8_t *header)
{
    size_t sum = 0, wanted = 0;

    for (size_t i = 0; i < BLOCK; i++) sum += i >= CHECKSUM && i < CHECKSUM + 8 ? ' ' : header[i];
    return parse_octal(header + CHECKSUM, 8, &wanted) && sum == wanted;
}

static int is_zero(const uint8_t *block)
{
    for (size_t i = 0; i < BLOCK; i++)
        if (block[i]) return 0;
    return 1;
}

static void copy_name(const uint8_t *header, char name[257])
{
    int has_prefix = memcmp(header + MAGIC, "ustar\0", 6) == 0 && header[PREFIX];

    snprintf(name, 257, "%.155s%s%.100s", has_prefix ? (const char *)header + PREFIX : "", has_prefix ? "/" : "",
             (const char *)header + NAME);
}

static dlda_status read_header(dlda_tgz *self, const uint8_t *header, dlda_tgz_member *member)
{
    if (!checksum_fits(header)) return damaged(self, "the checksum of a header is wrong");
    if (!parse_octal(header + SIZE, 12, &member->size))
        return damaged(self, "the size of a file is no octal number");
    copy_name(header, member->name);
    self->left = member->size;
    self->padding = (BLOCK - member->size % BLOCK) % BLOCK;
    return DLDA_OK;
}

static int is_passed_over(uint8_t type)
{
    return type == '5' || type == 'x' || type == 'g'; /* a folder, remarks on the next file or on all of them */
}

dlda_status dlda_tgz_next(dlda_tgz *self, dlda_tgz_member *member)
{
    dlda_status status = DLDA_OK;
    uint8_t header[BLOCK];
    uint8_t type = 0;

    do {
        DLDA_TRY(skip(self, self->left + self->padding));
        self->left = self->padding = 0;
        DLDA_TRY(get(self, header, BLOCK));
        if (is_zero(header)) {
            *member = (dlda_tgz_member){ .name = "" };
            return DLDA_OK;
        }
        DLDA_TRY(read_header(self, header, member));
        type = header[TYPE];
    } while (is_passed_over(type));
    if (type != '0' && type != 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %s has the type '%c', expected plain files and folders only", self->path,
                  member->name, type < 32 || type > 126 ? '?' : type);
done:
    return status;
}

dlda_status dlda_tgz_extract(dlda_tgz *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *writer = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &writer));
    while (self->left > 0) {
        size_t n = self->left < PORTION ? self->left : PORTION;
        DLDA_TRY(get(self, self->bytes, n));
        DLDA_TRY(dlda_file_writer_add(writer, self->bytes, n));
        self->left -= n;
    }
    DLDA_TRY(dlda_file_writer_finish(writer));
done:
    dlda_file_writer_destroy(writer);
    return status;
}
