/* SPDX-License-Identifier: MIT
 *
 * test_read_binary.c - CIFAR-10, CIFAR-100 and STL-10 in their binary versions: planes become upright pixels, names and
 * labels are checked, every wrong size is refused. Also the folds of STL-10.
 */
#define _GNU_SOURCE
#include "dataset/folds.h"
#include "picture_files.h"

enum { CIFAR_PLANE = 32 * 32, STL_PLANE = 96 * 96, STL_IMAGE = 3 * STL_PLANE };

/* What the tests put at a place of an image. */
static uint8_t pixel_of(size_t image, size_t y, size_t x, size_t c)
{
    return (uint8_t)(image * 101 + y * 7 + x * 3 + c * 59 + (y * x) % 11);
}

/* ---- CIFAR ---- */

/* Images first .. first+n-1 with labels that are their numbers, modulo 10, behind `coarse` bytes of their halves. */
static uint8_t *cifar_records(size_t first, size_t n, size_t coarse)
{
    size_t record = 1 + coarse + 3 * CIFAR_PLANE;
    uint8_t *bytes = malloc(n * record);

    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = bytes + i * record;
        if (coarse) *at++ = (uint8_t)((first + i) % 10 / 2);
        *at++ = (uint8_t)((first + i) % 10);
        for (size_t c = 0; c < 3; c++)
            for (size_t p = 0; p < CIFAR_PLANE; p++) *at++ = pixel_of(first + i, p / 32, p % 32, c);
    }
    return bytes;
}

static const char *write_cifar(const char *name, size_t first, size_t n, size_t coarse)
{
    uint8_t *bytes = cifar_records(first, n, coarse);
    const char *path = write_bytes(name, bytes, n * (1 + coarse + 3 * CIFAR_PLANE));

    free(bytes);
    return path;
}

static void check_pixels(const dlda_dataset *dataset, size_t first, size_t side)
{
    uint8_t *bytes = bytes_of(dataset), *at = bytes;

    assert_int_equal(dlda_dataset_height(dataset), side);
    assert_int_equal(dlda_dataset_width(dataset), side);
    assert_int_equal(dlda_dataset_channels(dataset), 3);
    for (size_t i = 0; i < dlda_dataset_count(dataset); i++)
        for (size_t y = 0; y < side; y++)
            for (size_t x = 0; x < side; x++)
                for (size_t c = 0; c < 3; c++) assert_int_equal(*at++, pixel_of(first + i, y, x, c));
    free(bytes);
}

static void write_cifar10_folder(void)
{
    static const size_t counts[5] = { 3, 70, 1, 2, 4 }; /* 70: more than one portion */
    char name[64];

    make_sub_folder("cifar10");
    for (size_t k = 0, first = 0; k < 5; first += counts[k++]) {
        snprintf(name, sizeof name, "cifar10/data_batch_%zu.bin", k + 1);
        write_cifar(name, first, counts[k], 0);
    }
    write_cifar("cifar10/test_batch.bin", 80, 6, 0);
}

static void test_cifar10_folder(void **state)
{
    const char *names = "airplane\r\nauto mobile\nV\xc3\xb6gel\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n\n";

    (void)state;
    write_cifar10_folder();
    dlda_dataset *train = read_ok(in_folder("cifar10"), DLDA_PART_TRAIN);
    dlda_dataset *test = read_ok(in_folder("cifar10"), DLDA_PART_TEST);
    assert_int_equal(dlda_dataset_count(train), 80);
    assert_int_equal(dlda_dataset_count(test), 6);
    check_pixels(train, 0, 32);
    check_pixels(test, 80, 32);
    for (size_t i = 0; i < 80; i++) assert_int_equal(dlda_dataset_label(train, i), i % 10);
    assert_string_equal(dlda_dataset_class_name(train, 1), "automobile");
    assert_string_equal(dlda_dataset_class_name(train, 9), "truck");
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(test);
    write_bytes("cifar10/batches.meta.txt", names, strlen(names));
    test = read_ok(in_folder("cifar10"), DLDA_PART_TEST);
    assert_string_equal(dlda_dataset_class_name(test, 1), "auto mobile");
    assert_string_equal(dlda_dataset_class_name(test, 2), "V\xc3\xb6gel");
    dlda_dataset_destroy(test);
    write_bytes("cifar10/batches.meta.txt", names, 24);
    expect_failure(in_folder("cifar10"), DLDA_E_FORMAT, "batches.meta.txt: 3 names, expected 10");
    assert_int_equal(unlink(in_folder("cifar10/batches.meta.txt")), 0);
    assert_int_equal(unlink(in_folder("cifar10/data_batch_4.bin")), 0);
    expect_failure(in_folder("cifar10"), DLDA_E_IO, "found no data_batch_4.bin");
    write_cifar("cifar10/data_batch_4.bin", 74, 2, 0);
}

static void test_cifar_parts(void **state)
{
    dlda_read_spec spec = { .path = in_folder("cifar10"), .part = DLDA_PART_TEST };

    (void)state;
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
    assert_int_equal(unlink(in_folder("cifar10/test_batch.bin")), 0);
    assert_int_equal(dlda_dataset_has_part(&spec), 0);
    expect_open_failure(&spec, DLDA_E_IO, "found no test_batch.bin");
    spec.part = DLDA_PART_TRAIN;
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
    spec.path = in_folder("cifar10/data_batch_1.bin");
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
    spec.part = DLDA_PART_TEST;
    assert_int_equal(dlda_dataset_has_part(&spec), 0);
}

/* Under other names the size and the labels must be right; else it is something else. */
static void test_cifar_single_files(void **state)
{
    dlda_dataset *dataset = NULL;

    (void)state;
    dataset = read_ok(write_cifar("mine.bin", 20, 33, 0), DLDA_PART_TEST);
    assert_int_equal(dlda_dataset_count(dataset), 33);
    assert_int_equal(dlda_dataset_classes(dataset), 10);
    check_pixels(dataset, 20, 32);
    dlda_dataset_destroy(dataset);
    dataset = read_ok(write_cifar("hundred.bin", 0, 5, 1), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_classes(dataset), 100);
    check_pixels(dataset, 0, 32);
    dlda_dataset_destroy(dataset);
    uint8_t *bytes = cifar_records(0, 20, 0);
    bytes[0] = 10;
    expect_failure(write_bytes("other.bin", bytes, 20 * 3073), DLDA_E_FORMAT, "not a known format");
    expect_open_failure(&(dlda_read_spec){ .path = in_folder("other.bin"), .format = "cifar10" }, DLDA_E_FORMAT,
                        "other.bin: record 0 (byte 0) has label 10, expected 0 to 9");
    expect_failure(write_bytes("data_batch_7.bin", bytes, 20 * 3073), DLDA_E_FORMAT, "has label 10");
    expect_open_failure(&(dlda_read_spec){ .path = in_folder("other.bin"), .format = "cifar11" }, DLDA_E_OPTION,
                        "found 'cifar11', expected one of digits, npy");
    free(bytes);
}

static void test_cifar100(void **state)
{
    char names[2048] = "";

    (void)state;
    make_sub_folder("cifar100");
    write_cifar("cifar100/train.bin", 0, 12, 1);
    for (int c = 0; c < 100; c++) sprintf(names + strlen(names), "fine %d\n", c);
    write_bytes("cifar100/fine_label_names.txt", names, strlen(names));
    const char *path = in_folder("cifar100");
    dlda_dataset *fine = read_ok(path, DLDA_PART_TRAIN);
    dlda_dataset *coarse = open_ok(&(dlda_read_spec){ .path = path, .label = "coarse" });
    check_pixels(fine, 0, 32);
    check_pixels(coarse, 0, 32);
    assert_int_equal(dlda_dataset_classes(fine), 100);
    assert_int_equal(dlda_dataset_classes(coarse), 20);
    assert_string_equal(dlda_dataset_class_name(fine, 99), "fine 99");
    assert_string_equal(dlda_dataset_class_name(coarse, 19), "19");
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(dlda_dataset_label(fine, i), i % 10);
        assert_int_equal(dlda_dataset_label(coarse, i), i % 10 / 2);
    }
    dlda_dataset_destroy(fine);
    dlda_dataset_destroy(coarse);
    expect_open_failure(&(dlda_read_spec){ .path = path, .label = "medium" }, DLDA_E_OPTION, "fine or coarse");
    expect_open_failure(&(dlda_read_spec){ .path = path, .part = DLDA_PART_TEST }, DLDA_E_IO, "found no test.bin");
}

/* Every length that is not a whole number of records is refused, and none costs more than there is. */
static void test_cut_at_every_length(void **state)
{
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", write_cifar("data_batch_1.bin", 0, 2, 0));
    for (off_t n = 2 * 3073 - 1; n >= 0; n--) {
        assert_int_equal(truncate(path, n), 0);
        if (n % 3073 == 0 && n > 0) dlda_dataset_destroy(read_ok(path, DLDA_PART_TRAIN));
        else expect_failure(path, DLDA_E_FORMAT, "bytes, expected a multiple of 3073, the size of an image with");
    }
    snprintf(path, sizeof path, "%s", write_cifar("train.bin", 0, 1, 1));
    for (off_t n = 3074 - 1; n >= 0; n--) {
        assert_int_equal(truncate(path, n), 0);
        expect_failure(path, DLDA_E_FORMAT, "bytes, expected a multiple of 3074");
    }
}

/* ---- STL-10 ---- */

/* Planes that are stored column by column. */
static const char *write_stl_images(const char *name, size_t n)
{
    uint8_t *bytes = malloc(n * STL_IMAGE), *at = bytes;

    assert_non_null(bytes);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < 3; c++)
            for (size_t x = 0; x < 96; x++)
                for (size_t y = 0; y < 96; y++) *at++ = pixel_of(i, y, x, c);
    const char *path = write_bytes(name, bytes, n * STL_IMAGE);
    free(bytes);
    return path;
}

static void test_stl_folder(void **state)
{
    const char *names = "1\n2\n3 three\nvier\nf\xc3\xbcnf\n6\n7\n8\n9\n10\n";

    (void)state;
    make_sub_folder("stl");
    write_stl_images("stl/train_X.bin", 3);
    write_bytes("stl/train_y.bin", "\x01\x0a\x05", 3);
    dlda_dataset *train = read_ok(in_folder("stl"), DLDA_PART_TRAIN);
    check_pixels(train, 0, 96);
    assert_int_equal(dlda_dataset_label(train, 0), 0);
    assert_int_equal(dlda_dataset_label(train, 1), 9);
    assert_int_equal(dlda_dataset_label(train, 2), 4);
    assert_string_equal(dlda_dataset_class_name(train, 7), "monkey");
    dlda_dataset_destroy(train);
    write_bytes("stl/class_names.txt", names, strlen(names));
    train = read_ok(in_folder("stl/train_X.bin"), DLDA_PART_TRAIN);
    assert_string_equal(dlda_dataset_class_name(train, 2), "3 three");
    assert_string_equal(dlda_dataset_class_name(train, 4), "f\xc3\xbcnf");
    dlda_dataset_destroy(train);
    dlda_read_spec test = { .path = in_folder("stl"), .part = DLDA_PART_TEST };
    assert_int_equal(dlda_dataset_has_part(&test), 0);
    expect_open_failure(&test, DLDA_E_IO, "found no test_X.bin");
}

/* 96 to 32 is a factor of 3: the exact mean of nine pixels. */
static void test_stl_at_32(void **state)
{
    dlda_dataset *train = open_ok(&(dlda_read_spec){ .path = in_folder("stl"), .height = 32, .width = 32 });
    uint8_t *bytes = bytes_of(train), *at = bytes;

    (void)state;
    assert_int_equal(dlda_dataset_count(train), 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t p = 0; p < 32 * 32; p++)
            for (size_t c = 0; c < 3; c++) {
                unsigned sum = 0;
                for (size_t k = 0; k < 9; k++) sum += pixel_of(i, p / 32 * 3 + k / 3, p % 32 * 3 + k % 3, c);
                assert_int_equal(*at++, (2 * sum + 9) / 18);
            }
    free(bytes);
    dlda_dataset_destroy(train);
}

static void test_stl_unlabelled(void **state)
{
    dlda_dataset *images = NULL;
    const char *path = write_stl_images("stl/unlabeled_X.bin", 2);

    (void)state;
    expect_failure(path, DLDA_E_IO, "found no labels for it; expected them in");
    assert_int_equal(dlda_dataset_read_images(path, 3, &images), DLDA_OK);
    check_pixels(images, 0, 96);
    assert_int_equal(dlda_dataset_label(images, 0), -1);
    dlda_dataset_destroy(images);
    assert_int_equal(dlda_dataset_open_images(
                         &(dlda_read_spec){ .path = path, .height = 8, .width = 4, .channels = 1 }, &images),
                     DLDA_OK);
    assert_int_equal(dlda_dataset_channels(images), 1);
    assert_int_equal(dlda_dataset_width(images), 4);
    dlda_dataset_destroy(images);
}

static void test_stl_labels_that_lie(void **state)
{
    static const struct {
        const char *labels;
        size_t n;
        dlda_status status;
        const char *words;
    } cases[] = {
        { "\x01\x00\x05", 3, DLDA_E_FORMAT, "train_y.bin: image 1 has label 0, expected 1 to 10" },
        { "\x01\x02\x0b", 3, DLDA_E_FORMAT, "train_y.bin: image 2 has label 11, expected 1 to 10" },
        { "\xff\x02\x01", 3, DLDA_E_FORMAT, "image 0 has label 255" },
        { "\x01\x02", 2, DLDA_E_SHAPE, "train_y.bin: 2 labels, expected one for each of the 3 images" },
        { "\x01\x02\x03\x04", 4, DLDA_E_SHAPE, "4 labels" },
        { "", 0, DLDA_E_SHAPE, "0 labels" },
    };

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        write_bytes("stl/train_y.bin", cases[k].labels, cases[k].n);
        expect_failure(in_folder("stl"), cases[k].status, cases[k].words);
    }
    assert_int_equal(unlink(in_folder("stl/train_y.bin")), 0);
    expect_failure(in_folder("stl"), DLDA_E_IO, "stl/train_X.bin: found no labels for it");
    write_bytes("stl/train_y.bin", "\x01\x02\x03", 3);
    char path[256];
    snprintf(path, sizeof path, "%s", in_folder("stl/train_X.bin"));
    for (off_t n = 3 * STL_IMAGE - 1; n > 0; n = n > 2 * STL_IMAGE ? n - 1 : n - 997) {
        assert_int_equal(truncate(path, n), 0);
        if (n % STL_IMAGE) expect_failure(path, DLDA_E_FORMAT, "expected a multiple of 27648");
        else expect_failure(path, DLDA_E_SHAPE, "3 labels");
    }
}

/* ---- Folds ---- */

static void test_folds(void **state)
{
    static const struct {
        const char *text;
        const char *words; /* NULL: good */
    } cases[] = {
        { "0 1 2 \n3 4 9\n", NULL },
        { "0 1 2\r\n3 4 9", NULL },
        { "  0 1 2 \n3 4 9 \n\n", NULL },
        { "0 1 2\n3 4 10\n", "line 2: index 10 or more, expected 0 to 9" },
        { "0 1 2\n3 4 99999999999999999999999\n", "line 2: index 99" },
        { "0 1 2\n3 4 3\n", "line 2: index 3 occurs twice" },
        { "0 1 2\n3 4\n", "line 2: 2 indices, expected as in the first line, 3" },
        { "0 1 2\n\n3 4 5\n", "line 2: 0 indices" },
        { "\n0 1 2\n", "line 1: 0 indices, expected at least 1" },
        { "0 1 -2\n", "line 1: found '-2" },
        { "0 1 2.5\n", "line 1: found '2.5" },
        { "0 1 x\n", "line 1: found 'x" },
        { "", "found nothing" },
        { " \n \n", "found nothing" },
    };
    dlda_folds folds = { 0 };
    size_t live = dlda_memory_count().live;

    (void)state;
    assert_int_equal(dlda_stl_read_folds(folder, 10, &folds), DLDA_E_IO);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        write_bytes("fold_indices.txt", cases[k].text, strlen(cases[k].text));
        dlda_status status = dlda_stl_read_folds(folder, 10, &folds);
        if (!cases[k].words) {
            assert_int_equal(status, DLDA_OK);
            assert_int_equal(folds.count, 2);
            assert_int_equal(folds.size, 3);
            assert_memory_equal(folds.index, ((size_t[]){ 0, 1, 2, 3, 4, 9 }), 6 * sizeof(size_t));
            dlda_folds_release(&folds);
        } else {
            assert_int_equal(status, DLDA_E_FORMAT);
            if (!strstr(dlda_last_error(), cases[k].words))
                fail_msg("expected '%s' in: %s", cases[k].words, dlda_last_error());
        }
        assert_int_equal(dlda_memory_count().live, live);
    }
    write_bytes("fold_indices.txt", "0 1\0 2\n", 7);
    assert_int_equal(dlda_stl_read_folds(folder, 10, &folds), DLDA_E_FORMAT);
}

/* ---- No memory ---- */

static dlda_status try_cifar(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read(in_folder("cifar100"), DLDA_PART_TRAIN, one);
}

static dlda_status try_stl(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_open(&(dlda_read_spec){ .path = in_folder("stl"), .height = 5, .width = 7 }, one);
}

static void test_no_memory(void **state)
{
    (void)state;
    write_stl_images("stl/train_X.bin", 3);
    fail_in_turn(try_cifar, 12);
    fail_in_turn(try_stl, 18);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cifar10_folder),      cmocka_unit_test(test_cifar_parts),
        cmocka_unit_test(test_cifar_single_files),  cmocka_unit_test(test_cifar100),
        cmocka_unit_test(test_cut_at_every_length), cmocka_unit_test(test_stl_folder),
        cmocka_unit_test(test_stl_at_32),           cmocka_unit_test(test_stl_unlabelled),
        cmocka_unit_test(test_stl_labels_that_lie), cmocka_unit_test(test_folds),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
