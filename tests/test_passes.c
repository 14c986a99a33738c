/* SPDX-License-Identifier: MIT
 *
 * test_passes.c - passes over a batch in norm groups: the same bits for any number of groups in memory, the same as
 * plans that see one group each, and gradients against finite differences.
 */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "network/network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 23 };

static const char text[] = "conv 5 3 pad 1\nmaxpool 2\ndropout 0.25\nconv 16 3 pad 1\nconv 4 1\ngap\ndense 3\n";
static const dlda_shape input = { 8, 6, 2 };

typedef struct fixture {
    dlda_network *network;
    float *weights, *X, *R; /* R: random dH, so that the loss is sum(R * H) */
    size_t samples[BATCH];
} fixture;

/* What a step gives. */
typedef struct outcome {
    float *H, *gradient, *state;
} outcome;

static float *random_floats(size_t n, uint32_t a)
{
    float *values = NULL;
    dlda_random random = dlda_random_stream(7, DLDA_RANDOM_TEST, a, 0);

    assert_int_equal(DLDA_TAKE(&values, n, "test"), DLDA_OK);
    dlda_random_normal(&random, n, 1, values);
    return values;
}

static fixture new_fixture(void)
{
    fixture f = { 0 };

    CHECK_OK(dlda_network_parse(text, "test", input, 0, &f.network));
    f.weights = random_floats(f.network->n_weights, 1);
    f.X = random_floats(BATCH * dlda_shape_size(input), 2);
    f.R = random_floats(BATCH * f.network->features, 3);
    for (size_t i = 0; i < BATCH; i++) f.samples[i] = 100 + 7 * i;
    return f;
}

static void end_fixture(fixture *f)
{
    dlda_network_destroy(f->network);
    dlda_release(f->weights);
    dlda_release(f->X);
    dlda_release(f->R);
}

static outcome new_outcome(const fixture *f)
{
    outcome o = { random_floats(BATCH * f->network->features, 4), random_floats(f->network->n_weights, 5),
                  random_floats(f->network->n_state, 6) };

    for (size_t i = 0; i < f->network->n_state; i++) o.state[i] = 0.5f;
    for (size_t i = 0; i < f->network->n_weights; i++)
        o.gradient[i] = 0; /* nothing writes between two parameters */
    return o;
}

static void end_outcome(outcome *o)
{
    dlda_release(o->H);
    dlda_release(o->gradient);
    dlda_release(o->state);
}

static dlda_step step_of(const fixture *f, size_t number)
{
    return (dlda_step){ 11, 2, number, f->samples };
}

/* The images of samples, as the fixture numbers them. */
static void make_images(void *source, size_t epoch, const size_t *samples, size_t n, float *images)
{
    const fixture *f = source;
    size_t size = dlda_shape_size(input);

    assert_int_equal(epoch, 2);
    for (size_t i = 0; i < n; i++)
        memcpy(images + i * size, f->X + (samples[i] - 100) / 7 * size, size * sizeof *images);
}

/* Two steps, so that the second finds memory that was used. */
static outcome run(const fixture *f, size_t n, size_t group, size_t micro, size_t threads)
{
    dlda_image_maker *make = micro % 2 ? make_images : NULL;
    const dlda_passes_spec spec = {
        BATCH, group, micro, check_team(threads), DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT, NULL, make, (void *)f
    };
    const float *X = make && dlda_passes_images(&spec) ? NULL : f->X;
    dlda_passes *passes = NULL;
    outcome o = new_outcome(f);

    CHECK_OK(dlda_passes_create(f->network, &spec, &passes));
    for (size_t number = 0; number < 2; number++) {
        const dlda_step step = step_of(f, number);
        memcpy(o.H, dlda_passes_forward(passes, f->weights, o.state, X, n, &step),
               n * f->network->features * sizeof *o.H);
        CHECK_OK(dlda_passes_backward(passes, f->weights, f->R, o.gradient));
    }
    dlda_passes_destroy(passes);
    return o;
}

static void check_same(const fixture *f, const outcome *a, const outcome *b, size_t n)
{
    assert_memory_equal(a->H, b->H, n * f->network->features * sizeof *a->H);
    assert_memory_equal(a->gradient, b->gradient, f->network->n_weights * sizeof *a->gradient);
    assert_memory_equal(a->state, b->state, f->network->n_state * sizeof *a->state);
}

static void test_memory_decides_no_bit(void **state)
{
    static const size_t groups[] = { 0, 2, 5, 8, 11, 12, 23, 100 };
    fixture f = new_fixture();

    (void)state;
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (size_t n = BATCH - 1; n <= BATCH; n++) { /* batches of an epoch differ by one */
            outcome all = run(&f, n, groups[i], 0, 1);
            for (size_t micro = 1; micro <= BATCH; micro += 3) { /* odd: images are made */
                outcome some = run(&f, n, groups[i], micro, 1 + micro % 3);
                check_same(&f, &all, &some, n);
                end_outcome(&some);
            }
            end_outcome(&all);
        }
    end_fixture(&f);
}

/* Rows of group k of n rows. */
static size_t first_row(size_t k, size_t groups, size_t n)
{
    return k * n / groups;
}

/* Each group as a batch of its own: the same features, and gradients that add up. */
static void test_groups_are_batches(void **state)
{
    enum { GROUPS = 3 }; /* of about 8 */
    fixture f = new_fixture();
    size_t D = f.network->features, in = dlda_shape_size(input);
    outcome whole = run(&f, BATCH, 8, 0, 2), apart = new_outcome(&f);
    double *sum = NULL;

    (void)state;
    CHECK_OK(DLDA_TAKE(&sum, f.network->n_weights, "test"));
    for (size_t number = 0; number < 2; number++)
        for (size_t k = 0; k < GROUPS; k++) {
            size_t first = first_row(k, GROUPS, BATCH), rows = first_row(k + 1, GROUPS, BATCH) - first;
            const dlda_plan_spec spec = { rows, check_team(2), 1, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
            dlda_step step = step_of(&f, number * GROUPS + k); /* running statistics count each group once */
            dlda_plan *plan = NULL;
            step.samples += first;
            CHECK_OK(dlda_plan_create(f.network, &spec, &plan));
            const float *H = dlda_plan_forward(plan, f.weights, apart.state, f.X + first * in, rows, &step);
            assert_memory_equal(H, whole.H + first * D, rows * D * sizeof *H);
            dlda_plan_backward(plan, f.weights, f.R + first * D, apart.gradient, NULL);
            for (size_t i = 0; number == 1 && i < f.network->n_weights; i++) sum[i] += apart.gradient[i];
            dlda_plan_destroy(plan);
        }
    assert_memory_equal(whole.state, apart.state, f.network->n_state * sizeof *apart.state);
    for (size_t i = 0; i < f.network->n_weights; i++)
        if (!(fabs(sum[i] - whole.gradient[i]) <= 1e-5 * (1 + fabs(sum[i]))))
            fail_msg("weight %zu: %g, expected %g", i, (double)whole.gradient[i], sum[i]);
    dlda_release(sum);
    end_outcome(&whole);
    end_outcome(&apart);
    end_fixture(&f);
}

static double loss_of(const fixture *f, const dlda_passes_spec *spec)
{
    dlda_passes *passes = NULL;
    outcome o = new_outcome(f);
    const dlda_step step = step_of(f, 0);
    double loss = 0;

    CHECK_OK(dlda_passes_create(f->network, spec, &passes));
    const float *H = dlda_passes_forward(passes, f->weights, o.state, f->X, BATCH, &step);
    for (size_t i = 0; i < BATCH * f->network->features; i++) loss += (double)H[i] * f->R[i];
    dlda_passes_destroy(passes);
    end_outcome(&o);
    return loss;
}

/* Ten weights of each parameter; a step across a kink of ReLU or the maximum may spoil a few differences. */
static void test_gradients_by_differences(void **state)
{
    fixture f = new_fixture();
    const dlda_passes_spec spec = { BATCH, 8,    8,   check_team(1), DLDA_KERNELS_REFERENCE, DLDA_PRECISION_FLOAT,
                                    NULL,  NULL, NULL };
    outcome o = run(&f, BATCH, 8, 8, 1);
    size_t tried = 0, good = 0;

    (void)state;
    for (size_t i = 0; i < f.network->n_weights; i += 11) {
        const float before = f.weights[i], h = 2e-3f;
        if (o.gradient[i] == 0) continue; /* between parameters */
        f.weights[i] = before + h;
        double up = loss_of(&f, &spec);
        f.weights[i] = before - h;
        double difference = (up - loss_of(&f, &spec)) / (2 * (double)h);
        f.weights[i] = before;
        tried++;
        good += fabs(difference - o.gradient[i]) <= 0.03 * (1 + fabs(difference));
    }
    assert_true(tried > 50);
    if (20 * good < 19 * tried) fail_msg("%zu of %zu differences agree", good, tried);
    end_outcome(&o);
    end_fixture(&f);
}

static void test_memory_is_predicted_and_released(void **state)
{
    fixture f = new_fixture();
    size_t live = dlda_memory_count().live, whole = 0, least = 0, bytes = 0;
    dlda_passes_spec spec = { BATCH, 4,           0, check_team(1), DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT,
                              NULL,  make_images, &f };
    dlda_passes *passes = NULL;
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    CHECK_OK(dlda_passes_measure(f.network, &spec, &whole));
    spec.micro = 4;
    CHECK_OK(dlda_passes_measure(f.network, &spec, &least));
    assert_true(3 * least < 2 * whole);
    spec.group = 0; /* one group: what a plan takes */
    const dlda_plan_spec plan = { BATCH, check_team(1), 1, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    CHECK_OK(dlda_passes_measure(f.network, &spec, &whole));
    CHECK_OK(dlda_plan_measure(f.network, &plan, &bytes));
    assert_int_equal(whole, bytes);
    spec.group = 4;
    for (size_t n = 1; status != DLDA_OK; n++) {
        assert_true(n < 40);
        dlda_memory_fail_at(n);
        status = dlda_passes_create(f.network, &spec, &passes);
        if (status == DLDA_OK) break;
        assert_int_equal(status, DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_memory_fail_at(0);
    dlda_passes_destroy(passes);
    end_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_decides_no_bit),
        cmocka_unit_test(test_groups_are_batches),
        cmocka_unit_test(test_gradients_by_differences),
        cmocka_unit_test(test_memory_is_predicted_and_released),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
