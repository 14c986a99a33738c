/* SPDX-License-Identifier: MIT
 *
 * test_batch.c - flips and shifts, and the thread that makes batches: each batch is what it should be whenever it is asked
 * for, failures reach the caller, and the thread ends.
 */
#include "check.h"

#include "base/memory.h"
#include "batch/loader.h"

#include <stdatomic.h>
#include <unistd.h>

/* ---- Augmentation ---- */

enum { HEIGHT = 5, WIDTH = 4, CHANNELS = 3, VALUES = HEIGHT * WIDTH * CHANNELS };

static dlda_augmentation augmentation(int flip, size_t shift)
{
    return (dlda_augmentation){
        .seed = 9, .flip = flip, .shift = shift, .height = HEIGHT, .width = WIDTH, .channels = CHANNELS
    };
}

/* The value at a place, or 0 outside. */
static float at(const float *image, long y, long x, size_t c)
{
    int inside = y >= 0 && y < HEIGHT && x >= 0 && x < WIDTH;
    return inside ? image[(y * WIDTH + x) * CHANNELS + (long)c] : 0;
}

static void test_every_variation(void **state)
{
    dlda_augmentation self = augmentation(1, 4);
    float image[VALUES], changed[VALUES];

    (void)state;
    for (size_t p = 0; p < VALUES; p++) image[p] = (float)(p + 1);
    for (int flipped = 0; flipped < 2; flipped++)
        for (long down = -6; down <= 6; down++)
            for (long right = -5; right <= 5; right++) {
                memcpy(changed, image, sizeof image);
                dlda_augment_image(&self, &(dlda_variation){ flipped, down, right }, changed);
                for (long y = 0; y < HEIGHT; y++)
                    for (long x = 0; x < WIDTH; x++)
                        for (size_t c = 0; c < CHANNELS; c++) {
                            long from = flipped ? WIDTH - 1 - (x - right) : x - right;
                            assert_true(at(changed, y, x, c) == at(image, y - down, from, c));
                        }
            }
}

/* All values come, about equally often; flips are the same with and without shifts. */
static void test_draws(void **state)
{
    enum { DRAWS = 7000, SHIFT = 3 };
    dlda_augmentation both = augmentation(1, SHIFT), flips = augmentation(1, 0), none = augmentation(0, 0);
    size_t flipped = 0, downs[2 * SHIFT + 1] = { 0 }, rights[2 * SHIFT + 1] = { 0 }, moved = 0;

    (void)state;
    for (size_t i = 0; i < DRAWS; i++) {
        dlda_variation a = dlda_augment_draw(&both, 4, i), b = dlda_augment_draw(&flips, 4, i);
        dlda_variation c = dlda_augment_draw(&none, 4, i), later = dlda_augment_draw(&both, 5, i);
        assert_true(a.flipped == b.flipped && b.down == 0 && b.right == 0);
        assert_true(!c.flipped && c.down == 0 && c.right == 0);
        flipped += (size_t)a.flipped;
        downs[a.down + SHIFT]++;
        rights[a.right + SHIFT]++;
        moved += a.flipped != later.flipped || a.down != later.down || a.right != later.right;
    }
    assert_true(flipped > DRAWS * 0.47 && flipped < DRAWS * 0.53);
    for (size_t i = 0; i < 2 * SHIFT + 1; i++)
        assert_true(downs[i] > 880 && downs[i] < 1120 && rights[i] > 880 && rights[i] < 1120);
    assert_true(moved > DRAWS * 0.95); /* another epoch, other numbers */
}

/* ---- A source of real batches ---- */

enum { COUNT = 50, BATCH = 16, BATCHES = 4 };

typedef struct problem {
    dlda_dataset *set;
    dlda_preparation *preparation;
    dlda_batch_source source;
} problem;

static problem new_problem(void)
{
    static unsigned char bytes[COUNT * VALUES];
    static int labels[COUNT];
    problem made = { 0 };
    dlda_preparation_spec spec = { .gcn_scale = 2 };

    for (size_t i = 0; i < COUNT * VALUES; i++) bytes[i] = (unsigned char)(i * 37 + i / 11);
    for (int i = 0; i < COUNT; i++) labels[i] = i % 3;
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = HEIGHT,
                                                       .width = WIDTH,
                                                       .channels = CHANNELS,
                                                       .classes = 3,
                                                       .labels = labels,
                                                       .bytes = bytes },
                                 &made.set));
    CHECK_OK(dlda_preparation_parse("standardise,gcn", &spec));
    CHECK_OK(dlda_preparation_fit(&spec, made.set, NULL, NULL, &made.preparation));
    made.source = (dlda_batch_source){ .dataset = made.set,
                                       .preparation = made.preparation,
                                       .augmentation = augmentation(1, 1) };
    CHECK_OK(dlda_sampler_create(labels, COUNT, 3, BATCH, 7, &made.source.sampler));
    return made;
}

static void end_problem(problem *self)
{
    dlda_sampler_destroy(self->source.sampler);
    dlda_preparation_destroy(self->preparation);
    dlda_dataset_destroy(self->set);
}

static dlda_loader *new_loader(dlda_batch_filler *fill, void *source)
{
    dlda_loader *loader = NULL;
    const dlda_loader_spec spec = {
        .fill = fill, .source = source, .batches = BATCHES, .most = BATCH, .values = VALUES
    };

    CHECK_OK(dlda_loader_create(&spec, &loader));
    return loader;
}

/* What a batch must hold, made step by step. */
static void check_batch(const dlda_batch *batch, const problem *p, size_t epoch, size_t index)
{
    dlda_sampler *sampler = NULL;
    size_t n = 0;

    CHECK_OK(dlda_sampler_create(dlda_dataset_labels(p->set), COUNT, 3, BATCH, 7, &sampler));
    dlda_sampler_epoch(sampler, epoch);
    const size_t *samples = dlda_sampler_batch(sampler, index, &n);
    assert_true(batch->epoch == epoch && batch->index == index && batch->n == n);
    assert_memory_equal(batch->samples, samples, n * sizeof *samples);
    for (size_t i = 0; i < n; i++) {
        float image[VALUES];
        dlda_variation drawn = dlda_augment_draw(&p->source.augmentation, epoch, samples[i]);
        CHECK_OK(dlda_dataset_images(p->set, samples[i], 1, image));
        dlda_preparation_run(p->preparation, NULL, 1, image, NULL);
        dlda_augment_image(&p->source.augmentation, &drawn, image);
        assert_memory_equal(batch->images + i * VALUES, image, sizeof image);
        assert_int_equal(batch->labels[i], dlda_dataset_label(p->set, samples[i]));
    }
    dlda_sampler_destroy(sampler);
}

static void test_batches_in_order(void **state)
{
    problem p = new_problem();
    dlda_loader *loader = new_loader(dlda_batch_fill, &p.source);
    const dlda_batch *batch = NULL;

    (void)state;
    for (size_t epoch = 1; epoch <= 3; epoch++)
        for (size_t i = 0; i < BATCHES; i++) {
            CHECK_OK(dlda_loader_get(loader, epoch, i, &batch));
            check_batch(batch, &p, epoch, i);
            assert_true(batch->seconds >= 0);
        }
    dlda_loader_destroy(loader);
    end_problem(&p);
}

/* Any batch may be asked for, in any order, also the same again. */
static void test_batches_in_any_order(void **state)
{
    static const size_t order[][2] = { { 3, 2 }, { 3, 2 }, { 1, 0 }, { 1, 3 },
                                       { 2, 0 }, { 2, 1 }, { 9, 3 }, { 10, 0 } };
    problem p = new_problem();
    dlda_loader *loader = new_loader(dlda_batch_fill, &p.source);
    const dlda_batch *batch = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        CHECK_OK(dlda_loader_get(loader, order[i][0], order[i][1], &batch));
        check_batch(batch, &p, order[i][0], order[i][1]);
    }
    dlda_loader_destroy(loader);
    end_problem(&p);
}

static void test_loading_takes_no_memory(void **state)
{
    problem p = new_problem();
    dlda_loader *loader = new_loader(dlda_batch_fill, &p.source);
    const dlda_batch *batch = NULL;
    size_t taken = dlda_memory_count().taken;

    (void)state;
    for (size_t i = 0; i < 20; i++) CHECK_OK(dlda_loader_get(loader, i / BATCHES, i % BATCHES, &batch));
    assert_int_equal(dlda_memory_count().taken, taken);
    dlda_loader_destroy(loader);
    end_problem(&p);
}

/* ---- The thread ---- */

/* Marks what it was asked for, slowly; fails on one batch. */
typedef struct slow_source {
    useconds_t delay;
    size_t bad_epoch;
    atomic_size_t calls;
} slow_source;

static dlda_status fill_slowly(void *context, dlda_batch *batch)
{
    slow_source *self = context;

    usleep(self->delay);
    atomic_fetch_add(&self->calls, 1);
    if (batch->epoch == self->bad_epoch)
        return dlda_fail(DLDA_E_IO, "some file: cannot read batch %zu", batch->index);
    batch->n = 1;
    batch->samples[0] = 100 * batch->epoch + batch->index;
    return DLDA_OK;
}

static void test_failures_reach_the_caller(void **state)
{
    slow_source source = { .bad_epoch = 2 };
    dlda_loader *loader = new_loader(fill_slowly, &source);
    const dlda_batch *batch = NULL;

    (void)state;
    CHECK_OK(dlda_loader_get(loader, 1, 3, &batch)); /* the next one, (2, 0), fails meanwhile */
    assert_int_equal(batch->samples[0], 103);
    for (int again = 0; again < 2; again++) {
        CHECK_STATUS(dlda_loader_get(loader, 2, 0, &batch), DLDA_E_IO);
        CHECK_ERROR_SAYS("some file: cannot read batch 0");
        assert_int_equal(batch->samples[0], 103); /* still there */
    }
    CHECK_OK(dlda_loader_get(loader, 3, 1, &batch));
    assert_int_equal(batch->samples[0], 301);
    dlda_loader_destroy(loader);
}

/* Whoever stops in the middle waits for the batch that was asked for and no more: other ranks may need its images. */
static void test_ends_at_any_moment(void **state)
{
    const dlda_batch *batch = NULL;

    (void)state;
    for (size_t gets = 0; gets < 4; gets++) {
        slow_source source = { .delay = 2000 };
        dlda_loader *loader = new_loader(fill_slowly, &source);
        for (size_t i = 0; i < gets; i++) CHECK_OK(dlda_loader_get(loader, 1, i, &batch));
        dlda_loader_destroy(loader);
        assert_int_equal(atomic_load(&source.calls), gets ? gets + 1 : 0);
    }
    dlda_loader_destroy(NULL);
}

static void test_without_memory(void **state)
{
    slow_source source = { .delay = 0 };
    const dlda_loader_spec spec = {
        .fill = fill_slowly, .source = &source, .batches = BATCHES, .most = BATCH, .values = VALUES
    };
    dlda_loader_spec giant = spec;
    dlda_loader *loader = NULL;
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t n = 1; status != DLDA_OK; n++) {
        assert_true(n < 50);
        dlda_memory_fail_at(n);
        status = dlda_loader_create(&spec, &loader);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        if (status != DLDA_OK) assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_loader_destroy(loader);
    giant.most = SIZE_MAX / 4;
    CHECK_STATUS(dlda_loader_create(&giant, &loader), DLDA_E_MEMORY);
    assert_int_equal(dlda_memory_count().live, live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_variation),         cmocka_unit_test(test_draws),
        cmocka_unit_test(test_batches_in_order),        cmocka_unit_test(test_batches_in_any_order),
        cmocka_unit_test(test_loading_takes_no_memory), cmocka_unit_test(test_failures_reach_the_caller),
        cmocka_unit_test(test_ends_at_any_moment),      cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
