/* SPDX-License-Identifier: MIT
 *
 * test_two_trainers.c - two trainings at once in one process, on one data set: each gives the files that it gives alone,
 * bit by bit. make tsan runs it with the thread sanitizer.
 */
#include "check.h"

#include "base/memory.h"
#include "small_problem.h"

#include <pthread.h>

enum { TRAININGS = 2, ROUNDS = 3 };

/* cmocka's checks are for the main thread, so a training reports what became of it. */
typedef struct training {
    const dlda_options *options;
    const dlda_dataset *train, *validation;
    char run[256];
    pthread_barrier_t *start; /* NULL: there is nobody to wait for */
    dlda_status status;
    char error[512];
} training;

static dlda_status train_and_record(const training *self, dlda_trainer **trainer)
{
    dlda_status status = dlda_trainer_create(self->options, self->train, self->validation, trainer);

    if (status == DLDA_OK) status = dlda_trainer_record(*trainer, self->run, 1);
    return status == DLDA_OK ? dlda_trainer_run(*trainer) : status;
}

static void *run_training(void *context)
{
    training *self = context;
    dlda_trainer *trainer = NULL;

    if (self->start) pthread_barrier_wait(self->start);
    self->status = train_and_record(self, &trainer);
    if (self->status != DLDA_OK) snprintf(self->error, sizeof self->error, "%s", dlda_last_error());
    dlda_trainer_destroy(trainer);
    return NULL;
}

static void run_together(training trainings[TRAININGS])
{
    pthread_t threads[TRAININGS];
    pthread_barrier_t start;

    assert_int_equal(pthread_barrier_init(&start, NULL, TRAININGS), 0);
    for (int i = 0; i < TRAININGS; i++) {
        trainings[i].start = &start;
        assert_int_equal(pthread_create(&threads[i], NULL, run_training, &trainings[i]), 0);
    }
    for (int i = 0; i < TRAININGS; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
}

static void check_same_files(const char *run, const char *expected_run)
{
    static const char *const names[] = { "model.safetensors", "history.csv", "eigenvalues.csv", "options.json" };

    for (int i = 0; i < 4; i++) {
        char path[300], *found = NULL, *expected = NULL;
        size_t size = 0, expected_size = 0;
        snprintf(path, sizeof path, "%s/%s", run, names[i]);
        CHECK_OK(dlda_file_read(path, 1 << 24, &found, &size));
        snprintf(path, sizeof path, "%s/%s", expected_run, names[i]);
        CHECK_OK(dlda_file_read(path, 1 << 24, &expected, &expected_size));
        assert_int_equal(size, expected_size);
        assert_memory_equal(found, expected, size);
        dlda_release(found);
        dlda_release(expected);
    }
}

static void test_same_bits_as_alone(void **state)
{
    static const char *const objectives[TRAININGS] = { "lda", "cce" }, *const seeds[TRAININGS] = { "5", "6" };
    const char text[] =
        "conv 8 3 pad 1\nmaxpool 2\ndropout 0.2\nconv 6 3\ndense 4\n"; /* a feature per class, for cce */
    dlda_dataset *train = new_problem(1), *validation = new_problem(2);
    dlda_options *options[TRAININGS];
    training alone[TRAININGS], together[TRAININGS];

    (void)state;
    CHECK_OK(dlda_file_write(in_folder("four.net"), text, strlen(text)));
    for (int i = 0; i < TRAININGS; i++) {
        options[i] = new_options(objectives[i]);
        CHECK_OK(dlda_options_set(options[i], "net", in_folder("four.net")));
        CHECK_OK(dlda_options_set(options[i], "seed", seeds[i]));
        CHECK_OK(dlda_options_set(options[i], "prepare", "standardise"));
        alone[i] = together[i] = (training){ .options = options[i], .train = train, .validation = validation };
        snprintf(alone[i].run, sizeof alone[i].run, "%s", in_folder(i ? "alone 1" : "alone 0"));
        snprintf(together[i].run, sizeof together[i].run, "%s", in_folder(i ? "together 1" : "together 0"));
        run_training(&alone[i]);
        if (alone[i].status != DLDA_OK) fail_msg("%s alone: %s", objectives[i], alone[i].error);
    }
    for (int round = 0; round < ROUNDS; round++) {
        run_together(together);
        for (int i = 0; i < TRAININGS; i++) {
            if (together[i].status != DLDA_OK) fail_msg("%s together: %s", objectives[i], together[i].error);
            check_same_files(together[i].run, alone[i].run);
        }
    }
    for (int i = 0; i < TRAININGS; i++) dlda_options_destroy(options[i]);
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(validation);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_same_bits_as_alone) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
