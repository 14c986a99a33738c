/* SPDX-License-Identifier: MIT
 *
 * test_read_npz.c - .npz files: stored and deflated, with and without parts, class names; truncation at every length,
 * each lie of a zip directory.
 */
#define _GNU_SOURCE
#include "array_files.h"

static blob small_npz(int deflate)
{
    zip_maker zip = { 0 };
    blob images = small_npy(), labels = small_npy_labels(), note = { 4, "note" };

    zip_add(&zip, "readme.txt", &note, 0, NULL); /* passed over */
    zip_add(&zip, "x.npy", &images, deflate, NULL);
    zip_add(&zip, "y.npy", &labels, deflate, NULL);
    return zip_finish(&zip);
}

static void test_stored_and_deflated(void **state)
{
    (void)state;
    for (int deflate = 0; deflate < 2; deflate++) {
        blob npz = small_npz(deflate);
        for (int part = DLDA_PART_TRAIN; part <= DLDA_PART_TEST; part++) { /* a file without parts is one set */
            dlda_dataset *dataset = read_ok(write_blob(deflate ? "a.npz" : "without-a-name", &npz),
                                            (dlda_part)part);
            check_small(dataset);
            dlda_dataset_destroy(dataset);
        }
    }
}

static void test_expanding_members(void **state)
{
    blob npz = small_npz(1);
    dlda_dataset *dataset = NULL;
    dlda_read_spec spec = { .path = write_blob("e.npz", &npz), .most_bytes = 50 };

    (void)state;
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT);
    if (!strstr(dlda_last_error(), "e.npz: x: compressed data that takes more than 50 bytes"))
        fail_msg("%s", dlda_last_error());
    npz = small_npz(0);
    write_blob("e.npz", &npz);
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_OK); /* stored members are as large as the file */
    dlda_dataset_destroy(dataset);
}

static void test_names_of_arrays(void **state)
{
    static const char *const names[][2] = { { "X.npy", "y.npy" },
                                            { "images.npy", "labels.npy" },
                                            { "data.npy", "y.npy" },
                                            { "arr_0.npy", "arr_1.npy" },
                                            { "X_train.npy", "y_train.npy" } };
    blob images = small_npy(), labels = small_npy_labels();

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        zip_maker zip = { 0 };
        zip_add(&zip, names[i][0], &images, 1, NULL);
        blob npz = zip_finish(&zip);
        expect_failure(write_blob("n.npz", &npz), DLDA_E_FORMAT, "found the arrays ");
        zip_add(&zip, names[i][1], &labels, 0, NULL);
        npz = zip_finish(&zip);
        dlda_dataset *dataset = read_ok(write_blob("n.npz", &npz), DLDA_PART_TRAIN);
        check_small(dataset);
        dlda_dataset_destroy(dataset);
    }
    zip_maker zip = { 0 };
    zip_add(&zip, "weights.npy", &images, 1, NULL);
    blob npz = zip_finish(&zip);
    expect_failure(write_blob("n.npz", &npz), DLDA_E_FORMAT,
                   "found the arrays weights, expected x_train and y_train, or x and y");
    zip = (zip_maker){ 0 };
    npz = zip_finish(&zip);
    expect_failure(write_blob("n.npz", &npz), DLDA_E_FORMAT, "found the arrays (none)");
}

static void test_parts_and_class_names(void **state)
{
    const uint32_t texts[12] = { 'c', 'a', 't', 0, 0xE9, 'o', 0, 0, 'a', ' ', 'b', 0 };
    blob images = small_npy(), labels = small_npy_labels(), names = make_npy("<U4", "(3,)", texts, sizeof texts);
    const uint8_t one[1] = { 1 };
    blob test_images = make_npy("|u1", "(1, 3, 4)", images.bytes + images.size - 12, 12);
    blob test_labels = make_npy("|u1", "(1,)", one, 1);
    zip_maker zip = { 0 };
    char path[256];

    (void)state;
    zip_add(&zip, "x_train.npy", &images, 1, NULL);
    zip_add(&zip, "y_train.npy", &labels, 1, NULL);
    blob npz = zip_finish(&zip);
    snprintf(path, sizeof path, "%s", write_blob("p.npz", &npz));
    dlda_read_spec spec = { .path = path, .part = DLDA_PART_TEST };
    dlda_dataset *dataset = NULL;
    assert_false(dlda_dataset_has_part(&spec));
    assert_int_equal(dlda_dataset_open(&spec, &dataset), DLDA_E_FORMAT);
    zip_add(&zip, "x_test.npy", &test_images, 0, NULL);
    zip_add(&zip, "y_test.npy", &test_labels, 0, NULL);
    zip_add(&zip, "class_names.npy", &names, 1, NULL);
    npz = zip_finish(&zip);
    write_blob("p.npz", &npz);
    assert_true(dlda_dataset_has_part(&spec));
    dataset = read_ok(path, DLDA_PART_TEST);
    assert_int_equal(dlda_dataset_count(dataset), 1);
    assert_int_equal(dlda_dataset_label(dataset, 0), 1);
    assert_int_equal(dlda_dataset_classes(dataset), 3);
    assert_string_equal(dlda_dataset_class_name(dataset, 0), "cat");
    assert_string_equal(dlda_dataset_class_name(dataset, 1), "\xC3\xA9o");
    assert_string_equal(dlda_dataset_class_name(dataset, 2), "a b");
    dlda_dataset_destroy(dataset);
}

static void test_class_names_that_lie(void **state)
{
    const uint32_t texts[2] = { 'a', 'b' };
    blob images = small_npy(), labels = small_npy_labels();
    const blob names[] = { make_npy("<U1", "(2,)", texts, 8), make_npy("|u1", "(3,)", "abc", 3),
                           make_npy("<U1", "(1, 2)", texts, 8) };
    static const char *const words[] = { "label 2 of sample 1, expected 0 to 1", "3 elements of type u1",
                                         "in 2 dimensions, expected a list of texts" };

    (void)state;
    for (size_t k = 0; k < 3; k++) {
        zip_maker zip = { 0 };
        zip_add(&zip, "x.npy", &images, 1, NULL);
        zip_add(&zip, "y.npy", &labels, 1, NULL);
        zip_add(&zip, "class_names.npy", &names[k], 1, NULL);
        blob npz = zip_finish(&zip);
        expect_failure(write_blob("c.npz", &npz), DLDA_E_FORMAT, words[k]);
    }
}

static void test_truncated_at_every_length(void **state)
{
    (void)state;
    for (int deflate = 0; deflate < 2; deflate++) {
        blob npz = small_npz(deflate);
        for (size_t size = 0; size < npz.size; size++) {
            write_bytes("cut.npz", npz.bytes, size);
            expect_failure(in_folder("cut.npz"), DLDA_E_FORMAT, "cut.npz: ");
        }
    }
}

/* Every bit in turn: the file is then refused, or means the same. Nothing may crash, and memory stays small. */
static void test_with_a_damaged_bit(void **state)
{
    blob npz = small_npz(1);
    size_t live = dlda_memory_count().live, peak = dlda_memory_count().peak;

    (void)state;
    for (size_t bit = 0; bit < 8 * npz.size; bit++) {
        blob damaged = npz;
        dlda_dataset *dataset = NULL;
        damaged.bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        if (dlda_dataset_read(write_blob("bit.npz", &damaged), DLDA_PART_TRAIN, &dataset) == DLDA_OK)
            check_small(dataset);
        dlda_dataset_destroy(dataset);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20));
}

static void test_directories_that_lie(void **state)
{
    static const struct {
        zip_lie lie;
        int deflate;
        const char *words;
    } lies[] = {
        { { .flags = 1 }, 1, "x: encrypted" },
        { { .method = 12 }, 1, "packed by method 12, expected 0 or 8" },
        { { .size = 100 }, 0, "stored in 188 bytes, but its size is 100" },
        { { .size = 4000000000u }, 1, "cannot expand to" },
        { { .size = 187 }, 1, "promises 60 bytes, found 59" }, /* inflates past its promise */
        { { .size = 189 }, 1, "promises 60 bytes, found 61" },
        { { .size = 100 }, 1, "promises 60 bytes, found 0" }, /* not even the header */
        { { .packed_size = 10 }, 1, "ends after" },           /* cut short in itself */
        { { .packed_size = 4000000000u, .size = 4000000000u }, 0, "reaches beyond its end" },
        { { .crc = 12345 }, 1, "checksum" },
        { { .crc = 12345 }, 0, "checksum" },
        { { .offset = 5 }, 1, "not where its directory says" },
        { { .offset = 4000000000u }, 1, "cut short" },
    };
    blob images = small_npy(), labels = small_npy_labels();

    (void)state;
    for (size_t k = 0; k < sizeof lies / sizeof *lies; k++) {
        zip_maker zip = { 0 };
        size_t peak = dlda_memory_count().peak;
        zip_add(&zip, "x.npy", &images, lies[k].deflate, &lies[k].lie);
        zip_add(&zip, "y.npy", &labels, 1, NULL);
        blob npz = zip_finish(&zip);
        expect_failure(write_blob("lie.npz", &npz), DLDA_E_FORMAT, lies[k].words);
        assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20));
    }
}

/* More bytes come out than directory and header agree on: a bomb of 3 MB in a few kilobytes. */
static void test_zip_that_inflates_past_its_promise(void **state)
{
    blob labels = small_npy_labels(), images = small_npy(), bomb = { 0 };
    uint8_t *zeros = calloc(1, 3 << 20);
    z_stream stream = { .next_out = bomb.bytes, .avail_out = sizeof bomb.bytes };
    zip_maker zip = { 0 };

    (void)state;
    assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = images.bytes;
    stream.avail_in = (uInt)images.size;
    assert_int_equal(deflate(&stream, Z_NO_FLUSH), Z_OK);
    stream.next_in = zeros;
    stream.avail_in = 3 << 20;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    bomb.size = stream.total_out;
    deflateEnd(&stream);
    free(zeros);
    zip_add(&zip, "x.npy", &bomb, 0,
            &(zip_lie){ .method = 8,
                        .size = (uint32_t)images.size,
                        .crc = (uint32_t)crc32(0, images.bytes, (uInt)images.size) });
    zip_add(&zip, "y.npy", &labels, 0, NULL);
    blob npz = zip_finish(&zip);
    size_t peak = dlda_memory_count().peak;
    expect_failure(write_blob("bomb.npz", &npz), DLDA_E_FORMAT, "x: the header promises 60 bytes, found more");
    assert_in_range(dlda_memory_count().peak, 0, peak + ((size_t)1 << 20));
}

static void test_damaged_directories(void **state)
{
    blob images = small_npy(), labels = small_npy_labels();
    zip_maker zip = { 0 };

    (void)state;
    zip_add(&zip, "x.npy", &images, 1, NULL);
    zip_add(&zip, "y.npy", &labels, 1, NULL);
    zip_add(&zip, "y.npy", &labels, 1, NULL);
    blob npz = zip_finish(&zip);
    expect_failure(write_blob("d.npz", &npz), DLDA_E_FORMAT, "two members are called y");
    npz = small_npz(1);
    npz.bytes[npz.size - 12] = 200; /* more members than there are */
    expect_failure(write_blob("d.npz", &npz), DLDA_E_FORMAT, "its directory is damaged");
    npz = small_npz(1);
    memset(npz.bytes + npz.size - 6, 0xff, 4); /* the sign of zip64, without its record */
    expect_failure(write_blob("d.npz", &npz), DLDA_E_FORMAT, "its zip64 record is missing");
    npz = small_npz(1);
    npz.bytes[npz.size - 4] = 0x7f; /* the directory lies at 8 MB */
    expect_failure(write_blob("d.npz", &npz), DLDA_E_FORMAT, "its directory lies behind its end");
}

/* ---- The same in every format ---- */

/* 5 images of 3 x 4 x 1 and their labels, as IDX, .npy in three layouts and two types, .npz, and CSV. */
static void test_same_images_in_all_formats(void **state)
{
    blob idx = small_images(), idx_labels = small_labels(), npy = small_npy(), labels = small_npy_labels(),
         csv = { 0 };
    const uint8_t *pixels = npy.bytes + npy.size - 60;
    const int classes[5] = { 0, 2, 1, 2, 0 };
    float values[60];
    dlda_dataset *sets[7] = { 0 };

    (void)state;
    for (size_t i = 0; i < 60; i++) {
        values[i] = (float)pixels[i] / 255.0f;
        csv.size += (size_t)sprintf((char *)csv.bytes + csv.size, "%.9g,", (double)values[i]);
        if (i % 12 == 11) csv.size += (size_t)sprintf((char *)csv.bytes + csv.size, "%d\n", classes[i / 12]);
    }
    write_blob("all-labels-idx1-ubyte", &idx_labels);
    sets[0] = read_ok(write_blob("all-images-idx3-ubyte", &idx), DLDA_PART_TRAIN);
    write_blob("all_labels.npy", &labels);
    sets[1] = read_ok(write_blob("all_images.npy", &npy), DLDA_PART_TRAIN);
    npy = make_npy("|u1", "(5, 3, 4, 1)", pixels, 60);
    sets[2] = read_ok(write_blob("all_images.npy", &npy), DLDA_PART_TRAIN);
    npy = make_npy("|u1", "(5, 1, 3, 4)", pixels,
                   60); /* 4 at the end counts as channels: 1 x 3 x 4 in the same order */
    sets[3] = read_ok(write_blob("all_images.npy", &npy), DLDA_PART_TRAIN);
    npy = make_npy("<f4", "(5, 3, 4)", values, sizeof values);
    sets[4] = read_ok(write_blob("all_images.npy", &npy), DLDA_PART_TRAIN);
    npy = small_npz(1);
    sets[5] = read_ok(write_blob("all.npz", &npy), DLDA_PART_TRAIN);
    sets[6] = read_ok(write_blob("all.csv", &csv), DLDA_PART_TRAIN);
    for (size_t k = 0; k < 7; k++) {
        float found[60];
        assert_int_equal(dlda_dataset_count(sets[k]), 5);
        assert_int_equal(dlda_dataset_images(sets[k], 0, 5, found), DLDA_OK);
        assert_memory_equal(found, values, sizeof values);
        assert_memory_equal(dlda_dataset_labels(sets[k]), classes, sizeof classes);
        dlda_dataset_destroy(sets[k]);
    }
}

static void test_no_memory(void **state)
{
    blob npz = small_npz(1);

    (void)state;
    check_reading_without_memory(write_blob("m.npz", &npz));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stored_and_deflated),
        cmocka_unit_test(test_expanding_members),
        cmocka_unit_test(test_names_of_arrays),
        cmocka_unit_test(test_parts_and_class_names),
        cmocka_unit_test(test_class_names_that_lie),
        cmocka_unit_test(test_truncated_at_every_length),
        cmocka_unit_test(test_with_a_damaged_bit),
        cmocka_unit_test(test_directories_that_lie),
        cmocka_unit_test(test_zip_that_inflates_past_its_promise),
        cmocka_unit_test(test_damaged_directories),
        cmocka_unit_test(test_same_images_in_all_formats),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
