/* SPDX-License-Identifier: MIT
 *
 * test_model.c - models: a small one is trained, saved, loaded, lied about, and run by many at once.
 */
#define _GNU_SOURCE
#include "model_files.h"

#include "model/model.h"
#include "model/safetensors.h"

#include <pthread.h>
#include <unistd.h>

enum { N = 60, HEIGHT = 6, WIDTH = 5, CHANNELS = 2, PIXELS = HEIGHT * WIDTH * CHANNELS, C = 3, D = 4 };

static const char network_text[] = "conv 4 3 pad 1\nmaxpool 2\nconv 5 1 linear\nbn\nrelu\ndropout 0.1\ndense 4\n";
static const char *const names[C] = { "cat", "d\xc3\xb6g", "\"third\"\\" };

static char folder[] = "/tmp/test_model-XXXXXX";
static char good[64], bad[64], net[64];
static float images[N][PIXELS];
static int labels[N];
static dlda_dataset *dataset;
static dlda_model *model; /* loaded from `good` */

/* ---- The model that all tests use ---- */

static dlda_dataset *make_dataset(const dlda_dataset_spec *spec)
{
    dlda_dataset *made = NULL;

    CHECK_OK(dlda_dataset_create(spec, &made));
    return made;
}

static dlda_dataset_spec spec_of_images(void)
{
    return (dlda_dataset_spec){ .count = N,
                                .height = HEIGHT,
                                .width = WIDTH,
                                .channels = CHANNELS,
                                .classes = C,
                                .labels = labels,
                                .values = images[0],
                                .names = names };
}

static void make_images(void)
{
    uint64_t seed = 1;
    dlda_dataset_spec spec = spec_of_images();

    for (size_t i = 0; i < N; i++) {
        labels[i] = (int)(i % C);
        for (size_t j = 0; j < PIXELS; j++) images[i][j] = (float)(check_normal(&seed) + (j % C == i % C));
    }
    dataset = make_dataset(&spec);
}

static void train_and_save(void)
{
    dlda_options *options = NULL;
    dlda_trainer *trainer = NULL;

    CHECK_OK(dlda_file_write(net, network_text, strlen(network_text)));
    CHECK_OK(dlda_options_create(&options));
    CHECK_OK(dlda_options_set(options, "net", net));
    CHECK_OK(dlda_options_set(options, "batch", "30"));
    CHECK_OK(dlda_options_set(options, "epochs", "2"));
    CHECK_OK(dlda_options_set(options, "threads", "1"));
    CHECK_OK(dlda_trainer_create(options, dataset, NULL, &trainer));
    assert_null(dlda_trainer_model(trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), good));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), bad)); /* for test_round_trip */
    CHECK_OK(dlda_model_load(good, &model));
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
}

static int make_all(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(good, sizeof good, "%s/good", folder);
    snprintf(bad, sizeof bad, "%s/bad", folder);
    snprintf(net, sizeof net, "%s/small.net", folder);
    make_images();
    train_and_save();
    return 0;
}

/* Fails if a test left a temporary file, or memory. */
static int remove_all(void **state)
{
    (void)state;
    dlda_model_destroy(model);
    dlda_dataset_destroy(dataset);
    unlink(good);
    unlink(bad);
    unlink(net);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return rmdir(folder) != 0 || dlda_memory_count().live != 0;
}

static dlda_workspace *workspace_for(const dlda_model *any, size_t batch, size_t threads)
{
    dlda_workspace *workspace = NULL;

    CHECK_OK(dlda_workspace_create(any, batch, threads, &workspace));
    return workspace;
}

/* What a model says of all images. */
typedef struct answers {
    float H[N][D], proba[N][C];
    int labels[N];
} answers;

static dlda_status ask(const dlda_model *any, dlda_workspace *workspace, answers *a)
{
    dlda_status status = DLDA_OK;

    memset(a, 0xA5, sizeof *a);
    DLDA_TRY(dlda_model_embed(any, workspace, images[0], N, a->H[0]));
    DLDA_TRY(dlda_model_predict(any, workspace, images[0], N, DLDA_PAPER, a->labels, a->proba[0]));
done:
    return status;
}

static answers answers_of(const dlda_model *any, size_t batch, size_t threads)
{
    answers a;
    dlda_workspace *workspace = workspace_for(any, batch, threads);

    CHECK_OK(ask(any, workspace, &a));
    dlda_workspace_destroy(workspace);
    return a;
}

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

/* ---- Lies ---- */

enum { N_METADATA = 5, MOST_TENSORS = 32 }; /* texts of a good file: none of "softmax" */
static const char *const keys[N_METADATA] = { "deeplda_format", "network", "classes", "options", "preparation" };

/* The good file with one text replaced, or removed if `value` is NULL. */
static void write_with_text(const char *key, const char *value)
{
    dlda_safetensors *file = NULL;
    dlda_metadata_entry texts[N_METADATA + 1];
    dlda_tensor tensors[MOST_TENSORS];
    size_t n = 0, count = 0;
    int known = 0;

    CHECK_OK(dlda_safetensors_read(good, &file));
    for (size_t i = 0; i < N_METADATA; i++) {
        int changed = strcmp(keys[i], key) == 0;
        known += changed;
        if (!changed || value)
            texts[n++] = (dlda_metadata_entry){ keys[i],
                                                changed ? value : dlda_safetensors_metadata(file, keys[i]) };
    }
    if (!known) texts[n++] = (dlda_metadata_entry){ key, value };
    for (; dlda_safetensors_at(file, count); count++) tensors[count] = *dlda_safetensors_at(file, count);
    CHECK_OK(dlda_safetensors_write(bad, tensors, count, texts, n));
    dlda_safetensors_destroy(file);
}

static void test_lies_in_texts(void **state)
{
    static const char *const lies[][3] = {
        { "deeplda_format", NULL, "no 'deeplda_format' in the metadata; this is not a deeplda model" },
        { "deeplda_format", "2", "format version '2', expected '1'" },
        { "deeplda_format", "", "format version '', expected '1'" },
        { "network", NULL, "no 'network' in the metadata" },
        { "network", "", "no layers" },
        { "network", "conv 4 3", "line 1: the size of the images is not known" },
        { "network", "input 6 5 2\nconv 4 3 pad 9", "line 2: conv: pad 9" },
        { "network", "input 6 5 2\nconv 4 3 pad 1", "head.means': found F64 [3, 4], expected F64 [3, 120]" },
        { "network", "input 6 5 2\nconv 5 3 pad 1",
          "layers.0.conv.weight': found F32 [3, 3, 2, 4], expected F32 [3, 3, 2, 5]" },
        { "network", "input 6 5 2\ndense 4", "layers.0.dense.weight' is missing" },
        { "network", "input 6 5 2\nconv 4 3 pad 1\nmaxpool 2\ngap", "tensors, expected 11 for this network" },
        { "classes", NULL, "no 'classes' in the metadata" },
        { "classes", "", "'classes' is not a JSON array" },
        { "classes", "{\"a\":1}", "'classes' is not a JSON array" },
        { "classes", "[\"a\",\"b\",", "'classes' is not a JSON array" },
        { "classes", "[]", "0 classes, expected 2" },
        { "classes", "[\"a\"]", "1 classes, expected 2" },
        { "classes", "[\"a\",\"b\"]", "head.eigenvalues: 2, expected 1 to 1" },
        { "classes", "[\"a\",\"b\",\"c\",\"d\"]", "head.counts': found F64 [3], expected F64 [4]" },
        { "classes", "[\"a\",\"b\",3]", "class name 2 is not a string" },
        { "options", NULL, "no 'options' in the metadata" },
        { "options", "[1]", "'options' is not a JSON object" },
        { "options", "{\"a\":1,\"a\":2}", "'options' is not a JSON object" },
        { "softmax", "some", "'softmax' is 'some', expected 'none'" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        write_with_text(lies[i][0], lies[i][1]);
        check_bad_model(bad, lies[i][1] ? lies[i][1] : lies[i][0], lies[i][2]);
    }
}

/* A few bytes of text must not make the loader take memory that the file does not justify. */
static void test_giant_network(void **state)
{
    size_t before = dlda_memory_count().peak;

    (void)state;
    write_with_text("network", "input 1 1 1000000\ndense 64");
    check_bad_model(bad, "giant network", "layers.0.dense.weight' is missing");
    size_t most = dlda_memory_count().peak - before;
    if (most > 16 << 20) fail_msg("%zu bytes were taken for a file of a few thousand", most);
}

typedef enum lie_kind { DROP, SET, RESIZE, FLATTEN, WIDEN, ADD } lie_kind;

static const struct {
    lie_kind kind;
    const char *tensor;
    size_t index; /* SET: of the value; RESIZE: new first entry of the shape, with zeros as data */
    double value;
    const char *words;
} tensor_lies[] = {
    { DROP, "layers.0.conv.weight", 0, 0, "tensor 'layers.0.conv.weight' is missing" },
    { DROP, "layers.0.bn.variance", 0, 0, "tensor 'layers.0.bn.variance' is missing" },
    { DROP, "layers.6.dense.bias", 0, 0, "tensor 'layers.6.dense.bias' is missing" },
    { DROP, "head.counts", 0, 0, "tensor 'head.counts' is missing" },
    { DROP, "head.means", 0, 0, "tensor 'head.means' is missing" },
    { DROP, "head.directions", 0, 0, "tensor 'head.directions' is missing" },
    { DROP, "head.eigenvalues", 0, 0, "head.eigenvalues: 0, expected 1 to 2" },
    { DROP, "head.within", 0, 0, "tensor 'head.within' is missing" },
    { DROP, "head.total", 0, 0, "tensor 'head.total' is missing" },
    { ADD, "head.priors", 0, 0, "tensor 'head.priors': found F32 [5], expected F64 [3]" },
    { FLATTEN, "head.total", 0, 0, "found F64 [16], expected F64 [4, 4]" },
    { SET, "head.within", 1, 1e6, "head.within: entries 1, 0 and 0, 1 differ, expected a symmetric matrix" },
    { SET, "head.total", 5, -1, "head.total: entry 1, 1 is -1, expected 0 or more" },
    { ADD, "layers.7.dense.weight", 0, 0, "20 tensors, expected 19 for this network" },
    { FLATTEN, "layers.0.conv.weight", 0, 0, "found F32 [72], expected F32 [3, 3, 2, 4]" },
    { FLATTEN, "head.means", 0, 0, "found F64 [12], expected F64 [3, 4]" },
    { RESIZE, "layers.2.conv.bias", 4, 0, "tensor 'layers.2.conv.bias': found F32 [4], expected F32 [5]" },
    { RESIZE, "head.counts", 2, 0, "tensor 'head.counts': found F64 [2], expected F64 [3]" },
    { RESIZE, "head.directions", 1, 0, "tensor 'head.directions': found F64 [1, 4], expected F64 [2, 4]" },
    { RESIZE, "head.eigenvalues", 0, 0, "head.eigenvalues: 0, expected 1 to 2" },
    { RESIZE, "head.eigenvalues", 1, 0, "tensor 'head.directions': found F64 [2, 4], expected F64 [1, 4]" },
    { RESIZE, "head.eigenvalues", 3, 0, "head.eigenvalues: 3, expected 1 to 2" },
    { RESIZE, "head.eigenvalues", 1000, 0, "head.eigenvalues: 1000, expected 1 to 2" },
    { WIDEN, "layers.0.bn.scale", 0, 0, "tensor 'layers.0.bn.scale': found F64 [4], expected F32 [4]" },
    { SET, "head.eigenvalues", 1, 1e9, "head.eigenvalues: number 1 is larger than the one before it" },
    { SET, "head.counts", 1, -1, "head.counts: class 1 has -1 rows" },
    { SET, "head.counts", 2, 1e300, "head.counts: class 2 has 1e+300 rows" },
    { SET, "head.counts", 0, 1, "head: 2 directions do not go with 2 usable classes and 4 features" },
    { SET, "layers.0.bn.variance", 3, -1e-3, "layers.0.bn.variance: value 3 is -0.001, expected 0 or more" },
    { SET, "layers.3.bn.variance", 0, -1, "layers.3.bn.variance: value 0 is -1, expected 0 or more" },
};

enum { N_TENSOR_LIES = sizeof tensor_lies / sizeof tensor_lies[0] };

/* Changes tensor t of the list; `buffer` is room for new data, full of zeros. */
static void lie_about(size_t lie, dlda_tensor *tensors, size_t t, size_t *count, double *buffer)
{
    dlda_tensor *tensor = &tensors[t];
    size_t elements = dlda_tensor_elements(tensor), index = tensor_lies[lie].index;

    switch (tensor_lies[lie].kind) {
    case DROP: tensors[t] = tensors[--*count]; return;
    case ADD: return;
    case FLATTEN: tensor->rank = 1, tensor->shape[0] = elements; return;
    case RESIZE: tensor->shape[0] = index, tensor->data = buffer; return;
    case WIDEN: tensor->dtype = DLDA_F64, tensor->data = buffer; return;
    case SET:
        memcpy(buffer, tensor->data, elements * (tensor->dtype == DLDA_F32 ? sizeof(float) : sizeof(double)));
        if (tensor->dtype == DLDA_F32) ((float *)buffer)[index] = (float)tensor_lies[lie].value;
        else buffer[index] = tensor_lies[lie].value;
        tensor->data = buffer;
    }
}

static void write_lie(size_t lie, const dlda_safetensors *file)
{
    dlda_metadata_entry texts[N_METADATA];
    dlda_tensor tensors[MOST_TENSORS];
    double buffer[1000] = { 0 };
    size_t count = 0, t = 0;

    for (size_t i = 0; i < N_METADATA; i++)
        texts[i] = (dlda_metadata_entry){ keys[i], dlda_safetensors_metadata(file, keys[i]) };
    for (; dlda_safetensors_at(file, count); count++) tensors[count] = *dlda_safetensors_at(file, count);
    while (t < count && strcmp(tensors[t].name, tensor_lies[lie].tensor) != 0) t++;
    if (t == count && tensor_lies[lie].kind == ADD)
        tensors[count++] = (dlda_tensor){ tensor_lies[lie].tensor, DLDA_F32, 1, { 5 }, buffer };
    else if (t == count) fail_msg("no tensor '%s' in the good file", tensor_lies[lie].tensor);
    lie_about(lie, tensors, t, &count, buffer);
    CHECK_OK(dlda_safetensors_write(bad, tensors, count, texts, N_METADATA));
}

static void test_lies_in_tensors(void **state)
{
    dlda_safetensors *file = NULL;

    (void)state;
    CHECK_OK(dlda_safetensors_read(good, &file));
    for (size_t i = 0; i < N_TENSOR_LIES; i++) {
        write_lie(i, file);
        check_bad_model(bad, tensor_lies[i].tensor, tensor_lies[i].words);
    }
    dlda_safetensors_destroy(file);
}

/* Memory for the head must follow from arrays that are there, not from the width that a text claims. */
static void test_giant_head(void **state)
{
    static const float one[1] = { 1 };
    static const double two[4] = { 2, 2, 1, 1 };
    const dlda_tensor tensors[] = {
        { "layers.0.bn.scale", DLDA_F32, 1, { 1 }, one },  { "layers.0.bn.shift", DLDA_F32, 1, { 1 }, one },
        { "layers.0.bn.mean", DLDA_F32, 1, { 1 }, one },   { "layers.0.bn.variance", DLDA_F32, 1, { 1 }, one },
        { "head.counts", DLDA_F64, 1, { 2 }, two },        { "head.means", DLDA_F64, 2, { 2, 1 }, two },
        { "head.directions", DLDA_F64, 2, { 1, 1 }, two }, { "head.eigenvalues", DLDA_F64, 1, { 1 }, two },
    };
    const dlda_metadata_entry texts[] = { { "deeplda_format", "1" },
                                          { "network", "input 2048 2048 1\nbn\n" },
                                          { "classes", "[\"a\",\"b\"]" },
                                          { "options", "{}" } }; /* and no preparation: scale */
    size_t before = dlda_memory_count().peak;

    (void)state;
    CHECK_OK(dlda_safetensors_write(bad, tensors, 8, texts, 4));
    check_bad_model(bad, "giant head", "head.means': found F64 [2, 1], expected F64 [2, 4194304]");
    size_t most = dlda_memory_count().peak - before;
    if (most > 16 << 20) fail_msg("%zu bytes were taken for a file of a few thousand", most);
}

/* ---- Failures of the system ---- */

static void test_load_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live, n = 1;

    (void)state;
    for (; status != DLDA_OK; n++) {
        dlda_model *loaded = NULL;
        assert_true(n < 100);
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
    CHECK_STATUS(dlda_model_predict(other, mine, images[0], N, DLDA_PAPER, a.labels, NULL), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_model_evaluate(other, mine, dataset, DLDA_PAPER, &evaluation), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_model_predict(model, mine, NULL, 0, DLDA_PAPER, NULL, NULL));
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
        CHECK_STATUS(dlda_model_predict(model, workspace, image, 1, DLDA_PAPER, &label, NULL), DLDA_E_NUMERIC);
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
        CHECK_OK(dlda_model_evaluate(model, workspace, relabelled, DLDA_PAPER, &evaluation));
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
                                          "evaluate: 4 classes in the data, the model knows 3" };

    (void)state;
    specs[0].height = WIDTH, specs[0].width = HEIGHT;
    specs[1].labels = NULL;
    specs[2].classes = C + 1, specs[2].names = NULL;
    for (size_t i = 0; i < 3; i++) {
        dlda_dataset *other = make_dataset(&specs[i]);
        CHECK_STATUS(dlda_model_evaluate(model, workspace, other, DLDA_PAPER, &evaluation), DLDA_E_SHAPE);
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
        cmocka_unit_test(test_what_it_is),
        cmocka_unit_test(test_without_matrices),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_lies_in_texts),
        cmocka_unit_test(test_lies_in_tensors),
        cmocka_unit_test(test_giant_head), /* before the larger one: only growth of the peak shows */
        cmocka_unit_test(test_giant_network),
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
