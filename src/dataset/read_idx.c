/* SPDX-License-Identifier: MIT
 *
 * read_idx.c - IDX files, the format of MNIST and its family, plain or gzip (known by its magic number).
 *
 * An IDX file is: two zero bytes, the type of an element (8: u8), the number of dimensions, each dimension
 * as a big-endian u32, then the elements. Bytes flow from a file or from memory, through zlib if need be,
 * into memory that grows with what was really found: a header that promises 4 GB costs nothing.
 */
#include "base/file.h"
#include "base/memory.h"
#include "dataset/readers.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

/* ---- A flow of bytes: from a file or memory, inflated if it is gzip ---- */

enum { PORTION = 1 << 16 };

typedef struct source {
    const char *name;
    FILE *file;          /* NULL: memory                                       */
    uint8_t *portion;    /* [PORTION] bytes read from the file                 */
    const uint8_t *next; /* raw bytes that are here and not yet used           */
    size_t left;         /* how many                                           */
    size_t given;        /* bytes handed out so far                            */
    int gzip, ended;     /* ended: the last byte of the gzip data was seen     */
    z_stream zlib;
} source;

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

/* Makes left > 0 unless there are no more bytes. */
static dlda_status refill(source *self)
{
    if (self->left > 0 || !self->file) return DLDA_OK;
    self->next = self->portion;
    self->left = fread(self->portion, 1, PORTION, self->file);
    if (self->left == 0 && ferror(self->file))
        return dlda_fail(DLDA_E_IO, "%s: cannot read: %s", self->name, strerror(errno));
    return DLDA_OK;
}

static void source_close(source *self)
{
    if (self->gzip) inflateEnd(&self->zlib);
    if (self->file) fclose(self->file);
    dlda_release(self->portion);
}

static dlda_status start_inflating(source *self)
{
    enum { GZIP_ONLY = 16 };

    self->zlib = (z_stream){ .zalloc = zlib_take, .zfree = zlib_release };
    if (inflateInit2(&self->zlib, MAX_WBITS + GZIP_ONLY) != Z_OK)
        return dlda_fail(DLDA_E_MEMORY, "%s: no memory for zlib", self->name);
    self->gzip = 1;
    return DLDA_OK;
}

/* Close it also if this fails. */
static dlda_status source_open(const dlda_input *input, source *self)
{
    dlda_status status = DLDA_OK;

    *self = (source){ .name = input->name, .next = input->bytes, .left = input->bytes ? input->size : 0 };
    if (!input->bytes) {
        DLDA_TRY(dlda_file_open(input->name, &self->file));
        DLDA_TRY(DLDA_TAKE(&self->portion, PORTION, input->name));
        DLDA_TRY(refill(self));
    }
    if (self->left >= 2 && self->next[0] == 0x1f && self->next[1] == 0x8b) DLDA_TRY(start_inflating(self));
done:
    return status;
}

/* One call of zlib: from the raw bytes that are here to at most n bytes at `to`. */
static dlda_status inflate_some(source *self, uint8_t *to, size_t n, size_t *got)
{
    uInt in = self->left < UINT_MAX ? (uInt)self->left : UINT_MAX;
    uInt out = n < UINT_MAX ? (uInt)n : UINT_MAX;

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
        return dlda_fail(DLDA_E_FORMAT, "%s: damaged gzip data after %zu bytes: %s", self->name, self->given + *got,
                         self->zlib.msg ? self->zlib.msg : "expected plain deflate");
    return DLDA_OK;
}

/* Gzip data has one end, where the file must end too. */
static dlda_status check_gzip_end(source *self)
{
    dlda_status status = refill(self);

    if (status == DLDA_OK && self->left > 0)
        status = dlda_fail(DLDA_E_FORMAT, "%s: found more bytes behind the end of the gzip data, expected none",
                           self->name);
    return status;
}

/* Puts n bytes at `to`; fewer only where the flow ends. */
static dlda_status source_get(source *self, uint8_t *to, size_t n, size_t *got)
{
    dlda_status status = DLDA_OK;
    size_t done_now = 0;

    *got = 0;
    while (*got < n && !self->ended) {
        DLDA_TRY(refill(self));
        if (self->left == 0) break;
        if (self->gzip) {
            DLDA_TRY(inflate_some(self, to + *got, n - *got, &done_now));
            if (self->ended) DLDA_TRY(check_gzip_end(self));
        } else {
            done_now = self->left < n - *got ? self->left : n - *got;
            memcpy(to + *got, self->next, done_now);
            self->next += done_now;
            self->left -= done_now;
        }
        *got += done_now;
        self->given += done_now;
    }
done:
    return status;
}

/* ---- IDX ---- */

enum { MAGIC_LABELS = 0x801, MAGIC_IMAGES = 0x803, MAGIC_CHANNELS = 0x804, MOST_DIMENSIONS = 4 };

typedef struct idx_header {
    size_t n_dimensions, dimension[MOST_DIMENSIONS];
    size_t promised; /* bytes behind the header: the product of the dimensions */
} idx_header;

static dlda_status get_u32(source *from, uint32_t *value)
{
    uint8_t b[4] = { 0 };
    size_t got = 0;
    dlda_status status = source_get(from, b, sizeof b, &got);

    if (status != DLDA_OK) return status;
    if (got < sizeof b)
        return dlda_fail(DLDA_E_FORMAT, "%s: ends after %zu bytes, expected a whole IDX header", from->name,
                         from->given);
    *value = (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
    return DLDA_OK;
}

static dlda_status check_magic(const char *name, uint32_t magic, int labels)
{
    if (labels && magic != MAGIC_LABELS)
        return dlda_fail(DLDA_E_FORMAT, "%s: magic 0x%08x, expected 0x%08x (u8 labels)", name, magic, MAGIC_LABELS);
    if (!labels && magic != MAGIC_IMAGES && magic != MAGIC_CHANNELS)
        return dlda_fail(DLDA_E_FORMAT, "%s: magic 0x%08x, expected 0x%08x (u8 images) or 0x%08x (with channels)",
                         name, magic, MAGIC_IMAGES, MAGIC_CHANNELS);
    return DLDA_OK;
}

static dlda_status read_header(source *from, int labels, idx_header *header)
{
    dlda_status status = DLDA_OK;
    uint32_t word = 0;

    DLDA_TRY(get_u32(from, &word));
    DLDA_TRY(check_magic(from->name, word, labels));
    header->n_dimensions = word & 0xff;
    header->promised = 1;
    for (size_t i = 0; i < header->n_dimensions; i++) {
        DLDA_TRY(get_u32(from, &word));
        if (word == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: dimension %zu is 0, expected at least 1", from->name, i + 1);
        header->dimension[i] = word;
        if (__builtin_mul_overflow(header->promised, (size_t)word, &header->promised))
            DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises more than 2^64 bytes", from->name);
    }
done:
    return status;
}

static dlda_status grow(uint8_t **bytes, size_t *room, size_t most, const char *name)
{
    uint8_t *larger = NULL;
    size_t wanted = *room < most / 2 ? 2 * *room : most;
    dlda_status status = DLDA_TAKE(&larger, wanted, name);

    if (status != DLDA_OK) return status;
    memcpy(larger, *bytes, *room);
    dlda_release(*bytes);
    *bytes = larger;
    *room = wanted;
    return DLDA_OK;
}

/* Nothing may follow the payload; asking for one byte more also lets zlib compare its checksum. */
static dlda_status check_end(source *from, size_t promised)
{
    uint8_t byte;
    size_t got = 0;
    dlda_status status = source_get(from, &byte, 1, &got);

    if (status != DLDA_OK) return status;
    if (got > 0)
        return dlda_fail(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found more", from->name, promised);
    if (from->gzip && !from->ended)
        return dlda_fail(DLDA_E_FORMAT, "%s: gzip data cut short, expected its checksum", from->name);
    return DLDA_OK;
}

static dlda_status read_payload(source *from, size_t promised, uint8_t **payload)
{
    dlda_status status = DLDA_OK;
    uint8_t *bytes = NULL;
    size_t found = 0, got = 0, room = promised < PORTION ? promised : PORTION;

    DLDA_TRY(DLDA_TAKE(&bytes, room, from->name));
    while (found < promised) {
        if (found == room) DLDA_TRY(grow(&bytes, &room, promised, from->name));
        DLDA_TRY(source_get(from, bytes + found, room - found, &got));
        if (got < room - found)
            DLDA_FAIL(DLDA_E_FORMAT, "%s: the header promises %zu bytes, found %zu%s", from->name, promised,
                      found + got, from->gzip && !from->ended ? " (gzip data cut short)" : "");
        found += got;
    }
    DLDA_TRY(check_end(from, promised));
    *payload = bytes;
    bytes = NULL;
done:
    dlda_release(bytes);
    return status;
}

static dlda_status read_idx(const dlda_input *input, int labels, idx_header *header, uint8_t **payload)
{
    dlda_status status = DLDA_OK;
    source from;

    DLDA_TRY(source_open(input, &from));
    DLDA_TRY(read_header(&from, labels, header));
    DLDA_TRY(read_payload(&from, header->promised, payload));
done:
    source_close(&from);
    return status;
}

dlda_status dlda_idx_read_images(const dlda_input *input, dlda_raw_images *images)
{
    idx_header header = { 0 };
    uint8_t *bytes = NULL;
    dlda_status status = read_idx(input, 0, &header, &bytes);
    const size_t *n = header.dimension;
    size_t channels = header.n_dimensions == 4 ? n[3] : 1;

    if (status == DLDA_OK) *images = (dlda_raw_images){ n[0], n[1], n[2], channels, bytes };
    return status;
}

dlda_status dlda_idx_read_labels(const dlda_input *input, uint8_t **labels, size_t *count)
{
    idx_header header = { 0 };
    dlda_status status = read_idx(input, 1, &header, labels);

    if (status == DLDA_OK) *count = header.dimension[0];
    return status;
}
