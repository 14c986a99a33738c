/* SPDX-License-Identifier: MIT
 *
 * test_read_idx.c - IDX files, plain and gzip: names, truncation at every length, each lie of a header.
 */
#define _GNU_SOURCE
#include "check.h"
#include "idx_files.h"

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
        { "train-images-idx3-ubyte", "train-labels-idx1-ubyte", &images, &labels, DLDA_PART_TRAIN },
        { "train-images.idx3-ubyte", "train-labels.idx1-ubyte", &images, &labels, DLDA_PART_TRAIN },
        { "train-images-idx3-ubyte.gz", "train-labels.idx1-ubyte.gz", &images_gz, &labels_gz, DLDA_PART_TRAIN },
        { "t10k-images.idx3-ubyte.gz", "t10k-labels-idx1-ubyte", &images_gz, &labels, DLDA_PART_TEST },
        { "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte.gz", &images, &labels_gz, DLDA_PART_TEST },
        { "t10k-images-idx3-ubyte.gz", "t10k-labels-idx1-ubyte", &images, &labels_gz,
          DLDA_PART_TEST }, /* lying names */
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
    dataset = read_ok(path, DLDA_PART_TEST);
    check_small(dataset);
    dlda_dataset_destroy(dataset);
    labels = packed(&labels);
    assert_int_equal(unlink(in_folder("my-labels-idx1-ubyte")), 0);
    write_blob("my-labels-idx1-ubyte.gz", &labels);
    dataset = read_ok(path, DLDA_PART_TRAIN);
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
    dlda_dataset *dataset = read_ok(path, DLDA_PART_TRAIN);
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
    dlda_dataset *dataset = read_ok(images_path, DLDA_PART_TRAIN);
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
        if (dlda_dataset_read(write_blob("bit-images", &damaged), DLDA_PART_TRAIN, &dataset) == DLDA_OK) {
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
    dlda_dataset *dataset = NULL;

    (void)state;
    write_blob("lie-labels-idx1-ubyte", &labels);
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        blob plain = make_idx(lies[k].magic, lies[k].n_dimensions, lies[k].dimensions, lies[k].payload);
        blob gz = packed(&plain);
        size_t peak = dlda_memory_count().peak;
        expect_failure(write_blob("lie-images-idx3-ubyte", &plain), DLDA_E_FORMAT, lies[k].words);
        const dlda_read_spec spec = { .path = write_blob("lie-images-idx3-ubyte", &gz), .most_bytes = SIZE_MAX };
        assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS(lies[k].words);
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
                                  { .name = "memory", .bytes = plain, .size = 16 + SIZE } };
    for (size_t k = 0; k < 3; k++) {
        if (dlda_idx_read_images(&inputs[k], &images) != DLDA_OK) fail_msg("%s", dlda_last_error());
        assert_int_equal(images.count, COUNT);
        assert_memory_equal(images.bytes, plain + 16, SIZE);
        dlda_release(images.bytes);
    }
    assert_int_equal(dlda_idx_read_images(&(dlda_input){ .name = "memory", .bytes = plain, .size = SIZE }, &images),
                     DLDA_E_FORMAT);
    assert_string_equal(dlda_last_error(), "memory: the header promises 956297 bytes, found 956281");
    free(plain);
}

static void write_gzip(const char *name, const void *bytes, size_t size)
{
    gzFile gz = gzopen(in_folder(name), "wb1");

    assert_int_equal(gzwrite(gz, bytes, (unsigned)size), size);
    assert_int_equal(gzclose(gz), Z_OK);
}

/* Compressed files are refused by their header if they would expand to more than the limit, and by what comes out of them
 * if the header lies. */
static void test_expanding_files(void **state)
{
    enum { COUNT = 300000 };
    const uint32_t images[] = { COUNT, 10, 10 }, labels[] = { COUNT };
    static uint8_t zeros[16 + 100 * COUNT];
    blob header = make_idx(0x803, 3, images, 0);
    dlda_dataset *dataset = NULL;
    dlda_read_spec spec = { .path = in_folder("many-images-idx3-ubyte.gz"), .most_bytes = 100 * COUNT };

    (void)state;
    memcpy(zeros, header.bytes, header.size);
    write_gzip("many-images-idx3-ubyte.gz", zeros, sizeof zeros);
    header = make_idx(0x801, 1, labels, 0);
    memset(zeros, 0, 16);
    memcpy(zeros, header.bytes, header.size);
    write_gzip("many-labels-idx1-ubyte.gz", zeros, header.size + COUNT);
    size_t taken = dlda_memory_count().taken;
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT); /* the samples take memory, too */
    CHECK_ERROR_SAYS("compressed data that takes more than 30000000 bytes");
    assert_in_range(dlda_memory_count().taken - taken, 0, 1 << 20);
    spec.most_bytes = 0;
    CHECK_OK(dlda_dataset_open(&spec, &dataset));
    assert_int_equal(dlda_dataset_count(dataset), COUNT);
    dlda_dataset_destroy(dataset);
    spec.height = spec.width = 28; /* 235 MB */
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_OK);
    dlda_dataset_destroy(dataset);
    spec.height = spec.width = 96;
    dataset = NULL;
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("300000 images of 10 x 10 would take 2764800000 bytes as 96 x 96, expected at most 1920000000");
    assert_int_equal(dlda_most_bytes(&spec, 1000), 1 << 28);
    assert_int_equal(dlda_most_bytes(&spec, 10000000), 640000000);
}

static void test_paths_that_lead_nowhere(void **state)
{
    dlda_dataset *dataset = NULL;

    (void)state;
    expect_failure("/nowhere/at/all", DLDA_E_IO, "/nowhere/at/all: no such file or folder");
    expect_failure("digit", DLDA_E_IO, "did you mean 'digits'?");
    assert_int_equal(mkdir(in_folder("empty"), 0700), 0);
    expect_failure(in_folder("empty"), DLDA_E_FORMAT, "the folder is empty; expected data");
    assert_int_equal(dlda_dataset_read("digits", (dlda_part)7, &dataset), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_dataset_read_images("/nowhere", 1, &dataset), DLDA_E_IO);
    assert_int_equal(dlda_dataset_read_images(in_folder("empty"), 1, &dataset), DLDA_E_FORMAT);
    assert_null(dataset);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx_under_all_names),       cmocka_unit_test(test_idx_file_with_labels_beside),
        cmocka_unit_test(test_idx_with_channels),         cmocka_unit_test(test_idx_truncated_at_every_length),
        cmocka_unit_test(test_gzip_with_a_damaged_bit),   cmocka_unit_test(test_idx_headers_that_lie),
        cmocka_unit_test(test_labels_that_lie),           cmocka_unit_test(test_gzip_with_junk_behind),
        cmocka_unit_test(test_idx_larger_than_a_portion), cmocka_unit_test(test_paths_that_lead_nowhere),
        cmocka_unit_test(test_expanding_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
