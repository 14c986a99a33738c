/* SPDX-License-Identifier: MIT
 *
 * test_dataset.c - data sets from arrays, PNG files and the library itself; splits; what happens without memory.
 */
#define _GNU_SOURCE
#include "check.h"
#include "picture_files.h"

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
    dlda_dataset *digits = read_ok("digits", DLDA_PART_TRAIN);

    (void)state;
    check_digits(DLDA_PART_TRAIN, 500);
    check_digits(DLDA_PART_TEST, 100);
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

/* Images that are borrowed at an odd address are those of a copy, also in a set made of it, and take no memory. */
static void check_borrowed(dlda_dataset_spec spec, const uint8_t *memory)
{
    enum { SIDE = 100, COUNT = 12, VALUES = COUNT * SIDE * SIDE };
    float *a = check_nan_floats(VALUES), *b = check_nan_floats(VALUES);
    dlda_dataset *copied = NULL, *borrowed = NULL, *first = NULL, *second = NULL;
    dlda_memory_counts before;

    CHECK_OK(dlda_dataset_create(&spec, &copied));
    before = dlda_memory_count();
    spec.borrow = 1;
    if (spec.bytes) spec.bytes = memory + 1;
    else spec.values = (const float *)(const void *)(memory + 1);
    CHECK_OK(dlda_dataset_create(&spec, &borrowed));
    CHECK_OK(dlda_dataset_split(borrowed, COUNT / 2, 1, &first, &second));
    assert_true(dlda_memory_count().bytes - before.bytes < 8192);
    CHECK_OK(dlda_dataset_images(copied, 0, COUNT, a));
    CHECK_OK(dlda_dataset_images(borrowed, 0, COUNT, b));
    assert_memory_equal(a, b, VALUES * sizeof *a);
    assert_memory_equal(dlda_dataset_labels(borrowed), spec.labels, COUNT * sizeof *spec.labels);
    dlda_dataset_destroy(borrowed);
    CHECK_OK(dlda_dataset_images(second, 0, COUNT / 2, b));
    dlda_dataset_destroy(first);
    dlda_dataset_destroy(second);
    dlda_dataset_destroy(copied);
    free(a);
    free(b);
}

static void test_borrowed_images(void **state)
{
    enum { SIDE = 100, COUNT = 12, VALUES = COUNT * SIDE * SIDE };
    int labels[COUNT] = { 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1 };
    dlda_dataset_spec spec = {
        .count = COUNT, .height = SIDE, .width = SIDE, .channels = 1, .classes = 2, .labels = labels
    };
    uint8_t *memory = check_memory(VALUES * sizeof(float) + 1), *bytes = check_memory(VALUES);
    float *values = check_memory(VALUES * sizeof *values);
    uint64_t seed = 5;
    const float bad = NAN;

    (void)state;
    for (size_t i = 0; i < VALUES; i++) bytes[i] = (uint8_t)(i * i % 251), values[i] = (float)check_normal(&seed);
    memcpy(memory + 1, bytes, VALUES);
    spec.bytes = bytes;
    check_borrowed(spec, memory);
    memcpy(memory + 1, values, VALUES * sizeof *values);
    spec.bytes = NULL;
    spec.values = values;
    check_borrowed(spec, memory);
    memcpy(memory + 1 + (VALUES - 1) * sizeof bad, &bad, sizeof bad); /* they are checked all the same */
    spec.values = (const float *)(const void *)(memory + 1);
    spec.borrow = 1;
    CHECK_STATUS(dlda_dataset_create(&spec, &(dlda_dataset *){ NULL }), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("sample 11, value 9999 is nan");
    free(memory);
    free(bytes);
    free(values);
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
    dlda_dataset *digits = read_ok("digits", DLDA_PART_TEST);
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
    assert_non_null(strstr(dlda_last_error(), "not a known format; expected"));
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
        for (size_t i = 0; i < SPLIT_COUNT - count; i++)
            assert_int_equal(dlda_dataset_sample_index(first, i), position_of(first, i));
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

static dlda_dataset *shared_parent;

static dlda_status try_digits(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read("digits", DLDA_PART_TEST, one);
}

static dlda_status try_folder(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read(folder, DLDA_PART_TRAIN, one);
}

static dlda_status try_file(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_read(in_folder("train-images-idx3-ubyte.gz"), DLDA_PART_TRAIN, one);
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
        cmocka_unit_test(test_create_from_bytes_and_values),
        cmocka_unit_test(test_borrowed_images),
        cmocka_unit_test(test_create_refuses),
        cmocka_unit_test(test_images_checks_its_range),
        cmocka_unit_test(test_png_round_trip),
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
