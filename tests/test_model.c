/* SPDX-License-Identifier: MIT
 *
 * test_model.c - models: a small one is trained, saved, loaded, and run by many at once.
 */
#define _GNU_SOURCE
#include "small_model.h"

#include "model/model.h"
#include "model/safetensors.h"

#include <pthread.h>

/* ---- Saving and loading ---- */

static void test_round_trip(void **state)
{
    dlda_model *again = NULL;
    answers before = answers_of(model, 16, 2), after;
    size_t correct = 0;

    (void)state;
    assert_true(same_files(good, bad)); /* saved twice by the trainer */
    CHECK_OK(dlda_model_save(model, bad));
    assert_true(same_files(good, bad)); /* loaded and saved */
    CHECK_OK(dlda_model_load(bad, &again));
    after = answers_of(again, 16, 2);
    assert_memory_equal(&before, &after, sizeof before);
    for (size_t i = 0; i < N; i++) correct += before.labels[i] == labels[i];
    assert_true(correct > N / 2); /* it has learned something, so the comparison means something */
    dlda_model_destroy(again);
}

/* In memory a model has the bytes of its file; cut anywhere, they are refused. */
static void test_bytes(void **state)
{
    dlda_model *again = NULL, *none = NULL;
    void *bytes = NULL;
    char *file = NULL;
    size_t size = 0, file_size = 0;

    (void)state;
    CHECK_OK(dlda_file_read(good, 1 << 24, &file, &file_size));
    CHECK_OK(dlda_model_to_bytes(model, &bytes, &size));
    assert_int_equal(size, file_size);
    assert_memory_equal(bytes, file, size);
    CHECK_OK(dlda_model_from_bytes(bytes, size, &again));
    for (size_t cut = 0; cut < size; cut += 1 + size / 200) {
        assert_int_not_equal(dlda_model_from_bytes(bytes, cut, &none), DLDA_OK);
        assert_null(none);
    }
    CHECK_ERROR_SAYS("model in memory: ");
    dlda_bytes_destroy(bytes);
    CHECK_OK(dlda_model_save(again, bad));
    assert_true(same_files(good, bad));
    dlda_model_destroy(again);
    dlda_release(file);
}

static void test_copy(void **state)
{
    dlda_model *first = NULL, *copy = NULL;

    (void)state;
    CHECK_OK(dlda_model_load(good, &first));
    CHECK_OK(dlda_model_copy(first, &copy));
    dlda_model_destroy(first);
    CHECK_OK(dlda_model_save(copy, bad));
    assert_true(same_files(good, bad));
    dlda_model_destroy(copy);
}

/* A model of a table keeps the names of its columns: in its file and in copies. */
static void test_columns(void **state)
{
    dlda_model *named = NULL, *loaded = NULL, *copy = NULL;
    dlda_read_spec spec = { 0 };
    char texts[PIXELS][24];
    const char *columns[PIXELS];

    (void)state;
    for (size_t j = 0; j < PIXELS; j++) {
        snprintf(texts[j], sizeof texts[j],
                 "\"gr\xc3\xb6\xc3\x9f"
                 "e\", %zu",
                 j);
        columns[j] = texts[j];
    }
    dlda_read_spec_use_model(&spec, model);
    assert_null(spec.columns);
    CHECK_OK(dlda_model_copy(model, &named));
    CHECK_OK(dlda_take_texts(columns, PIXELS, &named->columns));
    CHECK_OK(dlda_model_save(named, bad));
    CHECK_OK(dlda_model_load(bad, &loaded));
    CHECK_OK(dlda_model_copy(loaded, &copy));
    dlda_model_destroy(loaded);
    dlda_read_spec_use_model(&spec, copy);
    assert_int_equal(spec.features, PIXELS);
    for (size_t j = 0; j < PIXELS; j++) assert_string_equal(spec.columns[j], columns[j]);
    dlda_model_destroy(named);
    dlda_model_destroy(copy);
}

static void test_what_it_is(void **state)
{
    size_t count = 0;
    const double *values = dlda_lda_eigenvalues(dlda_model_lda(model), &count);

    (void)state;
    assert_int_equal(dlda_model_height(model), HEIGHT);
    assert_int_equal(dlda_model_width(model), WIDTH);
    assert_int_equal(dlda_model_channels(model), CHANNELS);
    assert_int_equal(dlda_model_features(model), D);
    assert_int_equal(dlda_model_classes(model), C);
    assert_int_equal(dlda_model_parameters(model), (9 * 2 * 4 + 8) + (4 * 5 + 5) + 10 + (3 * 2 * 5 * 4 + 4));
    for (size_t c = 0; c < C; c++) assert_string_equal(dlda_model_class_name(model, c), names[c]);
    assert_null(dlda_model_class_name(model, C));
    assert_string_equal(dlda_model_network_text(model),
                        "input 6 5 2\nconv 4 3 pad 1\nmaxpool 2\nconv 5 1 linear\nbn\n"
                        "relu\ndropout 0.1\ndense 4\n");
    assert_non_null(strstr(dlda_model_options_json(model), "small.net"));
    assert_int_equal(count, C - 1);
    assert_true(values[0] >= values[1]);
}

static void test_truncated(void **state)
{
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_file_read(good, 1 << 20, &bytes, &size));
    for (size_t n = 0; n < size; n++) {
        put_bytes(bad, bytes, n);
        check_bad_model(bad, "truncated", "");
    }
    memset(bytes + size - 4, 0xff, 4); /* the last array is one of weights: a NaN in it */
    put_bytes(bad, bytes, size);
    check_bad_model(bad, "a weight that is no number", "expected finite values");
    dlda_release(bytes);
}

/* Files of early versions have no scatter matrices. */
static void test_without_matrices(void **state)
{
    dlda_safetensors *file = NULL;
    dlda_metadata_entry texts[5];
    dlda_tensor tensors[32];
    static const char *const names_of_texts[5] = { "deeplda_format", "network", "classes", "options",
                                                   "preparation" };
    dlda_model *early = NULL, *extended = NULL;
    answers before = answers_of(model, 16, 2), after;
    size_t count = 0;

    (void)state;
    CHECK_OK(dlda_safetensors_read(good, &file));
    for (size_t i = 0; i < 5; i++)
        texts[i] = (dlda_metadata_entry){ names_of_texts[i], dlda_safetensors_metadata(file, names_of_texts[i]) };
    for (size_t i = 0; dlda_safetensors_at(file, i); i++)
        if (!strstr("head.within head.total", dlda_safetensors_at(file, i)->name))
            tensors[count++] = *dlda_safetensors_at(file, i);
    assert_int_equal(count + 2, dlda_safetensors_count(file));
    CHECK_OK(dlda_safetensors_write(bad, tensors, count, texts, 5));
    dlda_safetensors_destroy(file);
    CHECK_OK(dlda_model_load(bad, &early));
    after = answers_of(early, 16, 2);
    assert_memory_equal(&before, &after, sizeof before);
    dlda_workspace *workspace = workspace_for(early, 16, 1);
    CHECK_STATUS(dlda_model_add_class(early, workspace, dataset, "new", 1e-3, &extended), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("the model keeps no scatter matrices");
    CHECK_ERROR_SAYS("deeplda refit MODEL DATA");
    dlda_workspace_destroy(workspace);
    dlda_model_destroy(early);
}

/* ---- Failures of the system ---- */

static void test_load_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    for (; status != DLDA_OK; n++) {
        dlda_model *loaded = NULL;
        assert_true(n < 1000);
        dlda_memory_fail_at(n);
        status = dlda_model_load(good, &loaded);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || (status == DLDA_E_MEMORY && !loaded));
        dlda_model_destroy(loaded);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(n > 15);
}

static void test_save_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    CHECK_OK(dlda_model_save(model, bad));
    for (; status != DLDA_OK; n++) {
        assert_true(n < 100);
        dlda_memory_fail_at(n);
        status = dlda_model_save(model, bad);
        dlda_memory_fail_at(0);
        assert_true(status == DLDA_OK || status == DLDA_E_MEMORY);
        assert_int_equal(dlda_memory_count().live, live);
        assert_true(same_files(good, bad));
    }
    assert_true(n > 4);
}

static void test_save_refused(void **state)
{
    const dlda_model_spec spec = { .network_text = network_text,
                                   .where = "x",
                                   .input = { 6, 5, 2 },
                                   .classes = C,
                                   .class_names = names,
                                   .options = "{}" };
    dlda_model *headless = NULL, *none = NULL;

    (void)state;
    CHECK_STATUS(dlda_model_save(model, "/nonexistent/folder/m"), DLDA_E_IO);
    CHECK_ERROR_SAYS("/nonexistent/folder/m: cannot write: No such file or directory");
    CHECK_STATUS(dlda_model_save(model, folder), DLDA_E_IO);
    CHECK_STATUS(dlda_model_load(folder, &none), DLDA_E_IO);
    CHECK_STATUS(dlda_model_load("/nonexistent", &none), DLDA_E_IO);
    CHECK_OK(dlda_model_create(&spec, &headless));
    unlink(bad);
    CHECK_STATUS(dlda_model_save(headless, bad), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("the model has no head yet");
    assert_false(dlda_path_exists(bad));
    dlda_model_destroy(headless);
}

/* ---- Running ---- */

static void test_workspaces(void **state)
{
    dlda_model *other = NULL;
    dlda_workspace *mine = workspace_for(model, 8, 1), *none = NULL;
    dlda_evaluation *evaluation = NULL;
    answers a;

    (void)state;
    CHECK_OK(dlda_model_load(good, &other));
    CHECK_STATUS(ask(other, mine, &a), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("workspace: made for another model");
    CHECK_STATUS(dlda_model_predict(other, mine, images[0], N, DLDA_PROBABILITY_PAPER, a.labels, NULL),
                 DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_model_evaluate(other, mine, dataset, DLDA_PROBABILITY_PAPER, &evaluation), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_model_predict(model, mine, NULL, 0, DLDA_PROBABILITY_PAPER, NULL, NULL));
    CHECK_STATUS(dlda_workspace_create(model, 0, 1, &none), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_workspace_create(model, SIZE_MAX / 8, 1, &none), DLDA_E_MEMORY);
    assert_true(dlda_workspace_create(model, 1, SIZE_MAX / 4 + 1, &none) != DLDA_OK); /* threads */
    assert_null(none);
    dlda_workspace_destroy(mine);
    dlda_model_destroy(other);
}

/* Threads change no bit; the batch changes how sums are cut, so it may change the last ones. */
static void test_batch_and_threads(void **state)
{
    static const size_t batches[] = { 1, 7, 32, 59, 60, 200 };
    answers first = answers_of(model, N, 1);
    double *expected = check_widen(first.H[0], N * D), *proba = check_widen(first.proba[0], N * C);

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        answers a = answers_of(model, batches[i], 1);
        CHECK_NEAR_FLOAT(a.H[0], expected, N * D, 1e-5, "features with batch %zu", batches[i]);
        CHECK_NEAR_FLOAT(a.proba[0], proba, N * C, 1e-4, "probabilities with batch %zu", batches[i]);
        for (size_t threads = 0; threads <= 4; threads++) {
            answers b = answers_of(model, batches[i], threads);
            assert_memory_equal(&a, &b, sizeof a);
        }
    }
    free(expected);
    free(proba);
}

static void *ask_often(void *result)
{
    dlda_workspace *workspace = NULL;
    answers *mine = result, again;
    size_t bad_runs = dlda_workspace_create(model, 16, 1, &workspace) != DLDA_OK ||
                      ask(model, workspace, mine) != DLDA_OK;

    for (int i = 0; i < 20 && !bad_runs; i++)
        bad_runs += ask(model, workspace, &again) != DLDA_OK || memcmp(&again, mine, sizeof again) != 0;
    dlda_workspace_destroy(workspace);
    return bad_runs ? result : NULL;
}

static void test_many_threads_one_model(void **state)
{
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    static answers found[THREADS];
    answers expected = answers_of(model, 16, 1);

    (void)state;
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask_often, &found[i]), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        assert_memory_equal(&found[i], &expected, sizeof expected);
    }
}

/* A pixel that is no number must not end as a class: no layer may swallow it. */
static void test_pixel_not_a_number(void **state)
{
    dlda_workspace *workspace = workspace_for(model, 1, 1);

    (void)state;
    for (size_t i = 0; i < PIXELS; i++) {
        float image[PIXELS];
        int label = -1;
        memcpy(image, images[0], sizeof image);
        image[i] = NAN;
        CHECK_STATUS(dlda_model_predict(model, workspace, image, 1, DLDA_PROBABILITY_PAPER, &label, NULL),
                     DLDA_E_NUMERIC);
    }
    dlda_workspace_destroy(workspace);
}

/* ---- Evaluating ---- */

/* Counts by hand what the evaluation must have counted, for any labels. */
static void check_evaluation(const dlda_evaluation *e, const answers *a, const int *truth)
{
    size_t confusion[C][C] = { { 0 } }, correct = 0;
    double log_loss = 0;

    for (size_t i = 0; i < N; i++) {
        confusion[truth[i]][a->labels[i]]++;
        correct += truth[i] == a->labels[i];
        log_loss -= log(fmax(a->proba[i][truth[i]], 1e-15)) / N;
    }
    assert_int_equal(e->samples, N);
    assert_int_equal(e->correct, correct);
    assert_memory_equal(e->confusion, confusion, sizeof confusion);
    assert_memory_equal(e->predicted, a->labels, sizeof a->labels);
    assert_true(e->accuracy == (double)correct / N && fabs(e->log_loss - log_loss) < 1e-9 * (1 + log_loss));
    for (size_t c = 0; c < C; c++) {
        size_t called = confusion[0][c] + confusion[1][c] + confusion[2][c];
        size_t there = confusion[c][0] + confusion[c][1] + confusion[c][2];
        assert_int_equal(e->class_samples[c], there);
        assert_true(there ? e->recall[c] == (double)confusion[c][c] / (double)there : isnan(e->recall[c]));
        assert_true(called ? e->precision[c] == (double)confusion[c][c] / (double)called : isnan(e->precision[c]));
    }
}

/* Whatever the labels are, the predictions that are counted are the same. */
static void test_labels_only_count(void **state)
{
    answers a = answers_of(model, 16, 1);
    dlda_workspace *workspace = workspace_for(model, 16, 1);
    uint64_t seed = 9;

    (void)state;
    for (int round = 0; round < 6; round++) {
        int truth[N];
        dlda_evaluation *evaluation = NULL;
        dlda_dataset_spec spec = spec_of_images();
        for (size_t i = 0; i < N; i++)
            truth[i] = round == 0 ? labels[i] : round == 1 ? 2 : (int)(fabs(check_uniform(&seed)) * C) % C;
        spec.labels = truth;
        dlda_dataset *relabelled = make_dataset(&spec);
        CHECK_OK(dlda_model_evaluate(model, workspace, relabelled, DLDA_PROBABILITY_PAPER, &evaluation));
        check_evaluation(evaluation, &a, truth);
        dlda_evaluation_destroy(evaluation);
        dlda_dataset_destroy(relabelled);
    }
    dlda_workspace_destroy(workspace);
}

static void test_data_that_does_not_fit(void **state)
{
    dlda_workspace *workspace = workspace_for(model, 16, 1);
    dlda_evaluation *evaluation = NULL;
    dlda_dataset_spec specs[3] = { spec_of_images(), spec_of_images(), spec_of_images() };
    static const char *const words[3] = { "evaluate: images of 5x6x2, the model takes 6x5x2",
                                          "evaluate: the data has no labels",
                                          "evaluate: 4 classes in the data, the model has 3" };

    (void)state;
    specs[0].height = WIDTH, specs[0].width = HEIGHT;
    specs[1].labels = NULL;
    specs[2].classes = C + 1, specs[2].names = NULL;
    for (size_t i = 0; i < 3; i++) {
        dlda_dataset *other = make_dataset(&specs[i]);
        CHECK_STATUS(dlda_model_evaluate(model, workspace, other, DLDA_PROBABILITY_PAPER, &evaluation),
                     DLDA_E_SHAPE);
        CHECK_ERROR_SAYS(words[i]);
        assert_null(evaluation);
        dlda_dataset_destroy(other);
    }
    dlda_workspace_destroy(workspace);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_copy),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_what_it_is),
        cmocka_unit_test(test_without_matrices),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_load_without_memory),
        cmocka_unit_test(test_save_without_memory),
        cmocka_unit_test(test_save_refused),
        cmocka_unit_test(test_workspaces),
        cmocka_unit_test(test_batch_and_threads),
        cmocka_unit_test(test_many_threads_one_model),
        cmocka_unit_test(test_pixel_not_a_number),
        cmocka_unit_test(test_labels_only_count),
        cmocka_unit_test(test_data_that_does_not_fit),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
