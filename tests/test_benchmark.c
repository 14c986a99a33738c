/* SPDX-License-Identifier: MIT
 *
 * test_benchmark.c - what a benchmark measures and reports; nothing here is about how long anything takes.
 */
#include "check.h"

#include "base/memory.h"
#include "bench/peak.h"
#include "bench/benchmark.h"

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

static dlda_benchmark_spec small(void)
{
    return (dlda_benchmark_spec){ .net = net_path, .batch = 12, .threads = 2, .repeats = 3 };
}

/* ---- Parts ---- */

static void test_median(void **state)
{
    double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

    (void)state;
    assert_true(dlda_median(odd, 3) == 3 && dlda_median(even, 4) == 2.5 && dlda_median(one, 1) == 7);
}

static void test_peak_is_a_number(void **state)
{
    (void)state;
    for (size_t threads = 1; threads <= 3; threads++) {
        double gflops = dlda_peak_gflops(check_team(threads));
        assert_true(isfinite(gflops) && gflops > 0);
    }
}

/* A step that is timed learns exactly what a step of the trainer learns: it has the same phases, all of them. */
static void test_timed_step_is_a_training_step(void **state)
{
    enum { COUNT = 24, VALUES = COUNT * 6 * 5 * 3 };
    static float values[VALUES];
    static int labels[COUNT];
    dlda_trainer *trainers[2] = { NULL, NULL };
    dlda_options *options = NULL;
    dlda_dataset *set = NULL;
    double seconds[DLDA_TIMES], loss = 0;

    (void)state;
    dlda_benchmark_fill(values, VALUES);
    for (int i = 0; i < COUNT; i++) labels[i] = i % 3;
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = 6,
                                                       .width = 5,
                                                       .channels = 3,
                                                       .classes = 3,
                                                       .labels = labels,
                                                       .values = values },
                                 &set));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net_path));
    CHECK_OK(dlda_options_set(options, "batch", "24"));
    for (int i = 0; i < 2; i++) CHECK_OK(dlda_trainer_create(options, set, NULL, &trainers[i]));
    for (size_t step = 0; step < 3; step++) {
        CHECK_OK(dlda_trainer_step(trainers[0], step + 1, 0, &loss));
        CHECK_OK(dlda_benchmark_step(trainers[1], seconds));
        for (int p = 0; p < DLDA_TIMES; p++) assert_true(seconds[p] >= 0);
    }
    const dlda_network *network = trainers[0]->model->network;
    assert_memory_equal(trainers[0]->weights, trainers[1]->weights, network->n_weights * sizeof(float));
    assert_memory_equal(trainers[0]->velocity, trainers[1]->velocity, network->n_weights * sizeof(float));
    assert_memory_equal(trainers[0]->state, trainers[1]->state, network->n_state * sizeof(float));
    assert_int_equal(trainers[0]->steps_done, trainers[1]->steps_done);
    for (int i = 0; i < 2; i++) dlda_trainer_destroy(trainers[i]);
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
}

/* ---- The report ---- */

static void check_pass(const dlda_benchmark_pass *pass, double flop, double floats)
{
    assert_true(pass->seconds > 0);
    assert_true(fabs(pass->gflops * pass->seconds * 1e9 / flop - 1) < 1e-9);
    assert_true(pass->bytes == 4 * floats);
}

static void test_report_of_everything(void **state)
{
    dlda_benchmark_spec spec = small();
    dlda_benchmark *b = NULL;
    const double flop[3] = { 2.0 * 12 * 30 * 27 * 8, 2.0 * 12 * 6 * 8 * 8, 2.0 * 12 * 48 * 6 };
    const double floats[3] = { 12 * 30 * 3 + 12 * 30 * 8 + 27 * 8, 2 * 12 * 6 * 8 + 64, 12 * 48 + 12 * 6 + 48 * 6 };

    (void)state;
    CHECK_OK(dlda_benchmark_run(&spec, &b));
    assert_true(b->batch == 12 && b->threads == 2 && b->repeats == 3 && strlen(b->kernels) > 0);
    assert_true(b->step_seconds > 0 && b->machine_peak_gflops > 0 && b->machine_gigabytes_per_second > 0);
    assert_true(fabs(b->images_per_second * b->step_seconds - 12) < 1e-9);
    assert_true(fabs(b->step_gflop * 1e9 / (2 * flop[0] + 3 * flop[1] + 3 * flop[2]) - 1) < 1e-12);
    assert_true(b->phases.gather >= 0 && b->phases.objective > 0 && b->phases.optimiser > 0);
    assert_true(b->phases.forward > 0 && b->phases.backward > 0 && b->loader_seconds > 0);
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
    dlda_benchmark_destroy(b);
}

static void test_parts_leave_the_rest_out(void **state)
{
    dlda_benchmark_spec spec = small();

    (void)state;
    for (int part = DLDA_BENCHMARK_STEP; part <= DLDA_BENCHMARK_INFERENCE; part++) {
        dlda_benchmark *b = NULL;
        spec.part = (dlda_benchmark_part)part;
        CHECK_OK(dlda_benchmark_run(&spec, &b));
        assert_int_equal(isnan(b->step_seconds), part != DLDA_BENCHMARK_STEP);
        assert_int_equal(isnan(b->phases.forward), part != DLDA_BENCHMARK_STEP);
        assert_int_equal(isnan(b->loader_seconds), part != DLDA_BENCHMARK_STEP);
        assert_int_equal(b->plan_bytes == 0, part != DLDA_BENCHMARK_STEP);
        assert_int_equal(b->n_layers == 0, part != DLDA_BENCHMARK_LAYERS);
        assert_int_equal(isnan(b->inference_images_per_second), part != DLDA_BENCHMARK_INFERENCE);
        dlda_benchmark_destroy(b);
    }
    dlda_benchmark_destroy(NULL);
}

static void test_refused(void **state)
{
    dlda_benchmark_spec spec = small();
    dlda_benchmark *b = NULL;

    (void)state;
    spec.batch = 3;
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("batch 3");
    spec.batch = 0;
    spec.part = DLDA_BENCHMARK_LAYERS;
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.repeats = 0;
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.net = "no such network";
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_OPTION);
    spec.net = NULL;
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_ARGUMENT);
    spec = small();
    spec.batch = (size_t)1 << 60;
    CHECK_STATUS(dlda_benchmark_run(&spec, &b), DLDA_E_MEMORY);
    assert_null(b);
}

static void test_without_memory(void **state)
{
    dlda_benchmark_spec spec = small();
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    spec.repeats = 1;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_benchmark *b = NULL;
        assert_true(n < 500);
        dlda_memory_fail_at(n);
        status = dlda_benchmark_run(&spec, &b);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_benchmark_destroy(b);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

/* ---- Memory that is foretold ---- */

static size_t bytes_of_plan(const dlda_network *network, size_t batch, int training)
{
    dlda_plan_spec spec = { batch, check_team(2), training, DLDA_KERNELS_FAST };
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
        CHECK_OK(dlda_network_parse(text, nets[i], (dlda_shape){ 0, 0, 0 }, &network));
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

/* And it is what a trainer takes: little else comes on top. */
static void test_memory_is_that_of_a_trainer(void **state)
{
    enum { COUNT = 40 };
    static const uint8_t bytes[COUNT * 28 * 28];
    int labels[COUNT];
    dlda_options *options = NULL;
    dlda_dataset *set = NULL;
    dlda_trainer *trainer = NULL;
    char *text = NULL;
    size_t training = 0, inference = 0;

    (void)state;
    for (int i = 0; i < COUNT; i++) labels[i] = i % 10;
    CHECK_OK(dlda_network_text_read("mnist", &text));
    CHECK_OK(dlda_network_text_memory(
        &(dlda_memory_spec){ .text = text, .where = "mnist", .batch = COUNT, .threads = 2 }, &training,
        &inference));
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
    CHECK_OK(dlda_options_set(options, "threads", "2"));
    size_t before = dlda_memory_count().bytes;
    CHECK_OK(dlda_trainer_create(options, set, NULL, &trainer));
    double taken = (double)(dlda_memory_count().bytes - before);
    if (fabs(taken / (double)training - 1) > 0.02) fail_msg("foretold %zu bytes, taken %.0f", training, taken);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(set);
    dlda_text_destroy(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_median),
        cmocka_unit_test(test_peak_is_a_number),
        cmocka_unit_test(test_timed_step_is_a_training_step),
        cmocka_unit_test(test_report_of_everything),
        cmocka_unit_test(test_parts_leave_the_rest_out),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_memory),
        cmocka_unit_test(test_memory_is_foretold),
        cmocka_unit_test(test_memory_is_that_of_a_trainer),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
