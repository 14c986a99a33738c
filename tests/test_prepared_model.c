/* SPDX-License-Identifier: MIT
 *
 * test_prepared_model.c - the preparation of images as a part of training and of model files: same bits for any number
 * of threads, predictions that see what the training saw, and files that lie.
 */
#define _GNU_SOURCE
#include "model_files.h"

#include "model/safetensors.h"
#include "training/trainer.h"

#include <unistd.h>

enum { N = 80, SIDE = 6, CHANNELS = 3, VALUES = SIDE * SIDE * CHANNELS, C = 4, D = 5 };

static const char net_text[] = "conv 6 3 pad 1\nmaxpool 2\ndropout 0.1\ndense 5\n";
static char folder[] = "/tmp/test_prepared-XXXXXX";
static char net[64], good[64], bad[64];
static dlda_dataset *train, *others;

/* ---- Data, and training on it ---- */

static dlda_dataset *new_set(uint64_t seed)
{
    static uint8_t bytes[N * VALUES];
    static int labels[N];
    dlda_dataset *set = NULL;

    for (size_t i = 0; i < N; i++) {
        double light = 40 * check_uniform(&seed);
        labels[i] = (int)(i % C);
        for (size_t p = 0; p < VALUES; p++)
            bytes[i * VALUES + p] = (uint8_t)(110 + light + 30 * check_uniform(&seed) + (p % C == i % C ? 40 : 0));
    }
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = N,
                                                       .height = SIDE,
                                                       .width = SIDE,
                                                       .channels = CHANNELS,
                                                       .classes = C,
                                                       .labels = labels,
                                                       .bytes = bytes },
                                 &set));
    return set;
}

static dlda_trainer *trained(const char *prepare, const char *threads, const dlda_dataset *validation)
{
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net));
    CHECK_OK(dlda_options_set(options, "batch", "30"));
    CHECK_OK(dlda_options_set(options, "epochs", "2"));
    CHECK_OK(dlda_options_set(options, "threads", threads));
    CHECK_OK(dlda_options_set(options, "prepare", prepare));
    CHECK_OK(dlda_options_set(options, "flip", "true"));
    CHECK_OK(dlda_options_set(options, "shift", "1"));
    CHECK_OK(dlda_trainer_create(options, train, validation, &trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    dlda_options_destroy(options);
    return trainer;
}

static void train_and_save(const char *prepare, const char *threads, const char *path)
{
    dlda_trainer *trainer = trained(prepare, threads, others);

    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), path));
    dlda_trainer_destroy(trainer);
}

static int make_all(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(net, sizeof net, "%s/small.net", folder);
    snprintf(good, sizeof good, "%s/good", folder);
    snprintf(bad, sizeof bad, "%s/bad", folder);
    CHECK_OK(dlda_file_write(net, net_text, strlen(net_text)));
    train = new_set(1);
    others = new_set(2);
    train_and_save("standardise,gcn,zca", "1", good);
    return 0;
}

static int remove_all(void **state)
{
    (void)state;
    dlda_dataset_destroy(train);
    dlda_dataset_destroy(others);
    unlink(net);
    unlink(good);
    unlink(bad);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return rmdir(folder) != 0 || dlda_memory_count().live != 0;
}

/* ---- Training ---- */

static void test_same_bits_for_any_threads(void **state)
{
    static const char *const threads[] = { "1", "2", "3", "4" };

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        train_and_save("standardise,gcn,zca", threads[i], bad);
        assert_true(same_files(good, bad));
    }
    train_and_save("gcn,zca", "1", bad);
    assert_false(same_files(good, bad)); /* so the comparison means something */
}

/* Features of raw images through a loaded model are those that the training measured. */
static void test_prediction_sees_what_training_saw(void **state)
{
    static const char *const lists[] = { "scale", "standardise", "gcn", "scale,gcn,zca", "zca,standardise" };
    static const size_t batches[] = { 30, 1, 7, N };

    (void)state;
    for (size_t i = 0; i < 5; i++) {
        dlda_trainer *trainer = trained(lists[i], "2", NULL);
        dlda_model *model = NULL;
        float raw[N * VALUES], H[N * D];
        double *expected = check_widen(trainer->H, N * D);
        CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), bad));
        CHECK_OK(dlda_model_load(bad, &model));
        assert_string_equal(dlda_model_preparation(model), dlda_model_preparation(dlda_trainer_model(trainer)));
        CHECK_OK(dlda_dataset_images(train, 0, N, raw));
        for (size_t b = 0; b < 4; b++) {
            dlda_workspace *workspace = NULL;
            CHECK_OK(dlda_workspace_create(model, batches[b], 1 + b % 2, &workspace));
            CHECK_OK(dlda_model_embed(model, workspace, raw, N, H));
            CHECK_NEAR_FLOAT(H, expected, N * D, 1e-5, "%s with batch %zu", lists[i], batches[b]);
            dlda_workspace_destroy(workspace);
        }
        free(expected);
        dlda_model_destroy(model);
        dlda_trainer_destroy(trainer);
    }
}

/* The accuracy that is reported for the validation set is what the model has on its raw images. */
static void test_evaluation_prepares_too(void **state)
{
    dlda_trainer *trainer = trained("gcn,zca", "2", others);
    const dlda_model *model = dlda_trainer_model(trainer);
    dlda_workspace *workspace = NULL;
    dlda_evaluation *evaluation = NULL;
    size_t count = 0;
    double best = 0;

    (void)state;
    const dlda_epoch *history = dlda_trainer_history(trainer, &count);
    for (size_t i = 0; i < count; i++) best = fmax(best, history[i].validation_accuracy);
    CHECK_OK(dlda_workspace_create(model, 32, 1, &workspace));
    CHECK_OK(dlda_model_evaluate(model, workspace, others, DLDA_PROBABILITY_PAPER, &evaluation));
    assert_true(fabs(evaluation->accuracy - best) < 1e-12);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(workspace);
    dlda_trainer_destroy(trainer);
}

/* Only the training set is looked at: another validation set leaves the preparation as it is. */
static void test_fitted_on_the_training_set_alone(void **state)
{
    dlda_trainer *with = trained("standardise,zca", "1", others), *without = trained("standardise,zca", "1", NULL);
    const dlda_preparation *a = with->model->preparation, *b = without->model->preparation;

    (void)state;
    assert_memory_equal(a->mean, b->mean, CHANNELS * sizeof(float));
    assert_memory_equal(a->deviation, b->deviation, CHANNELS * sizeof(float));
    assert_memory_equal(a->zca->P, b->zca->P, VALUES * VALUES * sizeof(float));
    dlda_trainer_destroy(with);
    dlda_trainer_destroy(without);
}

static void test_options_that_make_no_sense(void **state)
{
    static const char *const cases[][3] = {
        { "prepare", "gcn,gcn", "gcn stands there twice" },
        { "prepare", "", "option prepare: found ''" },
        { "shift", "6", "option shift: found 6, expected less than the images' side of 6" },
    };

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        dlda_options *options = NULL;
        dlda_trainer *trainer = NULL;
        CHECK_OK(dlda_options_create(&options));
        CHECK_OK(dlda_options_set(options, "net", net));
        CHECK_OK(dlda_options_set(options, "batch", "30"));
        CHECK_OK(dlda_options_set(options, cases[i][0], cases[i][1]));
        CHECK_STATUS(dlda_trainer_create(options, train, NULL, &trainer), DLDA_E_OPTION);
        CHECK_ERROR_SAYS(cases[i][2]);
        dlda_options_destroy(options);
    }
}

/* ---- Files ---- */

enum { MOST_TEXTS = 5, MOST_TENSORS = 32 };

/* The good file, to be changed and written as the bad one. */
typedef struct content {
    dlda_safetensors *file;
    dlda_metadata_entry texts[MOST_TEXTS]; /* the last is the preparation */
    dlda_tensor tensors[MOST_TENSORS];
    size_t count;
} content;

static content read_good(void)
{
    static const char *const keys[MOST_TEXTS] = { "deeplda_format", "network", "classes", "options",
                                                  "preparation" };
    content made = { 0 };

    CHECK_OK(dlda_safetensors_read(good, &made.file));
    for (size_t i = 0; i < MOST_TEXTS; i++)
        made.texts[i] = (dlda_metadata_entry){ keys[i], dlda_safetensors_metadata(made.file, keys[i]) };
    for (; dlda_safetensors_at(made.file, made.count); made.count++)
        made.tensors[made.count] = *dlda_safetensors_at(made.file, made.count);
    return made;
}

static void write_bad(content *made, size_t n_texts)
{
    CHECK_OK(dlda_safetensors_write(bad, made->tensors, made->count, made->texts, n_texts));
    dlda_safetensors_destroy(made->file);
}

static size_t find(const content *made, const char *name)
{
    for (size_t t = 0; t < made->count; t++)
        if (strcmp(made->tensors[t].name, name) == 0) return t;
    fail_msg("no tensor %s", name);
    return 0;
}

static void test_round_trip(void **state)
{
    dlda_model *model = NULL;

    (void)state;
    CHECK_OK(dlda_model_load(good, &model));
    assert_string_equal(dlda_model_preparation(model), "scale,standardise,gcn,zca");
    assert_true(model->preparation->spec.gcn_scale == 55 && model->preparation->spec.zca_bias == 0.1);
    CHECK_OK(dlda_model_save(model, bad));
    assert_true(same_files(good, bad));
    dlda_model_destroy(model);
}

/* A file from before there were preparations. */
static void test_older_files(void **state)
{
    content made = read_good();
    dlda_model *model = NULL;

    (void)state;
    for (size_t t = 0; t < made.count;) {
        if (strncmp(made.tensors[t].name, "prepare", 7) == 0) made.tensors[t] = made.tensors[--made.count];
        else t++;
    }
    write_bad(&made, MOST_TEXTS - 1);
    CHECK_OK(dlda_model_load(bad, &model));
    assert_string_equal(dlda_model_preparation(model), "scale");
    dlda_model_destroy(model);
}

static void test_lies_in_the_text(void **state)
{
#define STEPS "\"steps\":[\"scale\",\"standardise\",\"gcn\",\"zca\"]"
    static const char *const lies[][2] = {
        { "", "'preparation' is not a JSON object" },
        { "[]", "'preparation' is not a JSON object" },
        { "{\"steps\":[\"scale\"],\"steps\":[\"scale\"]}", "'preparation' is not a JSON object" },
        { "{}", "no array 'steps'" },
        { "{\"steps\":\"scale\"}", "no array 'steps'" },
        { "{\"steps\":[]}", "the first step is not scale" },
        { "{\"steps\":[\"gcn\"],\"gcn_scale\":55,\"gcn_bias\":0}", "the first step is not scale" },
        { "{\"steps\":[\"scale\",\"blur\"]}", "step 1 is 'blur', which is not known" },
        { "{\"steps\":[\"scale\",7]}", "step 1 is 'not a string'" },
        { "{\"steps\":[\"scale\",\"gcn\",\"zca\",\"gcn\"]}", "gcn stands there twice" },
        { "{\"steps\":[\"scale\",\"scale\",\"scale\",\"scale\",\"scale\"]}", "scale stands there twice" },
        { "{" STEPS ",\"gcn_scale\":55,\"gcn_bias\":0}", "zca_bias is missing, or not a number from 0 to 1e+09" },
        { "{" STEPS ",\"gcn_scale\":0,\"gcn_bias\":0,\"zca_bias\":0.1}", "gcn_scale is missing, or not a number" },
        { "{" STEPS ",\"gcn_scale\":55,\"gcn_bias\":-1,\"zca_bias\":0.1}", "gcn_bias is missing, or not a number" },
        { "{" STEPS ",\"gcn_scale\":55,\"gcn_bias\":0,\"zca_bias\":1e99}", "zca_bias is missing, or not a number" },
        { "{" STEPS ",\"gcn_scale\":\"55\",\"gcn_bias\":0,\"zca_bias\":0.1}",
          "gcn_scale is missing, or not a number" },
        { "{" STEPS ",\"gcn_scale\":55,\"gcn_bias\":0,\"zca_bias\":0.1,\"more\":1}", "5 entries, expected 4" },
        { "{\"steps\":[\"scale\"]}", "tensors, expected" },
        { "{\"steps\":[\"scale\",\"standardise\"]}", "tensors, expected" },
        { "{\"steps\":[\"scale\",\"gcn\"],\"gcn_scale\":55,\"gcn_bias\":0}", "tensors, expected" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        content made = read_good();
        made.texts[MOST_TEXTS - 1].value = lies[i][0];
        write_bad(&made, MOST_TEXTS);
        check_bad_model(bad, lies[i][0], lies[i][1]);
    }
}

static void test_lies_in_tensors(void **state)
{
    static const char *const names[] = { "prepare.mean", "prepare.std", "prepare.zca.mean", "prepare.zca.matrix" };
    static float room[VALUES * (VALUES + 1)]; /* zeros */
    char words[96];

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        content made = read_good();
        made.tensors[find(&made, names[i])] = made.tensors[made.count - 1];
        made.count--;
        write_bad(&made, MOST_TEXTS);
        snprintf(words, sizeof words, "tensor '%s' is missing", names[i]);
        check_bad_model(bad, names[i], words);
        made = read_good();
        dlda_tensor *longer = &made.tensors[find(&made, names[i])];
        longer->shape[0]++;
        longer->data = room;
        write_bad(&made, MOST_TEXTS);
        snprintf(words, sizeof words, "tensor '%s': found F32 [%zu", names[i], longer->shape[0]);
        check_bad_model(bad, names[i], words);
        made = read_good();
        dlda_tensor *flat = &made.tensors[find(&made, names[i])];
        flat->shape[0] = dlda_tensor_elements(flat);
        flat->rank = 1;
        if (i < 3) flat->shape[flat->rank++] = 1;
        write_bad(&made, MOST_TEXTS);
        check_bad_model(bad, names[i], ", expected F32 [");
    }
    content made = read_good();
    made.tensors[find(&made, "prepare.std")].data = room;
    write_bad(&made, MOST_TEXTS);
    check_bad_model(bad, "a deviation of 0", "prepare.std: value 0 is 0, expected more than 0");
}

/* A line of text does not make the loader take memory for a matrix that is not there. */
static void test_giant_images(void **state)
{
    content made = read_good();
    size_t before = dlda_memory_count().peak;

    (void)state;
    made.texts[1].value = "input 96 96 3\nconv 6 3 pad 1 stride 2\nmaxpool 16\ndropout 0.1\ndense 5\n";
    write_bad(&made, MOST_TEXTS);
    check_bad_model(bad, "large images", "zca of images of 27648 values, expected at most 7000");
    made = read_good();
    made.texts[1].value = "input 48 48 3\nconv 6 3 pad 1\nmaxpool 16\ndropout 0.1\ndense 5\n";
    write_bad(&made, MOST_TEXTS);
    check_bad_model(bad, "smaller ones", "tensor 'prepare.zca.mean': found F32 [108], expected F32 [6912]");
    assert_true(dlda_memory_count().peak - before < 16 << 20);
}

static void test_truncated(void **state)
{
    char *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_file_read(good, 1 << 24, &bytes, &size));
    for (size_t n = 0; n < size; n += 1 + n / 40) {
        put_bytes(bad, bytes, n);
        check_bad_model(bad, "truncated", "");
    }
    dlda_release(bytes);
}

static void test_load_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_model *model = NULL;
        dlda_workspace *workspace = NULL;
        dlda_memory_fail_at(n);
        status = dlda_model_load(good, &model);
        if (status == DLDA_OK) status = dlda_workspace_create(model, 3, 1, &workspace);
        if (status == DLDA_OK) status = dlda_model_save(model, bad);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_workspace_destroy(workspace);
        dlda_model_destroy(model);
        assert_int_equal(dlda_memory_count().live, live);
    }
    assert_true(same_files(good, bad));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_giant_images), /* first: only growth of the peak shows */
        cmocka_unit_test(test_same_bits_for_any_threads),
        cmocka_unit_test(test_prediction_sees_what_training_saw),
        cmocka_unit_test(test_evaluation_prepares_too),
        cmocka_unit_test(test_fitted_on_the_training_set_alone),
        cmocka_unit_test(test_options_that_make_no_sense),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_older_files),
        cmocka_unit_test(test_lies_in_the_text),
        cmocka_unit_test(test_lies_in_tensors),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_load_without_memory),
    };
    return cmocka_run_group_tests(tests, make_all, remove_all);
}
