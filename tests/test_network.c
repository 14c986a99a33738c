/* SPDX-License-Identifier: MIT
 *
 * test_network.c - one table of layers, run in two modes: fast kernels against the reference, and gradients of whole
 * small networks against finite differences; on odd shapes, one image, one channel.
 */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "network/plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Each row is a network of its own; the shapes are odd on purpose. */
static const struct layer_case {
    const char *text;
    dlda_shape input;
    size_t n;
} cases[] = {
    { "conv 5 3 pad 1 linear", { 7, 5, 3 }, 4 },
    { "conv 5 3 linear", { 3, 3, 1 }, 1 },
    { "conv 8 3 pad 1 linear", { 13, 11, 17 }, 3 },
    { "conv 16 3 pad 1 linear", { 28, 28, 16 }, 2 },
    { "conv 16 3 linear", { 6, 9, 16 }, 3 }, /* from 16 channels on: Winograd */
    { "conv 24 3 pad 1 linear", { 5, 7, 19 }, 5 },
    { "conv 17 3 pad 1 linear", { 1, 13, 16 }, 2 },
    { "conv 300 3 linear", { 4, 4, 40 }, 40 },
    { "conv 16 3 pad 1 linear\nconv 20 3 linear\ngap", { 9, 10, 16 }, 6 },
    { "conv 1 1 linear", { 1, 1, 1 }, 1 },
    { "conv 9 1 linear", { 5, 6, 7 }, 30 },
    { "conv 3 5 pad 2 stride 2 linear", { 9, 8, 2 }, 2 },
    { "conv 4 2 stride 3 linear", { 8, 11, 3 }, 3 },
    { "conv 6 4 pad 3 linear", { 5, 2, 2 }, 2 },
    { "conv 7 3 pad 2 stride 2 linear", { 1, 4, 3 }, 5 },
    { "dense 10", { 1, 1, 13 }, 5 },
    { "dense 1", { 1, 1, 1 }, 2 },
    { "dense 33", { 4, 3, 5 }, 260 },
    { "bn", { 3, 5, 7 }, 4 },
    { "bn", { 1, 1, 6 }, 9 },
    { "dense 4\nbn\nrelu", { 1, 1, 5 }, 12 },
    { "conv 4 1 linear\nmaxpool 2", { 6, 8, 3 }, 2 },
    { "conv 4 1 linear\nmaxpool 3 stride 2", { 7, 9, 3 }, 2 },
    { "conv 4 1 linear\nmaxpool 2", { 5, 7, 1 }, 3 },
    { "conv 3 1 linear\nmaxpool 1", { 2, 2, 1 }, 1 },
    { "conv 5 1 linear\ngap", { 5, 3, 4 }, 3 },
    { "conv 5 1 linear\ndropout 0.25\ngap", { 3, 3, 5 }, 40 },
    { "relu\ndense 3", { 2, 2, 2 }, 6 },
    { "dropout 0.5\ndense 3", { 2, 3, 3 }, 6 },
    { "maxpool 2\ndense 3", { 4, 4, 3 }, 6 },
    { "gap\ndense 3", { 4, 4, 3 }, 6 },
    { "conv 32 3 pad 1 linear\nconv 48 3 pad 1 linear\nconv 64 3 linear\nconv 32 1 linear\ngap",
      { 12, 10, 16 },
      9 },
    { "conv 32 3 pad 1\nconv 48 3 pad 1\nmaxpool 2\ndropout 0.25\nconv 64 3\nconv 32 1\ngap", { 12, 10, 16 }, 9 },
    { "conv 6 3 pad 1\nmaxpool 2\ndropout 0.25\nconv 4 3\nconv 5 1\ngap", { 8, 10, 2 }, 7 },
    { "conv 4 3 pad 1\nrelu\ndropout 0.5\nrelu\ndense 6\nbn\ndropout 0.5\ndense 3", { 5, 5, 1 }, 11 },
};

enum { N_CASES = sizeof cases / sizeof cases[0], MOST_SAMPLES = 512 };

typedef struct fixture {
    const struct layer_case *layer_case;
    dlda_network *network;
    dlda_plan *plan;
    float *weights, *state, *gradient, *X, *R; /* R: random dH, so that the loss is sum(R * H) */
    size_t samples[MOST_SAMPLES];
    dlda_step step;
} fixture;

static float *random_floats(size_t n, uint32_t a)
{
    float *values = NULL;
    dlda_random random = dlda_random_stream(7, DLDA_RANDOM_TEST, a, 0);

    assert_int_equal(DLDA_TAKE(&values, n, "test"), DLDA_OK);
    dlda_random_normal(&random, n, 1, values);
    return values;
}

static fixture open_case_in(dlda_precision precision, const struct layer_case *c, dlda_kernels kernels,
                            size_t threads)
{
    fixture f = { .layer_case = c };
    dlda_plan_spec spec = { c->n, check_team(threads), 1, kernels, precision };

    assert_int_equal(dlda_network_parse(c->text, "test", c->input, 0, &f.network), DLDA_OK);
    assert_int_equal(dlda_plan_create(f.network, &spec, &f.plan), DLDA_OK);
    f.weights = random_floats(f.network->n_weights, 1); /* random scale and shift too */
    f.gradient = random_floats(f.network->n_weights, 2);
    for (size_t i = 0; i < f.network->n_weights; i++) f.gradient[i] = NAN;
    assert_int_equal(DLDA_TAKE(&f.state, f.network->n_state, "test"), DLDA_OK);
    for (size_t i = 0; i < f.network->n_state; i++) f.state[i] = 0.5f + 0.1f * (float)(i % 7);
    f.X = random_floats(c->n * dlda_shape_size(c->input), 3);
    f.R = random_floats(c->n * f.network->features, 4);
    for (size_t i = 0; i < MOST_SAMPLES; i++) f.samples[i] = 1000 + 3 * i;
    f.step = (dlda_step){ 11, 2, 30, NULL };
    return f;
}

static fixture open_case(const struct layer_case *c, dlda_kernels kernels, size_t threads)
{
    return open_case_in(DLDA_PRECISION_FLOAT, c, kernels, threads);
}

static void close_case(fixture *f)
{
    dlda_plan_destroy(f->plan);
    dlda_network_destroy(f->network);
    float *arrays[] = { f->weights, f->state, f->gradient, f->X, f->R };
    for (size_t i = 0; i < 5; i++) dlda_release(arrays[i]);
}

/* ---- Runs of a plan whose memory holds NaN, as if from other work, wherever a pass may not read before it writes ---- */

static void spoil(char *from, const char *to)
{
    memset(from, 0xff, (size_t)(to - from)); /* floats: NaN; bytes: 255 */
}

/* All of the arena, except the views of stages without batch norm, which are set once when the plan is made. */
static void spoil_arena(dlda_plan *plan)
{
    float *views = NULL;
    size_t used = 0, count = 0;

    for (size_t i = 0; i < plan->n_stages; i++) count += 2 * plan->stages[i].raw.channels;
    assert_int_equal(DLDA_TAKE(&views, count, "test"), DLDA_OK);
    for (int restore = 0; restore < 2; restore++, used = 0) {
        for (size_t i = 0; i < plan->n_stages; i++) {
            const dlda_stage *stage = &plan->stages[i];
            float *of_stage[] = { stage->scale, stage->shift };
            for (int k = 0; k < 2 && !stage->norm; k++, used += stage->raw.channels)
                memcpy(restore ? of_stage[k] : views + used, restore ? views + used : of_stage[k],
                       stage->raw.channels * sizeof(float));
        }
        if (!restore) spoil(plan->arena, plan->arena + plan->arena_bytes);
    }
    dlda_release(views);
}

static const float *forward(fixture *f)
{
    spoil_arena(f->plan);
    f->step.samples = f->samples;
    return dlda_plan_forward(f->plan, f->weights, f->state, f->X, f->layer_case->n, &f->step);
}

/* The buffers of gradients and the scratch memory, which come first in the arena, owe nothing to the forward pass. */
static void backward(fixture *f)
{
    spoil(f->plan->arena, (const char *)f->plan->stages[0].scale);
    dlda_plan_backward(f->plan, f->weights, f->R, f->gradient, NULL);
}

static const float *infer(fixture *f)
{
    spoil_arena(f->plan);
    return dlda_plan_infer(f->plan, f->weights, f->state, f->X, f->layer_case->n);
}

static double largest_of(const float *a, size_t n)
{
    double largest = 0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i])); /* passes over NaN */
    return largest;
}

/* Differences up to `most` are allowed; NaN anywhere is a failure. */
static void assert_near(const char *what, const struct layer_case *c, const float *a, const float *b, size_t n,
                        double most)
{
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)a[i] - b[i]) <= most))
            fail_msg("%s of '%s': value %zu is %.9g, expected %.9g (+- %.3g)", what, c->text, i, (double)a[i],
                     (double)b[i], most);
}

/* Gradients are compared parameter by parameter: the padding between them is never written. */
typedef struct comparison {
    const fixture *fast, *reference;
} comparison;

static dlda_status compare_gradient(void *context, const dlda_parameter *p, int in_state)
{
    const comparison *c = context;
    const float *a = in_state ? c->fast->state : c->fast->gradient;
    const float *b = in_state ? c->reference->state : c->reference->gradient;

    /* A bias before batch norm has no gradient at all, so what counts as small is relative to all of it. */
    double scale = fmax(largest_of(b + p->offset, p->count),
                        1e-2 * largest_of(b, in_state ? c->fast->network->n_state : c->fast->network->n_weights));
    assert_near(p->name, c->fast->layer_case, a + p->offset, b + p->offset, p->count, 1e-4 * scale);
    return DLDA_OK;
}

static void test_fast_kernels_against_reference(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++)
        for (size_t threads = 1; threads <= 3; threads += 2) {
            fixture fast = open_case(&cases[i], DLDA_KERNELS_FAST, threads);
            fixture reference = open_case(&cases[i], DLDA_KERNELS_REFERENCE, 1);
            size_t count = cases[i].n * fast.network->features;
            const float *expected = forward(&reference);
            assert_near("output", &cases[i], forward(&fast), expected, count, 1e-5 * largest_of(expected, count));
            backward(&fast);
            backward(&reference);
            comparison both = { &fast, &reference };
            dlda_network_visit(fast.network, compare_gradient, &both);
            const float *inferred = infer(&fast);
            expected = infer(&reference);
            assert_near("inference", &cases[i], inferred, expected, count, 1e-5 * largest_of(expected, count));
            close_case(&fast);
            close_case(&reference);
        }
}

/* ---- Finite differences, on the reference kernels: their sums are in double ---- */

static double loss_of(fixture *f)
{
    const float *H = forward(f);
    double sum = 0;

    for (size_t i = 0; i < f->layer_case->n * f->network->features; i++) sum += (double)H[i] * f->R[i];
    return sum;
}

/* Root mean square of a value of the gradient; the padding between parameters stays NaN. */
static double typical_gradient(const fixture *f)
{
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < f->network->n_weights; i++) {
        if (isnan(f->gradient[i])) continue;
        sum += (double)f->gradient[i] * f->gradient[i];
        count++;
    }
    return sqrt(sum / (double)count);
}

/* Some of the weights: a parameter or one value of it, to be moved along a direction. */
typedef struct some_weights {
    const char *name;
    size_t offset, count;
    float *direction; /* [count] */
} some_weights;

/* Derivative of the loss in a direction, of fourth order. */
static double difference_along(fixture *f, const some_weights *some, double step)
{
    float *weights = f->weights + some->offset, *start = NULL;
    double losses[4];

    assert_int_equal(DLDA_TAKE(&start, some->count, "test"), DLDA_OK);
    memcpy(start, weights, some->count * sizeof *start);
    for (int k = 0; k < 4; k++) { /* -2, -1, 1, 2 steps */
        double offset = step * (k < 2 ? k - 2 : k - 1);
        for (size_t i = 0; i < some->count; i++) weights[i] = (float)(start[i] + offset * some->direction[i]);
        losses[k] = loss_of(f);
    }
    memcpy(weights, start, some->count * sizeof *start);
    dlda_release(start);
    return (losses[0] - 8 * losses[1] + 8 * losses[2] - losses[3]) / (12 * step);
}

/* Long steps cross kinks of ReLU and maxima, short ones drown in the rounding of floats; a right gradient agrees at some
 * step in between, a wrong one at none. With kinks, which are hundreds in these networks, they agree less closely. */
static double tolerance_of(const dlda_network *network)
{
    for (size_t i = 0; i < network->n_layers; i++)
        if (network->layers[i].kind == DLDA_RELU_LAYER || network->layers[i].kind == DLDA_POOL_LAYER) return 2e-2;
    return 1e-3;
}

/* Relative to the slope or to what is typical of the network: a bias before batch norm has no gradient at all. */
static void check_slope(fixture *f, const some_weights *some)
{
    double slope = 0, error = INFINITY, closest = NAN;

    for (size_t i = 0; i < some->count; i++) slope += (double)f->gradient[some->offset + i] * some->direction[i];
    double most = tolerance_of(f->network) * fmax(fabs(slope), typical_gradient(f));
    for (double step = 0.1; step > 1e-5 && !(error <= most); step /= 2) {
        double difference = difference_along(f, some, step);
        if (fabs(difference - slope) > error) continue;
        error = fabs(difference - slope);
        closest = difference;
    }
    if (!(error <= most))
        fail_msg("gradient of %s of '%s', %zu weights from %zu on: %.8g, by differences %.8g (+- %.2g)", some->name,
                 f->layer_case->text, some->count, some->offset, slope, closest, most);
}

/* Each parameter alone, so that an error in a small one is not lost among large ones: along a random direction, and then
 * its first, middle and last value. */
static dlda_status check_parameter(void *context, const dlda_parameter *p, int in_state)
{
    fixture *f = context;
    float one = 1;

    if (in_state) return DLDA_OK;
    some_weights all = { p->name, p->offset, p->count, random_floats(p->count, 100) };
    check_slope(f, &all);
    for (size_t k = 0; k < 3; k++)
        check_slope(f, &(some_weights){ p->name, p->offset + k * (p->count - 1) / 2, 1, &one });
    dlda_release(all.direction);
    return DLDA_OK;
}

static void test_gradients_by_differences(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        fixture f = open_case(&cases[i], DLDA_KERNELS_REFERENCE, 1);
        /* The reference is slow; what large layers do differently is compared with it above. */
        if (f.network->n_weights <= 5000) {
            loss_of(&f);
            backward(&f);
            dlda_network_visit(f.network, check_parameter, &f);
        }
        close_case(&f);
    }
}

/* ---- Properties ---- */

static void check_same_bits(dlda_precision precision)
{
    for (size_t i = 0; i < N_CASES; i++) {
        fixture one = open_case_in(precision, &cases[i], DLDA_KERNELS_FAST, 1);
        size_t bytes = cases[i].n * one.network->features * sizeof(float);
        float *H1 = malloc(bytes);
        memcpy(H1, forward(&one), bytes); /* the backward pass uses the place */
        backward(&one);
        for (size_t threads = 2; threads <= 4; threads++) {
            fixture more = open_case_in(precision, &cases[i], DLDA_KERNELS_FAST, threads);
            const float *H = forward(&more);
            assert_memory_equal(H, H1, bytes);
            backward(&more);
            assert_memory_equal(more.gradient, one.gradient, one.network->n_weights * sizeof *more.gradient);
            assert_memory_equal(more.state, one.state, one.network->n_state * sizeof *more.state);
            close_case(&more);
        }
        free(H1);
        close_case(&one);
    }
}

static void test_same_bits_for_any_threads(void **state)
{
    (void)state;
    check_same_bits(DLDA_PRECISION_FLOAT);
    check_same_bits(DLDA_PRECISION_BF16);
}

/* Root mean square of a - b, relative to that of b. */
static double relative_error(const float *a, const float *b, size_t n)
{
    double error = 0, size = 0;

    for (size_t i = 0; i < n; i++) {
        error += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
        size += (double)b[i] * b[i];
    }
    return sqrt(error / size);
}

static dlda_status compare_rounded(void *context, const dlda_parameter *p, int in_state)
{
    const comparison *c = context;

    if (in_state) return DLDA_OK;
    double error = relative_error(c->fast->gradient + p->offset, c->reference->gradient + p->offset, p->count);
    if (!(error < 0.04)) fail_msg("gradient of %s: relative error %g", p->name, error);
    return DLDA_OK;
}

/* Products of bfloat16 change a network by some per cent. ReLU and maxima would make more of it: where they change their mind, a
 * gradient goes another way. */
static void test_bf16_network_is_close(void **state)
{
    size_t compared = 0;

    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        if (!strstr(cases[i].text, "conv 48 3 pad 1 linear")) continue;
        fixture rounded = open_case_in(DLDA_PRECISION_BF16, &cases[i], DLDA_KERNELS_FAST, 2);
        fixture reference = open_case(&cases[i], DLDA_KERNELS_REFERENCE, 1);
        const comparison both = { &rounded, &reference };
        double error = relative_error(forward(&rounded), forward(&reference),
                                      cases[i].n * rounded.network->features);
        assert_true(error > 1e-4 && error < 0.04);
        backward(&rounded);
        backward(&reference);
        dlda_network_visit(rounded.network, compare_rounded, (void *)&both);
        close_case(&rounded);
        close_case(&reference);
        compared++;
    }
    assert_int_equal(compared, 1);
}

/* Prepared weights give what the weights themselves give, to the bit. */
static void test_prepared_inference(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_CASES; i++) {
        fixture f = open_case(&cases[i], DLDA_KERNELS_FAST, 2);
        size_t bytes = cases[i].n * f.network->features * sizeof(float);
        float *expected = malloc(bytes);
        dlda_plan_spec spec = { cases[i].n, check_team(2), 0, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
        dlda_plan *plan = NULL;
        memcpy(expected, infer(&f), bytes);
        CHECK_OK(dlda_plan_create(f.network, &spec, &plan));
        spoil_arena(plan);
        /* It may compute in another way than a plan for training, but with prepared weights in the same as without. */
        const float *found = dlda_plan_infer(plan, f.weights, f.state, f.X, cases[i].n);
        double *wide = check_widen(expected, bytes / sizeof(float));
        CHECK_NEAR_FLOAT(found, wide, bytes / sizeof(float), 1e-4, "case %zu", i);
        free(wide);
        memcpy(expected, found, bytes);
        dlda_plan_prepare(plan, f.weights);
        assert_memory_equal(dlda_plan_infer(plan, f.weights, f.state, f.X, cases[i].n), expected, bytes);
        free(expected);
        dlda_plan_destroy(plan);
        close_case(&f);
    }
}

static void test_dropout_rate_scale_and_repeat(void **state)
{
    static const struct layer_case c = { "dropout 0.25\ndense 1", { 1, 1, 1000 }, 100 };
    fixture f = open_case(&c, DLDA_KERNELS_FAST, 2);
    dlda_dropout drop = { 0.25, 1000, 5, 1, 0, f.samples };
    dlda_exec exec = { check_team(2), NULL };
    float *values[3];
    size_t zeros = 0, count = 100000, same = 0;

    (void)state;
    for (int k = 0; k < 3; k++) {
        values[k] = random_floats(count, 9);
        for (size_t i = 0; i < count; i++) values[k][i] = 1;
        drop.epoch = k == 2 ? 2 : 1;
        dlda_kernels_fast()->dropout(&drop, &exec, 100, values[k]);
    }
    for (size_t i = 0; i < count; i++) {
        assert_true(values[0][i] == 0 || fabs(values[0][i] - 1 / 0.75) < 1e-6);
        zeros += values[0][i] == 0;
        same += values[0][i] == values[2][i];
    }
    assert_memory_equal(values[0], values[1], count * sizeof(float)); /* drawn again, the same */
    assert_true(fabs((double)zeros / (double)count - 0.25) < 0.01);   /* 7 standard deviations */
    assert_true(fabs((double)same / (double)count - 0.625) < 0.02);   /* another epoch, another mask */
    for (int k = 0; k < 3; k++) dlda_release(values[k]);
    close_case(&f);
}

static void test_pooling_keeps_nan(void **state)
{
    const float one = 1, zero = 0;
    const dlda_activation pool = { .height = 2,
                                   .width = 2,
                                   .channels = 1,
                                   .window = DLDA_MAX_WINDOW,
                                   .size = 2,
                                   .stride = 2,
                                   .out_height = 1,
                                   .out_width = 1,
                                   .view = { &one, &zero, 0 } };
    const dlda_exec exec = { NULL, NULL };
    const dlda_kernel_set *sets[] = { dlda_kernels_fast(), dlda_kernels_reference() };
    uint8_t where = 0;
    float Y = 0;

    (void)state;
    for (int set = 0; set < 2; set++)
        for (int place = 0; place < 4; place++)
            for (int with = 0; with < 2; with++) {
                float X[4] = { 1, 2, 3, 4 };
                X[place] = NAN;
                sets[set]->activation_forward(&pool, &exec, 1, X, &Y, with ? &where : NULL);
                assert_true(isnan(Y));
            }
}

static void test_running_statistics(void **state)
{
    static const struct layer_case c = { "bn", { 1, 1, 2 }, 5 };
    fixture f = open_case(&c, DLDA_KERNELS_FAST, 1);

    (void)state;
    for (size_t i = 0; i < 10; i++) f.X[i] = i % 2 ? (float)i : 3 - (float)i;
    double m[2] = { 0, 0 }, v[2] = { 0, 0 };
    for (size_t i = 0; i < 10; i++) m[i % 2] += f.X[i] / 5;
    for (size_t i = 0; i < 10; i++) v[i % 2] += (f.X[i] - m[i % 2]) * (f.X[i] - m[i % 2]) / 4;
    f.step.step = 0; /* the first batch replaces what was there */
    forward(&f);
    const dlda_layer *layer = &f.network->layers[0];
    for (size_t k = 0; k < 2; k++) {
        assert_true(fabs(f.state[layer->mean.offset + k] - m[k]) < 1e-5);
        assert_true(fabs(f.state[layer->variance.offset + k] - v[k]) < 1e-4);
    }
    f.step.step = 100; /* later ones count a tenth */
    for (size_t k = 0; k < 2; k++) f.state[layer->mean.offset + k] = 10;
    forward(&f);
    for (size_t k = 0; k < 2; k++) assert_true(fabs(f.state[layer->mean.offset + k] - (9 + 0.1 * m[k])) < 1e-5);
    close_case(&f);
}

static void test_plan_without_memory(void **state)
{
    dlda_network *network = NULL;
    dlda_plan *plan = NULL;
    dlda_plan_spec spec = { 4, check_team(2), 1, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    assert_int_equal(dlda_network_parse("conv 3 3\ngap", "test", (dlda_shape){ 5, 5, 1 }, 0, &network), DLDA_OK);
    size_t live = dlda_memory_count().live;
    for (size_t n = 1; status != DLDA_OK; n++) {
        assert_true(n < 20);
        dlda_memory_fail_at(n);
        status = dlda_plan_create(network, &spec, &plan);
        if (status == DLDA_OK) break;
        assert_int_equal(status, DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_memory_fail_at(0);
    dlda_plan_destroy(plan);
    spec.batch = SIZE_MAX / 16; /* a size that cannot be had */
    assert_int_equal(dlda_plan_create(network, &spec, &plan), DLDA_E_MEMORY);
    dlda_network_destroy(network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fast_kernels_against_reference),
        cmocka_unit_test(test_gradients_by_differences),
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_bf16_network_is_close),
        cmocka_unit_test(test_dropout_rate_scale_and_repeat),
        cmocka_unit_test(test_prepared_inference),
        cmocka_unit_test(test_pooling_keeps_nan),
        cmocka_unit_test(test_running_statistics),
        cmocka_unit_test(test_plan_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
