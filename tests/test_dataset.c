/* SPDX-License-Identifier: MIT
 *
 * test_dataset.c - data sets from arrays, IDX and PNG files and the library itself; splits; damaged files.
 *
 * Files are made in a folder of their own. Parsers meet every truncation and each lie of a header.
 */
#define _GNU_SOURCE
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

/* ---- A folder for files ---- */

static char folder[64];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/deeplda-dataset-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[96];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

/* The path of a file in the folder; valid until the fourth call from now. */
static const char *in_folder(const char *name)
{
    static char paths[4][256];
    static int turn;

    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static const char *write_bytes(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
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

static void put_u32(blob *to, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) to->bytes[to->size++] = (uint8_t)(value >> shift);
}

/* A header with these dimensions and n bytes 0, 7, 14, ... behind it. */
static blob make_idx(uint32_t magic, size_t n_dimensions, const uint32_t *dimensions, size_t n)
{
    blob idx = { 0 };

    put_u32(&idx, magic);
    for (size_t i = 0; i < n_dimensions; i++) put_u32(&idx, dimensions[i]);
    for (size_t i = 0; i < n; i++) idx.bytes[idx.size++] = (uint8_t)(7 * i);
    return idx;
}

static blob small_images(void)
{
    return make_idx(0x803, 3, (const uint32_t[]){ 5, 3, 4 }, 60);
}

static blob small_labels(void)
{
    blob idx = make_idx(0x801, 1, (const uint32_t[]){ 5 }, 0);

    memcpy(idx.bytes + idx.size, "\0\2\1\2\0", 5);
    idx.size += 5;
    return idx;
}

static blob packed(const blob *plain)
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

static const char *write_blob(const char *name, const blob *content)
{
    return write_bytes(name, content->bytes, content->size);
}

/* Reading must fail with this status, give nothing, keep no memory, and say these words. */
static void expect_failure(const char *path, dlda_status expected, const char *words)
{
    dlda_dataset *dataset = NULL;
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_dataset_read(path, DLDA_TRAIN, &dataset), expected);
    assert_null(dataset);
    assert_int_equal(dlda_memory_count().live, live);
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
}

static dlda_dataset *read_ok(const char *path, dlda_part part)
{
    dlda_dataset *dataset = NULL;

    if (dlda_dataset_read(path, part, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    return dataset;
}

/* The set of small_images and small_labels. */
static void check_small(const dlda_dataset *dataset)
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

/* ---- IDX ---- */

static void test_idx_under_all_names(void **state)
{
    blob images = small_images(), labels = small_labels();
    blob images_gz = packed(&images), labels_gz = packed(&labels);
    const struct {
        const char *images, *labels;
        const blob *image_bytes, *label_bytes;
        dlda_part part;
    } cases[] = {
        { "train-images-idx3-ubyte", "train-labels-idx1-ubyte", &images, &labels, DLDA_TRAIN },
        { "train-images.idx3-ubyte", "train-labels.idx1-ubyte", &images, &labels, DLDA_TRAIN },
        { "train-images-idx3-ubyte.gz", "train-labels.idx1-ubyte.gz", &images_gz, &labels_gz, DLDA_TRAIN },
        { "t10k-images.idx3-ubyte.gz", "t10k-labels-idx1-ubyte", &images_gz, &labels, DLDA_TEST },
        { "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz", &images, &labels_gz, DLDA_TEST },
        { "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte", &images, &labels_gz, DLDA_TEST }, /* lying names */
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char first[256], second[256];
        snprintf(first, sizeof first, "%s", write_blob(cases[k].images, cases[k].image_bytes));
        snprintf(second, sizeof second, "%s", write_blob(cases[k].labels, cases[k].label_bytes));
        dlda_dataset *dataset = read_ok(folder, cases[k].part);
        check_small(dataset);
        dlda_dataset_destroy(dataset);
        assert_int_equal(unlink(first), 0);
        assert_int_equal(unlink(second), 0);
    }
}

static void test_idx_file_with_labels_beside(void **state)
{
    blob images = small_images(), labels = small_labels();
    dlda_dataset *dataset = NULL;
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", write_blob("my-images-idx3-ubyte", &images));
    expect_failure(path, DLDA_E_IO, "my-labels-idx1-ubyte.gz");
    write_blob("my-labels-idx1-ubyte", &labels);
    dataset = read_ok(path, DLDA_TEST);
    check_small(dataset);
    dlda_dataset_destroy(dataset);
    labels = packed(&labels);
    assert_int_equal(unlink(in_folder("my-labels-idx1-ubyte")), 0);
    write_blob("my-labels-idx1-ubyte.gz", &labels);
    dataset = read_ok(path, DLDA_TRAIN);
    check_small(dataset);
    dlda_dataset_destroy(dataset);
    expect_failure(write_blob("nameless", &images), DLDA_E_IO, "no 'images' in the name");
}

static void test_idx_with_channels(void **state)
{
    blob images = make_idx(0x804, 4, (const uint32_t[]){ 5, 2, 2, 3 }, 60), labels = small_labels();
    const char *path = write_blob("rgb-images-idx3-ubyte", &images);
    float last[12];

    (void)state;
    write_blob("rgb-labels-idx1-ubyte", &labels);
    dlda_dataset *dataset = read_ok(path, DLDA_TRAIN);
    assert_int_equal(dlda_dataset_channels(dataset), 3);
    assert_int_equal(dlda_dataset_width(dataset), 2);
    assert_int_equal(dlda_dataset_images(dataset, 4, 1, last), DLDA_OK);
    assert_true(last[11] == (float)(uint8_t)(7 * 59) / 255.0f);
    dlda_dataset_destroy(dataset);
}

/* Cuts one of two files at every length; the other stays whole. */
static void cut_everywhere(const char *cut_name, const blob *whole, const char *images_path)
{
    for (size_t size = 0; size < whole->size; size++) {
        write_bytes(cut_name, whole->bytes, size);
        expect_failure(images_path, DLDA_E_FORMAT, cut_name);
    }
    write_blob(cut_name, whole);
    dlda_dataset *dataset = read_ok(images_path, DLDA_TRAIN);
    check_small(dataset);
    dlda_dataset_destroy(dataset);
}

static void test_idx_truncated_at_every_length(void **state)
{
    blob images = small_images(), labels = small_labels();
    blob images_gz = packed(&images), labels_gz = packed(&labels);
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", write_blob("cut-images-idx3", &images));
    write_blob("cut-labels-idx1", &labels);
    cut_everywhere("cut-images-idx3", &images, path);
    cut_everywhere("cut-images-idx3", &images_gz, path);
    cut_everywhere("cut-labels-idx1", &labels, path);
    cut_everywhere("cut-labels-idx1", &labels_gz, path);
}

/* A damaged bit is either noticed or harmless: some bits of the header, and up to seven before the checksum that
 * fill a byte, mean nothing. */
static void test_gzip_with_a_damaged_bit(void **state)
{
    blob images = small_images(), labels = small_labels(), images_gz = packed(&images);
    size_t harmless = 0, live = dlda_memory_count().live;
    enum { GZIP_HEADER = 10 };

    (void)state;
    write_blob("bit-labels", &labels);
    for (size_t bit = 0; bit < 8 * images_gz.size; bit++) {
        blob damaged = images_gz;
        dlda_dataset *dataset = NULL;
        damaged.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (dlda_dataset_read(write_blob("bit-images", &damaged), DLDA_TRAIN, &dataset) == DLDA_OK) {
            check_small(dataset);
            harmless += bit / 8 >= GZIP_HEADER;
        }
        dlda_dataset_destroy(dataset);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_in_range(harmless, 0, 7);
}

typedef struct lie {
    uint32_t magic;
    size_t n_dimensions;
    uint32_t dimensions[4];
    size_t payload;
    const char *words;
} lie;

static void test_idx_headers_that_lie(void **state)
{
    static const lie lies[] = {
        { 0x802, 2, { 5, 12 }, 60, "magic 0x00000802, expected 0x00000803 (u8 images)" },
        { 0x801, 1, { 60 }, 60, "magic 0x00000801" },
        { 0x805, 4, { 5, 3, 4, 1 }, 60, "magic 0x00000805" },
        { 0xd03, 3, { 5, 3, 1 }, 60, "magic 0x00000d03" }, /* floats */
        { 0x03080000, 3, { 5, 3, 4 }, 60, "magic 0x03080000" },
        { 0x01000803, 3, { 5, 3, 4 }, 60, "magic 0x01000803" },
        { 0x803, 3, { 0, 3, 4 }, 0, "dimension 1 is 0" },
        { 0x803, 3, { 5, 0, 4 }, 0, "dimension 2 is 0" },
        { 0x803, 3, { 5, 3, 0 }, 60, "dimension 3 is 0" },
        { 0x804, 4, { 5, 3, 4, 0 }, 60, "dimension 4 is 0" },
        { 0x803, 3, { 6, 3, 4 }, 60, "promises 72 bytes, found 60" },
        { 0x803, 3, { 5, 3, 4 }, 61, "promises 60 bytes, found more" },
        { 0x803, 3, { 4, 3, 4 }, 60, "promises 48 bytes, found more" },
        { 0x803, 3, { 0x7fffffff, 1, 1 }, 60, "promises 2147483647 bytes, found 60" },
        { 0x803, 3, { 0xffffffff, 0xffff, 0xffff }, 60, "found 60" },
        { 0x803, 3, { 0xffffffff, 0xffffffff, 0xffffffff }, 60, "more than 2^64 bytes" },
        { 0x804, 4, { 0x10000, 0x10000, 0x10000, 0x10000 }, 60, "more than 2^64 bytes" },
        { 0x804, 4, { 0x10000, 0x10000, 0x10000, 0x8000 }, 60, "promises 9223372036854775808 bytes, found 60" },
    };
    blob labels = small_labels();

    (void)state;
    write_blob("lie-labels", &labels);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        blob plain = make_idx(lies[k].magic, lies[k].n_dimensions, lies[k].dimensions, lies[k].payload);
        blob gz = packed(&plain);
        size_t peak = dlda_memory_count().peak;
        expect_failure(write_blob("lie-images", &plain), DLDA_E_FORMAT, lies[k].words);
        expect_failure(write_blob("lie-images", &gz), DLDA_E_FORMAT, lies[k].words);
        assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20)); /* a promise is not paid for */
    }
}

static void test_labels_that_lie(void **state)
{
    static const lie lies[] = {
        { 0x803, 1, { 5 }, 5, "magic 0x00000803, expected 0x00000801 (u8 labels)" },
        { 0x801, 1, { 0 }, 0, "dimension 1 is 0" },
        { 0x801, 1, { 6 }, 5, "promises 6 bytes, found 5" },
        { 0x801, 1, { 5 }, 6, "promises 5 bytes, found more" },
        { 0x801, 1, { 0xffffffff }, 5, "promises 4294967295 bytes, found 5" },
    };
    blob images = small_images(), labels;
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", write_blob("lab-images", &images));
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        labels = make_idx(lies[k].magic, lies[k].n_dimensions, lies[k].dimensions, lies[k].payload);
        write_blob("lab-labels", &labels);
        expect_failure(path, DLDA_E_FORMAT, lies[k].words);
    }
    labels = make_idx(0x801, 1, (const uint32_t[]){ 4 }, 4);
    write_blob("lab-labels", &labels);
    expect_failure(path, DLDA_E_SHAPE, "lab-labels: 4 labels, expected one for each of the 5 images");
}

static void test_gzip_with_junk_behind(void **state)
{
    blob images = small_images(), labels = small_labels(), gz = packed(&images);

    (void)state;
    write_blob("junk-labels", &labels);
    gz.bytes[gz.size++] = 0;
    expect_failure(write_blob("junk-images", &gz), DLDA_E_FORMAT, "behind the end of the gzip data");
    blob twice = packed(&images);
    memcpy(twice.bytes + twice.size, twice.bytes, twice.size);
    twice.size *= 2;
    expect_failure(write_blob("junk-images", &twice), DLDA_E_FORMAT, "behind the end of the gzip data");
    gz = packed(&images);
    gz.bytes[gz.size - 8] ^= 1;
    expect_failure(write_blob("junk-images", &gz), DLDA_E_FORMAT, "incorrect data check");
}

/* Larger than one portion of the reader, so that memory grows and zlib is fed more than once. */
static void test_idx_larger_than_a_portion(void **state)
{
    enum { COUNT = 257, SIDE = 61, SIZE = COUNT * SIDE * SIDE };
    blob header = make_idx(0x803, 3, (const uint32_t[]){ COUNT, SIDE, SIDE }, 0);
    uint8_t *plain = malloc(16 + SIZE);
    dlda_raw_images images = { 0 };
    uint32_t noise = 1;

    (void)state;
    assert_non_null(plain);
    memcpy(plain, header.bytes, 16);
    for (size_t i = 0; i < SIZE; i++) plain[16 + i] = (uint8_t)((noise = noise * 1664525u + 1013904223u) >> 24);
    write_bytes("large", plain, 16 + SIZE);
    gzFile gz = gzopen(in_folder("large.gz"), "wb1");
    assert_int_equal(gzwrite(gz, plain, 16 + SIZE), 16 + SIZE);
    assert_int_equal(gzclose(gz), Z_OK);
    const dlda_input inputs[] = { { .name = in_folder("large") },
                                  { .name = in_folder("large.gz") },
                                  { "memory", plain, 16 + SIZE } };
    for (size_t k = 0; k < 3; k++) {
        if (dlda_idx_read_images(&inputs[k], &images) != DLDA_OK) fail_msg("%s", dlda_last_error());
        assert_int_equal(images.count, COUNT);
        assert_memory_equal(images.bytes, plain + 16, SIZE);
        dlda_release(images.bytes);
    }
    assert_int_equal(dlda_idx_read_images(&(dlda_input){ "memory", plain, SIZE }, &images), DLDA_E_FORMAT);
    assert_string_equal(dlda_last_error(), "memory: the header promises 956297 bytes, found 956281");
    free(plain);
}

static void test_paths_that_lead_nowhere(void **state)
{
    dlda_dataset *dataset = NULL;

    (void)state;
    expect_failure("/nowhere/at/all", DLDA_E_IO, "/nowhere/at/all: no such file or folder; expected 'digits'");
    expect_failure("digit", DLDA_E_IO, "did you mean 'digits'?");
    assert_int_equal(mkdir(in_folder("empty"), 0700), 0);
    expect_failure(in_folder("empty"), DLDA_E_IO, "found no train-images-idx3-ubyte");
    assert_int_equal(dlda_dataset_read("digits", (dlda_part)7, &dataset), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_read_images("/nowhere", 1, &dataset), DLDA_E_IO);
    assert_int_equal(dlda_dataset_read_images(folder, 1, &dataset), DLDA_E_IO);
    assert_null(dataset);
}

/* ---- The digits in the library ---- */

static void check_digits(dlda_part part, size_t per_class)
{
    dlda_dataset *digits = read_ok("digits", part);
    size_t counts[10] = { 0 };
    float image[28 * 28];
    double sum = 0;

    assert_int_equal(dlda_dataset_count(digits), 10 * per_class);
    assert_int_equal(dlda_dataset_classes(digits), 10);
    assert_int_equal(dlda_dataset_height(digits), 28);
    assert_int_equal(dlda_dataset_width(digits), 28);
    assert_int_equal(dlda_dataset_channels(digits), 1);
    for (size_t i = 0; i < 10 * per_class; i++) {
        counts[dlda_dataset_label(digits, i)]++;
        assert_int_equal(dlda_dataset_images(digits, i, 1, image), DLDA_OK);
        for (size_t p = 0; p < 28 * 28; p++) sum += image[p];
    }
    for (size_t c = 0; c < 10; c++) assert_int_equal(counts[c], per_class);
    sum /= (double)(10 * per_class * 28 * 28);
    assert_true(sum > 0.12 && sum < 0.14); /* MNIST's mean is 0.1307 */
    dlda_dataset_destroy(digits);
}

static void test_embedded_digits(void **state)
{
    dlda_dataset *digits = read_ok("digits", DLDA_TRAIN);

    (void)state;
    check_digits(DLDA_TRAIN, 500);
    check_digits(DLDA_TEST, 100);
    assert_int_equal(dlda_dataset_label(digits, 0), 5); /* MNIST starts with 5, 0, 4, 1, 9 */
    assert_int_equal(dlda_dataset_label(digits, 4), 9);
    assert_int_equal(dlda_dataset_label(digits, 5000), -1);
    dlda_dataset_destroy(digits);
}

/* ---- From arrays ---- */

static void test_create_from_bytes_and_values(void **state)
{
    uint8_t bytes[6] = { 0, 1, 127, 128, 254, 255 };
    float values[6] = { -1, 0, 0.5f, 3e38f, 1e-40f, 7 }, copy[6];
    int labels[3] = { 1, 0, 1 };
    const char *names[2] = { "cat", "" };
    dlda_dataset_spec spec = { .count = 3,
                               .height = 1,
                               .width = 2,
                               .channels = 1,
                               .classes = 2,
                               .labels = labels,
                               .bytes = bytes,
                               .names = names };
    dlda_dataset *a = NULL, *b = NULL;

    (void)state;
    assert_int_equal(dlda_dataset_create(&spec, &a), DLDA_OK);
    spec.bytes = NULL;
    spec.values = values;
    spec.names = NULL;
    spec.labels = NULL;
    assert_int_equal(dlda_dataset_create(&spec, &b), DLDA_OK);
    const float kept[6] = { -1, 0, 0.5f, 3e38f, 1e-40f, 7 };
    memset(bytes, 9, sizeof bytes); /* arrays are copied */
    memset(values, 9, sizeof values);
    labels[0] = 0;
    names[0] = NULL;
    assert_int_equal(dlda_dataset_images(a, 0, 3, copy), DLDA_OK);
    assert_true(copy[0] == 0 && copy[1] == 1 / 255.0f && copy[4] == 254 / 255.0f && copy[5] == 1);
    assert_string_equal(dlda_dataset_class_name(a, 0), "cat");
    assert_string_equal(dlda_dataset_class_name(a, 1), "");
    assert_int_equal(dlda_dataset_label(a, 0), 1);
    assert_int_equal(dlda_dataset_images(b, 0, 3, copy), DLDA_OK);
    assert_memory_equal(copy, kept, sizeof kept);
    assert_null(dlda_dataset_labels(b));
    assert_int_equal(dlda_dataset_label(b, 0), -1);
    assert_string_equal(dlda_dataset_class_name(b, 1), "1");
    dlda_dataset_destroy(a);
    dlda_dataset_destroy(b);
    dlda_dataset_destroy(NULL);
}

static void expect_refusal(const dlda_dataset_spec *spec, dlda_status expected, const char *words)
{
    dlda_dataset *dataset = NULL;
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_dataset_create(spec, &dataset), expected);
    assert_null(dataset);
    assert_int_equal(dlda_memory_count().live, live);
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
}

static void test_create_refuses(void **state)
{
    const uint8_t bytes[8] = { 0 };
    float values[8] = { 0 };
    const int labels[4] = { 0, 1, 2, -1 };
    const char *const names[3] = { "a", NULL, "c" };
    const dlda_dataset_spec good = {
        .count = 4, .height = 2, .width = 1, .channels = 1, .classes = 3, .values = values
    };
    dlda_dataset_spec bad = good;

    (void)state;
    bad.values = NULL;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "neither bytes nor values");
    bad = good, bad.bytes = bytes;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "both bytes and values");
    bad = good, bad.count = 0;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "0 images of 2 x 1 x 1");
    bad = good, bad.channels = 0;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "4 images of 2 x 1 x 0");
    bad = good, bad.height = SIZE_MAX / 2;
    expect_refusal(&bad, DLDA_E_MEMORY, "too large");
    bad = good, bad.labels = labels;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "sample 3 has label -1");
    bad.classes = 2;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "sample 2 has label 2, expected 0 or more and below 2");
    bad = good, bad.names = names;
    expect_refusal(&bad, DLDA_E_ARGUMENT, "class 1 has the name NULL");
    values[5] = NAN;
    expect_refusal(&good, DLDA_E_NUMERIC, "sample 2, value 1 is nan");
    values[5] = -INFINITY;
    expect_refusal(&good, DLDA_E_NUMERIC, "sample 2, value 1 is -inf");
}

static void test_images_checks_its_range(void **state)
{
    const uint8_t bytes[3] = { 1, 2, 3 };
    float images[3] = { 0 };
    dlda_dataset *dataset = NULL;

    (void)state;
    assert_int_equal(
        dlda_dataset_create(
            &(dlda_dataset_spec){ .count = 3, .height = 1, .width = 1, .channels = 1, .bytes = bytes }, &dataset),
        DLDA_OK);
    assert_int_equal(dlda_dataset_images(dataset, 3, 0, images), DLDA_OK);
    assert_int_equal(dlda_dataset_images(dataset, 3, 1, images), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_images(dataset, 0, 4, images), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_images(dataset, 2, SIZE_MAX, images), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_images(dataset, 4, 0, images), DLDA_E_ARGUMENT);
    dlda_dataset_destroy(dataset);
}

static void test_gather_is_the_same_for_any_threads(void **state)
{
    enum { N = 333, SIZE = 28 * 28 };
    dlda_dataset *digits = read_ok("digits", DLDA_TEST);
    float *one = malloc(N * SIZE * sizeof *one), *four = malloc(N * SIZE * sizeof *four), single[SIZE];
    size_t indices[N];

    (void)state;
    assert_true(one && four);
    memset(one, 0xff, N * SIZE * sizeof *one); /* NaN */
    memset(four, 0xff, N * SIZE * sizeof *four);
    for (size_t i = 0; i < N; i++) indices[i] = (i * 577) % 1000;
    dlda_team *team = NULL;
    assert_int_equal(dlda_team_create(4, &team), DLDA_OK);
    dlda_dataset_gather(digits, indices, N, NULL, one);
    dlda_dataset_gather(digits, indices, N, team, four);
    dlda_team_destroy(team);
    assert_memory_equal(one, four, N * SIZE * sizeof *one);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(dlda_dataset_images(digits, indices[i], 1, single), DLDA_OK);
        assert_memory_equal(single, one + i * SIZE, sizeof single);
    }
    free(one);
    free(four);
    dlda_dataset_destroy(digits);
}

/* ---- PNG ---- */

static const char *write_png(const char *name, uint32_t format, uint32_t width, uint32_t height, const void *pixels)
{
    png_image image = { .version = PNG_IMAGE_VERSION, .width = width, .height = height, .format = format };
    const char *path = in_folder(name);

    assert_true(png_image_write_to_file(&image, path, 0, pixels, 0, NULL));
    return path;
}

/* Reads an image file of 5 x 3 pixels and compares it with bytes [3][5][channels]. */
static void check_image(const char *path, size_t channels, const uint8_t *expected)
{
    dlda_dataset *dataset = NULL;
    float values[45];

    if (dlda_dataset_read_images(path, channels, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_dataset_count(dataset), 1);
    assert_int_equal(dlda_dataset_height(dataset), 3);
    assert_int_equal(dlda_dataset_width(dataset), 5);
    assert_int_equal(dlda_dataset_channels(dataset), channels);
    assert_int_equal(dlda_dataset_classes(dataset), 0);
    assert_int_equal(dlda_dataset_label(dataset, 0), -1);
    assert_int_equal(dlda_dataset_images(dataset, 0, 1, values), DLDA_OK);
    for (size_t i = 0; i < 15 * channels; i++) assert_true(values[i] == (float)expected[i] / 255.0f);
    dlda_dataset_destroy(dataset);
}

static void test_png_round_trip(void **state)
{
    uint8_t grey[15], rgb[45], thrice[45], luma[15];

    (void)state;
    for (size_t i = 0; i < 15; i++) {
        grey[i] = (uint8_t)(17 * i);
        for (size_t k = 0; k < 3; k++) {
            thrice[3 * i + k] = grey[i];
            rgb[3 * i + k] = (uint8_t)(31 * i + 80 * k);
        }
        const uint8_t *p = rgb + 3 * i;
        luma[i] = (uint8_t)floor((19595 * p[0] + 38470 * p[1] + 7471 * p[2]) / 65536.0 + 0.5);
    }
    check_image(write_png("grey.jpg", PNG_FORMAT_GRAY, 5, 3, grey), 1, grey); /* the name says nothing */
    check_image(in_folder("grey.jpg"), 3, thrice);
    check_image(write_png("colour.png", PNG_FORMAT_RGB, 5, 3, rgb), 3, rgb);
    check_image(in_folder("colour.png"), 1, luma);
}

/* Half of the pixels of this image are clear: they become black. */
static void test_png_transparent_is_black(void **state)
{
    uint8_t pixels[30], expected[15];

    (void)state;
    for (size_t i = 0; i < 15; i++) {
        pixels[2 * i] = 200;
        pixels[2 * i + 1] = i % 2 ? 255 : 0;
        expected[i] = i % 2 ? 200 : 0;
    }
    check_image(write_png("clear.png", PNG_FORMAT_GA, 5, 3, pixels), 1, expected);
}

static size_t slurp(const char *path, uint8_t *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    return size;
}

static void expect_image_failure(const char *path, dlda_status expected)
{
    dlda_dataset *dataset = NULL;
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_dataset_read_images(path, 1, &dataset), expected);
    assert_null(dataset);
    assert_int_equal(dlda_memory_count().live, live);
    assert_non_null(strstr(dlda_last_error(), path));
}

static void test_png_truncated_at_every_length(void **state)
{
    uint8_t pixels[45], bytes[1024];

    (void)state;
    for (size_t i = 0; i < 45; i++) pixels[i] = (uint8_t)(i * i);
    size_t size = slurp(write_png("whole.png", PNG_FORMAT_RGB, 5, 3, pixels), bytes, sizeof bytes);
    for (size_t n = 0; n < size; n++) expect_image_failure(write_bytes("cut.png", bytes, n), DLDA_E_FORMAT);
    check_image(write_bytes("cut.png", bytes, size), 3, pixels);
}

/* Sets width and height in the header, with a checksum that fits. */
static void forge_size(uint8_t *png, uint32_t width, uint32_t height)
{
    blob words = { 0 };

    put_u32(&words, width);
    put_u32(&words, height);
    memcpy(png + 16, words.bytes, 8);
    words.size = 0;
    put_u32(&words, (uint32_t)crc32(0, png + 12, 17));
    memcpy(png + 29, words.bytes, 4);
}

static void test_png_header_that_lies(void **state)
{
    uint8_t pixels[15] = { 0 }, bytes[1024];
    size_t size = slurp(write_png("lie.png", PNG_FORMAT_GRAY, 5, 3, pixels), bytes, sizeof bytes);
    const uint32_t sizes[][2] = { { 0, 3 },
                                  { 5, 0 },
                                  { 5, 4 },
                                  { 16384, 16384 },
                                  { 16385, 1 },
                                  { 900000, 900000 },
                                  { 0x7fffffff, 0x7fffffff },
                                  { 0xffffffff, 3 } };

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t peak = dlda_memory_count().peak;
        forge_size(bytes, sizes[k][0], sizes[k][1]);
        expect_image_failure(write_bytes("lie.png", bytes, size), DLDA_E_FORMAT);
        assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20));
    }
    forge_size(bytes, 5, 3);
    check_image(write_bytes("lie.png", bytes, size), 1, pixels);
}

static void test_images_of_idx_files(void **state)
{
    blob three = make_idx(0x804, 4, (const uint32_t[]){ 1, 3, 5, 3 }, 45);
    blob two = make_idx(0x804, 4, (const uint32_t[]){ 1, 3, 5, 2 }, 30);
    blob grey = make_idx(0x803, 3, (const uint32_t[]){ 1, 3, 5 }, 15), labels = small_labels();
    dlda_dataset *dataset = NULL;
    uint8_t thrice[45];

    (void)state;
    for (size_t i = 0; i < 45; i++) thrice[i] = (uint8_t)(7 * (i / 3));
    check_image(write_blob("three.idx", &three), 3, three.bytes + 20);
    check_image(write_blob("grey.idx", &grey), 1, grey.bytes + 16);
    check_image(in_folder("grey.idx"), 3, thrice);
    grey = packed(&grey);
    check_image(write_blob("grey.idx", &grey), 3, thrice);
    expect_image_failure(write_blob("two.idx", &two), DLDA_E_SHAPE);
    expect_image_failure(write_blob("labels.idx", &labels), DLDA_E_FORMAT);
    expect_image_failure(write_bytes("text", "Lorem ipsum", 11), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "neither an IDX image file nor a PNG"));
    assert_int_equal(dlda_dataset_read_images(in_folder("three.idx"), 2, &dataset), DLDA_E_SHAPE);
    assert_int_equal(dlda_dataset_read_images(in_folder("three.idx"), 0, &dataset), DLDA_E_SHAPE);
    assert_null(dataset);
}

/* ---- Splits ---- */

enum { SPLIT_COUNT = 60 };

/* 60 samples whose only pixel is their position; classes 0, 1, 2 (empty), 3 have 40, 13, 0, 7 of them. */
static dlda_dataset *split_parent(int labelled)
{
    uint8_t bytes[SPLIT_COUNT];
    int labels[SPLIT_COUNT];
    dlda_dataset *dataset = NULL;
    dlda_dataset_spec spec = { .count = SPLIT_COUNT,
                               .height = 1,
                               .width = 1,
                               .channels = 1,
                               .classes = 4,
                               .labels = labelled ? labels : NULL,
                               .bytes = bytes };

    for (int i = 0; i < SPLIT_COUNT; i++) {
        int turn = i * 7 % SPLIT_COUNT;
        bytes[i] = (uint8_t)i;
        labels[i] = turn < 40 ? 0 : turn < 53 ? 1 : 3;
    }
    assert_int_equal(dlda_dataset_create(&spec, &dataset), DLDA_OK);
    return dataset;
}

static size_t position_of(const dlda_dataset *dataset, size_t i)
{
    float pixel = 0;

    assert_int_equal(dlda_dataset_images(dataset, i, 1, &pixel), DLDA_OK);
    return (size_t)lroundf(pixel * 255);
}

/* Marks the samples of one half; they ascend, and carry their labels. */
static void mark_half(const dlda_dataset *parent, const dlda_dataset *half, char *seen, size_t *per_class)
{
    for (size_t i = 0; i < dlda_dataset_count(half); i++) {
        size_t at = position_of(half, i);
        assert_false(seen[at]);
        seen[at] = 1;
        assert_true(i == 0 || position_of(half, i - 1) < at);
        assert_int_equal(dlda_dataset_label(half, i), dlda_dataset_label(parent, at));
        if (dlda_dataset_label(half, i) >= 0) per_class[dlda_dataset_label(half, i)]++;
    }
}

static void test_split_shares(void **state)
{
    const size_t totals[4] = { 40, 13, 0, 7 };

    (void)state;
    for (size_t count = 1; count < SPLIT_COUNT; count++) {
        dlda_dataset *parent = split_parent(1), *first = NULL, *second = NULL;
        char seen[SPLIT_COUNT] = { 0 };
        size_t in_first[4] = { 0 }, in_second[4] = { 0 };
        assert_int_equal(dlda_dataset_split(parent, count, 11, &first, &second), DLDA_OK);
        assert_int_equal(dlda_dataset_count(first), SPLIT_COUNT - count);
        assert_int_equal(dlda_dataset_count(second), count);
        assert_int_equal(dlda_dataset_classes(second), 4);
        mark_half(parent, first, seen, in_first);
        mark_half(parent, second, seen, in_second);
        for (size_t c = 0; c < 4; c++) {
            double share = (double)count * (double)totals[c] / SPLIT_COUNT;
            assert_true(fabs((double)in_second[c] - share) < 1);
            assert_int_equal(in_first[c] + in_second[c], totals[c]);
        }
        dlda_dataset_destroy(parent); /* the halves keep the images alive */
        dlda_dataset_destroy(second);
        assert_true(position_of(first, 0) < SPLIT_COUNT);
        dlda_dataset_destroy(first);
    }
}

/* 40, 13, 7 of 60: a second set of 10 is due 6.67, 2.17, 1.17 samples. */
static void test_split_gives_places_to_largest_remainders(void **state)
{
    dlda_dataset *parent = split_parent(1), *first = NULL, *second = NULL;
    char seen[SPLIT_COUNT] = { 0 };
    size_t in_second[4] = { 0 };

    (void)state;
    assert_int_equal(dlda_dataset_split(parent, 10, 0, &first, &second), DLDA_OK);
    mark_half(parent, second, seen, in_second);
    assert_int_equal(in_second[0], 7);
    assert_int_equal(in_second[1], 2);
    assert_int_equal(in_second[3], 1);
    dlda_dataset_destroy(first);
    dlda_dataset_destroy(second);
    dlda_dataset_destroy(parent);
}

static void second_of(const dlda_dataset *parent, uint64_t seed, char *seen)
{
    dlda_dataset *first = NULL, *second = NULL;
    size_t per_class[4] = { 0 };

    memset(seen, 0, SPLIT_COUNT);
    assert_int_equal(dlda_dataset_split(parent, 20, seed, &first, &second), DLDA_OK);
    mark_half(parent, second, seen, per_class);
    dlda_dataset_destroy(first);
    dlda_dataset_destroy(second);
}

static void test_split_is_a_function_of_the_seed(void **state)
{
    char a[SPLIT_COUNT], b[SPLIT_COUNT], c[SPLIT_COUNT];

    (void)state;
    for (int labelled = 0; labelled < 2; labelled++) {
        dlda_dataset *parent = split_parent(labelled);
        second_of(parent, 1, a);
        second_of(parent, 1, b);
        second_of(parent, 2, c);
        assert_memory_equal(a, b, sizeof a);
        assert_memory_not_equal(a, c, sizeof a);
        dlda_dataset_destroy(parent);
    }
}

/* A split of a split finds its images through two lists of indices. */
static void test_split_of_a_split(void **state)
{
    dlda_dataset *parent = split_parent(1), *a = NULL, *b = NULL, *c = NULL, *d = NULL;
    char seen[SPLIT_COUNT] = { 0 };
    size_t per_class[4] = { 0 };
    size_t live = dlda_memory_count().live;

    (void)state;
    assert_int_equal(dlda_dataset_split(parent, 20, 1, &a, &b), DLDA_OK);
    assert_int_equal(dlda_dataset_split(a, 20, 1, &c, &d), DLDA_OK);
    mark_half(parent, b, seen, per_class);
    mark_half(parent, c, seen, per_class);
    mark_half(parent, d, seen, per_class);
    for (size_t i = 0; i < SPLIT_COUNT; i++) assert_true(seen[i]);
    dlda_dataset_destroy(a);
    dlda_dataset_destroy(b);
    dlda_dataset_destroy(c);
    dlda_dataset_destroy(d);
    assert_int_equal(dlda_memory_count().live, live);
    dlda_dataset_destroy(parent);
}

static void test_split_refuses(void **state)
{
    dlda_dataset *parent = split_parent(1), *first = NULL, *second = NULL;

    (void)state;
    assert_int_equal(dlda_dataset_split(parent, 0, 1, &first, &second), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_split(parent, SPLIT_COUNT, 1, &first, &second), DLDA_E_ARGUMENT);
    assert_string_equal(dlda_last_error(), "split: 60 of 60 samples, expected 1 to 59");
    assert_int_equal(dlda_dataset_split(parent, SIZE_MAX, 1, &first, &second), DLDA_E_ARGUMENT);
    assert_true(!first && !second);
    dlda_dataset_destroy(parent);
}

/* ---- No memory: the n-th allocation fails, for each n until all is well ---- */

typedef dlda_status attempt(dlda_dataset **one, dlda_dataset **two);

static void fail_in_turn(attempt *call, size_t least)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 0;
    dlda_dataset *one = NULL, *two = NULL;

    while (status != DLDA_OK) {
        dlda_memory_fail_at(++n);
        status = call(&one, &two);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) {
            assert_int_equal(status, DLDA_E_MEMORY);
            assert_true(!one && !two);
            assert_int_equal(dlda_memory_count().live, live);
        }
    }
    dlda_dataset_destroy(one);
    dlda_dataset_destroy(two);
    assert_int_equal(dlda_memory_count().live, live);
    assert_true(n > least);
}

static dlda_dataset *shared_parent;

static dlda_status try_digits(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read("digits", DLDA_TEST, one);
}

static dlda_status try_folder(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read(folder, DLDA_TRAIN, one);
}

static dlda_status try_file(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read(in_folder("train-images-idx3-ubyte.gz"), DLDA_TRAIN, one);
}

static dlda_status try_png(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read_images(in_folder("memory.png"), 3, one);
}

static dlda_status try_create(dlda_dataset **one, dlda_dataset **two)
{
    const float values[4] = { 1, 2, 3, 4 };
    const int labels[4] = { 0, 1, 1, 0 };

    (void)two;
    return dlda_dataset_create(
        &(dlda_dataset_spec){
            .count = 4, .height = 1, .width = 1, .channels = 1, .classes = 2, .labels = labels, .values = values },
        one);
}

static dlda_status try_split(dlda_dataset **one, dlda_dataset **two)
{
    return dlda_dataset_split(shared_parent, 9, 1, one, two);
}

static void test_no_memory(void **state)
{
    blob images = small_images(), labels = small_labels();
    const uint8_t pixels[15] = { 0 };

    (void)state;
    images = packed(&images);
    write_blob("train-images-idx3-ubyte.gz", &images);
    write_blob("train-labels-idx1-ubyte", &labels);
    write_png("memory.png", PNG_FORMAT_GRAY, 5, 3, pixels);
    shared_parent = split_parent(1);
    fail_in_turn(try_create, 5);
    fail_in_turn(try_split, 8);
    fail_in_turn(try_png, 5);
    fail_in_turn(try_folder, 10);
    fail_in_turn(try_file, 8);
    fail_in_turn(try_digits, 10);
    dlda_dataset_destroy(shared_parent);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx_under_all_names),
        cmocka_unit_test(test_idx_file_with_labels_beside),
        cmocka_unit_test(test_idx_with_channels),
        cmocka_unit_test(test_idx_truncated_at_every_length),
        cmocka_unit_test(test_gzip_with_a_damaged_bit),
        cmocka_unit_test(test_idx_headers_that_lie),
        cmocka_unit_test(test_labels_that_lie),
        cmocka_unit_test(test_gzip_with_junk_behind),
        cmocka_unit_test(test_idx_larger_than_a_portion),
        cmocka_unit_test(test_paths_that_lead_nowhere),
        cmocka_unit_test(test_create_from_bytes_and_values),
        cmocka_unit_test(test_create_refuses),
        cmocka_unit_test(test_images_checks_its_range),
        cmocka_unit_test(test_png_round_trip),
        cmocka_unit_test(test_png_transparent_is_black),
        cmocka_unit_test(test_png_truncated_at_every_length),
        cmocka_unit_test(test_png_header_that_lies),
        cmocka_unit_test(test_images_of_idx_files),
        cmocka_unit_test(test_embedded_digits),
        cmocka_unit_test(test_gather_is_the_same_for_any_threads),
        cmocka_unit_test(test_split_shares),
        cmocka_unit_test(test_split_gives_places_to_largest_remainders),
        cmocka_unit_test(test_split_is_a_function_of_the_seed),
        cmocka_unit_test(test_split_of_a_split),
        cmocka_unit_test(test_split_refuses),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
