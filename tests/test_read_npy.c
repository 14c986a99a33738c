/* SPDX-License-Identifier: MIT
 *
 * test_read_npy.c - .npy files: shapes, types, byte orders, labels beside them, truncation at every length, each lie of a
 * header.
 */
#define _GNU_SOURCE
#include "array_files.h"

#include "dataset/dataset_internal.h"

static const char *write_pair(const char *images, const blob *pixels, const char *labels, const blob *y)
{
    write_blob(labels, y);
    return write_blob(images, pixels);
}

/* ---- What can be read ---- */

static void test_pairs(void **state)
{
    static const struct {
        const char *images, *labels;
    } names[] = { { "X.npy", "y.npy" },
                  { "x.npy", "y.npy" },
                  { "x_train.npy", "y_train.npy" },
                  { "X_train.npy", "y_train.npy" },
                  { "small_images.npy", "small_labels.npy" },
                  { "train_images.npy", "train_labels.npy" },
                  { "my-features-1.npy", "my-labels-1.npy" } };
    blob images = small_npy(), labels = small_npy_labels();

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *path = write_pair(names[i].images, &images, names[i].labels, &labels);
        dlda_dataset *dataset = read_ok(path, DLDA_PART_TRAIN);
        check_small(dataset);
        dlda_dataset_destroy(dataset);
        assert_int_equal(unlink(in_folder(names[i].labels)), 0);
        expect_failure(path, DLDA_E_IO, names[i].labels);
        assert_int_equal(unlink(path), 0);
    }
    expect_failure(write_blob("other.npy", &images), DLDA_E_IO, "its labels are not known from its name");
}

static void test_folders(void **state)
{
    blob images = small_npy(), labels = small_npy_labels();
    const int16_t few[5] = { 7, 7, 1, 1, 7 };
    blob test_labels = make_npy("<i2", "(5, 1)", few, sizeof few);
    char path[256];
    dlda_read_spec spec = { .path = path };
    dlda_dataset *dataset = NULL;

    (void)state;
    snprintf(path, sizeof path, "%s", in_folder("set"));
    assert_int_equal(mkdir(spec.path, 0700), 0);
    write_pair("set/x_train.npy", &images, "set/y_train.npy", &labels);
    assert_true(dlda_dataset_has_part(&spec));
    spec.part = DLDA_PART_TEST;
    assert_false(dlda_dataset_has_part(&spec));
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_IO);
    write_pair("set/x_test.npy", &images, "set/y_test.npy", &test_labels);
    assert_true(dlda_dataset_has_part(&spec));

    /* Both parts number the classes of both: 0, 1, 2, 7. */
    for (int part = DLDA_PART_TRAIN; part <= DLDA_PART_TEST; part++) {
        dataset = read_ok(spec.path, (dlda_part)part);
        assert_int_equal(dlda_dataset_classes(dataset), 4);
        assert_string_equal(dlda_dataset_class_name(dataset, 3), "7");
        assert_int_equal(dlda_dataset_label(dataset, 1), part == DLDA_PART_TRAIN ? 2 : 3);
        dlda_dataset_destroy(dataset);
    }
}

/* The same 5 images of 3 x 4, of `channels` channels, in any layout and type, must give the same tensor. */
static void check_values(const char *path, const float *expected, size_t height, size_t width, size_t channels)
{
    dlda_dataset *dataset = NULL;
    float images[5 * 36];

    if (dlda_dataset_read_images(path, channels, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_dataset_height(dataset), height);
    assert_int_equal(dlda_dataset_width(dataset), width);
    assert_int_equal(dlda_dataset_channels(dataset), channels);
    assert_int_equal(dlda_dataset_images(dataset, 0, 5, images), DLDA_OK);
    assert_memory_equal(images, expected, 5 * height * width * channels * sizeof *images);
    dlda_dataset_destroy(dataset);
}

static void test_layouts(void **state)
{
    uint8_t pixels[180], planes[180];
    float expected[180];
    blob npy;

    (void)state;
    for (size_t i = 0; i < 180; i++) {
        pixels[i] = (uint8_t)(i * 37);
        expected[i] = (float)pixels[i] / 255.0f;
        planes[i / 36 * 36 + i % 3 * 12 + i % 36 / 3] = pixels[i];
    }
    npy = make_npy("|u1", "(5, 3, 4, 3)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 3, 4, 3);
    npy = make_npy("|u1", "(5, 36)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 1, 1, 36);
    npy = make_npy("|u1", "(5, 12, 3)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 12, 3, 1);
    npy = make_npy("|u1", "(5, 12, 3, 1)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 12, 3, 1);
    npy = make_npy("|u1", "(5, 1, 6, 6)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 6, 6, 1);
    npy = make_npy("|u1", "(5, 3, 2, 6)", pixels, 180); /* the last is 6, the first is 3: planes */
    dlda_dataset *dataset = NULL;
    assert_int_equal(dlda_dataset_read_images(write_blob("a.npy", &npy), 3, &dataset), DLDA_OK);
    assert_int_equal(dlda_dataset_height(dataset), 2);
    assert_int_equal(dlda_dataset_width(dataset), 6);
    assert_int_equal(dlda_dataset_channels(dataset), 3);
    dlda_dataset_destroy(dataset);
    npy = make_npy("|u1", "(5, 2, 9, 2)", pixels, 180);
    check_values(write_blob("a.npy", &npy), expected, 2, 9, 2);
    npy = make_npy("|u1", "(5, 3, 6, 2)", planes, 180);
    check_values(write_blob("a.npy", &npy), expected, 6, 2, 3);
}

static void put_float(blob *to, float value, int double_width, int big)
{
    double wide = value;
    uint8_t bytes[8];
    size_t n = double_width ? 8 : 4;

    memcpy(bytes, double_width ? (void *)&wide : (void *)&value, n);
    for (size_t i = 0; i < n; i++) to->bytes[to->size++] = bytes[big ? n - 1 - i : i];
}

static void test_float_types(void **state)
{
    static const struct {
        const char *descr;
        int wide, big;
    } types[] = { { "<f4", 0, 0 }, { ">f4", 0, 1 }, { "<f8", 1, 0 }, { ">f8", 1, 1 }, { "=f4", 0, 0 } };
    float expected[60];

    (void)state;
    for (size_t i = 0; i < 60; i++) expected[i] = (float)i / 7 - 3;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        for (int version = 1; version <= 3; version++) {
            char header[128];
            snprintf(header, sizeof header, "{\"shape\": (5L, 3,4), 'fortran_order':False , 'descr' : '%s'}",
                     types[k].descr);
            blob npy = npy_of_text(version, header, NULL, 0);
            for (size_t i = 0; i < 60; i++) put_float(&npy, expected[i], types[k].wide, types[k].big);
            check_values(write_blob("f.npy", &npy), expected, 3, 4, 1);
        }
}

static void test_label_types(void **state)
{
    static const char *const types[] = {
        "|i1", "|u1", "<i2", ">i2", "<u2", "<i4", ">i4", ">u4", "<i8", ">i8", "<u8"
    };
    const uint8_t labels[5] = { 0, 2, 1, 2, 0 };
    blob images = small_npy();

    (void)state;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        size_t item = (size_t)(types[k][2] - '0');
        blob y = make_npy(types[k], k % 2 ? "(5,)" : "(5, 1)", NULL, 0);
        for (size_t i = 0; i < 5; i++)
            for (size_t b = 0; b < item; b++)
                y.bytes[y.size++] = b == (types[k][0] == '>' ? item - 1 : 0) ? labels[i] : 0;
        dlda_dataset *dataset = read_ok(write_pair("X.npy", &images, "y.npy", &y), DLDA_PART_TRAIN);
        check_small(dataset);
        dlda_dataset_destroy(dataset);
    }
}

static void test_label_values(void **state)
{
    const int32_t numbers[5] = { 30, -1, 7, -1, 30 };
    const uint32_t text[10] = { 'b', 0, 0x1F600, 'x', 'a', 0x00E9, 'b', 0, 'b', 0 };
    blob images = small_npy(), y = make_npy("<i4", "(5,)", numbers, sizeof numbers);
    dlda_dataset *dataset = read_ok(write_pair("X.npy", &images, "y.npy", &y), DLDA_PART_TRAIN);

    (void)state;
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "-1");
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "30");
    assert_int_equal(dlda_dataset_label(dataset, 0), 2);
    dlda_dataset_destroy(dataset);
    y = make_npy("<U2", "(5,)", text, sizeof text);
    dataset = read_ok(write_pair("X.npy", &images, "y.npy", &y), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "a\xC3\xA9");
    assert_string_equal(dlda_dataset_class_name(dataset, 1), "b");
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "\xF0\x9F\x98\x80x");
    assert_int_equal(dlda_dataset_label(dataset, 1), 2);
    dlda_dataset_destroy(dataset);
}

/* A large array lives as long as the last set that uses it, whatever becomes of the file: it is not mapped. */
static void test_large_arrays(void **state)
{
    enum { COUNT = 300, SIZE = 64 * 64 };
    const char *path = in_folder("big_images.npy");
    char header[128];
    dlda_dataset *dataset = NULL, *first = NULL, *second = NULL;
    blob start, labels;
    float images[SIZE];

    (void)state;
    snprintf(header, sizeof header, "{'descr': '|u1', 'fortran_order': False, 'shape': (%d, 64, 64), }", COUNT);
    start = npy_of_text(1, header, NULL, 0);
    FILE *file = fopen(path, "wb");
    fwrite(start.bytes, 1, start.size, file);
    for (size_t i = 0; i < (size_t)COUNT * SIZE; i++) fputc((int)(i % 251), file);
    fclose(file);
    labels = make_npy("|u1", "(300,)", NULL, 0);
    for (size_t i = 0; i < COUNT; i++) labels.bytes[labels.size++] = i % 3 == 0;
    write_blob("big_labels.npy", &labels);
    size_t bytes = dlda_memory_count().bytes;
    dataset = read_ok(path, DLDA_PART_TRAIN);
    assert_int_equal(truncate(path, 0), 0); /* SIGBUS on the next access, if it were mapped */
    assert_int_equal(dlda_dataset_split(dataset, 100, 1, &first, &second), DLDA_OK);
    dlda_dataset_destroy(dataset);
    dlda_dataset_destroy(first);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(dlda_dataset_images(second, 0, 1, images), DLDA_OK);
    size_t offset = second->index[0] * SIZE;
    for (size_t i = 0; i < SIZE; i++) assert_true(images[i] == (float)((offset + i) % 251) / 255.0f);
    dlda_dataset_destroy(second);
    assert_int_equal(dlda_memory_count().bytes, bytes);
}

/* ---- What cannot ---- */

static void test_truncated_at_every_length(void **state)
{
    blob images = small_npy(), labels = small_npy_labels();
    const char *path = write_pair("cut_images.npy", &images, "cut_labels.npy", &labels);
    char kept[256];

    (void)state;
    snprintf(kept, sizeof kept, "%s", path);
    for (size_t size = 0; size < images.size; size++) {
        write_bytes("cut_images.npy", images.bytes, size);
        expect_failure(kept, DLDA_E_FORMAT, "cut_images.npy");
    }
    write_blob("cut_images.npy", &images);
    for (size_t size = 0; size < labels.size; size++) {
        write_bytes("cut_labels.npy", labels.bytes, size);
        expect_failure(kept, DLDA_E_FORMAT, "cut_labels.npy");
    }
    images.bytes[images.size++] = 0;
    write_blob("cut_labels.npy", &labels);
    write_blob("cut_images.npy", &images);
    expect_failure(kept, DLDA_E_FORMAT, "promises 60 bytes, found 61");
}

typedef struct bad_header {
    const char *text, *words;
    dlda_status status;
} bad_header;

#define HEADER(descr, order, shape) "{'descr': " descr ", 'fortran_order': " order ", 'shape': " shape ", }"

static void test_headers_that_lie(void **state)
{
    static const bad_header headers[] = {
        { HEADER("'|u1'", "True", "(5, 3, 4)"), "in Fortran order, expected C order: np.save(", DLDA_E_FORMAT },
        { HEADER("'|O'", "False", "(5, 3, 4)"), "holds Python objects (pickled)", DLDA_E_FORMAT },
        { HEADER("[('a', '<f4'), ('b', '<i4')]", "False", "(5,)"), "an array of records", DLDA_E_FORMAT },
        { HEADER("'|b1'", "False", "(5, 3, 4)"), "elements of type '|b1'", DLDA_E_FORMAT },
        { HEADER("'<f2'", "False", "(5, 3, 2)"), "elements of type '<f2'", DLDA_E_FORMAT },
        { HEADER("'<c8'", "False", "(5, 3, 2)"), "elements of type '<c8'", DLDA_E_FORMAT },
        { HEADER("'<M8[ns]'", "False", "(5, 3, 2)"), "elements of type '<M8[ns]'", DLDA_E_FORMAT },
        { HEADER("'<i4'", "False", "(5, 3, 1)"), "images of type i4, expected u1, f4 or f8", DLDA_E_FORMAT },
        { HEADER("'|i1'", "False", "(5, 3, 4)"), "images of type i1", DLDA_E_FORMAT },
        { HEADER("'|S1'", "False", "(5, 3, 4)"), "images of type S1", DLDA_E_FORMAT },
        { HEADER("''", "False", "(5, 3, 4)"), "elements of type ''", DLDA_E_FORMAT },
        { HEADER("'u'", "False", "(5, 3, 4)"), "elements of type 'u'", DLDA_E_FORMAT },
        { HEADER("'<u99999999999'", "False", "(5,)"), "elements of type", DLDA_E_FORMAT },
        { HEADER("'a very long word that is no type at all'", "False", "(5,)"), "a short quoted word",
          DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(0, 3, 4)"), "dimension 1 is 0", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, 0, 4)"), "dimension 2 is 0", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, -3, 4)"), "dimension 2 is negative", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, 3, 4.0)"), "expected ',' or ')'", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, x)"), "a whole number in 'shape'", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "5"), "the shape in parentheses", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(60,)"), "1 dimensions, expected 2", DLDA_E_SHAPE },
        { HEADER("'|u1'", "False", "()"), "promises 1 bytes", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, 1, 3, 2, 2)"), "5 dimensions, expected 2", DLDA_E_SHAPE },
        { HEADER("'|u1'", "False", "(1, 1, 1, 1, 1, 1, 1, 1, 1)"), "more than 8 dimensions", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(6, 3, 4)"), "promises 72 bytes, found 60", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(4, 3, 4)"), "promises 48 bytes, found 60", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(4000000000000, 3, 4)"), "promises 48000000000000 bytes, found 60",
          DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(99999999999, 99999999999, 4)"), "more than 2^64 elements", DLDA_E_FORMAT },
        { HEADER("'<f8'", "False", "(4294967296, 2147483648)"), "more than 2^64 bytes", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(99999999999999999999, 1)"), "expected below 10^18", DLDA_E_FORMAT },
        { HEADER("'|u1'", "Maybe", "(5, 3, 4)"), "expected True or False", DLDA_E_FORMAT },
        { "{'descr': '|u1', 'shape': (5, 3, 4), }", "lacks 'fortran_order'", DLDA_E_FORMAT },
        { "{'descr': '|u1', 'fortran_order': False}", "lacks 'shape'", DLDA_E_FORMAT },
        { "{}", "lacks 'descr'", DLDA_E_FORMAT },
        { "{'descr': '|u1', 'descr': '|u1'}", "an entry 'descr' too many", DLDA_E_FORMAT },
        { "{'colour': 3}", "an entry 'colour' too many", DLDA_E_FORMAT },
        { "{'descr' '|u1'}", "expected ':'", DLDA_E_FORMAT },
        { "{'descr': '|u1", "quoted word", DLDA_E_FORMAT },
        { "", "expected '{'", DLDA_E_FORMAT },
        { HEADER("'|u1'", "False", "(5, 3, 4)") " import os", "expected nothing behind '}'", DLDA_E_FORMAT },
    };
    uint8_t pixels[60] = { 0 };
    blob labels = small_npy_labels();

    (void)state;
    write_blob("lie_labels.npy", &labels);
    for (size_t k = 0; k < sizeof headers / sizeof *headers; k++) {
        blob npy = npy_of_text(1, headers[k].text, pixels, sizeof pixels);
        size_t peak = dlda_memory_count().peak;
        expect_failure(write_blob("lie_images.npy", &npy), headers[k].status, headers[k].words);
        assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20)); /* a promise is not paid for */
    }
}

static void test_wrong_starts(void **state)
{
    blob labels = small_npy_labels(), npy = small_npy();

    (void)state;
    write_blob("s_labels.npy", &labels);
    npy.bytes[0] = 0x92;
    expect_failure(write_blob("s_images.npy", &npy), DLDA_E_FORMAT, "does not start as an .npy file does");
    npy = small_npy();
    npy.bytes[6] = 4;
    expect_failure(write_blob("s_images.npy", &npy), DLDA_E_FORMAT, "version 4.0");
    npy.bytes[6] = 2;
    npy.bytes[10] = npy.bytes[11] = 0xff; /* of a length in four bytes */
    expect_failure(write_blob("s_images.npy", &npy), DLDA_E_FORMAT, "expected at most 1048576");
    npy = small_npy();
    npy.bytes[9] = 0xff; /* the header would be longer than the file */
    expect_failure(write_blob("s_images.npy", &npy), DLDA_E_FORMAT, "expected a whole .npy header");
}

static void test_wrong_labels(void **state)
{
    static const struct {
        const char *descr, *shape;
        size_t bytes;
        const char *words;
        dlda_status status;
    } cases[] = {
        { "<f8", "(5,)", 40, "labels of type f8, expected whole numbers", DLDA_E_FORMAT },
        { "<i8", "(4,)", 32, "4 labels, expected one for each of the 5 rows", DLDA_E_SHAPE },
        { "|u1", "(5, 10)", 50, "for one-hot labels, y.argmax(1)", DLDA_E_SHAPE },
        { "|u1", "(5, 1, 1)", 5, "3 dimensions, expected 1", DLDA_E_SHAPE },
        { "|u1", "()", 1, "0 dimensions, expected 1", DLDA_E_SHAPE },
        { "|S2", "(5,)", 10, "an empty label", DLDA_E_FORMAT },
    };
    const uint8_t zeros[64] = { 0 };
    blob images = small_npy();

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        blob y = make_npy(cases[k].descr, cases[k].shape, zeros, cases[k].bytes);
        expect_failure(write_pair("X.npy", &images, "y.npy", &y), cases[k].status, cases[k].words);
    }
    blob y = make_npy("|S1", "(5,)", "\xff\xff\xff\xff\xff", 5);
    expect_failure(write_pair("X.npy", &images, "y.npy", &y), DLDA_E_FORMAT, "not valid UTF-8");
}

static void test_values_not_finite(void **state)
{
    float values[5 * 4 * 3] = { 0 };
    blob labels = small_npy_labels(), npy;

    (void)state;
    write_blob("n_labels.npy", &labels);
    values[2 * 12 + 1 * 6 + 1 * 3 + 2] = NAN;
    npy = make_npy("<f4", "(5, 2, 2, 3)", values, sizeof values);
    expect_failure(write_blob("n_images.npy", &npy), DLDA_E_NUMERIC, "sample 2, row 1, column 1, channel 2 is nan");
    double big[10] = { 0 };
    big[7] = 1e300; /* not a float */
    npy = make_npy("<f8", "(5, 2)", big, sizeof big);
    expect_failure(write_blob("n_images.npy", &npy), DLDA_E_NUMERIC, "sample 3, row 0, column 0, channel 1 is inf");
}

static void test_no_memory(void **state)
{
    blob images = small_npy(), labels = small_npy_labels();

    (void)state;
    check_reading_without_memory(write_pair("X.npy", &images, "y.npy", &labels));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_layouts),
        cmocka_unit_test(test_float_types),
        cmocka_unit_test(test_label_types),
        cmocka_unit_test(test_label_values),
        cmocka_unit_test(test_large_arrays),
        cmocka_unit_test(test_truncated_at_every_length),
        cmocka_unit_test(test_headers_that_lie),
        cmocka_unit_test(test_wrong_starts),
        cmocka_unit_test(test_wrong_labels),
        cmocka_unit_test(test_values_not_finite),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
