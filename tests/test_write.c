/* SPDX-License-Identifier: MIT
 *
 * test_write.c - data sets to IDX, NumPy and PNG files, and contact sheets.
 */
#define _GNU_SOURCE
#include "idx_files.h"
#include "report/sheet.h"

#include "dataset/writers.h"

#include <dirent.h>

enum { COUNT = 6, HEIGHT = 3, WIDTH = 4, MOST = COUNT * HEIGHT * WIDTH * 3 };

static const int labels[COUNT] = { 2, 0, 1, 0, 2, 0 };
static const char *const names[] = { "cat", "sea/../gull", "z\xc3\xa4hne" };

/* Six images with bytes 0, 5, 10, ...; or floats with the same numbers minus 9. */
static dlda_dataset *make_set(size_t channels, int floats, const char *const *class_names)
{
    uint8_t bytes[MOST];
    float values[MOST];
    dlda_dataset *dataset = NULL;

    for (size_t i = 0; i < MOST; i++) {
        bytes[i] = (uint8_t)(5 * i);
        values[i] = (float)bytes[i] - 9;
    }
    const dlda_dataset_spec spec = { .count = COUNT,
                                     .height = HEIGHT,
                                     .width = WIDTH,
                                     .channels = channels,
                                     .classes = 3,
                                     .labels = labels,
                                     .bytes = floats ? NULL : bytes,
                                     .values = floats ? values : NULL,
                                     .names = class_names };
    if (dlda_dataset_create(&spec, &dataset) != DLDA_OK) fail_msg("%s", dlda_last_error());
    return dataset;
}

static void write_ok(const dlda_dataset *dataset, dlda_part part, dlda_data_format format, const char *name)
{
    if (dlda_dataset_write(dataset, part, format, in_folder(name)) != DLDA_OK) fail_msg("%s", dlda_last_error());
}

static size_t read_bytes(const char *name, void *bytes, size_t most)
{
    FILE *file = fopen(in_folder(name), "rb");

    if (!file) fail_msg("no file %s", name);
    size_t size = fread(bytes, 1, most, file);
    fclose(file);
    return size;
}

/* ---- Round trips ---- */

/* Both sets have the same images with the same labels, in the same order. */
static void check_equal(const dlda_dataset *one, const dlda_dataset *two)
{
    float a[MOST], b[MOST];
    size_t size = dlda_dataset_height(one) * dlda_dataset_width(one) * dlda_dataset_channels(one);

    assert_int_equal(dlda_dataset_count(one), dlda_dataset_count(two));
    assert_int_equal(dlda_dataset_height(one), dlda_dataset_height(two));
    assert_int_equal(dlda_dataset_width(one), dlda_dataset_width(two));
    assert_int_equal(dlda_dataset_channels(one), dlda_dataset_channels(two));
    assert_int_equal(dlda_dataset_classes(one), dlda_dataset_classes(two));
    for (size_t i = 0; i < dlda_dataset_count(one); i++) {
        assert_int_equal(dlda_dataset_label(one, i), dlda_dataset_label(two, i));
        assert_int_equal(dlda_dataset_images(one, i, 1, a), DLDA_OK);
        assert_int_equal(dlda_dataset_images(two, i, 1, b), DLDA_OK);
        assert_memory_equal(a, b, size * sizeof *a);
    }
}

static void test_idx_round_trip(void **state)
{
    (void)state;
    for (size_t channels = 1; channels <= 3; channels++) {
        dlda_dataset *dataset = make_set(channels, 0, NULL);
        write_ok(dataset, DLDA_PART_TRAIN, DLDA_FORMAT_IDX, "a/new/idx");
        write_ok(dataset, DLDA_PART_TEST, DLDA_FORMAT_IDX, "a/new/idx");
        for (int part = DLDA_PART_TRAIN; part <= DLDA_PART_TEST; part++) {
            dlda_dataset *again = read_ok(in_folder("a/new/idx"), (dlda_part)part);
            check_equal(dataset, again);
            dlda_dataset_destroy(again);
        }
        dlda_dataset_destroy(dataset);
    }
}

/* A split has an order of its own in a storage that it shares. */
static void test_split_is_written_in_its_order(void **state)
{
    dlda_dataset *dataset = make_set(1, 0, NULL), *first = NULL, *second = NULL;

    (void)state;
    assert_int_equal(dlda_dataset_split(dataset, 3, 1, &first, &second), DLDA_OK);
    write_ok(second, DLDA_PART_TRAIN, DLDA_FORMAT_IDX, "split");
    dlda_dataset *again = read_ok(in_folder("split"), DLDA_PART_TRAIN);
    check_equal(second, again);
    dlda_dataset_destroy(again);
    dlda_dataset_destroy(second);
    dlda_dataset_destroy(first);
    dlda_dataset_destroy(dataset);
}

/* ---- NumPy ---- */

static void check_npy(const char *name, const char *type, const char *shape, const void *data, size_t size)
{
    uint8_t bytes[4096];
    char header[256];
    size_t found = read_bytes(name, bytes, sizeof bytes), length = bytes[8] + 256u * bytes[9];

    assert_memory_equal(bytes, "\x93NUMPY\1\0", 8);
    assert_int_equal((10 + length) % 64, 0);
    assert_int_equal(bytes[10 + length - 1], '\n');
    int n = snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type,
                     shape);
    assert_memory_equal(bytes + 10, header, (size_t)n);
    for (size_t i = 10 + (size_t)n; i < 10 + length - 1; i++) assert_int_equal(bytes[i], ' ');
    assert_int_equal(found, 10 + length + size);
    assert_memory_equal(bytes + 10 + length, data, size);
}

static void test_npy(void **state)
{
    const int little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    dlda_dataset *bytes = make_set(3, 0, names), *floats = make_set(1, 1, NULL);
    uint8_t as_bytes[MOST];
    float as_floats[MOST];

    (void)state;
    for (size_t i = 0; i < MOST; i++) as_floats[i] = (float)(as_bytes[i] = (uint8_t)(5 * i)) - 9;
    write_ok(bytes, DLDA_PART_TRAIN, DLDA_FORMAT_NPY, "npy");
    write_ok(floats, DLDA_PART_TEST, DLDA_FORMAT_NPY, "npy");
    check_npy("npy/X_train.npy", "|u1", "6, 3, 4, 3", as_bytes, MOST);
    check_npy("npy/y_train.npy", little ? "<i4" : ">i4", "6,", labels, sizeof labels);
    check_npy("npy/X_test.npy", little ? "<f4" : ">f4", "6, 3, 4, 1", as_floats, COUNT * HEIGHT * WIDTH * 4);
    dlda_dataset_destroy(bytes);
    dlda_dataset_destroy(floats);
    const dlda_dataset_spec table = { .count = 2,
                                      .height = 1,
                                      .width = 1,
                                      .channels = 5,
                                      .classes = 2,
                                      .labels = (int[]){ 1, 0 },
                                      .values = as_floats };
    assert_int_equal(dlda_dataset_create(&table, &floats), DLDA_OK);
    write_ok(floats, DLDA_PART_TRAIN, DLDA_FORMAT_NPY, "table");
    check_npy("table/X_train.npy", little ? "<f4" : ">f4", "2, 5", as_floats, 40);
    dlda_dataset_destroy(floats);
}

/* ---- Pictures ---- */

static void read_picture(const char *name, int channels, uint8_t *pixels, size_t *height, size_t *width)
{
    png_image image = { .version = PNG_IMAGE_VERSION };

    if (!png_image_begin_read_from_file(&image, in_folder(name))) fail_msg("%s: %s", name, image.message);
    assert_int_equal(image.format & PNG_FORMAT_FLAG_COLOR ? 3 : 1, channels);
    image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
    assert_true(png_image_finish_read(&image, NULL, pixels, 0, NULL));
    *height = image.height;
    *width = image.width;
}

static size_t entries_of(const char *name)
{
    DIR *stream = opendir(in_folder(name));
    size_t count = 0;

    assert_non_null(stream);
    for (struct dirent *entry = readdir(stream); entry; entry = readdir(stream))
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(stream);
    return count;
}

static void test_png_folder(void **state)
{
    static const char *const files[COUNT] = { "z\xc3\xa4hne/000000", "cat/000001",          "sea_.._gull/000002",
                                              "cat/000003",          "z\xc3\xa4hne/000004", "cat/000005" };
    uint8_t pixels[MOST];
    size_t height = 0, width = 0;

    (void)state;
    for (int channels = 1; channels <= 3; channels += 2) {
        dlda_dataset *dataset = make_set((size_t)channels, 0, names);
        const char *part = channels == 1 ? "train" : "test";
        size_t size = (size_t)(HEIGHT * WIDTH * channels);
        write_ok(dataset, channels == 1 ? DLDA_PART_TRAIN : DLDA_PART_TEST, DLDA_FORMAT_PNG, "png");
        for (size_t i = 0; i < COUNT; i++) {
            char name[128];
            snprintf(name, sizeof name, "png/%s/%s.png", part, files[i]);
            read_picture(name, channels, pixels, &height, &width);
            assert_int_equal(height, HEIGHT);
            assert_int_equal(width, WIDTH);
            assert_memory_equal(pixels, dlda_sample_bytes(dataset, i), size);
        }
        dlda_dataset_destroy(dataset);
    }
    assert_int_equal(entries_of("png"), 2);
    assert_int_equal(entries_of("png/train"), 3);
    assert_int_equal(entries_of("png/train/cat"), 3);
}

/* ---- What cannot be written ---- */

static void expect_refusal(const dlda_dataset *dataset, dlda_data_format format, const char *name,
                           dlda_status expected, const char *words)
{
    size_t live = dlda_memory_count().live;

    assert_int_equal(dlda_dataset_write(dataset, DLDA_PART_TRAIN, format, in_folder(name)), expected);
    if (!strstr(dlda_last_error(), words)) fail_msg("expected '%s' in: %s", words, dlda_last_error());
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_refusals(void **state)
{
    static const char *const twins[] = { "a/b", "a_b", "c" };
    dlda_dataset *floats = make_set(1, 1, NULL), *bytes = make_set(2, 0, NULL), *same = make_set(1, 0, twins);
    dlda_dataset *nameless = NULL;
    const dlda_dataset_spec spec = {
        .count = 1, .height = 1, .width = 2, .channels = 1, .bytes = (const uint8_t *)"ab"
    };

    (void)state;
    expect_refusal(floats, DLDA_FORMAT_IDX, "bad", DLDA_E_SHAPE, "idx: found values that are not bytes");
    expect_refusal(floats, DLDA_FORMAT_PNG, "bad", DLDA_E_SHAPE, "png: found values that are not bytes");
    expect_refusal(bytes, DLDA_FORMAT_PNG, "bad", DLDA_E_SHAPE, "png: 2 channels, expected 1 or 3");
    expect_refusal(same, DLDA_FORMAT_PNG, "bad", DLDA_E_IO, "cannot make the folder of class 'a_b'");
    assert_int_equal(entries_of("bad"), 0); /* nothing half-written */
    write_bytes("plain", "x", 1);
    expect_refusal(bytes, DLDA_FORMAT_IDX, "plain", DLDA_E_IO, "plain: cannot make the folder");
    expect_refusal(bytes, (dlda_data_format)9, "bad", DLDA_E_ARGUMENT, "format 9");
    assert_int_equal(dlda_dataset_write(bytes, (dlda_part)5, DLDA_FORMAT_IDX, folder), DLDA_E_ARGUMENT);
    assert_int_equal(mkdir(in_folder("bad/train"), 0700), 0);
    dlda_dataset_destroy(bytes);
    bytes = make_set(1, 0, NULL);
    expect_refusal(bytes, DLDA_FORMAT_PNG, "bad", DLDA_E_EXISTS, "bad/train: already exists");
    assert_int_equal(dlda_dataset_create(&spec, &nameless), DLDA_OK);
    expect_refusal(nameless, DLDA_FORMAT_IDX, "bad", DLDA_E_CLASS, "no labels");
    dlda_dataset_destroy(nameless);
    dlda_dataset_destroy(same);
    dlda_dataset_destroy(bytes);
    dlda_dataset_destroy(floats);
}

static void test_every_allocation_may_fail(void **state)
{
    dlda_dataset *dataset = make_set(1, 0, names);
    size_t live = dlda_memory_count().live;

    (void)state;
    for (int format = DLDA_FORMAT_IDX; format <= DLDA_FORMAT_PNG + 1; format++) {
        dlda_status status = DLDA_E_MEMORY;
        for (size_t n = 1; status == DLDA_E_MEMORY; n++) {
            char name[32];
            snprintf(name, sizeof name, "memory-%d-%zu", format, n);
            dlda_memory_fail_at(n);
            if (format <= DLDA_FORMAT_PNG)
                status = dlda_dataset_write(dataset, DLDA_PART_TRAIN, (dlda_data_format)format, in_folder(name));
            else status = sheet_write(dataset, 2, in_folder(name));
            dlda_memory_fail_at(0);
            assert_int_equal(dlda_memory_count().live, live);
        }
        assert_int_equal(status, DLDA_OK);
    }
    dlda_dataset_destroy(dataset);
}

/* ---- Contact sheets ---- */

enum { SCALE = 16, NAMES_WIDTH = 11 * 12, FIRST_X = 12 + NAMES_WIDTH + 12, ROW = 3 * SCALE + 4 };

/* Image `column` of row `row` has these shades, each in a square of SCALE x SCALE. */
static void check_cell(const uint8_t *page, size_t width, size_t row, size_t column, const uint8_t *shades,
                       size_t channels)
{
    for (size_t y = 0; y < (size_t)HEIGHT * SCALE; y++)
        for (size_t x = 0; x < (size_t)WIDTH * SCALE; x++)
            for (size_t c = 0; c < 3; c++) {
                size_t at = (12 + row * ROW + y) * width + FIRST_X + column * (WIDTH * SCALE + 4) + x;
                size_t pixel = y / SCALE * WIDTH + x / SCALE;
                assert_int_equal(page[3 * at + c], shades[pixel * channels + (channels == 3 ? c : 0)]);
            }
}

static void test_sheet(void **state)
{
    static uint8_t page[1 << 19];
    size_t height = 0, width = 0;

    (void)state;
    for (size_t channels = 1; channels <= 3; channels += 2) {
        dlda_dataset *dataset = make_set(channels, 0, names);
        assert_int_equal(sheet_write(dataset, 2, in_folder("sheet.png")), DLDA_OK);
        read_picture("sheet.png", 3, page, &height, &width);
        assert_int_equal(height, 12 + 3 * ROW - 4 + 12);
        assert_int_equal(width, FIRST_X + 2 * (WIDTH * SCALE + 4) - 4 + 12);
        check_cell(page, width, 0, 0, dlda_sample_bytes(dataset, 1), channels);
        check_cell(page, width, 0, 1, dlda_sample_bytes(dataset, 3), channels);
        check_cell(page, width, 1, 0, dlda_sample_bytes(dataset, 2), channels);
        check_cell(page, width, 2, 1, dlda_sample_bytes(dataset, 4), channels);
        dlda_dataset_destroy(dataset);
    }
    size_t ink = 0; /* the name of the first class is there, in its column, and nothing is above it */
    for (size_t y = 0; y < 12 + 14; y++)
        for (size_t x = 0; x < FIRST_X; x++) {
            int dark = page[3 * (y * width + x)] < 128;
            ink += (size_t)dark;
            if (dark) assert_true(y >= 12 && x >= 12 && x < 12 + 3 * 12);
        }
    assert_int_equal(ink, 4 * (10 + 14 + 11)); /* pixels of c, a and t, each as a square of four */
}

static void test_sheet_of_values(void **state)
{
    static uint8_t page[1 << 19];
    uint8_t shades[HEIGHT * WIDTH];
    dlda_dataset *dataset = make_set(1, 1, names);
    size_t height = 0, width = 0;

    (void)state;
    assert_int_equal(sheet_write(dataset, 100, in_folder("values.png")), DLDA_OK);
    read_picture("values.png", 3, page, &height, &width);
    assert_int_equal(width, FIRST_X + 3 * (WIDTH * SCALE + 4) - 4 + 12); /* no class has more than 3 */
    /* -9 is black, the largest value white: sample 1 has 60 - 9 and on */
    float most = 0, images[COUNT * HEIGHT * WIDTH];
    assert_int_equal(dlda_dataset_images(dataset, 0, COUNT, images), DLDA_OK);
    for (size_t i = 0; i < COUNT * HEIGHT * WIDTH; i++) most = fmaxf(most, images[i]);
    for (size_t p = 0; p < HEIGHT * WIDTH; p++)
        shades[p] = (uint8_t)lroundf(255 * ((images[HEIGHT * WIDTH + p] + 9) / (most + 9)));
    check_cell(page, width, 0, 0, shades, 1);
    dlda_dataset_destroy(dataset);
}

static void test_sheets_that_cannot_be(void **state)
{
    dlda_dataset *two = make_set(2, 0, NULL), *one = make_set(1, 0, NULL), *table = NULL;
    const float values[2] = { 1, 2 };
    const dlda_dataset_spec spec = { .count = 2, .height = 1, .width = 1, .channels = 1, .values = values };

    (void)state;
    assert_int_equal(sheet_write(two, 2, in_folder("no.png")), DLDA_E_SHAPE);
    assert_int_equal(sheet_write(one, 0, in_folder("no.png")), DLDA_E_ARGUMENT);
    assert_int_equal(sheet_write(one, 2, in_folder("no/where.png")), DLDA_E_IO);
    assert_int_equal(dlda_dataset_create(&spec, &table), DLDA_OK);
    assert_int_equal(sheet_write(table, 2, in_folder("no.png")), DLDA_E_SHAPE);
    assert_non_null(strstr(dlda_last_error(), "rows of a table"));
    assert_int_equal(access(in_folder("no.png"), F_OK), -1);
    dlda_dataset_destroy(table);
    dlda_dataset_destroy(one);
    dlda_dataset_destroy(two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idx_round_trip),
        cmocka_unit_test(test_split_is_written_in_its_order),
        cmocka_unit_test(test_npy),
        cmocka_unit_test(test_png_folder),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_every_allocation_may_fail),
        cmocka_unit_test(test_sheet),
        cmocka_unit_test(test_sheet_of_values),
        cmocka_unit_test(test_sheets_that_cannot_be),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
