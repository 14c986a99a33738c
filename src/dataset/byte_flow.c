/* SPDX-License-Identifier: MIT
 *
 * byte_flow.c - sequential bytes from files and memory, decompressed by zlib if needed. The readers of IDX,
 * npy, npz and CSV use it.
 *
 * A gzip file must contain one stream and nothing after it. A member of a zip file must have exactly the size and
 * the checksum that the zip directory states.
 */
#define _FILE_OFFSET_BITS 64
#include "dataset/byte_flow.h"
#include "base/file.h"
#include "base/memory.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/types.h>

enum { PORTION = 1 << 16 };

/* ---- Raw bytes ---- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static dlda_status cannot_read(const dlda_flow *self)
{
    return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->name, strerror(errno));
}

/* Reads from the file to `to`. */
static dlda_status read_raw(dlda_flow *self, void *to, size_t n, size_t *got)
{
    *got = fread(to, 1, smaller(n, self->unread), self->file);
    self->unread -= *got;
    return *got < n && ferror(self->file) ? cannot_read(self) : DLDA_OK;
}

/* Makes left > 0 unless there are no more bytes. */
static dlda_status refill(dlda_flow *self)
{
    if (self->left > 0 || !self->file) return DLDA_OK;
    self->next = self->portion;
    return read_raw(self, self->portion, PORTION, &self->left);
}

/* ---- Compressed bytes ---- */

static voidpf zlib_take(voidpf opaque, uInt items, uInt size)
{
    (void)opaque;
    return dlda_take_bytes(items, size, "zlib");
}

static void zlib_release(voidpf opaque, voidpf block)
{
    (void)opaque;
    dlda_release(block);
}

static dlda_status start_inflating(dlda_flow *self, dlda_packing packing)
{
    enum { GZIP_ONLY = 16 };

    self->zlib = (z_stream){ .zalloc = zlib_take, .zfree = zlib_release };
    if (inflateInit2(&self->zlib, packing == DLDA_GZIP ? MAX_WBITS + GZIP_ONLY : -MAX_WBITS) != Z_OK)
        return dlda_fail(DLDA_E_MEMORY, "%s: no memory for zlib", self->name);
    self->packing = packing;
    return DLDA_OK;
}

static const char *packing_name(const dlda_flow *self)
{
    return self->packing == DLDA_GZIP ? "gzip" : "zip";
}

/* Images and tables shrink by a factor of 3 to 30, black and white ones and one-hot columns by 60 to 100, zeros by 1000. */
size_t dlda_most_bytes(const dlda_read_spec *spec, size_t size)
{
    enum { USUAL = 1 << 28, FACTOR = 64 };

    if (spec->most_bytes) return spec->most_bytes;
    return size > USUAL / FACTOR ? FACTOR * size : USUAL;
}

static dlda_status too_large(const dlda_flow *self)
{
    return dlda_fail(DLDA_E_FORMAT,
                     "%s: compressed data that takes more than %zu bytes in memory; option most-bytes allows more",
                     self->name, self->most);
}

dlda_status dlda_flow_expect(const dlda_flow *self, size_t bytes, size_t samples)
{
    enum { SAMPLE = 16 }; /* index, label, and a copy of the label while it is read */

    if (self->packing == DLDA_PLAIN) return DLDA_OK;
    return bytes > self->most || samples > (self->most - bytes) / SAMPLE ? too_large(self) : DLDA_OK;
}

static dlda_status limit_file(dlda_flow *self, const dlda_input *input)
{
    dlda_status status = DLDA_OK;
    size_t size = input->size;

    if (!input->spec) return DLDA_OK;
    if (self->file) DLDA_TRY(dlda_file_length(self->name, self->file, &size));
    self->most = dlda_most_bytes(input->spec, size);
done:
    return status;
}

/* One call of zlib: from the buffered raw bytes to at most n bytes at `to`. */
static dlda_status inflate_some(dlda_flow *self, uint8_t *to, size_t n, size_t *got)
{
    uInt in = (uInt)smaller(self->left, UINT_MAX), out = (uInt)smaller(n, UINT_MAX);

    self->zlib.next_in = (z_const Bytef *)self->next;
    self->zlib.avail_in = in;
    self->zlib.next_out = to;
    self->zlib.avail_out = out;
    int result = inflate(&self->zlib, Z_NO_FLUSH);
    self->next += in - self->zlib.avail_in;
    self->left -= in - self->zlib.avail_in;
    *got = out - self->zlib.avail_out;
    if (result == Z_STREAM_END) self->ended = 1;
    else if (result == Z_MEM_ERROR) return dlda_fail(DLDA_E_MEMORY, "%s: no memory for zlib", self->name);
    else if (result != Z_OK)
        return dlda_fail(DLDA_E_FORMAT, "%s: damaged %s data after %zu bytes: %s", self->name, packing_name(self),
                         self->given + *got, self->zlib.msg ? self->zlib.msg : "expected plain deflate");
    return DLDA_OK;
}

/* The compressed stream must end where its file or zip member ends. */
static dlda_status check_packed_end(dlda_flow *self)
{
    dlda_status status = refill(self);

    if (status == DLDA_OK && self->left > 0)
        status = dlda_fail(DLDA_E_FORMAT, "%s: found more bytes behind the end of the %s data, expected none",
                           self->name, packing_name(self));
    return status;
}

/* ---- Opening and closing ---- */

static dlda_status open_file(const char *path, dlda_flow *self)
{
    dlda_status status = dlda_file_open(path, &self->file);

    return status == DLDA_OK ? DLDA_TAKE(&self->portion, PORTION, self->name) : status;
}

dlda_status dlda_flow_open(const dlda_input *input, dlda_flow *self)
{
    dlda_status status = DLDA_OK;

    *self = (dlda_flow){ .name = input->name, .next = input->bytes, .left = input->bytes ? input->size : 0 };
    self->unread = self->most = SIZE_MAX;
    if (!input->bytes) {
        DLDA_TRY(open_file(input->name, self));
        DLDA_TRY(refill(self));
    }
    if (self->left >= 2 && self->next[0] == 0x1f && self->next[1] == 0x8b) {
        DLDA_TRY(start_inflating(self, DLDA_GZIP));
        DLDA_TRY(limit_file(self, input));
    }
done:
    return status;
}

dlda_status dlda_flow_open_part(const char *path, const char *name, const dlda_zip_part *part,
                                const dlda_read_spec *spec, dlda_flow *self)
{
    dlda_status status = DLDA_OK;

    *self = (dlda_flow){ .name = name, .unread = part->packed_size, .part = part, .crc = crc32(0, NULL, 0) };
    self->most = spec ? dlda_most_bytes(spec, part->packed_size) : SIZE_MAX;
    DLDA_TRY(open_file(path, self));
    if (fseeko(self->file, (off_t)part->offset, SEEK_SET) != 0) DLDA_TRY(cannot_read(self));
    if (part->deflated) DLDA_TRY(start_inflating(self, DLDA_DEFLATE));
done:
    return status;
}

void dlda_flow_close(dlda_flow *self)
{
    if (self->packing != DLDA_PLAIN) inflateEnd(&self->zlib);
    if (self->file) fclose(self->file);
    dlda_release(self->portion);
    *self = (dlda_flow){ .name = self->name };
}

/* ---- Reading ---- */

/* Uncompressed bytes; large requests bypass the buffer. */
static dlda_status get_plain(dlda_flow *self, uint8_t *to, size_t n, size_t *got)
{
    *got = smaller(self->left, n);
    if (*got == 0 && self->file && n >= PORTION) return read_raw(self, to, n, got);
    memcpy(to, self->next, *got);
    self->next += *got;
    self->left -= *got;
    return DLDA_OK;
}

static void add_to_crc(dlda_flow *self, const uint8_t *bytes, size_t n)
{
    while (n > 0) {
        uInt some = (uInt)smaller(n, UINT_MAX);
        self->crc = crc32(self->crc, bytes, some);
        bytes += some;
        n -= some;
    }
}

dlda_status dlda_flow_get(dlda_flow *self, void *to, size_t n, size_t *got)
{
    dlda_status status = DLDA_OK;
    uint8_t *bytes = to;
    size_t now = 0;

    *got = 0;
    while (*got < n && !self->ended) {
        if (self->packing != DLDA_PLAIN || n - *got < PORTION) DLDA_TRY(refill(self));
        if (self->packing != DLDA_PLAIN && self->left == 0) break;
        if (self->packing != DLDA_PLAIN) {
            DLDA_TRY(inflate_some(self, bytes + *got, n - *got, &now));
            if (now > self->most - self->given) DLDA_TRY(too_large(self));
            if (self->ended) DLDA_TRY(check_packed_end(self));
        } else {
            DLDA_TRY(get_plain(self, bytes + *got, n - *got, &now));
            if (now == 0) break;
        }
        *got += now;
        self->given += now;
    }
    if (self->part) add_to_crc(self, bytes, *got);
done:
    return status;
}

/* Compressed bytes must be read, and so must members of a zip file, for their checksum. */
dlda_status dlda_flow_skip(dlda_flow *self, size_t n)
{
    dlda_status status = DLDA_OK;
    uint8_t bytes[4096];
    size_t buffered = smaller(self->left, n), got = 1;

    if (self->packing == DLDA_PLAIN && !self->part && self->file) {
        self->next += buffered;
        self->left -= buffered;
        self->given += n;
        if (n > buffered && fseeko(self->file, (off_t)(n - buffered), SEEK_CUR) != 0) DLDA_TRY(cannot_read(self));
        return DLDA_OK;
    }
    for (; n > 0 && got > 0; n -= got) DLDA_TRY(dlda_flow_get(self, bytes, smaller(n, sizeof bytes), &got));
done:
    return status;
}

/* ---- The end ---- */

static dlda_status check_part(const dlda_flow *self)
{
    if (self->given != self->part->size)
        return dlda_fail(DLDA_E_FORMAT, "%s: the zip directory promises %zu bytes, found %zu", self->name,
                         self->part->size, self->given);
    if (self->crc != self->part->crc)
        return dlda_fail(DLDA_E_FORMAT, "%s: damaged zip data: checksum %08lx, expected %08lx", self->name,
                         self->crc, (unsigned long)self->part->crc);
    return DLDA_OK;
}

/* Requesting one more byte also makes zlib verify its checksum. */
dlda_status dlda_flow_finish(dlda_flow *self, size_t promised)
{
    uint8_t byte;
    size_t got = 0;
    dlda_status status = dlda_flow_get(self, &byte, 1, &got);

    if (status != DLDA_OK) return status;
    if (got > 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found more", self->name, promised);
    if (self->packing != DLDA_PLAIN && !self->ended)
        return dlda_fail(DLDA_E_FORMAT, "%s: %s data cut short, expected its %s", self->name, packing_name(self),
                         self->packing == DLDA_GZIP ? "checksum" : "end");
    return self->part ? check_part(self) : DLDA_OK;
}

dlda_status dlda_flow_read_rest(dlda_flow *self, size_t promised, uint8_t **rest)
{
    dlda_status status = DLDA_OK;
    uint8_t *bytes = NULL;
    size_t found = 0, got = 0, room = smaller(promised, PORTION);

    DLDA_TRY(DLDA_TAKE(&bytes, room, self->name));
    while (found < promised) {
        if (found == room) {
            room = room < promised / 2 ? 2 * room : promised;
            DLDA_TRY(DLDA_ENLARGE(&bytes, found, room, self->name));
        }
        DLDA_TRY(dlda_flow_get(self, bytes + found, room - found, &got));
        if (got < room - found)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found %zu%s", self->name, promised,
                      found + got, self->packing == DLDA_GZIP && !self->ended ? " (gzip data cut short)" : "");
        found += got;
    }
    DLDA_TRY(dlda_flow_finish(self, promised));
    *rest = bytes;
    bytes = NULL;
done:
    dlda_release(bytes);
    return status;
}
