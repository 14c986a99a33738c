/* SPDX-License-Identifier: MIT
 *
 * idx_files.h - helpers of the data set tests: a temporary folder, and small IDX files made in memory.
 */
#ifndef DLDA_TESTS_IDX_FILES_H
#define DLDA_TESTS_IDX_FILES_H

#include "base/memory.h"
#include "dataset/dataset.h"
#include "dataset/embedded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>
#include <png.h>
#include <zlib.h>

/* ---- Temporary folder ---- */

static char folder[64];

static inline int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/deeplda-dataset-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int remove_folder(void **state)
{
    char command[96];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* The path of a file in the folder; valid for four calls. */
static inline const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static inline const char *write_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);

    unlink(path); /* some file systems sync when an existing file is overwritten */
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

/* ---- IDX in memory ---- */

typedef struct blob {
    size_t size;
    uint8_t bytes[4096];
} blob;

static inline void put_u32(blob *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) to->bytes[to->size++] = (uint8_t)(value >> shift);
}

/* A header with these dimensions, followed by n bytes 0, 7, 14, ... */
static inline blob make_idx(uint32_t magic, size_t n_dimensions, const uint32_t *dimensions, size_t n)
{
    blob idx = { 0 };

    put_u32(&idx, magic);
    for (size_t i = 0; i < n_dimensions; i++) put_u32(&idx, dimensions[i]);
    for (size_t i = 0; i < n; i++) idx.bytes[idx.size++] = (uint8_t)(7 * i);
    return idx;
}

static inline blob small_images(void)
{
    return make_idx(0x803, 3, (const uint32_t[]){ 5, 3, 4 }, 60);
}

static inline blob small_labels(void)
{
    blob idx = make_idx(0x801, 1, (const uint32_t[]){ 5 }, 0);

    memcpy(idx.bytes + idx.size, "\0\2\1\2\0", 5);
    idx.size += 5;
    return idx;
}

static inline blob packed(const blob *plain)
{
    blob result = { 0 };
    z_stream stream = { .next_in = (z_const Bytef *)plain->bytes,
                        .avail_in = (uInt)plain->size,
                        .next_out = result.bytes,
                        .avail_out = sizeof result.bytes };

    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    result.size = stream.total_out;
    deflateEnd(&stream);
    return result;
}

static inline const char *write_blob(const char *name, const blob *content)
{
    return write_bytes(name, content->bytes, content->size);
}

/* Reading must fail with this status and a message containing these words, return nothing and leak nothing. */
static inline void expect_failure(const char *path, dlda_status expected, const char *words)
{
    dlda_dataset *dataset = NULL;
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_dataset_read(path, DLDA_PART_TRAIN, &dataset), expected);
    assert_null(dataset);
    assert_int_equal(dlda_memory_count().live, live);
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
}

static inline dlda_dataset *read_ok(const char *path, dlda_part part)
{
    dlda_dataset *dataset = NULL;

    if (dlda_dataset_read(path, part, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    return dataset;
}

/* Makes the n-th allocation fail, for each n until reading succeeds: nothing may leak, and no
 * other error may be reported. */
static inline void check_reading_without_memory(const char *path)
{
    size_t live = dlda_memory_count().live;
    dlda_status status = DLDA_E_MEMORY;

    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_dataset *dataset = NULL;
        assert_true(n < 200);
        dlda_memory_fail_at(n);
        status = dlda_dataset_read(path, DLDA_PART_TRAIN, &dataset);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        dlda_dataset_destroy(dataset);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* The set of small_images and small_labels. */
static inline void check_small(const dlda_dataset *dataset)
{
    const int labels[5] = { 0, 2, 1, 2, 0 };
    float images[60];

    assert_int_equal(dlda_dataset_count(dataset), 5);
    assert_int_equal(dlda_dataset_height(dataset), 3);
    assert_int_equal(dlda_dataset_width(dataset), 4);
    assert_int_equal(dlda_dataset_channels(dataset), 1);
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "2");
    assert_null(dlda_dataset_class_name(dataset, 3));
    assert_memory_equal(dlda_dataset_labels(dataset), labels, sizeof labels);
    assert_int_equal(dlda_dataset_images(dataset, 0, 5, images), DLDA_OK);
    for (int i = 0; i < 60; i++) assert_true(images[i] == (float)(uint8_t)(7 * i) / 255.0f);
}

/* ---- Out of memory: the n-th allocation fails, for each n until the call succeeds ---- */

typedef dlda_status attempt(dlda_dataset **one, dlda_dataset **two);

static inline void fail_in_turn(attempt *call, size_t least)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 0;
    dlda_dataset *one = NULL, *two = NULL;

    while (status != DLDA_OK || n <= least) { /* a reader may ignore failures while it only recognises formats */
        dlda_memory_fail_at(++n);
        status = call(&one, &two);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) {
            assert_int_equal(status, DLDA_E_MEMORY);
            assert_true(!one && !two);
        }
        dlda_dataset_destroy(one);
        dlda_dataset_destroy(two);
        one = two = NULL;
        assert_int_equal(dlda_memory_count().live, live);
    }
}

#endif
