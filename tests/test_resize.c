/* SPDX-License-Identifier: MIT
 *
 * test_resize.c - images in other sizes: against sums in fractions, exact means, symmetry, grey and colour.
 */
#define _GNU_SOURCE
#include "dataset/resize.h"
#include "picture_files.h"

enum { MOST = 64 * 64 * 3 };

static void fill(uint8_t *bytes, size_t n, uint32_t seed)
{
    for (size_t i = 0; i < n; i++) bytes[i] = (uint8_t)((seed = seed * 1664525u + 1013904223u) >> 24);
}

static void resize(dlda_image_shape from, dlda_image_shape to, const uint8_t *pixels, uint8_t *result)
{
    dlda_resizer *resizer = NULL;

    if (dlda_resizer_create(&from, &to, &resizer) != DLDA_OK) fail_msg("%s", dlda_last_error());
    memset(result, 0xA5, dlda_image_size(&to));
    dlda_resizer_run(resizer, pixels, result);
    dlda_resizer_destroy(resizer);
}

/* ---- Against the definition ---- */

/* How much pixel i of n counts for output j of m, as resize.c's banner says it. */
static double weight_of(size_t i, size_t n, size_t j, size_t m)
{
    double scale = (double)n / (double)m;

    if (m <= n) {
        double left = fmax((double)i, (double)j * scale), right = fmin((double)i + 1, (double)(j + 1) * scale);
        return right > left ? (right - left) / scale : 0;
    }
    double place = fmin(fmax(((double)j + 0.5) * scale - 0.5, 0), (double)n - 1);
    return fmax(0, 1 - fabs(place - (double)i));
}

static double expected_at(const uint8_t *pixels, dlda_image_shape from, dlda_image_shape to, size_t y, size_t x,
                          size_t c)
{
    double sum = 0;

    for (size_t i = 0; i < from.height; i++)
        for (size_t k = 0; k < from.width; k++)
            sum += weight_of(i, from.height, y, to.height) * weight_of(k, from.width, x, to.width) *
                   pixels[(i * from.width + k) * from.channels + c];
    return sum;
}

static void check_against_definition(dlda_image_shape from, dlda_image_shape to)
{
    static uint8_t pixels[MOST], result[MOST];

    fill(pixels, dlda_image_size(&from), (uint32_t)(from.height * 31 + to.width));
    resize(from, to, pixels, result);
    for (size_t y = 0; y < to.height; y++)
        for (size_t x = 0; x < to.width; x++)
            for (size_t c = 0; c < to.channels; c++) {
                double expected = expected_at(pixels, from, to, y, x, c);
                double found = result[(y * to.width + x) * to.channels + c];
                if (fabs(found - expected) > 0.5 + 1e-9)
                    fail_msg("%zu x %zu to %zu x %zu at %zu, %zu: %g, expected %g", from.height, from.width,
                             to.height, to.width, y, x, found, expected);
            }
}

static void test_all_small_sizes(void **state)
{
    (void)state;
    for (size_t n = 1; n <= 13; n++)
        for (size_t m = 1; m <= 13; m++) {
            check_against_definition((dlda_image_shape){ n, m, 1 }, (dlda_image_shape){ m, n, 1 });
            check_against_definition((dlda_image_shape){ n, 5, 3 }, (dlda_image_shape){ m, 7, 3 });
            check_against_definition((dlda_image_shape){ 6, n, 2 }, (dlda_image_shape){ 4, m, 2 });
        }
    check_against_definition((dlda_image_shape){ 64, 64, 3 }, (dlda_image_shape){ 9, 5, 3 });
    check_against_definition((dlda_image_shape){ 9, 64, 1 }, (dlda_image_shape){ 64, 9, 1 });
}

static void test_whole_factors_are_means(void **state)
{
    uint8_t pixels[12 * 12], result[16];

    (void)state;
    fill(pixels, sizeof pixels, 7);
    resize((dlda_image_shape){ 12, 12, 1 }, (dlda_image_shape){ 4, 4, 1 }, pixels, result);
    for (size_t j = 0; j < 16; j++) {
        unsigned sum = 0;
        for (size_t k = 0; k < 9; k++) sum += pixels[(j / 4 * 3 + k / 3) * 12 + j % 4 * 3 + k % 3];
        assert_int_equal(result[j], (2 * sum + 9) / 18);
    }
    static const uint8_t halves[4][2] = { { 0, 1 }, { 1, 2 }, { 254, 255 }, { 3, 3 } };
    static const uint8_t rounded[4] = { 1, 2, 255, 3 };
    for (size_t i = 0; i < 4; i++) {
        resize((dlda_image_shape){ 1, 2, 1 }, (dlda_image_shape){ 1, 1, 1 }, halves[i], result);
        assert_int_equal(result[0], rounded[i]);
    }
}

/* Nothing is shifted: a mirrored image gives the mirrored result, and a plain one stays plain. */
static void test_symmetry(void **state)
{
    static const size_t sizes[][2] = { { 7, 3 }, { 3, 7 }, { 28, 32 }, { 32, 28 }, { 9, 9 }, { 1, 5 }, { 60, 1 } };
    uint8_t row[64], mirrored[64], a[64], b[64];

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        size_t n = sizes[k][0], m = sizes[k][1];
        fill(row, n, (uint32_t)k);
        for (size_t i = 0; i < n; i++) mirrored[i] = row[n - 1 - i];
        resize((dlda_image_shape){ n, 1, 1 }, (dlda_image_shape){ m, 1, 1 }, row, a);
        resize((dlda_image_shape){ n, 1, 1 }, (dlda_image_shape){ m, 1, 1 }, mirrored, b);
        for (size_t j = 0; j < m; j++) assert_int_equal(a[j], b[m - 1 - j]);
        memset(row, 251, n);
        resize((dlda_image_shape){ 1, n, 1 }, (dlda_image_shape){ 1, m, 1 }, row, a);
        for (size_t j = 0; j < m; j++) assert_int_equal(a[j], 251);
    }
}

static void test_large_sums_do_not_overflow(void **state)
{
    dlda_image_shape from = { 3, 200000, 1 }, to = { 2, 3, 1 };
    uint8_t *pixels = malloc(600000), result[6];

    (void)state;
    assert_non_null(pixels);
    memset(pixels, 255, 600000);
    resize(from, to, pixels, result);
    for (size_t i = 0; i < 6; i++) assert_int_equal(result[i], 255);
    free(pixels);
}

/* ---- Grey and colour ---- */

static void test_channels(void **state)
{
    const uint8_t colours[6] = { 255, 0, 0, 0, 255, 0 }, grey[2] = { 10, 21 };
    uint8_t result[12];

    (void)state;
    resize((dlda_image_shape){ 1, 2, 3 }, (dlda_image_shape){ 1, 2, 1 }, colours, result);
    assert_memory_equal(result, ((uint8_t[]){ 76, 150 }), 2); /* as Pillow has it */
    resize((dlda_image_shape){ 1, 2, 3 }, (dlda_image_shape){ 1, 1, 1 }, colours, result);
    assert_int_equal(result[0], 113);
    resize((dlda_image_shape){ 1, 2, 1 }, (dlda_image_shape){ 1, 1, 3 }, grey, result);
    assert_memory_equal(result, ((uint8_t[]){ 16, 16, 16 }), 3);
    resize((dlda_image_shape){ 1, 2, 1 }, (dlda_image_shape){ 1, 2, 3 }, grey, result);
    assert_memory_equal(result, ((uint8_t[]){ 10, 10, 10, 21, 21, 21 }), 6);
}

static void test_refusals(void **state)
{
    static const struct {
        dlda_image_shape from, to;
        const char *words;
    } cases[] = {
        { { 2, 2, 2 }, { 2, 2, 3 }, "2 channels, expected 3; only 1 and 3" },
        { { 2, 2, 1 }, { 2, 2, 2 }, "1 channels, expected 2" },
        { { 2, 2, 1 }, { 4097, 1, 1 }, "found 4097 x 1, expected at most 4096 x 4096" },
        { { 2, (size_t)1 << 40, 1 }, { 2, 2, 1 }, "too large" },
    };
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        dlda_resizer *resizer = NULL;
        assert_int_not_equal(dlda_resizer_create(&cases[k].from, &cases[k].to, &resizer), DLDA_OK);
        assert_null(resizer);
        assert_int_equal(dlda_memory_count().live, live);
        if (!strstr(dlda_last_error(), cases[k].words)) fail_msg("%s", dlda_last_error());
    }
}

/* ---- Through the door ---- */

static void test_any_format_is_fitted(void **state)
{
    blob images = small_images(), labels = small_labels();
    char path[256];

    (void)state;
    snprintf(path, sizeof path, "%s", write_blob("fit-images-idx3-ubyte", &images));
    write_blob("fit-labels-idx1-ubyte", &labels);
    dlda_dataset *plain = read_ok(path, DLDA_PART_TRAIN);
    dlda_dataset *fitted = open_ok(&(dlda_read_spec){ .path = path, .height = 2, .width = 8, .channels = 3 });
    assert_int_equal(dlda_dataset_height(fitted), 2);
    assert_int_equal(dlda_dataset_width(fitted), 8);
    assert_int_equal(dlda_dataset_channels(fitted), 3);
    assert_int_equal(dlda_dataset_count(fitted), 5);
    assert_int_equal(dlda_dataset_label(fitted, 1), 2);
    uint8_t *before = bytes_of(plain), *after = bytes_of(fitted), expected[48];
    for (size_t i = 0; i < 5; i++) {
        resize((dlda_image_shape){ 3, 4, 1 }, (dlda_image_shape){ 2, 8, 3 }, before + 12 * i, expected);
        assert_memory_equal(after + 48 * i, expected, 48);
    }
    free(before);
    free(after);
    dlda_dataset_destroy(plain);
    dlda_dataset_destroy(fitted);
    expect_open_failure(&(dlda_read_spec){ .path = path, .height = 2 }, DLDA_E_ARGUMENT, "both or none");
    expect_open_failure(&(dlda_read_spec){ .path = path, .channels = 2 }, DLDA_E_SHAPE, path);
    expect_open_failure(&(dlda_read_spec){ .path = path, .height = 1, .width = 5000 }, DLDA_E_ARGUMENT, "5000");
}

static dlda_status try_fitted(dlda_dataset **one, dlda_dataset **two)
{
    (void)two;
    return dlda_dataset_open(
        &(dlda_read_spec){ .path = in_folder("fit-images-idx3-ubyte"), .height = 2, .width = 8, .channels = 3 },
        one);
}

static void test_no_memory(void **state)
{
    (void)state;
    fail_in_turn(try_fitted, 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_small_sizes),
        cmocka_unit_test(test_whole_factors_are_means),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_large_sums_do_not_overflow),
        cmocka_unit_test(test_channels),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_any_format_is_fitted),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
