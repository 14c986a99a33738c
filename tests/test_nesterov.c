/* SPDX-License-Identifier: MIT
 *
 * test_nesterov.c - the optimiser against golden steps, its independence of threads, and the learning rates.
 */
#include "check.h"

#include "golden/golden_nesterov.h"
#include "optimiser/nesterov.h"
#include "optimiser/schedule.h"

static void check_rule(size_t r)
{
    const dlda_nesterov rule = { nesterov_rules[r][0], nesterov_rules[r][1], nesterov_rules[r][2] };
    float weights[NESTEROV_N], velocity[NESTEROV_N] = { 0 };

    memcpy(weights, nesterov_first_weights, sizeof weights);
    for (size_t step = 0; step < NESTEROV_STEPS; step++) {
        size_t at = (r * NESTEROV_STEPS + step) * NESTEROV_N;
        dlda_nesterov_step(&rule, check_team(2), NESTEROV_N, nesterov_gradients + step * NESTEROV_N, velocity,
                           weights);
        CHECK_NEAR_FLOAT(weights, nesterov_weights + at, NESTEROV_N, 1e-5, "rule %zu step %zu weights", r, step);
        CHECK_NEAR_FLOAT(velocity, nesterov_velocity + at, NESTEROV_N, 1e-5, "rule %zu step %zu velocity", r, step);
    }
}

static void test_golden(void **state)
{
    (void)state;
    for (size_t r = 0; r < NESTEROV_RULES; r++) check_rule(r);
}

/* Without momentum and decay it is plain gradient descent. */
static void test_plain_descent(void **state)
{
    (void)state;
    const dlda_nesterov rule = { 0.25, 0, 0 };
    const float gradient[3] = { 1, -2, 0 };
    float velocity[3] = { 9, 9, 9 }, weights[3] = { 1, 1, 1 };

    dlda_nesterov_step(&rule, check_team(1), 3, gradient, velocity, weights);
    CHECK_NEAR_FLOAT(weights, ((double[]){ 0.75, 1.5, 1 }), 3, 1e-7, "weights");
    CHECK_NEAR_FLOAT(velocity, ((double[]){ -0.25, 0.5, 0 }), 3, 1e-7, "velocity");
}

static void test_no_weights(void **state)
{
    (void)state;
    const dlda_nesterov rule = { 0.1, 0.9, 1e-4 };
    float gradient = 1, velocity = 2, weight = 3;

    dlda_nesterov_step(&rule, check_team(2), 0, &gradient, &velocity, &weight);
    assert_true(velocity == 2 && weight == 3);
}

/* The same bits for any number of threads; nothing behind the last weight is touched. */
static void test_threads(void **state)
{
    (void)state;
    enum { N = 100003, SPARE = 16 };
    const dlda_nesterov rule = { 0.1, 0.9, 1e-4 };
    float *gradient = check_nan_floats(N), *velocity[2], *weights[2];
    uint64_t seed = 5;

    for (size_t k = 0; k < 2; k++)
        velocity[k] = check_nan_floats(N + SPARE), weights[k] = check_nan_floats(N + SPARE);
    for (size_t i = 0; i < N; i++) {
        gradient[i] = (float)check_normal(&seed);
        velocity[0][i] = velocity[1][i] = (float)check_normal(&seed);
        weights[0][i] = weights[1][i] = (float)check_normal(&seed);
    }
    dlda_nesterov_step(&rule, check_team(1), N, gradient, velocity[0], weights[0]);
    dlda_nesterov_step(&rule, check_team(4), N, gradient, velocity[1], weights[1]);
    assert_memory_equal(velocity[0], velocity[1], N * sizeof(float));
    assert_memory_equal(weights[0], weights[1], N * sizeof(float));
    for (size_t i = N; i < N + SPARE; i++) assert_true(isnan(velocity[1][i]) && isnan(weights[1][i]));
    for (size_t k = 0; k < 2; k++) free(velocity[k]), free(weights[k]);
    free(gradient);
}

/* The rate of an epoch, counted from 1, that halves every n. */
static double halved(size_t n, size_t epoch)
{
    const dlda_schedule schedule = { DLDA_HALVING, 0.1, 0, n, 100 };

    double first = dlda_schedule_rate(&schedule, (double)(epoch - 1));
    assert_true(dlda_schedule_rate(&schedule, (double)epoch - 0.01) == first);
    return first;
}

static void test_halving(void **state)
{
    (void)state;
    assert_true(halved(25, 1) == 0.1);
    assert_true(halved(25, 25) == 0.1);
    assert_true(halved(25, 26) == 0.05);
    assert_true(halved(25, 50) == 0.05);
    assert_true(halved(25, 51) == 0.025);
    assert_true(halved(1, 4) == 0.0125);
    assert_true(halved(0, 1) == 0.1);
    assert_true(halved(0, 1000000) == 0.1);
    assert_true(halved(1, 1000000) >= 0 && halved(1, 1000000) < 1e-300);
}

static void test_cosine_and_warm_up(void **state)
{
    const dlda_schedule plain = { DLDA_COSINE, 0.4, 0, 1, 10 }, warm = { DLDA_COSINE, 0.4, 2, 1, 10 };
    const dlda_schedule halving = { DLDA_HALVING, 0.4, 0.5, 1, 10 };

    (void)state;
    assert_true(dlda_schedule_rate(&plain, 0) == 0.4);
    assert_float_equal(dlda_schedule_rate(&plain, 5), 0.2, 1e-15);
    assert_float_equal(dlda_schedule_rate(&plain, 2.5), 0.2 * (1 + sqrt(0.5)), 1e-15);
    assert_float_equal(dlda_schedule_rate(&plain, 10), 0, 1e-15);
    assert_float_equal(dlda_schedule_rate(&plain, 11), 0, 1e-15);
    assert_true(dlda_schedule_rate(&warm, 0) == 0);
    assert_true(dlda_schedule_rate(&warm, 1) == dlda_schedule_rate(&plain, 1) / 2);
    assert_true(dlda_schedule_rate(&warm, 2) == dlda_schedule_rate(&plain, 2));
    assert_true(dlda_schedule_rate(&halving, 0.25) == 0.2);
    assert_true(dlda_schedule_rate(&halving, 0.5) == 0.4);
    assert_true(dlda_schedule_rate(&halving, 1) == 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_golden),     cmocka_unit_test(test_plain_descent),
        cmocka_unit_test(test_no_weights), cmocka_unit_test(test_threads),
        cmocka_unit_test(test_halving),    cmocka_unit_test(test_cosine_and_warm_up),
    };

    return cmocka_run_group_tests_name("nesterov", tests, NULL, NULL);
}
