/* SPDX-License-Identifier: MIT
 *
 * test_benchmark.c - what a benchmark measures and reports; nothing here is about how long anything takes.
 */
#include "check.h"

#include "base/memory.h"
#include "bench/benchmark.h"
#include "bench/peak.h"

#include <unistd.h>

static const char net_text[] = "input 6 5 3\nconv 8 3 pad 1\nmaxpool 2\ndropout 0.1\nconv 8 1\ndense 6\n";
static char net_path[] = "/tmp/deeplda-test-benchmark-XXXXXX";

static int set_up(void **state)
{
    int file = mkstemp(net_path);

    (void)state;
    return file >= 0 && write(file, net_text, strlen(net_text)) > 0 ? close(file) : -1;
}

static int tear_down(void **state)
{
    (void)state;
    return unlink(net_path);
}

static bench_spec small(void)
{
    return (bench_spec){ .net = net_path, .objective = "lda", .batch = 12, .threads = 2, .repeats = 3 };
}

/* ---- Parts ---- */

static void test_median(void **state)
{
    double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

    (void)state;
    assert_true(bench_median(odd, 3) == 3 && bench_median(even, 4) == 2.5 && bench_median(one, 1) == 7);
}

static void test_peak_is_a_number(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 3; threads++) {
        double gflops = peak_gflops(check_team(threads));
        assert_true(isfinite(gflops) && gflops > 0);
    }
}

/* ---- The report ---- */

static void check_pass(const bench_pass *pass, double flop, double floats)
{
    assert_true(pass->seconds > 0);
    assert_true(fabs(pass->gflops * pass->seconds * 1e9 / flop - 1) < 1e-9);
    assert_true(pass->bytes == 4 * floats);
}

static void test_report_of_everything(void **state)
{
    bench_spec spec = small();
    bench_result *b = NULL;
    const double flop[3] = { 2.0 * 12 * 30 * 27 * 8, 2.0 * 12 * 6 * 8 * 8, 2.0 * 12 * 48 * 6 };
    const double floats[3] = { 12 * 30 * 3 + 12 * 30 * 8 + 27 * 8, 2 * 12 * 6 * 8 + 64, 12 * 48 + 12 * 6 + 48 * 6 };

    (void)state;
    CHECK_OK(bench_run(&spec, &b));
    assert_true(b->batch == 12 && b->threads == 2 && b->repeats == 3 && strlen(b->kernels) > 0);
    assert_true(b->step_seconds > 0 && b->machine_peak_gflops > 0 && b->machine_gigabytes_per_second > 0);
    assert_true(fabs(b->images_per_second * b->step_seconds - 12) < 1e-9);
    assert_true(fabs(b->step_gflop * 1e9 / (2 * flop[0] + 3 * flop[1] + 3 * flop[2]) - 1) < 1e-12);
    assert_true(b->phase_seconds[DLDA_PHASE_GATHER] >= 0 && b->loader_seconds > 0);
    for (int p = DLDA_PHASE_FORWARD; p < BENCH_PHASES; p++) assert_true(b->phase_seconds[p] > 0);
    assert_true(b->peak_bytes > b->plan_bytes && b->peak_bytes >= b->base_bytes && b->plan_bytes > 0);
    assert_true(b->inference_images_per_second > 0 && b->single_images_per_second > 0);
    assert_int_equal(b->n_layers, 3);
    assert_string_equal(b->layers[0].name, "conv 8 3x3 pad 1");
    assert_string_equal(b->layers[2].name, "dense 6");
    assert_string_equal(b->layers[2].kind, "dense");
    assert_true(b->layers[0].number == 1 && b->layers[1].number == 6);
    for (size_t i = 0; i < 3; i++) {
        check_pass(&b->layers[i].forward, flop[i], floats[i]);
        check_pass(&b->layers[i].backward_data, flop[i], floats[i]);
        check_pass(&b->layers[i].backward_weights, flop[i], floats[i]);
    }
    bench_destroy(b);
}

static void test_parts_leave_the_rest_out(void **state)
{
    bench_spec spec = small();

    (void)state;
    for (int part = BENCH_STEP; part <= BENCH_INFERENCE; part++) {
        bench_result *b = NULL;
        spec.part = (bench_part)part;
        CHECK_OK(bench_run(&spec, &b));
        assert_int_equal(isnan(b->step_seconds), part != BENCH_STEP);
        assert_int_equal(isnan(b->phase_seconds[DLDA_PHASE_FORWARD]), part != BENCH_STEP);
        assert_int_equal(isnan(b->loader_seconds), part != BENCH_STEP);
        assert_int_equal(b->plan_bytes == 0, part != BENCH_STEP);
        assert_int_equal(b->n_layers == 0, part != BENCH_LAYERS);
        assert_int_equal(isnan(b->inference_images_per_second), part != BENCH_INFERENCE);
        bench_destroy(b);
    }
    bench_destroy(NULL);
}

/* Two measurements after the warm-up. */
static int two_turns(const void *user, const bench_result *measured)
{
    size_t *turns = *(size_t *const *)user;

    assert_int_equal(measured != NULL, *turns > 0);
    if (measured)
        assert_true(measured->images_per_second > 0 || measured->inference_images_per_second > 0 ||
                    measured->single_images_per_second > 0);
    return (*turns)++ < 2;
}

static void test_turns(void **state)
{
    const bench_part parts[] = { BENCH_STEP, BENCH_INFERENCE, BENCH_SINGLE };
    bench_spec spec = small();
    bench_result *b = NULL;
    size_t turns = 0, *counter = &turns;

    (void)state;
    spec.turn = two_turns;
    spec.user = &counter;
    for (size_t i = 0; i < 3; i++) {
        spec.part = parts[i];
        turns = 0;
        CHECK_OK(bench_run(&spec, &b));
        assert_int_equal(turns, 3);
        assert_int_equal(isnan(b->inference_images_per_second), parts[i] != BENCH_INFERENCE);
        assert_int_equal(isnan(b->single_images_per_second), parts[i] != BENCH_SINGLE);
        assert_true(isnan(b->machine_peak_gflops));
        bench_destroy(b);
    }
    spec.part = BENCH_ALL;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
}

static void test_refused(void **state)
{
    bench_spec spec = small();
    bench_result *b = NULL;

    (void)state;
    spec.batch = 3;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("batch 3");
    spec.batch = 0;
    spec.part = BENCH_LAYERS;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.repeats = 0;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.net = "no such network";
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_OPTION);
    spec = small();
    spec.objective = "no such objective";
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("unknown objective 'no such objective'");
    spec = small();
    spec.net = NULL;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.batch = (size_t)1 << 60;
    CHECK_STATUS(bench_run(&spec, &b), DLDA_E_MEMORY);
    assert_null(b);
}

static void test_without_memory(void **state)
{
    bench_spec spec = small();
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    spec.repeats = 1;
    for (size_t n = 1; status != DLDA_OK; n++) {
        bench_result *b = NULL;
        assert_true(n < 500);
        dlda_memory_fail_at(n);
        status = bench_run(&spec, &b);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        bench_destroy(b);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* ---- Memory that is foretold ---- */

static size_t bytes_of_plan(const dlda_network *network, size_t batch, int training)
{
    dlda_plan_spec spec = { batch, check_team(2), training, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    dlda_plan *plan = NULL;
    size_t before = dlda_memory_count().bytes;

    CHECK_OK(dlda_plan_create(network, &spec, &plan));
    size_t bytes = dlda_memory_count().bytes - before;
    dlda_plan_destroy(plan);
    return bytes;
}

static void test_memory_is_foretold(void **state)
{
    const char *nets[] = { "mnist", "cifar10", net_path };
    const size_t batches[] = { 1, 7, 16, 17, 61, 100 };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        char *text = NULL;
        dlda_network *network = NULL;
        CHECK_OK(dlda_network_text_read(nets[i], &text));
        CHECK_OK(dlda_network_parse(text, nets[i], (dlda_shape){ 0, 0, 0 }, 0, &network));
        for (size_t k = 0; k < 6; k++) {
            size_t training = 0, inference = 0, batch = batches[k];
            size_t weights = 4 * network->n_weights, state_bytes = 4 * network->n_state;
            CHECK_OK(dlda_network_text_memory(
                &(dlda_memory_spec){ .text = text, .where = nets[i], .batch = batch, .threads = 2 }, &training,
                &inference));
            double trains = (double)(bytes_of_plan(network, batch, 1) + 4 * weights + 2 * state_bytes +
                                     12 * batch * dlda_shape_size(network->input));
            double infers = (double)(bytes_of_plan(network, batch, 0) + weights + state_bytes);
            const double small = 65536; /* of the plan itself, beside its arena */
            if (fabs((double)training - trains) > small || fabs((double)inference - infers) > small)
                fail_msg("%s, batch %zu: foretold %zu and %zu bytes, found %.0f and %.0f", nets[i], batch, training,
                         inference, trains, infers);
        }
        dlda_network_destroy(network);
        dlda_text_destroy(text);
    }
}

/* What a trainer takes: little else comes on top. At its end little of it is left. */
static void check_memory_of_trainer(const char *group, const char *micro)
{
    enum { COUNT = 40 };
    static const uint8_t bytes[COUNT * 28 * 28];
    int labels[COUNT];
    dlda_options *options = NULL;
    dlda_dataset *set = NULL;
    dlda_trainer *trainer = NULL;
    char *text = NULL;
    size_t training = 0, inference = 0;

    for (int i = 0; i < COUNT; i++) labels[i] = i % 10;
    CHECK_OK(dlda_network_text_read("mnist", &text));
    CHECK_OK(dlda_network_text_memory(&(dlda_memory_spec){ .text = text,
                                                           .where = "mnist",
                                                           .batch = COUNT,
                                                           .norm_group = (size_t)atoi(group),
                                                           .micro_batch = (size_t)atoi(micro),
                                                           .threads = 2 },
                                      &training, &inference));
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = 28,
                                                       .width = 28,
                                                       .channels = 1,
                                                       .classes = 10,
                                                       .labels = labels,
                                                       .bytes = bytes },
                                 &set));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "batch", "40"));
    CHECK_OK(dlda_options_set(options, "norm-group", group));
    CHECK_OK(dlda_options_set(options, "micro-batch", micro));
    CHECK_OK(dlda_options_set(options, "epochs", "1"));
    CHECK_OK(dlda_options_set(options, "threads", "2"));
    size_t before = dlda_memory_count().bytes;
    CHECK_OK(dlda_trainer_create(options, set, NULL, &trainer));
    double taken = (double)(dlda_memory_count().bytes - before);
    if (fabs(taken / (double)training - 1) > 0.02) fail_msg("foretold %zu bytes, taken %.0f", training, taken);
    CHECK_OK(dlda_trainer_run(trainer));
    assert_true((double)(dlda_memory_count().bytes - before) < 0.5 * taken);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
    dlda_text_destroy(text);
}

static void test_memory_is_that_of_a_trainer(void **state)
{
    (void)state;
    check_memory_of_trainer("0", "0");
    check_memory_of_trainer("10", "0");
    check_memory_of_trainer("10", "10");
    check_memory_of_trainer("10", "20");
}

static void test_steps_in_micro_batches(void **state)
{
    bench_spec spec = small();
    bench_result *whole = NULL, *split = NULL;

    (void)state;
    spec.part = BENCH_STEP;
    CHECK_OK(bench_run(&spec, &whole));
    spec.norm_group = spec.micro_batch = 4;
    CHECK_OK(bench_run(&spec, &split));
    assert_true(split->images_per_second > 0 && split->plan_bytes < whole->plan_bytes);
    spec.norm_group = 5;
    bench_destroy(whole);
    whole = NULL;
    CHECK_STATUS(bench_run(&spec, &whole), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("micro-batch");
    bench_destroy(split);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_peak_is_a_number),
        cmocka_unit_test(test_report_of_everything),
        cmocka_unit_test(test_parts_leave_the_rest_out),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_memory_is_foretold),
        cmocka_unit_test(test_memory_is_that_of_a_trainer),
        cmocka_unit_test(test_steps_in_micro_batches),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
