/* SPDX-License-Identifier: MIT
 *
 * test_preparation.c - what is done to images: against the NumPy twin, and the promise that the result of an image
 * depends on that image alone.
 */
#include "check.h"

#include "base/memory.h"
#include "dataset/dataset.h"
#include "dataset/preparation.h"
#include "golden/golden_preparation.h"

static dlda_dataset *dataset_of(const unsigned char *bytes, size_t count)
{
    dlda_dataset *set = NULL;

    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){
            .count = count, .height = SIDE, .width = SIDE, .channels = CHANNELS, .classes = 1, .bytes = bytes },
        &set));
    return set;
}

static dlda_preparation_spec spec_of(const char *list)
{
    dlda_preparation_spec spec = { .gcn_scale = 55, .zca_bias = 0.1 };

    CHECK_OK(dlda_preparation_parse(list, &spec));
    return spec;
}

static dlda_preparation *fitted(const dlda_preparation_spec *spec, const dlda_dataset *set, size_t threads)
{
    dlda_preparation *preparation = NULL;

    CHECK_OK(dlda_preparation_fit(spec, set, check_team(threads), NULL, &preparation));
    return preparation;
}

static void run(const dlda_preparation *preparation, size_t threads, size_t n, float *images)
{
    float *scratch = check_nan_floats(dlda_preparation_scratch(preparation, n));

    dlda_preparation_run(preparation, check_team(threads), n, images, scratch);
    free(scratch);
}

/* ---- The list ---- */

static void test_lists(void **state)
{
    static const char *const good[][2] = {
        { "scale", "scale" },           { "gcn", "scale,gcn" },
        { "scale,gcn", "scale,gcn" },   { "gcn,zca", "scale,gcn,zca" },
        { "zca,gcn", "scale,zca,gcn" }, { "scale,standardise,gcn,zca", "scale,standardise,gcn,zca" },
    };
    static const char *const bad[][2] = {
        { "", "found ''" },
        { "gcn,", "found ''" },
        { "gnc", "did you mean 'gcn'?" },
        { "standardize", "did you mean 'standardise'?" },
        { "gcn, zca", "found ' zca'" },
        { "gcn,scale", "scale stands behind another step" },
        { "scale,scale", "scale stands behind another step" },
        { "zca,zca", "zca stands there twice" },
        { "whitening", "expected scale, standardise, gcn or zca" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        dlda_preparation_spec spec = spec_of(good[i][0]);
        dlda_preparation *made = NULL;
        CHECK_OK(dlda_preparation_create(&spec, 12, 3, &made));
        assert_string_equal(dlda_preparation_list(made), good[i][1]);
        dlda_preparation_destroy(made);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        dlda_preparation_spec spec;
        CHECK_STATUS(dlda_preparation_parse(bad[i][0], &spec), DLDA_E_OPTION);
        CHECK_ERROR_SAYS(bad[i][1]);
    }
    assert_string_equal(dlda_preparation_list(NULL), "scale");
    assert_false(dlda_preparation_changes(NULL) || dlda_preparation_is_heavy(NULL));
    dlda_preparation_run(NULL, NULL, 3, NULL, NULL); /* nothing to do */
}

/* ---- Numbers ---- */

static void test_as_the_twin(void **state)
{
    dlda_dataset *train = dataset_of(golden_pictures, PICTURES), *others = dataset_of(golden_others, OTHERS);
    float images[OTHERS * VALUES];

    (void)state;
    for (size_t i = 0; i < PREPARATIONS; i++) {
        dlda_preparation_spec spec = spec_of(golden_preparations[i].list);
        spec.gcn_scale = golden_preparations[i].gcn_scale;
        spec.gcn_bias = golden_preparations[i].gcn_bias;
        spec.zca_bias = golden_preparations[i].zca_bias;
        dlda_preparation *preparation = fitted(&spec, train, 2);
        CHECK_OK(dlda_dataset_images(others, 0, OTHERS, images));
        run(preparation, 2, OTHERS, images);
        CHECK_NEAR_FLOAT(images, golden_preparations[i].prepared, OTHERS * VALUES, 1e-5, "%s, case %zu",
                         golden_preparations[i].list, i);
        dlda_preparation_destroy(preparation);
    }
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(others);
}

static void test_constant_images(void **state)
{
    unsigned char bytes[3 * VALUES];
    float images[3 * VALUES];
    const char *lists[] = { "standardise", "gcn", "standardise,gcn,zca" };

    (void)state;
    memset(bytes, 77, sizeof bytes);
    dlda_dataset *grey = dataset_of(bytes, 3);
    for (size_t i = 0; i < 3; i++) {
        dlda_preparation_spec spec = spec_of(lists[i]);
        dlda_preparation *preparation = fitted(&spec, grey, 1);
        CHECK_OK(dlda_dataset_images(grey, 0, 3, images));
        run(preparation, 1, 3, images);
        for (size_t p = 0; p < 3 * VALUES; p++) assert_true(fabsf(images[p]) < 1e-6f);
        dlda_preparation_destroy(preparation);
    }
    dlda_dataset_destroy(grey);
}

/* Whitened training images have the covariance C (C + bias)^-1: near the unit matrix where there is variance. */
static void test_whitened(void **state)
{
    enum { N = 700, D = 300 }; /* more than one tile, panel, depth and portion, and none of them full */
    float *values = check_memory(N * D * sizeof *values);
    uint64_t seed = 5;
    dlda_dataset *set = NULL, *prepared = NULL;
    dlda_preparation_spec spec = spec_of("zca");

    (void)state;
    for (size_t i = 0; i < N; i++) {
        double common = check_normal(&seed);
        for (size_t p = 0; p < D; p++)
            values[i * D + p] = (float)(3 + common + 0.1 * (double)(p % 7 + 1) * check_normal(&seed));
    }
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){ .count = N, .height = 1, .width = 1, .channels = D, .classes = 1, .values = values },
        &set));
    spec.zca_bias = 1e-6;
    dlda_preparation *preparation = fitted(&spec, set, 3);
    CHECK_OK(dlda_preparation_apply(preparation, set, check_team(3), &prepared));
    CHECK_OK(dlda_dataset_images(prepared, 0, N, values));
    for (size_t p = 0; p < D; p += 13)
        for (size_t q = p; q < D; q += 29) {
            double mean = 0, product = 0;
            for (size_t i = 0; i < N; i++) mean += values[i * D + p] / N;
            for (size_t i = 0; i < N; i++) product += (double)values[i * D + p] * values[i * D + q] / N;
            assert_true(fabs(mean) < 1e-4 && fabs(product - (p == q)) < 2e-3);
        }
    dlda_preparation_destroy(preparation);
    dlda_dataset_destroy(set);
    dlda_dataset_destroy(prepared);
    free(values);
}

/* ---- Same bits ---- */

enum { MANY = 333, SIZE = 17 * 11 * 3 };

static dlda_dataset *many_images(void)
{
    unsigned char *bytes = check_memory(MANY * SIZE);
    uint64_t seed = 3;
    dlda_dataset *set = NULL;

    for (size_t i = 0; i < MANY * SIZE; i++) bytes[i] = (unsigned char)(128 + 100 * check_uniform(&seed));
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){
            .count = MANY, .height = 17, .width = 11, .channels = 3, .classes = 1, .bytes = bytes },
        &set));
    free(bytes);
    return set;
}

/* Fitted by any number of threads, applied to any number of images at any place: the same bits. */
static void test_an_image_alone_decides(void **state)
{
    static const size_t counts[] = { 1, 2, 7, 8, 9, 63, 64, 65, 130, MANY };
    dlda_dataset *set = many_images(), *prepared = NULL;
    dlda_preparation_spec spec = spec_of("standardise,gcn,zca");
    dlda_preparation *one = fitted(&spec, set, 1), *three = fitted(&spec, set, 3);
    float *expected = check_memory(MANY * SIZE * sizeof *expected),
          *images = check_memory(MANY * SIZE * sizeof *images);

    (void)state;
    assert_memory_equal(one->mean, three->mean, 3 * sizeof(float));
    assert_memory_equal(one->deviation, three->deviation, 3 * sizeof(float));
    assert_memory_equal(one->zca->mean, three->zca->mean, SIZE * sizeof(float));
    assert_memory_equal(one->zca->P, three->zca->P, SIZE * SIZE * sizeof(float));
    CHECK_OK(dlda_preparation_apply(one, set, check_team(1), &prepared));
    CHECK_OK(dlda_dataset_images(prepared, 0, MANY, expected));
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (size_t first = 0; first + counts[c] <= MANY; first += counts[c] < 20 ? 19 : counts[c]) {
            CHECK_OK(dlda_dataset_images(set, first, counts[c], images));
            run(one, 1 + c % 4, counts[c], images);
            assert_memory_equal(images, expected + first * SIZE, counts[c] * SIZE * sizeof *images);
        }
    free(expected);
    free(images);
    dlda_preparation_destroy(one);
    dlda_preparation_destroy(three);
    dlda_dataset_destroy(prepared);
    dlda_dataset_destroy(set);
}

/* A value that is no number spoils its own image only, and is not swallowed. */
static void test_not_a_number(void **state)
{
    dlda_dataset *train = dataset_of(golden_pictures, PICTURES);
    dlda_preparation_spec spec = spec_of("gcn,zca");
    dlda_preparation *preparation = fitted(&spec, train, 1);
    float good[9 * VALUES], bad[9 * VALUES];

    (void)state;
    CHECK_OK(dlda_dataset_images(train, 0, 9, good));
    memcpy(bad, good, sizeof bad);
    bad[3 * VALUES + 5] = NAN;
    run(preparation, 1, 9, good);
    run(preparation, 1, 9, bad);
    for (size_t i = 0; i < 9; i++)
        for (size_t p = i * VALUES; p < (i + 1) * VALUES; p++)
            assert_true(i == 3 ? isnan(bad[p]) : bad[p] == good[p]);
    dlda_preparation_destroy(preparation);
    dlda_dataset_destroy(train);
}

/* ---- Sets ---- */

static void test_prepared_set_keeps_the_rest(void **state)
{
    const int labels[4] = { 1, 0, 2, 1 };
    const char *const names[3] = { "ant", "bee", "cat" };
    dlda_dataset *set = NULL, *prepared = NULL;
    dlda_preparation_spec spec = spec_of("gcn");

    (void)state;
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = 4,
                                                       .height = SIDE,
                                                       .width = SIDE,
                                                       .channels = CHANNELS,
                                                       .classes = 3,
                                                       .labels = labels,
                                                       .bytes = golden_pictures,
                                                       .names = names },
                                 &set));
    dlda_preparation *preparation = fitted(&spec, set, 1);
    CHECK_OK(dlda_preparation_apply(preparation, set, NULL, &prepared));
    dlda_dataset_destroy(set);
    assert_memory_equal(dlda_dataset_labels(prepared), labels, sizeof labels);
    assert_string_equal(dlda_dataset_class_name(prepared, 2), "cat");
    assert_true(dlda_dataset_count(prepared) == 4 && dlda_dataset_width(prepared) == SIDE);
    dlda_dataset_destroy(prepared);
    dlda_preparation_destroy(preparation);
}

/* ---- Failures ---- */

static void test_refused(void **state)
{
    dlda_dataset *train = dataset_of(golden_pictures, PICTURES), *large = NULL;
    dlda_preparation_spec spec = spec_of("zca");
    dlda_preparation *none = NULL;
    static const unsigned char bytes[96 * 96 * 3];
    size_t before = dlda_memory_count().peak;

    (void)state;
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){ .count = 1, .height = 96, .width = 96, .channels = 3, .classes = 1, .bytes = bytes },
        &large));
    CHECK_STATUS(dlda_preparation_fit(&spec, large, NULL, NULL, &none), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("27648 values, expected 1 to 7000; option resize");
    assert_true(dlda_memory_count().peak - before < 1 << 20);
    spec.zca_bias = 0; /* 60 images do not fill 108 dimensions */
    CHECK_STATUS(dlda_preparation_fit(&spec, train, NULL, NULL, &none), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("a larger zca-bias helps");
    assert_null(none);
    dlda_dataset_destroy(large);
    dlda_dataset_destroy(train);
}

static void test_without_memory(void **state)
{
    dlda_dataset *train = dataset_of(golden_pictures, PICTURES);
    dlda_preparation_spec spec = spec_of("standardise,gcn,zca");
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    for (; status != DLDA_OK; n++) {
        dlda_preparation *preparation = NULL;
        dlda_dataset *prepared = NULL;
        dlda_memory_fail_at(n);
        status = dlda_preparation_fit(&spec, train, NULL, NULL, &preparation);
        if (status == DLDA_OK) status = dlda_preparation_apply(preparation, train, NULL, &prepared);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_preparation_destroy(preparation);
        dlda_dataset_destroy(prepared);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 15);
    dlda_dataset_destroy(train);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused), /* first: only growth of the peak shows */
        cmocka_unit_test(test_lists),
        cmocka_unit_test(test_as_the_twin),
        cmocka_unit_test(test_constant_images),
        cmocka_unit_test(test_whitened),
        cmocka_unit_test(test_an_image_alone_decides),
        cmocka_unit_test(test_not_a_number),
        cmocka_unit_test(test_prepared_set_keeps_the_rest),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
