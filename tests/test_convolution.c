/* SPDX-License-Identifier: MIT
 *
 * test_convolution.c - every way to compute a convolution, in every instruction set that this machine has, against the
 * reference: the shapes of the three networks, and all small odd ones.
 */
#include "check.h"

#include "base/memory.h"
#include "base/random.h"
#include "kernel_sets.h"

static float *random_floats(size_t n, uint32_t which)
{
    float *values = NULL;
    dlda_random random = dlda_random_stream(3, DLDA_RANDOM_TEST, which, 0);

    CHECK_OK(DLDA_TAKE(&values, n, "test"));
    dlda_random_normal(&random, n, 1, values);
    return values;
}

static float *not_a_number(size_t n)
{
    float *values = NULL;

    CHECK_OK(DLDA_TAKE(&values, n, "test"));
    for (size_t i = 0; i < n; i++) values[i] = NAN;
    return values;
}

/* Largest error allowed, relative to the largest value. bfloat16 has 8 bits, of which transforms lose some. */
static double tolerance(const dlda_conv *conv)
{
    return conv->bf16 ? 0.05 : 1e-4;
}

static void compare(const dlda_conv *conv, size_t N, const char *set, const char *pass, const float *found,
                    const float *expected, size_t n)
{
    double scale = 0;

    for (size_t i = 0; i < n; i++) scale = fmax(scale, fabs(expected[i]));
    for (size_t i = 0; i < n; i++)
        if (!(fabs((double)found[i] - expected[i]) <= tolerance(conv) * scale))
            fail_msg("%s, method %d, %s of %zu images %zux%zux%zu, %zu filters %zux%zu, pad %zu: value %zu is %g, "
                     "expected %g",
                     set, conv->method, pass, N, conv->height, conv->width, conv->channels, conv->filters,
                     conv->kernel, conv->kernel, conv->pad, i, (double)found[i], (double)expected[i]);
}

/* Values k / 4, and shifts (2 k + 1) / 16: with scales of 1/2 and -2, a view's x is never 0, which rounding might let pass. */
static float *coarse_floats(size_t n, uint32_t which, float step, float offset)
{
    float *values = random_floats(n, which);

    for (size_t i = 0; i < n; i++) values[i] = roundf(values[i] / step) * step + offset;
    return values;
}

/* Relative to the largest that sums of such values can be, by the inequality of Cauchy and Schwarz. */
static void compare_sums(const dlda_conv *conv, const char *set, const char *pass, size_t rows, size_t channels,
                         const double *found, const double *expected, const double *squares)
{
    for (size_t c = 0; c < channels; c++)
        if (!(fabs(found[c] - expected[c]) <= 1e-5 * sqrt((double)rows * squares[c]) + 1e-12))
            fail_msg("%s, method %d, sums of %s, images %zux%zux%zu, %zu filters, tile %zu: channel %zu is %g, "
                     "expected %g",
                     set, conv->method, pass, conv->height, conv->width, conv->channels, conv->filters, conv->tile,
                     c, found[c], expected[c]);
}

/* What a convolution tallies while it writes, forward, against sums over what it has written. */
static void check_forward_tally(const dlda_conv *conv, const dlda_kernel_set *set, const dlda_exec *exec, size_t N,
                                const float *X, const float *W, const float *bias)
{
    size_t F = conv->filters, rows = N * conv->out_height * conv->out_width;
    float *Y = not_a_number(rows * F);
    double *sums = NULL, *expected = NULL;

    CHECK_OK(DLDA_TAKE(&sums, 2 * F, "test"));
    CHECK_OK(DLDA_TAKE(&expected, 2 * F, "test"));
    for (size_t i = 0; i < 2 * F; i++) sums[i] = NAN;
    set->conv_forward(conv, exec, N, X, NULL, W, bias, Y, &(dlda_tally){ .sums = sums });
    dlda_kernels_reference()->moments(exec, rows, F, Y, expected);
    compare_sums(conv, set->name, "Y", rows, F, sums, expected, expected + F);
    for (size_t c = 0; c < F; c++) assert_true(fabs(sums[F + c] - expected[F + c]) <= 1e-5 * expected[F + c]);
    dlda_release(Y);
    dlda_release(sums);
    dlda_release(expected);
}

/* Backward: the sums of batch norm's gradient. */
static void check_backward_tally(const dlda_conv *conv, const dlda_kernel_set *set, const dlda_exec *exec, size_t N,
                                 const float *dY, const float *W)
{
    size_t C = conv->channels, rows = N * conv->height * conv->width;
    float *X = coarse_floats(rows * C, 11, 0.25f, 0), *shift = coarse_floats(C, 12, 0.125f, 0.0625f),
          *mean = random_floats(C, 13), *scale = random_floats(C, 14), *dX = not_a_number(rows * C);
    double *sums = NULL, *expected = NULL, *squares = NULL;

    CHECK_OK(DLDA_TAKE(&sums, 2 * C, "test"));
    CHECK_OK(DLDA_TAKE(&expected, 2 * C, "test"));
    CHECK_OK(DLDA_TAKE(&squares, 2 * C, "test"));
    for (size_t i = 0; i < 2 * C; i++) sums[i] = NAN;
    for (size_t c = 0; c < C; c++) scale[c] = scale[c] > 0 ? 0.5f : -2;
    const dlda_activation activation = { .height = conv->height,
                                         .width = conv->width,
                                         .channels = C,
                                         .out_height = conv->height,
                                         .out_width = conv->width,
                                         .view = { scale, shift, 0 },
                                         .normalises = 1,
                                         .mean = mean };
    set->conv_backward_data(conv, exec, N, dY, W, dX, &(dlda_tally){ sums, &activation, X });
    dlda_kernels_reference()->activation_sums(&activation, exec, N, X, NULL, dX, expected);
    dlda_kernels_reference()->moments(exec, rows, C, dX, squares);
    compare_sums(conv, set->name, "dz", rows, C, sums, expected, squares + C);
    for (size_t c = 0; c < C; c++) squares[C + c] *= 16 * (1 + (double)mean[c] * mean[c]); /* (x - mean)^2 */
    compare_sums(conv, set->name, "dz (x - mean)", rows, C, sums + C, expected + C, squares + C);
    float *arrays[] = { X, shift, mean, scale, dX };
    for (int i = 0; i < 5; i++) dlda_release(arrays[i]);
    dlda_release(sums);
    dlda_release(expected);
    dlda_release(squares);
}

static void check_passes(const dlda_conv *conv, const dlda_kernel_set *set, size_t N, size_t threads)
{
    const dlda_kernel_set *reference = dlda_kernels_reference();
    size_t in = N * conv->height * conv->width * conv->channels, weights = conv->depth * conv->filters, bytes = 0;
    size_t out = N * conv->out_height * conv->out_width * conv->filters;
    float *X = random_floats(in, 1), *W = random_floats(weights, 2), *dY = random_floats(out, 3),
          *bias = random_floats(conv->filters, 4);
    float *found[4] = { not_a_number(out), not_a_number(in), not_a_number(weights), not_a_number(conv->filters) };
    float *expected[4] = { not_a_number(out), not_a_number(in), not_a_number(weights),
                           not_a_number(conv->filters) };
    float *scale = random_floats(conv->channels, 5), *shift = random_floats(conv->channels, 6);
    const dlda_view through = { scale, shift, N % 2 ? 0 : -1 };
    const dlda_view *view = conv->method == DLDA_CONV_WINOGRAD && (conv->channels % 2 || N % 2) ? &through : NULL;
    dlda_exec exec = { .team = check_team(threads) };

    CHECK_OK(dlda_conv_scratch(conv, threads, &bytes));
    exec.scratch = dlda_take_bytes(bytes, 1, "test");
    assert_non_null(exec.scratch);
    memset(exec.scratch, 0xff, bytes); /* NaN */
    set->conv_forward(conv, &exec, N, X, view, W, bias, found[0], NULL);
    set->conv_backward_data(conv, &exec, N, dY, W, found[1], NULL);
    set->conv_backward_weights(conv, &exec, N, X, view, dY, found[2], found[3]);
    reference->conv_forward(conv, &exec, N, X, view, W, bias, expected[0], NULL);
    reference->conv_backward_data(conv, &exec, N, dY, W, expected[1], NULL);
    reference->conv_backward_weights(conv, &exec, N, X, view, dY, expected[2], expected[3]);
    check_forward_tally(conv, set, &exec, N, X, W, NULL);
    check_forward_tally(conv, set, &exec, N, X, W, bias);
    check_backward_tally(conv, set, &exec, N, dY, W);
    compare(conv, N, set->name, "forward", found[0], expected[0], out);
    compare(conv, N, set->name, "backward data", found[1], expected[1], in);
    compare(conv, N, set->name, "backward weights", found[2], expected[2], weights);
    compare(conv, N, set->name, "backward bias", found[3], expected[3], conv->filters);
    float *arrays[] = { X, W, dY, bias, scale, shift, exec.scratch };
    for (int i = 0; i < 7; i++) dlda_release(arrays[i]);
    for (int i = 0; i < 4; i++) dlda_release(found[i]);
    for (int i = 0; i < 4; i++) dlda_release(expected[i]);
}

static void test_winograd_on_all_small_shapes(void **state)
{
    static const size_t tiles[] = { 2, 4, 5, 6 };
    const dlda_kernel_set *sets[MOST_SETS];
    size_t n_sets = usable_sets(sets), case_number = 0;

    (void)state;
    for (size_t size = 1; size <= 13; size++)
        for (size_t channels = 1; channels <= 17; channels++)
            for (size_t pad = 0; pad <= 1; pad++) {
                if (size + 2 * pad < 3) continue;
                size_t k = case_number++; /* vary the rest along with it */
                dlda_conv conv = { .height = size,
                                   .width = 3 + (size * 7 + k) % 11,
                                   .channels = channels,
                                   .filters = 1 + (channels * 5 + k) % 17,
                                   .kernel = 3,
                                   .stride = 1,
                                   .pad = pad };
                for (size_t t = 0; t < sizeof tiles / sizeof tiles[0]; t++) {
                    conv.tile = tiles[t];
                    dlda_conv_plan_as(&conv, DLDA_CONV_WINOGRAD);
                    for (size_t i = 0; i < n_sets; i++) check_passes(&conv, sets[i], 1 + k % 3, 1 + k % 2);
                }
            }
}

static void test_im2col_and_product_on_odd_shapes(void **state)
{
    const dlda_kernel_set *sets[MOST_SETS];
    size_t n_sets = usable_sets(sets), case_number = 0;

    (void)state;
    for (size_t kernel = 1; kernel <= 5; kernel++)
        for (size_t stride = 1; stride <= 3; stride++)
            for (size_t pad = 0; pad < kernel; pad++) {
                size_t k = case_number++;
                dlda_conv conv = { .height = 5 + k % 6,
                                   .width = 5 + k * 5 % 7,
                                   .channels = 1 + k % 9,
                                   .filters = 1 + k * 3 % 17,
                                   .kernel = kernel,
                                   .stride = stride,
                                   .pad = pad };
                dlda_conv_plan(&conv);
                for (size_t i = 0; i < n_sets; i++) check_passes(&conv, sets[i], 1 + k % 5, 1 + k % 3);
            }
}

static void test_bf16_on_all_small_shapes(void **state)
{
    const dlda_kernel_set *sets[MOST_SETS];
    size_t n_sets = usable_sets(sets), case_number = 0;

    (void)state;
    for (size_t size = 1; size <= 13; size++)
        for (size_t channels = 16; channels <= 80; channels += 16)
            for (size_t pad = 0; pad <= 1; pad++) {
                if (size + 2 * pad < 3) continue;
                size_t k = case_number++;
                dlda_conv conv = { .height = size,
                                   .width = 3 + (size * 7 + k) % 11,
                                   .channels = channels,
                                   .filters = 16 + (channels * 5 + k) % 5 * 16,
                                   .kernel = 3,
                                   .stride = 1,
                                   .pad = pad,
                                   .bf16 = 1 };
                for (conv.tile = 2; conv.tile <= 4; conv.tile += 2) {
                    dlda_conv_plan_as(&conv, DLDA_CONV_WINOGRAD);
                    for (size_t i = 0; i < n_sets; i++) check_passes(&conv, sets[i], 1 + k % 3, 1 + k % 2);
                }
                conv.kernel = 1;
                conv.pad = 0;
                dlda_conv_plan(&conv);
                assert_int_equal(conv.method, DLDA_CONV_PRODUCT);
                assert_true(conv.bf16);
                for (size_t i = 0; i < n_sets; i++) check_passes(&conv, sets[i], 1 + k % 3, 1 + k % 2);
            }
}

/* Small whole numbers are exact in bfloat16, and so are their products; NaN stays NaN. */
static void test_bf16_is_exact_for_small_whole_numbers(void **state)
{
    enum { ROWS = 333, C = 48, F = 80 };
    const dlda_kernel_set *sets[MOST_SETS];
    dlda_conv conv = { .height = 1, .width = 1, .channels = C, .filters = F, .kernel = 1, .stride = 1, .bf16 = 1 };
    float *X = random_floats(ROWS * C, 1), *W = random_floats(C * F, 2), *Y = not_a_number(ROWS * F),
          *expected = not_a_number(ROWS * F);
    dlda_exec exec = { .team = check_team(2) };
    size_t bytes = 0;

    (void)state;
    dlda_conv_plan(&conv);
    CHECK_OK(dlda_conv_scratch(&conv, 2, &bytes));
    exec.scratch = dlda_take_bytes(bytes, 1, "test");
    for (size_t i = 0; i < ROWS * C; i++) X[i] = rintf(X[i] * 9);
    for (size_t i = 0; i < C * F; i++) W[i] = rintf(W[i] * 9);
    X[5] = NAN;
    dlda_kernels_reference()->conv_forward(&conv, &exec, ROWS, X, NULL, W, NULL, expected, NULL);
    for (size_t s = usable_sets(sets); s-- > 0;) {
        sets[s]->conv_forward(&conv, &exec, ROWS, X, NULL, W, NULL, Y, NULL);
        for (size_t i = 0; i < F; i++) assert_true(isnan(Y[i]));
        assert_memory_equal(Y + F, expected + F, (ROWS - 1) * F * sizeof *Y);
    }
    float *arrays[] = { X, W, Y, expected, exec.scratch };
    for (int i = 0; i < 5; i++) dlda_release(arrays[i]);
}

/* Where bfloat16 takes more than half of the multiplications, or shapes do not suit it, floats remain. */
static void test_bf16_is_planned_where_it_is_faster(void **state)
{
    static const size_t layers[][6] = {
        /* size, channels, filters, kernel, pad, expected */
        { 32, 64, 64, 3, 1, 1 },  { 96, 64, 64, 3, 1, 1 },    { 8, 256, 256, 3, 1, 1 },
        { 7, 96, 256, 3, 0, 0 },  { 12, 256, 1024, 3, 0, 0 }, { 2, 1024, 1024, 1, 0, 1 },
        { 2, 1024, 10, 1, 0, 0 }, { 32, 3, 64, 3, 1, 0 },     { 32, 64, 72, 3, 1, 0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        const size_t *l = layers[i];
        dlda_conv conv = { .height = l[0],
                           .width = l[0],
                           .channels = l[1],
                           .filters = l[2],
                           .kernel = l[3],
                           .stride = 1,
                           .pad = l[4],
                           .bf16 = 1 };
        dlda_conv_plan(&conv);
        assert_int_equal(conv.bf16, l[5]);
        assert_true(conv.method != DLDA_CONV_WINOGRAD || !conv.bf16 || conv.tile == 4 || conv.tile == 2);
    }
}

/* The layers of mnist, cifar10 and stl10; fewer images and, for the largest, smaller ones: the reference is slow. */
static void test_layers_of_the_networks(void **state)
{
    static const size_t layers[][6] = {
        /* size, channels, filters, kernel, pad, images */
        { 28, 1, 64, 3, 1, 2 },     { 28, 64, 64, 3, 1, 1 },    { 14, 64, 96, 3, 1, 2 },
        { 14, 96, 96, 3, 1, 1 },    { 7, 96, 256, 3, 0, 2 },    { 5, 256, 256, 1, 0, 3 },
        { 5, 256, 10, 1, 0, 6 },    { 32, 3, 64, 3, 1, 1 },     { 16, 64, 128, 3, 1, 1 },
        { 16, 128, 128, 3, 1, 1 },  { 8, 128, 256, 3, 1, 1 },   { 8, 256, 256, 3, 1, 1 },
        { 4, 256, 1024, 3, 0, 2 },  { 2, 1024, 1024, 1, 0, 2 }, { 12, 256, 256, 3, 1, 1 },
        { 12, 256, 1024, 3, 0, 1 }, { 24, 64, 64, 3, 1, 2 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof layers / sizeof layers[0]; i++) {
        const size_t *l = layers[i];
        dlda_conv conv = { .height = l[0],
                           .width = l[0],
                           .channels = l[1],
                           .filters = l[2],
                           .kernel = l[3],
                           .stride = 1,
                           .pad = l[4] };
        dlda_conv_plan(&conv);
        if (l[3] == 3 && l[1] >= 64 && l[4] <= 1) assert_int_equal(conv.method, DLDA_CONV_WINOGRAD);
        check_passes(&conv, dlda_kernels_fast(), l[5], 2);
        conv.bf16 = 1;
        dlda_conv_plan(&conv);
        check_passes(&conv, dlda_kernels_fast(), l[5], 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_winograd_on_all_small_shapes),
        cmocka_unit_test(test_im2col_and_product_on_odd_shapes),
        cmocka_unit_test(test_layers_of_the_networks),
        cmocka_unit_test(test_bf16_on_all_small_shapes),
        cmocka_unit_test(test_bf16_is_exact_for_small_whole_numbers),
        cmocka_unit_test(test_bf16_is_planned_where_it_is_faster),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
