/* SPDX-License-Identifier: MIT
 *
 * test_splits.c - parts of a data set: subsets, folds of cross validation, and folds that a set brings along.
 */
#include "check.h"

#include "base/memory.h"
#include "dataset/dataset_internal.h"

enum { COUNT = 103, CLASSES = 4 };

static const size_t class_counts[CLASSES] = { 50, 30, 22, 1 };

/* Sample i has the value i. */
static dlda_dataset *new_set(void)
{
    static float values[COUNT];
    static int labels[COUNT];
    dlda_dataset *set = NULL;
    size_t left[CLASSES];

    memcpy(left, class_counts, sizeof left);
    for (size_t i = 0, c = 0; i < COUNT; i++) {
        for (c = (c + 1) % CLASSES; left[c] == 0;) c = (c + 1) % CLASSES;
        left[c]--;
        labels[i] = (int)c;
        values[i] = (float)i;
    }
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = 1,
                                                       .width = 1,
                                                       .channels = 1,
                                                       .classes = CLASSES,
                                                       .labels = labels,
                                                       .values = values },
                                 &set));
    return set;
}

/* Adds one to seen[sample] for each sample of a part, and checks that labels went along, in the parent's order. */
static void see(const dlda_dataset *whole, const dlda_dataset *part, size_t seen[COUNT])
{
    float before = -1, value = 0;

    for (size_t i = 0; i < dlda_dataset_count(part); i++) {
        CHECK_OK(dlda_dataset_images(part, i, 1, &value));
        assert_true(value > before);
        assert_int_equal(dlda_dataset_label(part, i), dlda_dataset_label(whole, (size_t)value));
        seen[(size_t)value]++;
        before = value;
    }
}

static size_t of_class(const dlda_dataset *set, int c)
{
    size_t n = 0;

    for (size_t i = 0; i < dlda_dataset_count(set); i++) n += dlda_dataset_label(set, i) == c;
    return n;
}

/* ---- Subsets ---- */

static void test_subsets(void **state)
{
    dlda_dataset *set = new_set();

    (void)state;
    for (size_t count = 1; count <= COUNT; count++) {
        dlda_dataset *subset = NULL;
        size_t seen[COUNT] = { 0 };
        CHECK_OK(dlda_dataset_subset(set, count, 5, &subset));
        assert_int_equal(dlda_dataset_count(subset), count);
        see(set, subset, seen);
        for (size_t i = 0; i < COUNT; i++) assert_true(seen[i] <= 1);
        for (int c = 0; c < CLASSES; c++) {
            double share = (double)count * (double)class_counts[c] / COUNT;
            assert_true(fabs((double)of_class(subset, c) - share) < 1);
        }
        dlda_dataset_destroy(subset);
    }
    dlda_dataset_destroy(set);
}

static void test_seeds(void **state)
{
    dlda_dataset *set = new_set(), *a = NULL, *b = NULL, *c = NULL, *rest = NULL, *d = NULL;
    float values[4][50];

    (void)state;
    CHECK_OK(dlda_dataset_subset(set, 50, 5, &a));
    CHECK_OK(dlda_dataset_subset(set, 50, 5, &b));
    CHECK_OK(dlda_dataset_subset(set, 50, 6, &c));
    CHECK_OK(dlda_dataset_split(set, 50, 5, &rest, &d)); /* same seed, other purpose: other samples */
    dlda_dataset *sets[4] = { a, b, c, d };
    for (int i = 0; i < 4; i++) CHECK_OK(dlda_dataset_images(sets[i], 0, 50, values[i]));
    assert_memory_equal(values[0], values[1], sizeof values[0]);
    assert_memory_not_equal(values[0], values[2], sizeof values[0]);
    assert_memory_not_equal(values[0], values[3], sizeof values[0]);
    for (int i = 0; i < 4; i++) dlda_dataset_destroy(sets[i]);
    dlda_dataset_destroy(rest);
    dlda_dataset_destroy(set);
}

/* ---- Folds ---- */

static void test_folds(void **state)
{
    static const size_t numbers[] = { 2, 3, 5, 10, 50, COUNT };
    dlda_dataset *set = new_set();

    (void)state;
    for (size_t f = 0; f < sizeof numbers / sizeof numbers[0]; f++) {
        size_t folds = numbers[f], held[COUNT] = { 0 };
        for (size_t fold = 1; fold <= folds; fold++) {
            dlda_dataset *train = NULL, *held_out = NULL;
            size_t seen[COUNT] = { 0 };
            CHECK_OK(dlda_dataset_folds(set, folds, fold, 3, &train, &held_out));
            see(set, train, seen);
            see(set, held_out, seen);
            see(set, held_out, held);
            for (size_t i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
            assert_true(dlda_dataset_count(held_out) - COUNT / folds <= 1);
            for (int c = 0; c < CLASSES; c++) assert_true(of_class(held_out, c) - class_counts[c] / folds <= 1);
            dlda_dataset_destroy(train);
            dlda_dataset_destroy(held_out);
        }
        for (size_t i = 0; i < COUNT; i++) assert_int_equal(held[i], 1); /* each sample once */
    }
    dlda_dataset_destroy(set);
}

static void give_folds(dlda_dataset *set, size_t n, const size_t *start, const size_t *samples,
                       dlda_status expected)
{
    size_t *starts = NULL, *copy = NULL;

    CHECK_OK(DLDA_TAKE(&starts, n + 1, "folds"));
    CHECK_OK(DLDA_TAKE(&copy, start[n], "folds"));
    memcpy(starts, start, (n + 1) * sizeof *start);
    memcpy(copy, samples, start[n] * sizeof *samples);
    CHECK_STATUS(dlda_dataset_set_folds(set, n, &starts, &copy), expected);
    assert_true((starts == NULL) == (expected == DLDA_OK));
    dlda_release(starts);
    dlda_release(copy);
}

static void test_own_folds(void **state)
{
    const size_t start[] = { 0, 3, 7 }, samples[] = { 9, 0, 102, 50, 51, 52, 9 },
                 wrong[] = { 9, 0, 103, 1, 1, 1, 1 };
    dlda_dataset *set = new_set(), *fold = NULL, *half = NULL, *other = NULL;
    float values[4];

    (void)state;
    assert_int_equal(dlda_dataset_own_folds(set), 0);
    CHECK_STATUS(dlda_dataset_fold(set, 1, &fold), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("no folds of its own; option folds");
    give_folds(set, 2, start, wrong, DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("entry 2 is sample 103, expected less than 103");
    give_folds(set, 2, start, samples, DLDA_OK);
    give_folds(set, 2, start, samples, DLDA_OK); /* replaces them */
    assert_int_equal(dlda_dataset_own_folds(set), 2);
    CHECK_OK(dlda_dataset_fold(set, 1, &fold));
    assert_int_equal(dlda_dataset_count(fold), 3);
    CHECK_OK(dlda_dataset_images(fold, 0, 3, values));
    assert_true(values[0] == 0 && values[1] == 9 && values[2] == 102);
    dlda_dataset_destroy(fold);
    CHECK_STATUS(dlda_dataset_fold(set, 3, &fold), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("fold: 3, expected 1 to 2, which the data set has");
    CHECK_STATUS(dlda_dataset_fold(set, 0, &fold), DLDA_E_ARGUMENT);
    /* A part of the set knows them too. */
    CHECK_OK(dlda_dataset_split(set, 60, 1, &half, &other));
    dlda_dataset_destroy(set);
    dlda_dataset *a = NULL, *b = NULL;
    dlda_status status_a = dlda_dataset_fold(half, 2, &a), status_b = dlda_dataset_fold(other, 2, &b);
    size_t found = (status_a == DLDA_OK ? dlda_dataset_count(a) : 0) +
                   (status_b == DLDA_OK ? dlda_dataset_count(b) : 0);
    assert_int_equal(found, 4);
    dlda_dataset_destroy(a);
    dlda_dataset_destroy(b);
    dlda_dataset_destroy(half);
    dlda_dataset_destroy(other);
}

/* ---- Refused ---- */

static void test_refused(void **state)
{
    dlda_dataset *set = new_set(), *a = NULL, *b = NULL;

    (void)state;
    CHECK_STATUS(dlda_dataset_subset(set, 0, 1, &a), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_dataset_subset(set, COUNT + 1, 1, &a), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("subset: 104 of 103 samples");
    CHECK_STATUS(dlda_dataset_folds(set, 1, 1, 1, &a, &b), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_dataset_folds(set, COUNT + 1, 1, 1, &a, &b), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("folds: 104, expected 2 to 103");
    CHECK_STATUS(dlda_dataset_folds(set, 5, 0, 1, &a, &b), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_dataset_folds(set, 5, 6, 1, &a, &b), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("fold: 6, expected 1 to 5");
    assert_true(!a && !b);
    dlda_dataset_destroy(set);
}

static void test_without_memory(void **state)
{
    dlda_dataset *set = new_set();
    const size_t start[] = { 0, 2 }, samples[] = { 4, 5 };
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    give_folds(set, 1, start, samples, DLDA_OK);
    size_t live = dlda_memory_count().live;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_dataset *parts[4] = { NULL, NULL, NULL, NULL };
        dlda_memory_fail_at(n);
        status = dlda_dataset_subset(set, 10, 1, &parts[0]);
        if (status == DLDA_OK) status = dlda_dataset_folds(set, 3, 1, 1, &parts[1], &parts[2]);
        if (status == DLDA_OK) status = dlda_dataset_fold(set, 1, &parts[3]);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        for (int i = 0; i < 4; i++) dlda_dataset_destroy(parts[i]);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_dataset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_subsets),   cmocka_unit_test(test_seeds),   cmocka_unit_test(test_folds),
        cmocka_unit_test(test_own_folds), cmocka_unit_test(test_refused), cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
