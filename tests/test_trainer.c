/* SPDX-License-Identifier: MIT
 *
 * test_trainer.c - the training loop: it learns, repeats itself bit by bit, takes no memory in a step, keeps the best
 * model and complete files, and says clearly why it stops.
 */
#define _GNU_SOURCE
#include "check.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/random.h"
#include "small_problem.h"
#include "training/trainer.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Counting every allocation of the process, not only the library's own ---- */

#if defined(__has_feature)
#define HAS_FEATURE(name) __has_feature(name)
#else
#define HAS_FEATURE(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || HAS_FEATURE(address_sanitizer) ||             \
    HAS_FEATURE(thread_sanitizer)
#define COUNTS_ALLOCATIONS 0
static size_t process_allocations(void)
{
    return 0;
}
#else
#define COUNTS_ALLOCATIONS 1
#include <stdatomic.h>
static atomic_size_t allocations;
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_calloc(count, size);
}
void *realloc(void *pointer, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_realloc(pointer, size);
}
void *aligned_alloc(size_t alignment, size_t size)
{
    atomic_fetch_add(&allocations, 1);
    return __libc_memalign(alignment, size);
}
static size_t process_allocations(void)
{
    return allocations;
}
#endif

/* ---- Tests ---- */

static void test_learns_with_every_objective(void **state)
{
    const char *objectives[] = { "lda", "lda-mean", "lda-log", "lda-soft", "lda-bayes", "lda-trace" };

    (void)state;
    for (size_t i = 0; i < sizeof objectives / sizeof *objectives; i++) {
        dlda_dataset *train = new_problem(1), *validation = new_problem(2);
        dlda_options *options = new_options(objectives[i]);
        dlda_trainer *trainer = NULL;
        size_t count = 0;
        CHECK_OK(dlda_options_set(options, "epochs", "8"));
        CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
        assert_null(dlda_trainer_model(trainer));
        CHECK_OK(dlda_trainer_run(trainer));
        const dlda_epoch *history = dlda_trainer_history(trainer, &count);
        assert_int_equal(count, 8);
        assert_true(history[7].validation_accuracy > 0.9);
        assert_true(history[7].loss < history[0].loss);
        if (dlda_objective_find(objectives[i])->separates)
            assert_true(fabs(history[7].separation + history[7].loss) < 1e-12);
        else assert_true(isnan(history[7].separation));
        assert_int_equal(history[7].n_eigenvalues, CLASSES - 1);
        assert_non_null(dlda_trainer_model(trainer));
        dlda_trainer_destroy(trainer);
        dlda_options_destroy(options);
        dlda_dataset_destroy(train);
        dlda_dataset_destroy(validation);
    }
}

/* What a model says of its data is what was done, not what an option would have done. */
static void test_division_is_recorded_as_done(void **state)
{
    dlda_dataset *all = new_problem(1), *train = NULL, *validation = NULL, *part = NULL;
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;

    (void)state;
    CHECK_OK(dlda_options_set(options, "validation", "0.2"));
    CHECK_OK(dlda_options_set(options, "subset", "120"));
    CHECK_OK(dlda_trainer_create(options, all, NULL, &trainer)); /* nobody divided it */
    assert_non_null(strstr(trainer->model->options, "\"validation\": 0,"));
    assert_non_null(strstr(trainer->model->options, "\"subset\": 0,"));
    dlda_trainer_destroy(trainer);
    CHECK_OK(dlda_trainer_create(options, all, all, &trainer));
    assert_non_null(strstr(trainer->model->options, "\"validation\": 160,"));
    dlda_trainer_destroy(trainer);
    CHECK_OK(dlda_dataset_divide(all, options, &train, &validation));
    assert_int_equal(dlda_dataset_count(train), 96);
    assert_int_equal(dlda_dataset_count(validation), 24);
    CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
    assert_non_null(strstr(trainer->model->options, "\"validation\": 0.2"));
    assert_non_null(strstr(trainer->model->options, "\"subset\": 120,"));
    dlda_trainer_destroy(trainer);
    CHECK_OK(dlda_dataset_subset(train, 60, 1, &part)); /* what the options do not say */
    CHECK_OK(dlda_trainer_create(options, part, NULL, &trainer));
    assert_non_null(strstr(trainer->model->options, "\"validation\": 0,"));
    assert_non_null(strstr(trainer->model->options, "\"subset\": 0,"));
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(part);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
    dlda_dataset_destroy(all);
    dlda_options_destroy(options);
}

/* The default is 250, more than there are samples: without an explicit batch, all of them are one. */
static void test_default_batch_fits_the_data(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    (void)state;
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net_path));
    CHECK_OK(dlda_options_set(options, "epochs", "1"));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    assert_non_null(strstr(trainer->model->options, "\"batch\": 160,"));
    CHECK_OK(dlda_trainer_run(trainer));
    assert_string_equal(dlda_options_get(options, "batch"), "250"); /* the caller's options do not change */
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

/* With cross entropy, or cross entropy and the trace. */
static void check_softmax_training(const char *objective)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options(objective);
    dlda_trainer *trainer = NULL;
    size_t count = 0;
    const char text[] = "dense 16\nbn\nrelu\ndense 4\n";

    CHECK_STATUS(dlda_trainer_create(options, train, NULL, &trainer), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("6 features, expected one per class (4)");
    CHECK_OK(dlda_file_write(in_folder("four.net"), text, strlen(text)));
    CHECK_OK(dlda_options_set(options, "net", in_folder("four.net")));
    CHECK_OK(dlda_options_set(options, "epochs", "10"));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    const dlda_epoch *history = dlda_trainer_history(trainer, &count);
    assert_true(history[9].loss < history[0].loss && history[9].loss < 0.2);
    assert_true(isnan(history[9].separation) && isnan(history[9].validation_accuracy));
    assert_true(history[9].train_accuracy > 0.9);
    assert_int_equal(history[9].best, 1); /* without a validation set, each epoch is the best so far */
    CHECK_OK(dlda_model_require_softmax(dlda_trainer_model(trainer)));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

static void test_cross_entropy_needs_a_feature_per_class(void **state)
{
    (void)state;
    check_softmax_training("cce");
    check_softmax_training("lda-cce");
}

/* Trains and returns the bytes of a file of the run. */
static char *trained_bytes(const char *threads, const char *seed, const char *name, size_t *size)
{
    dlda_dataset *train = new_problem(1), *validation = new_problem(2);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    char *bytes = NULL, path[300], run[256];

    snprintf(run, sizeof run, "%s", in_folder("bits"));
    CHECK_OK(dlda_options_set(options, "threads", threads));
    CHECK_OK(dlda_options_set(options, "seed", seed));
    CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
    CHECK_OK(dlda_trainer_record(trainer, run, 1));
    CHECK_OK(dlda_trainer_run(trainer));
    snprintf(path, sizeof path, "%s/%s", run, name);
    CHECK_OK(dlda_file_read(path, 1 << 24, &bytes, size));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
    return bytes;
}

static void test_same_seed_same_bits(void **state)
{
    const char *names[] = { "model.safetensors", "history.csv", "eigenvalues.csv", "options.json" };
    const char *threads[] = { "2", "3", "4" };

    (void)state;
    for (int i = 0; i < 4; i++) {
        size_t size = 0, other_size = 0;
        char *one = trained_bytes("1", "5", names[i], &size);
        for (int t = 0; t < 3; t++) {
            char *other = trained_bytes(threads[t], "5", names[i], &other_size);
            assert_int_equal(size, other_size);
            assert_memory_equal(one, other, size);
            dlda_release(other);
        }
        char *another = trained_bytes("1", "6", names[i], &other_size);
        assert_true(size != other_size || memcmp(one, another, size) != 0); /* so the comparison means something */
        dlda_release(another);
        dlda_release(one);
    }
}

/* Each step has every phase once, in order; to watch them changes nothing. */
static void note_phase(void *user, dlda_phase finished)
{
    char *noted = user;
    size_t count = strlen(noted);

    assert_true(count < 15);
    noted[count] = (char)('0' + (int)finished);
}

static void test_phases_are_reported(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *watched = NULL, *alone = NULL;
    char noted[16] = "";

    (void)state;
    CHECK_OK(dlda_trainer_create(options, train, NULL, &watched));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &alone));
    dlda_trainer_watch(watched, &(dlda_watch){ .user = noted, .phase = note_phase });
    for (int i = 0; i < 3; i++) {
        CHECK_OK(dlda_trainer_run_step(watched));
        CHECK_OK(dlda_trainer_run_step(alone));
    }
    assert_string_equal(noted, "012340123401234");
    assert_memory_equal(watched->weights, alone->weights, alone->model->network->n_weights * sizeof(float));
    dlda_trainer_destroy(watched);
    dlda_trainer_destroy(alone);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

static void test_steps_take_no_memory(void **state)
{
    const char *objectives[] = { "lda", "lda-log" };

    (void)state;
    for (int i = 0; i < 2; i++) {
        dlda_dataset *train = new_problem(1);
        dlda_options *options = new_options(objectives[i]);
        dlda_trainer *trainer = NULL;
        double loss = 0;
        if (i == 1) CHECK_OK(dlda_options_set(options, "norm-group", "10"));
        if (i == 1) CHECK_OK(dlda_options_set(options, "micro-batch", "10"));
        CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
        CHECK_OK(dlda_trainer_step(trainer, 1, 0, &loss)); /* the BLAS makes its buffers once */
        size_t ours = dlda_memory_count().taken, all = process_allocations();
        for (size_t k = 0; k < 10; k++) CHECK_OK(dlda_trainer_step(trainer, 2 + k / 4, k % 4, &loss));
        CHECK_OK(dlda_trainer_step(trainer, 9, 2, &loss)); /* not the batch that was to come */
        assert_int_equal(dlda_memory_count().taken, ours);
        assert_int_equal(process_allocations(), all);
        dlda_trainer_destroy(trainer);
        dlda_options_destroy(options);
        dlda_dataset_destroy(train);
    }
    if (COUNTS_ALLOCATIONS) { /* the counter counts */
        size_t before = process_allocations();
        void *volatile block = malloc(1);
        free(block);
        assert_true(process_allocations() > before);
    }
}

/* Trains an epoch in groups of 10; the weights are to be released. */
static float *weights_with_micro_batch(const char *micro, size_t *n)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    double loss = 0;

    CHECK_OK(dlda_options_set(options, "flip", "true"));
    CHECK_OK(dlda_options_set(options, "shift", "2"));
    CHECK_OK(dlda_options_set(options, "prepare", "standardise,gcn"));
    CHECK_OK(dlda_options_set(options, "norm-group", "10"));
    CHECK_OK(dlda_options_set(options, "micro-batch", micro));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    for (size_t k = 0; k < 4; k++) CHECK_OK(dlda_trainer_step(trainer, 1, k, &loss));
    *n = trainer->model->network->n_weights;
    float *weights = trainer->weights;
    trainer->weights = NULL;
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
    return weights;
}

/* Images that are made again are the same ones, flipped, shifted and prepared alike. */
static void test_micro_batches_change_no_bit(void **state)
{
    static const char *const micros[] = { "10", "25", "30" };
    size_t n = 0;
    float *whole = weights_with_micro_batch("0", &n);

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        float *weights = weights_with_micro_batch(micros[i], &n);
        assert_memory_equal(weights, whole, n * sizeof *whole);
        dlda_release(weights);
    }
    dlda_release(whole);
}

/* The whole float network under the lda objective, without dropout, against differences of the loss. */
static void test_gradient_through_network_and_objective(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda-mean");
    dlda_trainer *trainer = NULL;
    const char text[] = "conv 6 3 pad 1\nmaxpool 2\nconv 5 3\n";
    double loss = 0;

    (void)state;
    CHECK_OK(dlda_file_write(in_folder("plain.net"), text, strlen(text)));
    CHECK_OK(dlda_options_set(options, "net", in_folder("plain.net")));
    CHECK_OK(dlda_options_set(options, "batch", "160"));
    CHECK_OK(dlda_options_set(options, "rate", "0"));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    size_t n = trainer->model->network->n_weights;
    float *start = malloc(n * sizeof *start), *direction = malloc(n * sizeof *direction);
    for (uint32_t k = 0; k < 4; k++) {
        dlda_random random = dlda_random_stream(k, DLDA_RANDOM_TEST, 8, 0);
        double slope = 0, error = INFINITY;
        dlda_random_normal(&random, n, 1, direction);
        memcpy(start, trainer->weights, n * sizeof *start);
        CHECK_OK(dlda_trainer_step(trainer, 1, 0, &loss));
        for (size_t i = 0; i < n; i++) slope += (double)trainer->gradient[i] * direction[i];
        for (double step = 4e-3; step > 1e-5; step /= 2) {
            double losses[2];
            for (int side = 0; side < 2; side++) {
                for (size_t i = 0; i < n; i++)
                    trainer->weights[i] = (float)(start[i] + (side ? step : -step) * direction[i]);
                CHECK_OK(dlda_trainer_step(trainer, 1, 0, &losses[side]));
            }
            error = fmin(error, fabs((losses[1] - losses[0]) / (2 * step) - slope));
        }
        memcpy(trainer->weights, start, n * sizeof *start);
        if (!(error <= 1e-3 * fabs(slope)))
            fail_msg("direction %u: slope %g, differences off by %g", k, slope, error);
    }
    free(start);
    free(direction);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

static int stop_at_second_epoch(void *user)
{
    return ++*(int *)user > 5; /* 4 batches an epoch */
}

static void test_stop_keeps_completed_epochs(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    int calls = 0;
    size_t count = 0;

    (void)state;
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    dlda_trainer_watch(trainer, NULL);
    dlda_trainer_watch(trainer, &(dlda_watch){ .user = &calls, .stop = stop_at_second_epoch });
    CHECK_STATUS(dlda_trainer_run(trainer), DLDA_E_STOPPED);
    CHECK_ERROR_SAYS("stopped in epoch 2, after batch 2 of 4");
    dlda_trainer_history(trainer, &count);
    assert_int_equal(count, 1);
    assert_non_null(dlda_trainer_model(trainer));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

/* A workspace holds what it made of the weights, which the next epoch changes. */
static void test_workspace_of_an_earlier_epoch_is_refused(void **state)
{
    dlda_dataset *data = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    dlda_workspace *workspace = NULL;
    dlda_evaluation *evaluation = NULL;

    (void)state;
    CHECK_OK(dlda_trainer_create(options, data, NULL, &trainer));
    CHECK_OK(dlda_trainer_run_epoch(trainer));
    const dlda_model *model = dlda_trainer_model(trainer);
    CHECK_OK(dlda_workspace_create(model, 10, 1, &workspace));
    CHECK_OK(dlda_trainer_run_step(trainer)); /* the model is that of the epoch */
    CHECK_OK(dlda_model_evaluate(model, workspace, data, DLDA_PROBABILITY_PAPER, &evaluation));
    dlda_evaluation_destroy(evaluation);
    evaluation = NULL;
    CHECK_OK(dlda_trainer_run_epoch(trainer));
    CHECK_STATUS(dlda_model_evaluate(model, workspace, data, DLDA_PROBABILITY_PAPER, &evaluation), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("before the training changed the model");
    assert_null(evaluation);
    dlda_workspace_destroy(workspace);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(data);
}

static void test_best_model_is_that_of_the_best_epoch(void **state)
{
    dlda_dataset *train = new_problem(1), *validation = new_problem(2);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    dlda_workspace *workspace = NULL;
    dlda_evaluation *evaluation = NULL;
    size_t count = 0;
    double best = 0;

    (void)state;
    CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    const dlda_epoch *history = dlda_trainer_history(trainer, &count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(history[i].best, history[i].validation_accuracy >= best);
        best = fmax(best, history[i].validation_accuracy);
    }
    CHECK_OK(dlda_workspace_create(dlda_trainer_model(trainer), 32, 1, &workspace));
    CHECK_OK(dlda_model_evaluate(dlda_trainer_model(trainer), workspace, validation, DLDA_PROBABILITY_PAPER,
                                 &evaluation));
    assert_true(fabs(evaluation->accuracy - best) < 1e-12);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(workspace);
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
}

static void test_folder_is_not_overwritten(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    char run[256];

    (void)state;
    snprintf(run, sizeof run, "%s", in_folder("kept"));
    assert_int_equal(mkdir(run, 0777), 0);
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    CHECK_STATUS(dlda_trainer_record(trainer, run, 0), DLDA_E_EXISTS);
    CHECK_ERROR_SAYS("kept: the folder already exists");
    CHECK_STATUS(dlda_trainer_record(trainer, net_path, 1), DLDA_E_EXISTS); /* a file, even with force */
    CHECK_STATUS(dlda_trainer_record(trainer, in_folder("no/such/place"), 1), DLDA_E_IO);
    CHECK_OK(dlda_trainer_record(trainer, run, 1));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

static void test_data_that_cannot_be_trained_on(void **state)
{
    dlda_dataset *train = new_problem(1), *one_class = NULL, *unlabelled = NULL;
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;
    float values[4] = { 1, 2, 3, 4 };
    int labels[4] = { 0, 0, 0, 0 };
    dlda_dataset_spec spec = {
        .count = 4, .height = 1, .width = 1, .channels = 1, .classes = 1, .labels = labels, .values = values
    };

    (void)state;
    CHECK_OK(dlda_options_set(options, "batch", "161"));
    CHECK_STATUS(dlda_trainer_create(options, train, NULL, &trainer), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("at most the 160 training samples");
    CHECK_OK(dlda_options_set(options, "batch", "4"));
    CHECK_OK(dlda_options_set(options, "net", "mlp"));
    CHECK_OK(dlda_dataset_create(&spec, &one_class));
    CHECK_STATUS(dlda_trainer_create(options, one_class, NULL, &trainer), DLDA_E_CLASS);
    spec.labels = NULL;
    CHECK_OK(dlda_dataset_create(&spec, &unlabelled));
    CHECK_STATUS(dlda_trainer_create(options, unlabelled, NULL, &trainer), DLDA_E_SHAPE);
    CHECK_STATUS(dlda_trainer_create(options, train, one_class, &trainer), DLDA_E_SHAPE);
    CHECK_OK(dlda_options_set(options, "net", "mnist")); /* wants 28x28 */
    CHECK_STATUS(dlda_trainer_create(options, train, NULL, &trainer), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("the data has 6x6x1");
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(one_class);
    dlda_dataset_destroy(unlabelled);
    dlda_options_destroy(options);
}

static void test_divergence_is_named(void **state)
{
    dlda_dataset *train = new_problem(1);
    dlda_options *options = new_options("lda");
    dlda_trainer *trainer = NULL;

    (void)state;
    CHECK_OK(dlda_options_set(options, "rate", "1000000"));
    CHECK_OK(dlda_options_set(options, "decay", "1"));
    CHECK_OK(dlda_options_set(options, "epochs", "50"));
    CHECK_OK(dlda_trainer_create(options, train, NULL, &trainer));
    CHECK_STATUS(dlda_trainer_run(trainer), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("epoch ");
    CHECK_ERROR_SAYS("a lower rate");
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
}

static void test_without_memory(void **state)
{
    dlda_dataset *train = new_problem(1), *validation = new_problem(2);
    dlda_options *options = new_options("lda");
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    CHECK_OK(dlda_options_set(options, "epochs", "1"));
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_trainer *trainer = NULL;
        dlda_memory_fail_at(n);
        status = dlda_trainer_create(options, train, validation, &trainer);
        if (status == DLDA_OK) status = dlda_trainer_record(trainer, in_folder("tight"), 1);
        if (status == DLDA_OK) status = dlda_trainer_run(trainer);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_trainer_destroy(trainer);
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_options_destroy(options);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_learns_with_every_objective),
        cmocka_unit_test(test_division_is_recorded_as_done),
        cmocka_unit_test(test_default_batch_fits_the_data),
        cmocka_unit_test(test_cross_entropy_needs_a_feature_per_class),
        cmocka_unit_test(test_same_seed_same_bits),
        cmocka_unit_test(test_phases_are_reported),
        cmocka_unit_test(test_steps_take_no_memory),
        cmocka_unit_test(test_micro_batches_change_no_bit),
        cmocka_unit_test(test_gradient_through_network_and_objective),
        cmocka_unit_test(test_stop_keeps_completed_epochs),
        cmocka_unit_test(test_workspace_of_an_earlier_epoch_is_refused),
        cmocka_unit_test(test_best_model_is_that_of_the_best_epoch),
        cmocka_unit_test(test_folder_is_not_overwritten),
        cmocka_unit_test(test_data_that_cannot_be_trained_on),
        cmocka_unit_test(test_divergence_is_named),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
