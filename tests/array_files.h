/* SPDX-License-Identifier: MIT
 *
 * array_files.h - small .npy and .npz files made in memory, valid and forged ones.
 */
#ifndef DLDA_TESTS_ARRAY_FILES_H
#define DLDA_TESTS_ARRAY_FILES_H

#include "idx_files.h"

static inline void put_bytes(blob *to, const void *bytes, size_t n)
{
    assert_true(to->size + n <= sizeof to->bytes);
    if (n > 0) memcpy(to->bytes + to->size, bytes, n);
    to->size += n;
}

static inline void put_little(blob *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) to->bytes[to->size++] = i < 8 ? (uint8_t)(value >> 8 * i) : 0;
}

/* ---- .npy ---- */

/* A file of that version with this text as its header, padded to 64 bytes, followed by n bytes. */
static inline blob npy_of_text(int version, const char *header, const void *payload, size_t n)
{
    blob npy = { 0 };
    size_t length = strlen(header), start = version == 1 ? 10 : 12;
    size_t padded = (start + length + 1 + 63) / 64 * 64 - start;

    put_bytes(&npy, "\x93NUMPY", 6);
    put_little(&npy, (uint64_t)version, 2);
    put_little(&npy, padded, version == 1 ? 2 : 4);
    put_bytes(&npy, header, length);
    memset(npy.bytes + npy.size, ' ', padded - length);
    npy.size += padded - length;
    npy.bytes[npy.size - 1] = '\n';
    put_bytes(&npy, payload, n);
    return npy;
}

static inline blob make_npy(const char *descr, const char *shape, const void *payload, size_t n)
{
    char header[256];

    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }", descr, shape);
    return npy_of_text(1, header, payload, n);
}

/* The images and labels of small_images and small_labels. */
static inline blob small_npy(void)
{
    uint8_t pixels[60];

    for (size_t i = 0; i < 60; i++) pixels[i] = (uint8_t)(7 * i);
    return make_npy("|u1", "(5, 3, 4)", pixels, 60);
}

static inline blob small_npy_labels(void)
{
    const int64_t labels[5] = { 0, 2, 1, 2, 0 };

    return make_npy("<i8", "(5,)", labels, sizeof labels);
}

/* ---- .npz ---- */

typedef struct zip_maker {
    blob file, directory;
    int members;
} zip_maker;

/* False values for the fields of a member; 0: the true value. */
typedef struct zip_lie {
    uint32_t size, packed_size, crc, offset;
    uint16_t method, flags;
} zip_lie;

static inline blob deflated(const blob *plain)
{
    blob result = { 0 };
    z_stream stream = { .next_in = (z_const Bytef *)plain->bytes,
                        .avail_in = (uInt)plain->size,
                        .next_out = result.bytes,
                        .avail_out = sizeof result.bytes };

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    result.size = stream.total_out;
    deflateEnd(&stream);
    return result;
}

static inline void zip_add(zip_maker *zip, const char *name, const blob *content, int deflate, const zip_lie *lie)
{
    const zip_lie truth = { 0 };
    blob packed_bytes = deflate ? deflated(content) : *content;
    const zip_lie *say = lie ? lie : &truth;
    uint32_t crc = say->crc ? say->crc : (uint32_t)crc32(0, content->bytes, (uInt)content->size);
    size_t offset = say->offset ? say->offset : zip->file.size;

    put_bytes(&zip->file, "PK\3\4", 4);
    put_little(&zip->file, 20, 22); /* local headers may lack the sizes, and these do */
    put_little(&zip->file, strlen(name), 2);
    put_little(&zip->file, 0, 2);
    put_bytes(&zip->file, name, strlen(name));
    put_bytes(&zip->file, packed_bytes.bytes, packed_bytes.size);

    put_bytes(&zip->directory, "PK\1\2", 4);
    put_little(&zip->directory, 20, 2);
    put_little(&zip->directory, 20, 2);
    put_little(&zip->directory, say->flags, 2);
    put_little(&zip->directory, say->method ? say->method : deflate ? 8 : 0, 2);
    put_little(&zip->directory, 0, 4);
    put_little(&zip->directory, crc, 4);
    put_little(&zip->directory, say->packed_size ? say->packed_size : packed_bytes.size, 4);
    put_little(&zip->directory, say->size ? say->size : content->size, 4);
    put_little(&zip->directory, strlen(name), 2);
    put_little(&zip->directory, 0, 12);
    put_little(&zip->directory, offset, 4);
    put_bytes(&zip->directory, name, strlen(name));
    zip->members++;
}

static inline blob zip_finish(const zip_maker *zip)
{
    blob file = zip->file;

    put_bytes(&file, zip->directory.bytes, zip->directory.size);
    put_bytes(&file, "PK\5\6\0\0\0", 8);
    put_little(&file, (uint64_t)zip->members, 2);
    put_little(&file, (uint64_t)zip->members, 2);
    put_little(&file, zip->directory.size, 4);
    put_little(&file, zip->file.size, 4);
    put_little(&file, 0, 2);
    return file;
}

#endif
