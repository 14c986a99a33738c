/* SPDX-License-Identifier: MIT
 *
 * test_sampler.c - batches: every sample once, class shares kept, sizes equal, order a function of the seed.
 */
#include "base/memory.h"
#include "base/random.h"
#include "batch/sampler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SAMPLES = 400, MOST_CLASSES = 24 };

typedef struct label_set {
    size_t count, classes, batch;
    int labels[MOST_SAMPLES];
    size_t per_class[MOST_CLASSES];
} label_set;

static void count_classes(label_set *set)
{
    memset(set->per_class, 0, sizeof set->per_class);
    for (size_t i = 0; i < set->count; i++) set->per_class[set->labels[i]]++;
}

/* Class sizes from even to very uneven; some classes stay empty. */
static label_set random_set(dlda_random *random)
{
    label_set set = { .count = 1 + (size_t)dlda_random_below(random, MOST_SAMPLES),
                      .classes = 1 + (size_t)dlda_random_below(random, MOST_CLASSES) };
    size_t skew = (size_t)dlda_random_below(random, 5);

    set.batch = 1 + (size_t)dlda_random_below(random, set.count);
    if (dlda_random_below(random, 2)) set.batch = 1 + set.batch / 8; /* many batches */
    if (set.batch > set.count) set.batch = set.count;
    for (size_t i = 0; i < set.count; i++) {
        size_t c = (size_t)dlda_random_below(random, set.classes);
        for (size_t k = 0; k < skew; k++) c = (size_t)dlda_random_below(random, c + 1);
        set.labels[i] = (int)c;
    }
    count_classes(&set);
    return set;
}

static dlda_sampler *make(const label_set *set, uint64_t seed)
{
    dlda_sampler *sampler = NULL;

    assert_int_equal(dlda_sampler_create(set->labels, set->count, set->classes, set->batch, seed, &sampler),
                     DLDA_OK);
    return sampler;
}

/* What one batch may not do, given what each class had left before it. */
static void check_batch(const label_set *set, const size_t *in_batch, const size_t *left, size_t n, size_t batches)
{
    size_t present = 0, sum = 0, fewest_left = SIZE_MAX, chosen = 0;
    int even = 1; /* no class has fewer samples than there are batches */

    for (size_t c = 0; c < set->classes; c++) {
        present += left[c] > 0;
        sum += in_batch[c];
        if (set->per_class[c] > 0 && set->per_class[c] < batches) even = 0;
        if (in_batch[c] > 0 && left[c] < fewest_left) fewest_left = left[c];
        chosen += in_batch[c] > 0;
    }
    assert_int_equal(sum, n);
    for (size_t c = 0; c < set->classes; c++) {
        assert_true(in_batch[c] <= left[c]);
        if (present <= n && left[c] > 0) assert_true(in_batch[c] >= 1);
        if (present > n && in_batch[c] == 0) assert_true(left[c] <= fewest_left);
        if (even) {
            size_t share = set->per_class[c] / batches;
            assert_in_range(in_batch[c], share, share + (set->per_class[c] % batches != 0));
        }
    }
    if (present > n) assert_int_equal(chosen, n);
}

static void check_epoch(const label_set *set, const dlda_sampler *sampler)
{
    size_t batches = dlda_sampler_batches(sampler), largest = 0, smallest = SIZE_MAX, n = 0;
    size_t left[MOST_CLASSES];
    char seen[MOST_SAMPLES] = { 0 };

    assert_int_equal(batches, (set->count + set->batch - 1) / set->batch);
    memcpy(left, set->per_class, sizeof left);
    for (size_t i = 0; i < batches; i++) {
        size_t in_batch[MOST_CLASSES] = { 0 };
        const size_t *samples = dlda_sampler_batch(sampler, i, &n);
        if (n > largest) largest = n;
        if (n < smallest) smallest = n;
        for (size_t k = 0; k < n; k++) {
            assert_true(samples[k] < set->count);
            assert_false(seen[samples[k]]);
            seen[samples[k]] = 1;
            in_batch[set->labels[samples[k]]]++;
        }
        check_batch(set, in_batch, left, n, batches);
        for (size_t c = 0; c < set->classes; c++) left[c] -= in_batch[c];
    }
    for (size_t i = 0; i < set->count; i++) assert_true(seen[i]);
    assert_true(largest <= set->batch);
    assert_true(largest - smallest <= 1);
    assert_int_equal(dlda_sampler_size(sampler, 0), largest);
}

static void test_many_random_label_sets(void **state)
{
    dlda_random random = dlda_random_stream(1, DLDA_RANDOM_TEST, 0, 0);

    (void)state;
    for (int round = 0; round < 4000; round++) {
        label_set set = random_set(&random);
        dlda_sampler *sampler = make(&set, (uint64_t)round);
        for (size_t epoch = 1; epoch <= 2; epoch++) {
            dlda_sampler_epoch(sampler, epoch);
            check_epoch(&set, sampler);
        }
        dlda_sampler_destroy(sampler);
    }
}

static label_set set_of(size_t classes, const size_t *per_class, size_t batch)
{
    label_set set = { .classes = classes, .batch = batch };

    for (size_t c = 0; c < classes; c++)
        for (size_t i = 0; i < per_class[c]; i++) set.labels[set.count++] = (int)c;
    count_classes(&set);
    return set;
}

static void test_hard_label_sets(void **state)
{
    static const size_t sizes[][6] = {
        { 100, 1, 1, 1, 1, 1 },  { 390, 0, 0, 0, 0, 1 }, { 1, 1, 1, 1, 1, 1 },       { 0, 0, 0, 0, 0, 7 },
        { 3, 50, 3, 50, 3, 50 }, { 10, 9, 8, 7, 6, 5 },  { 64, 64, 64, 64, 64, 64 }, { 60, 2, 0, 60, 0, 2 },
    };

    (void)state;
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        label_set set = set_of(6, sizes[k], 1);
        for (set.batch = 1; set.batch <= set.count; set.batch++) {
            dlda_sampler *sampler = make(&set, 5);
            dlda_sampler_epoch(sampler, set.batch);
            check_epoch(&set, sampler);
            dlda_sampler_destroy(sampler);
        }
    }
}

/* A rare class is in the first batches, one sample each, until it has none left. */
static void test_rare_class_is_dealt_at_once(void **state)
{
    label_set set = set_of(3, (const size_t[]){ 60, 36, 4 }, 10);
    dlda_sampler *sampler = make(&set, 3);

    (void)state;
    for (size_t i = 0; i < 10; i++) {
        size_t n = 0, rare = 0;
        const size_t *samples = dlda_sampler_batch(sampler, i, &n);
        for (size_t k = 0; k < n; k++) rare += set.labels[samples[k]] == 2;
        assert_int_equal(rare, i < 4 ? 1 : 0);
    }
    dlda_sampler_destroy(sampler);
}

/* All samples of an epoch; sampler batches lie one after the other. */
static void copy_order(const dlda_sampler *sampler, size_t *order)
{
    size_t n = 0, at = 0;

    for (size_t i = 0; i < dlda_sampler_batches(sampler); i++) {
        const size_t *samples = dlda_sampler_batch(sampler, i, &n);
        memcpy(order + at, samples, n * sizeof *order);
        at += n;
    }
}

static void test_order_is_a_function_of_seed_and_epoch(void **state)
{
    label_set set = set_of(4, (const size_t[]){ 50, 51, 52, 53 }, 32);
    dlda_sampler *one = make(&set, 7), *same = make(&set, 7), *other = make(&set, 8);
    size_t a[MOST_SAMPLES], b[MOST_SAMPLES];
    size_t bytes = set.count * sizeof *a;

    (void)state;
    for (size_t epoch = 0; epoch < 5; epoch++) dlda_sampler_epoch(one, epoch); /* a past that must not matter */
    dlda_sampler_epoch(one, 2);
    dlda_sampler_epoch(same, 2);
    dlda_sampler_epoch(other, 2);
    copy_order(one, a);
    copy_order(same, b);
    assert_memory_equal(a, b, bytes);
    copy_order(other, b);
    assert_memory_not_equal(a, b, bytes);
    dlda_sampler_epoch(same, 3);
    copy_order(same, b);
    assert_memory_not_equal(a, b, bytes);
    dlda_sampler_destroy(one);
    dlda_sampler_destroy(same);
    dlda_sampler_destroy(other);
}

/* Within a batch the classes are mixed, and over epochs each sample meets each batch. */
static void test_order_is_well_mixed(void **state)
{
    label_set set = set_of(2, (const size_t[]){ 20, 20 }, 10);
    dlda_sampler *sampler = make(&set, 1);
    size_t first_class = 0, meetings[40][4] = { { 0 } };
    enum { EPOCHS = 400 };

    (void)state;
    for (size_t epoch = 0; epoch < EPOCHS; epoch++) {
        dlda_sampler_epoch(sampler, epoch);
        for (size_t i = 0; i < 4; i++) {
            size_t n = 0;
            const size_t *samples = dlda_sampler_batch(sampler, i, &n);
            first_class += set.labels[samples[0]] == 0;
            for (size_t k = 0; k < n; k++) meetings[samples[k]][i]++;
        }
    }
    assert_in_range(first_class, 700, 900); /* 800 expected of 1600, standard deviation 20 */
    for (size_t s = 0; s < 40; s++)
        for (size_t i = 0; i < 4; i++) assert_in_range(meetings[s][i], 50, 150); /* 100 expected, deviation 9 */
    dlda_sampler_destroy(sampler);
}

static void test_bad_arguments(void **state)
{
    const int labels[4] = { 0, 1, 2, 1 }, negative[4] = { 0, 1, -1, 0 };
    dlda_sampler *sampler = NULL;

    (void)state;
    assert_int_equal(dlda_sampler_create(labels, 4, 3, 0, 1, &sampler), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_sampler_create(labels, 4, 3, 5, 1, &sampler), DLDA_E_ARGUMENT);
    assert_string_equal(dlda_last_error(), "sampler: batch 5, expected 1 to 4 (the number of samples)");
    assert_int_equal(dlda_sampler_create(labels, 4, 2, 2, 1, &sampler), DLDA_E_ARGUMENT);
    assert_non_null(strstr(dlda_last_error(), "sample 2 has label 2"));
    assert_int_equal(dlda_sampler_create(negative, 4, 3, 2, 1, &sampler), DLDA_E_ARGUMENT);
    assert_int_equal(dlda_sampler_create(labels, 0, 3, 1, 1, &sampler), DLDA_E_ARGUMENT);
    assert_null(sampler);
    dlda_sampler_destroy(NULL);
}

static void test_no_memory(void **state)
{
    label_set set = set_of(3, (const size_t[]){ 5, 6, 7 }, 4);
    dlda_sampler *sampler = NULL;
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 0;

    (void)state;
    while (status != DLDA_OK) {
        assert_true(n < 50);
        dlda_memory_fail_at(++n);
        status = dlda_sampler_create(set.labels, set.count, set.classes, set.batch, 1, &sampler);
        dlda_memory_fail_at(0);
        if (status == DLDA_OK) break;
        assert_int_equal(status, DLDA_E_MEMORY);
        assert_null(sampler);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 5);
    size_t taken = dlda_memory_count().taken;
    dlda_sampler_epoch(sampler, 1);
    assert_int_equal(dlda_memory_count().taken, taken);
    dlda_sampler_destroy(sampler);
    assert_int_equal(dlda_memory_count().live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_random_label_sets),
        cmocka_unit_test(test_hard_label_sets),
        cmocka_unit_test(test_rare_class_is_dealt_at_once),
        cmocka_unit_test(test_order_is_a_function_of_seed_and_epoch),
        cmocka_unit_test(test_order_is_well_mixed),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
