/* SPDX-License-Identifier: MIT
 *
 * test_read_folder.c - folders of pictures: classes, parts, mixed kinds and sizes, damaged files, mistyped paths, and the
 * same images through several formats.
 */
#define _GNU_SOURCE
#include "picture_files.h"

#include <sys/resource.h>

/* A grey PNG of 4 x 6 pixels, all of one brightness. */
static void write_plain(const char *name, uint8_t brightness)
{
    uint8_t pixels[24];

    memset(pixels, brightness, sizeof pixels);
    write_png(name, PNG_FORMAT_GRAY, 6, 4, pixels);
}

/* The path of a file in the folder, in 256 characters of the caller's. */
static const char *keep_path(char *path, const char *name)
{
    snprintf(path, 256, "%s", in_folder(name));
    return path;
}

/* What was told of while reading, one line each. */
typedef struct told {
    size_t count;
    char text[4096];
} told;

static void note(void *user, const char *message)
{
    told *self = user;

    self->count++;
    strncat(self->text, message, sizeof self->text - strlen(self->text) - 2);
    strcat(self->text, "\n");
}

static void expect_told(const told *self, size_t count, const char *words)
{
    if (self->count != count || !strstr(self->text, words))
        fail_msg("expected %zu lines with '%s', found %zu:\n%s", count, words, self->count, self->text);
}

/* ---- Classes ---- */

static void test_classes_are_sub_folders(void **state)
{
    static const char *const names[4] = { "Zebra", "a class", "b", "\xc3\xa4pfel" }; /* in order of their bytes */
    char name[64];

    (void)state;
    make_sub_folder("set");
    for (size_t c = 0; c < 4; c++) {
        snprintf(name, sizeof name, "set/%s", names[3 - c]);
        make_sub_folder(name);
        for (size_t i = 0; i < 3; i++) {
            snprintf(name, sizeof name, "set/%s/%zu \xe2\x82\xac.PNG", names[3 - c], 2 - i);
            write_plain(name, (uint8_t)(10 * (3 - c) + 2 - i));
        }
    }
    make_sub_folder("set/.hidden");
    write_bytes("set/b/.DS_Store", "junk", 4);
    dlda_dataset *set = read_ok(in_folder("set"), DLDA_PART_TRAIN);
    uint8_t *bytes = bytes_of(set);
    assert_int_equal(dlda_dataset_count(set), 12);
    assert_int_equal(dlda_dataset_classes(set), 4);
    assert_true(dlda_dataset_height(set) == 4 && dlda_dataset_width(set) == 6 && dlda_dataset_channels(set) == 1);
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(dlda_dataset_label(set, i), i / 3);
        assert_string_equal(dlda_dataset_class_name(set, i / 3), names[i / 3]);
        assert_int_equal(bytes[24 * i], 10 * (i / 3) + i % 3);
    }
    assert_string_equal(dlda_dataset_sample_file(set, 4), "a class/1 \xe2\x82\xac.PNG");
    assert_null(dlda_dataset_sample_file(set, 12));
    free(bytes);
    dlda_dataset_destroy(set);
    assert_int_equal(dlda_dataset_has_part(&(dlda_read_spec){ .path = in_folder("set"), .part = DLDA_PART_TEST }),
                     0);
}

static void test_parts(void **state)
{
    static const char *const folders[] = { "parts",      "parts/train",    "parts/train/cat", "parts/train/dog",
                                           "parts/test", "parts/test/dog", "parts/val",       "parts/val/cat" };
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "parts"), .user = &notes, .problem = note };

    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) make_sub_folder(folders[i]);
    write_plain("parts/train/cat/1.png", 1);
    write_plain("parts/train/dog/2.png", 2);
    write_plain("parts/test/dog/3.png", 3);
    dlda_dataset *train = open_ok(&spec);
    assert_int_equal(dlda_dataset_count(train), 2);
    expect_told(&notes, 1, "parts/val: not used");
    spec.part = DLDA_PART_TEST;
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
    dlda_read_spec_use_dataset(&spec, train);
    dlda_dataset *test = open_ok(&spec);
    assert_int_equal(dlda_dataset_count(test), 1);
    assert_int_equal(dlda_dataset_label(test, 0), 1); /* dog, although cat is missing here */
    assert_int_equal(dlda_dataset_classes(test), 2);
    assert_string_equal(dlda_dataset_sample_file(test, 0), "test/dog/3.png"); /* below the path that was read */
    assert_string_equal(dlda_dataset_sample_file(train, 0), "train/cat/1.png");
    dlda_dataset_destroy(test);
    make_sub_folder("parts/test/cow");
    write_plain("parts/test/cow/4.png", 4);
    expect_open_failure(&spec, DLDA_E_CLASS, "class 'cow' is not known; expected one of: cat, dog");
    dlda_dataset_destroy(train);
}

/* A class may be called train as long as it has pictures. */
static void test_train_as_a_class(void **state)
{
    (void)state;
    make_sub_folder("vehicles");
    make_sub_folder("vehicles/train");
    make_sub_folder("vehicles/ship");
    write_plain("vehicles/train/1.png", 1);
    write_plain("vehicles/ship/1.png", 2);
    dlda_dataset *set = read_ok(in_folder("vehicles"), DLDA_PART_TRAIN);
    assert_int_equal(dlda_dataset_classes(set), 2);
    assert_string_equal(dlda_dataset_class_name(set, 1), "train");
    dlda_dataset_destroy(set);
}

/* ---- Kinds and sizes ---- */

/* Grey, RGBA and JPEG beside each other: all become colours, alpha is dropped. */
static void test_mixed_kinds(void **state)
{
    uint8_t rgba[24 * 4], grey[24];

    (void)state;
    for (size_t i = 0; i < 24; i++) {
        for (size_t c = 0; c < 3; c++) rgba[4 * i + c] = (uint8_t)(i + 50 * c);
        rgba[4 * i + 3] = (uint8_t)i;
        grey[i] = (uint8_t)(3 * i);
    }
    make_sub_folder("mixed");
    make_sub_folder("mixed/a");
    make_sub_folder("mixed/b");
    write_png("mixed/a/grey.png", PNG_FORMAT_GRAY, 6, 4, grey);
    write_jpeg("mixed/a/photo.jpg", (jpeg_kind){ 1, 100, 0 }, 6, 4, grey);
    write_png("mixed/b/alpha", PNG_FORMAT_RGBA, 6, 4, rgba);
    dlda_dataset *set = read_ok(in_folder("mixed"), DLDA_PART_TRAIN);
    dlda_dataset *greys = open_ok(&(dlda_read_spec){ .path = in_folder("mixed"), .channels = 1 });
    uint8_t *bytes = bytes_of(set), *luma = bytes_of(greys);
    assert_int_equal(dlda_dataset_channels(set), 3);
    assert_int_equal(dlda_dataset_channels(greys), 1);
    for (size_t i = 0; i < 24; i++)
        for (size_t c = 0; c < 3; c++) {
            assert_int_equal(bytes[3 * i + c], grey[i]);
            assert_in_range(abs(bytes[72 + 3 * i + c] - grey[i]), 0, 3);
            assert_int_equal(bytes[144 + 3 * i + c], rgba[4 * i + c]);
        }
    assert_memory_equal(luma, grey, 24);
    free(bytes);
    free(luma);
    dlda_dataset_destroy(set);
    dlda_dataset_destroy(greys);
}

/* A grey PNG of one brightness in any size. */
static void write_sized(const char *name, uint8_t brightness, uint32_t height, uint32_t width)
{
    uint8_t *pixels = malloc((size_t)height * width);

    memset(pixels, brightness, (size_t)height * width);
    write_png(name, PNG_FORMAT_GRAY, width, height, pixels);
    free(pixels);
}

static void test_sizes_that_differ(void **state)
{
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "sizes"), .user = &notes, .note = note };

    (void)state;
    make_sub_folder("sizes");
    make_sub_folder("sizes/a");
    make_sub_folder("sizes/b");
    write_plain("sizes/a/1.png", 100);
    write_plain("sizes/a/2.png", 200);
    write_sized("sizes/b/3.png", 7, 8, 9);
    write_sized("sizes/b/4.png", 9, 8, 9);
    write_plain("sizes/b/5.png", 50);
    dlda_dataset *set = open_ok(&spec); /* the size of most */
    assert_true(dlda_dataset_height(set) == 4 && dlda_dataset_width(set) == 6 && dlda_dataset_is_resized(set));
    expect_told(&notes, 1,
                "sizes: pictures of 4 x 6 to 8 x 9 (height, width) are resized to 4 x 6; option resize HxW chooses "
                "another size");
    uint8_t *bytes = bytes_of(set);
    for (size_t i = 0; i < 5; i++) assert_int_equal(bytes[24 * i], ((uint8_t[]){ 100, 200, 7, 9, 50 })[i]);
    free(bytes);
    spec = (dlda_read_spec){ .path = path };
    dlda_read_spec_use_dataset(&spec, set); /* a test part would get the same size */
    assert_true(spec.height == 4 && spec.width == 6 && spec.fixed_height == 0);
    dlda_dataset_destroy(set);
    expect_open_failure(&(dlda_read_spec){ .path = path, .fixed_height = 4, .fixed_width = 6 }, DLDA_E_SHAPE,
                        "sizes: 2 of 5 pictures are not 4 x 6 (height, width); the first: b/3.png is 8 x 9; option "
                        "resize 4x6 converts them");
    set = open_ok(&(dlda_read_spec){ .path = path, .height = 3, .width = 2 });
    assert_true(dlda_dataset_height(set) == 3 && dlda_dataset_width(set) == 2 && !dlda_dataset_is_resized(set));
    bytes = bytes_of(set);
    for (size_t i = 0; i < 30; i++) assert_int_equal(bytes[i], ((uint8_t[]){ 100, 200, 7, 9, 50 })[i / 6]);
    free(bytes);
    dlda_dataset_destroy(set);
    assert_int_equal(dlda_dataset_is_resized(NULL), 0);
}

/* Pictures of these sizes become images of that one; a note has these words. */
static void check_choice(size_t n, const uint32_t (*sizes)[2], size_t height, size_t width, const char *words)
{
    told notes = { 0 };
    char name[64], path[256];

    make_sub_folder("choice");
    make_sub_folder("choice/a");
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "choice/a/%zu.png", i);
        write_sized(name, 5, sizes[i][0], sizes[i][1]);
    }
    dlda_dataset *set = open_ok(&(dlda_read_spec){
        .path = keep_path(path, "choice"), .part = DLDA_PART_TEST, .user = &notes, .note = note });
    if (dlda_dataset_height(set) != height || dlda_dataset_width(set) != width)
        fail_msg("%zu pictures: %zu x %zu, expected %zu x %zu", n, dlda_dataset_height(set),
                 dlda_dataset_width(set), height, width);
    assert_int_equal(dlda_dataset_is_resized(set), words != NULL);
    expect_told(&notes, words != NULL, words ? words : "");
    dlda_dataset_destroy(set);
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "choice/a/%zu.png", i);
        assert_int_equal(unlink(in_folder(name)), 0);
    }
    assert_int_equal(rmdir(in_folder("choice/a")), 0);
    assert_int_equal(rmdir(in_folder("choice")), 0);
}

static void test_size_that_is_chosen(void **state)
{
    (void)state;
    check_choice(2, (const uint32_t[][2]){ { 96, 20 }, { 96, 20 } }, 96, 20, NULL);
    check_choice(2, (const uint32_t[][2]){ { 300, 400 }, { 300, 400 } }, 72, 96,
                 "pictures of 300 x 400 (height, width) are reduced to 72 x 96");
    check_choice(1, (const uint32_t[][2]){ { 1, 1000 } }, 1, 96, "reduced to 1 x 96");
    check_choice(3, (const uint32_t[][2]){ { 10, 90 }, { 20, 80 }, { 30, 70 } }, 20, 80, "of 10 x 90 to 30 x 70");
    check_choice(4, (const uint32_t[][2]){ { 32, 32 }, { 32, 32 }, { 32, 32 }, { 500, 900 } }, 32, 32,
                 "pictures of 32 x 32 to 500 x 900 (height, width) are resized to 32 x 32");
    /* upright and wide: a square */
    check_choice(2, (const uint32_t[][2]){ { 40, 90 }, { 90, 40 } }, 40, 40, "of 40 x 90 to 90 x 40");
    check_choice(3, (const uint32_t[][2]){ { 300, 400 }, { 400, 300 }, { 300, 400 } }, 96, 96,
                 "of 300 x 400 to 400 x 300 (height, width) are resized to 96 x 96");
}

/* Grey pictures among colours are mentioned, and nothing else. */
static void test_notes_about_kinds(void **state)
{
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = {
        .path = keep_path(path, "mixed"), .part = DLDA_PART_TEST, .user = &notes, .note = note
    };

    (void)state;
    dlda_dataset_destroy(open_ok(&spec));
    expect_told(&notes, 1, "mixed: 2 of 3 pictures are grey; all are read as colour");
    notes = (told){ 0 };
    spec.channels = 1;
    dlda_dataset_destroy(open_ok(&spec));
    expect_told(&notes, 0, "");
}

/* ---- What is wrong ---- */

static void test_bad_folders(void **state)
{
    (void)state;
    make_sub_folder("wrong");
    expect_failure(in_folder("wrong"), DLDA_E_FORMAT, "the folder is empty; expected data");
    write_plain("wrong/1.jpg", 1);
    expect_failure(in_folder("wrong"), DLDA_E_FORMAT, "wrong: found no folder in it, expected one for each class");
    make_sub_folder("wrong/a");
    make_sub_folder("wrong/b");
    expect_failure(in_folder("wrong"), DLDA_E_FORMAT, "wrong: no pictures in the folders in it (a, b)");
    write_plain("wrong/a/1.png", 1);
    write_bytes("wrong/b/notes.txt", "words", 5);
    expect_failure(in_folder("wrong"), DLDA_E_FORMAT,
                   "wrong/b/notes.txt: neither a PNG nor a JPEG picture; option skip-bad");
    expect_open_failure(&(dlda_read_spec){ .path = in_folder("wrong"), .skip_bad = 1 }, DLDA_E_FORMAT,
                        "wrong/b: none of the pictures of this class can be read");
    assert_int_equal(unlink(in_folder("wrong/b/notes.txt")), 0);
    write_plain("wrong/b/1.png", 1);
    make_sub_folder("wrong/\xff");
    write_plain("wrong/\xff/1.png", 1);
    expect_failure(in_folder("wrong"), DLDA_E_FORMAT, "must be valid UTF-8");
    expect_open_failure(&(dlda_read_spec){ .path = in_folder("wrong/1.jpg"), .format = "folder" }, DLDA_E_IO,
                        "not a folder");
}

/* Classes without pictures are left out, those with one picture are named. */
static void test_empty_and_single_classes(void **state)
{
    static const char *const folders[] = { "few", "few/a", "few/b", "few/c", "few/d", "few/e", "few/e/deeper" };
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "few"), .user = &notes, .note = note };

    (void)state;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) make_sub_folder(folders[i]);
    assert_int_equal(dlda_dataset_has_part(&spec), 0); /* nothing but folders */
    write_bytes("few/e/deeper/1.txt", "words", 5);
    write_bytes("few/b/1.txt", "words", 5);
    assert_int_equal(dlda_dataset_has_part(&spec), 0);
    assert_int_equal(unlink(in_folder("few/b/1.txt")), 0);
    write_plain("few/b/1", 1); /* names say nothing */
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
    write_plain("few/b/2.png", 2);
    write_plain("few/c/1.png", 3);
    write_plain("few/d/1.png", 4);
    dlda_dataset *set = open_ok(&spec);
    assert_int_equal(dlda_dataset_classes(set), 3);
    assert_string_equal(dlda_dataset_class_name(set, 0), "b");
    assert_int_equal(dlda_dataset_label(set, 2), 1);
    expect_told(&notes, 2, "few: a folder without pictures is no class; left out: a, e\n");
    expect_told(&notes, 2, "add pictures to, or remove: c, d\n");
    dlda_dataset_destroy(set);
    notes = (told){ 0 };
    spec.part = DLDA_PART_TEST; /* one picture is enough for a test */
    dlda_dataset_destroy(open_ok(&spec));
    expect_told(&notes, 1, "left out: a, e\n");
}

/* Pictures in other formats are one line, however many there are. */
static void test_foreign_pictures(void **state)
{
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "foreign"), .user = &notes, .problem = note };

    (void)state;
    make_sub_folder("foreign");
    write_bytes("foreign/1.gif", "GIF89a----------", 16);
    dlda_dataset *set = NULL;
    assert_int_equal(dlda_dataset_open_images(&spec, &set), DLDA_E_FORMAT);
    assert_non_null(
        strstr(dlda_last_error(), "foreign: 1 of 1 files are GIF, expected PNG or JPEG; the first: 1.gif;"));
    assert_non_null(strstr(dlda_last_error(), "mogrify -auto-orient -format png "));
    assert_int_equal(unlink(in_folder("foreign/1.gif")), 0);
    make_sub_folder("foreign/a");
    write_plain("foreign/a/1.png", 1);
    write_bytes("foreign/a/2.gif", "GIF89a----------", 16);
    write_bytes("foreign/a/3.jpg", "RIFF----WEBPVP8 ", 16);
    write_bytes("foreign/a/4.gif", "GIF89a----------", 16);
    expect_open_failure(
        &spec, DLDA_E_FORMAT,
        "foreign: 3 of 4 files are GIF, WebP, expected PNG or JPEG; the first: a/2.gif; convert them, for "
        "example with ImageMagick: mogrify -auto-orient -format png ");
    assert_non_null(strstr(dlda_last_error(), "foreign/*/*.gif, and remove the originals, or use option skip-bad"));
    spec.skip_bad = 1;
    notes = (told){ 0 };
    set = open_ok(&spec);
    assert_int_equal(dlda_dataset_count(set), 1);
    expect_told(&notes, 1,
                "foreign: 3 of 4 files are skipped: GIF, WebP, expected PNG or JPEG; the first: a/2.gif");
    dlda_dataset_destroy(set);
}

/* ---- Mistyped paths ---- */

static void expect_suggestion(const char *name, const char *words)
{
    char path[256];

    expect_failure(keep_path(path, name), DLDA_E_IO, words);
    assert_null(strstr(dlda_last_error(), "an .npz file")); /* the list of formats would not help */
}

static void test_mistyped_paths(void **state)
{
    (void)state;
    make_sub_folder("photos");
    make_sub_folder("photos/cats");
    write_plain("photos/cats/1.png", 1);
    expect_suggestion("phtos", "phtos: no such file or folder; did you mean '");
    expect_suggestion("phtos", "/photos'?");
    expect_suggestion("phtos/cats", "/photos/cats'?");
    expect_suggestion("phtos/dogs", "/photos'?");
    expect_suggestion("photos/cast/", "/photos/cats/'?");
    expect_suggestion("photos/cats/1.pgn/x", "/photos/cats/1.png'?");
    expect_suggestion("photos/zebras", "zebras: no such file or folder");
    assert_null(strstr(dlda_last_error(), "did you mean"));
    expect_suggestion("photos/cats/1.png/x", "no such file or folder"); /* a file is no folder */
    expect_failure("dgits", DLDA_E_IO, "dgits: no such file or folder; did you mean 'digits'?");
    expect_failure("", DLDA_E_IO, ": no such file or folder");
}

static void make_damaged(void)
{
    uint8_t bytes[4096], pixels[256] = { 0 };

    make_sub_folder("damaged");
    make_sub_folder("damaged/a");
    make_sub_folder("damaged/b");
    make_sub_folder("damaged/b/deeper");
    write_plain("damaged/a/1.png", 1);
    write_plain("damaged/a/3.png", 3);
    write_plain("damaged/b/1.png", 4);
    size_t size = slurp(in_folder("damaged/a/1.png"), bytes, sizeof bytes);
    write_bytes("damaged/a/0.png", bytes, size - 5); /* its header is good, its end is not */
    size = slurp(write_jpeg("whole.jpg", (jpeg_kind){ 1, 90, 0 }, 6, 4, pixels), bytes, sizeof bytes);
    write_bytes("damaged/a/2.jpg", bytes, size / 2);
    write_bytes("damaged/b/junk", "junk", 4);
    write_bytes("damaged/stray.csv", "1,2", 3);
}

static void test_damaged_files(void **state)
{
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "damaged"), .user = &notes, .problem = note, .threads = 1 };

    (void)state;
    make_damaged();
    expect_open_failure(&spec, DLDA_E_FORMAT, "damaged/a/2.jpg: not a valid JPEG"); /* found by its header */
    expect_told(&notes, 2, "damaged/stray.csv: not used");
    expect_told(&notes, 2, "damaged/b/deeper: not used: folders in the folder of a class are not followed");
    for (spec.threads = 1; spec.threads < 5; spec.threads += 3) {
        notes = (told){ 0 };
        spec.skip_bad = 1;
        dlda_dataset *set = open_ok(&spec);
        uint8_t *bytes = bytes_of(set);
        assert_int_equal(dlda_dataset_count(set), 3);
        assert_true(bytes[0] == 1 && bytes[24] == 3 && bytes[48] == 4 && bytes[71] == 4);
        assert_string_equal(dlda_dataset_sample_file(set, 1), "a/3.png");
        assert_string_equal(dlda_dataset_sample_file(set, 2), "b/1.png");
        assert_int_equal(dlda_dataset_label(set, 1), 0);
        assert_int_equal(dlda_dataset_label(set, 2), 1);
        expect_told(&notes, 5, "damaged/a/0.png: not a valid PNG");
        expect_told(&notes, 5, "damaged/a/2.jpg: not a valid JPEG");
        expect_told(&notes, 5, "damaged/b/junk: neither");
        free(bytes);
        dlda_dataset_destroy(set);
    }
    assert_int_equal(unlink(in_folder("damaged/a/2.jpg")), 0);
    assert_int_equal(unlink(in_folder("damaged/b/junk")), 0);
    spec.skip_bad = 0;
    expect_open_failure(&spec, DLDA_E_FORMAT, "damaged/a/0.png: not a valid PNG: cut short");
}

/* ---- Without classes ---- */

static void test_flat_folder(void **state)
{
    told notes = { 0 };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "flat"), .channels = 3, .user = &notes, .problem = note };
    dlda_dataset *set = NULL;

    (void)state;
    make_sub_folder("flat");
    make_sub_folder("flat/deeper");
    assert_int_equal(dlda_dataset_open_images(&spec, &set), DLDA_E_FORMAT);
    assert_non_null(strstr(dlda_last_error(), "no pictures in this folder"));
    write_plain("flat/b.png", 2);
    write_plain("flat/a.png", 1);
    notes = (told){ 0 };
    assert_int_equal(dlda_dataset_open_images(&spec, &set), DLDA_OK);
    expect_told(&notes, 1, "flat/deeper: not used");
    assert_int_equal(dlda_dataset_count(set), 2);
    assert_int_equal(dlda_dataset_channels(set), 3);
    assert_int_equal(dlda_dataset_label(set, 0), -1);
    assert_string_equal(dlda_dataset_sample_file(set, 0), "a.png");
    dlda_dataset_destroy(set);
}

/* ---- The same images through several formats ---- */

enum { N = 23, SIZE = 32 * 32 * 3 };

static const uint8_t *noise(void)
{
    static uint8_t images[N * SIZE];
    uint32_t seed = 5;

    for (size_t i = 0; i < sizeof images; i++) images[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
    return images;
}

static void write_as_idx(const uint8_t *images)
{
    static uint8_t file[20 + N * SIZE];
    blob header = make_idx(0x804, 4, (const uint32_t[]){ N, 32, 32, 3 }, 0);
    blob labels = make_idx(0x801, 1, (const uint32_t[]){ N }, 0);

    memcpy(file, header.bytes, 20);
    memcpy(file + 20, images, N * SIZE);
    write_bytes("same-images-idx4-ubyte", file, sizeof file);
    for (size_t i = 0; i < N; i++) labels.bytes[labels.size++] = (uint8_t)(i * 10 / N);
    write_blob("same-labels-idx4-ubyte", &labels);
}

static void write_as_cifar(const uint8_t *images)
{
    static uint8_t file[N * (SIZE + 1)];

    for (size_t i = 0; i < N; i++) {
        file[i * (SIZE + 1)] = (uint8_t)(i * 10 / N);
        for (size_t k = 0; k < SIZE; k++) file[i * (SIZE + 1) + 1 + k] = images[i * SIZE + k % 1024 * 3 + k / 1024];
    }
    write_bytes("same.bin", file, sizeof file);
}

static void write_as_folder(const uint8_t *images)
{
    char name[64];

    make_sub_folder("same");
    for (size_t i = 0; i < N; i++) {
        snprintf(name, sizeof name, "same/%zu", i * 10 / N);
        if (i == 0 || i * 10 / N != (i - 1) * 10 / N) make_sub_folder(name);
        snprintf(name, sizeof name, "same/%zu/%02zu.png", i * 10 / N, i);
        write_png(name, PNG_FORMAT_RGB, 32, 32, images + i * SIZE);
    }
}

static void expect_same(const char *name, const dlda_read_spec *like, const uint8_t *expected, size_t n)
{
    dlda_read_spec spec = *like;
    char path[256];

    spec.path = keep_path(path, name);
    for (spec.threads = 1; spec.threads < 5; spec.threads += 3) {
        dlda_dataset *set = open_ok(&spec);
        uint8_t *bytes = bytes_of(set);
        assert_int_equal(dlda_dataset_count(set), N);
        assert_int_equal(dlda_dataset_height(set) * dlda_dataset_width(set) * dlda_dataset_channels(set), n / N);
        assert_memory_equal(bytes, expected, n);
        for (size_t i = 0; i < N; i++) assert_int_equal(dlda_dataset_label(set, i), i * 10 / N);
        free(bytes);
        dlda_dataset_destroy(set);
    }
}

static void test_same_tensor_from_all_formats(void **state)
{
    const dlda_read_spec plain = { 0 }, fitted = { .height = 9, .width = 40, .channels = 1 };
    const uint8_t *images = noise();

    (void)state;
    write_as_idx(images);
    write_as_cifar(images);
    write_as_folder(images);
    expect_same("same-images-idx4-ubyte", &plain, images, N * SIZE);
    expect_same("same.bin", &plain, images, N * SIZE);
    expect_same("same", &plain, images, N * SIZE);
    dlda_read_spec spec = fitted;
    spec.path = in_folder("same-images-idx4-ubyte");
    dlda_dataset *set = open_ok(&spec);
    uint8_t *expected = bytes_of(set);
    expect_same("same.bin", &fitted, expected, N * 360);
    expect_same("same", &fitted, expected, N * 360);
    free(expected);
    dlda_dataset_destroy(set);
}

/* ---- Names ---- */

static void test_labels_by_names(void **state)
{
    static const char *const other_order[] = { "dog", "horse", "cat" }, *const numbers[] = { "0", "1", "2" };
    static const char *const cats[] = { "cat" };
    char path[256];
    dlda_read_spec spec = { .path = keep_path(path, "parts"), .names = other_order, .classes = 3 };

    (void)state;
    dlda_dataset *set = open_ok(&spec);
    assert_int_equal(dlda_dataset_classes(set), 3);
    assert_int_equal(dlda_dataset_label(set, 0), 2);
    assert_int_equal(dlda_dataset_label(set, 1), 0);
    assert_string_equal(dlda_dataset_class_name(set, 1), "horse");
    dlda_dataset_destroy(set);
    spec.names = numbers; /* what was trained on had no names: then numbers must do */
    set = open_ok(&spec);
    assert_int_equal(dlda_dataset_label(set, 1), 1);
    assert_string_equal(dlda_dataset_class_name(set, 1), "dog");
    dlda_dataset_destroy(set);
    spec.names = cats;
    spec.classes = 1;
    expect_open_failure(&spec, DLDA_E_CLASS, "class 'dog' is not known; expected one of: cat");
}

/* ---- No memory ---- */

static dlda_status try_folder(dlda_dataset **one, dlda_dataset **two)
{
    const char *const names[] = { "b", "a" };

    (void)two;
    return dlda_dataset_open(
        &(dlda_read_spec){
            .path = in_folder("mixed"), .height = 2, .width = 9, .threads = 1, .names = names, .classes = 2 },
        one);
}

static dlda_status try_parts(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_open(&(dlda_read_spec){ .path = in_folder("parts"), .threads = 2, .skip_bad = 1 }, one);
}

static dlda_status try_flat(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_open_images(&(dlda_read_spec){ .path = in_folder("flat"), .threads = 1 }, one);
}

static dlda_status try_sizes(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_open(&(dlda_read_spec){ .path = in_folder("sizes"), .threads = 1 }, one);
}

static void test_no_memory(void **state)
{
    (void)state;
    fail_in_turn(try_sizes, 30);
    fail_in_turn(try_folder, 40);
    fail_in_turn(try_parts, 30);
    fail_in_turn(try_flat, 20);
}

/* A folder that cannot be read is not one without test pictures. */
static void test_no_descriptors(void **state)
{
    dlda_read_spec spec = { .part = DLDA_PART_TEST };
    struct rlimit before, none;

    (void)state;
    make_sub_folder("probed");
    make_sub_folder("probed/test");
    make_sub_folder("probed/test/a");
    write_plain("probed/test/a/1.png", 1);
    spec.path = in_folder("probed");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    int found = dlda_dataset_has_part(&spec);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(found, -1);
    if (!strstr(dlda_last_error(), "probed: cannot read: Too many open files")) fail_msg("%s", dlda_last_error());
    assert_int_equal(dlda_dataset_has_part(&spec), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_descriptors),
        cmocka_unit_test(test_classes_are_sub_folders),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_train_as_a_class),
        cmocka_unit_test(test_mixed_kinds),
        cmocka_unit_test(test_sizes_that_differ),
        cmocka_unit_test(test_size_that_is_chosen),
        cmocka_unit_test(test_notes_about_kinds),
        cmocka_unit_test(test_bad_folders),
        cmocka_unit_test(test_empty_and_single_classes),
        cmocka_unit_test(test_foreign_pictures),
        cmocka_unit_test(test_mistyped_paths),
        cmocka_unit_test(test_damaged_files),
        cmocka_unit_test(test_flat_folder),
        cmocka_unit_test(test_same_tensor_from_all_formats),
        cmocka_unit_test(test_labels_by_names),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
