/* SPDX-License-Identifier: MIT
 *
 * test_model_lies.c - model files that lie: in their texts and in their arrays. Each must be refused with a message
 * that names the file and the place, and gets no memory on its word. test_model_header.c has other lies.
 */
#define _GNU_SOURCE
#include "small_model.h"

#include "model/model.h"
#include "model/safetensors.h"

/* ---- Lies in the texts ---- */

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

#define TEN(item)   item "," item "," item "," item "," item "," item "," item "," item "," item "," item
#define SIXTY(item) "[" TEN(item) "," TEN(item) "," TEN(item) "," TEN(item) "," TEN(item) "," TEN(item) "]"

static void test_lies_in_texts(void **state)
{
    static const char *const lies[][3] = {
        { "deeplda_format", NULL, "no 'deeplda_format' in the metadata; this is not a deeplda model" },
        { "deeplda_format", "2",
          "format version '2', expected '1': a newer deeplda wrote this model, and is needed to read it" },
        { "deeplda_format", "99999999999999999999", "a newer deeplda wrote this model" },
        { "deeplda_format", "0", "format version '0', expected '1'" },
        { "deeplda_format", "1.0", "format version '1.0', expected '1'" },
        { "deeplda_format", "one", "format version 'one', expected '1'" },
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
        { "network", "input 9223372036854775808 5 2\ndense 4", "line 1: input: height is 9223372036854775808" },
        { "network", "input 9223372036854775807 5 2\ndense 4", "line 1: input: height is 9223372036854775807" },
        { "network", "input -6 5 2\ndense 4", "line 1: input: height is -6" },
        { "network", "input 6.5 5 2\ndense 4", "line 1: input: height is '6.5', expected a whole number" },
        { "network", "input 6 5 2\ndense 18446744073709551615", "line 2: dense" },
        { "network", "input 65536 65536 1048576\ndense 1048576", "line 2: dense: 18446744073709551615 weights" },
        { "network", "input 6 5 2\nconv 4 3 pad 1\nmaxpool 3\nconv 5 1 linear\nbn\nrelu\ndropout 0.1\ndense 4\n",
          "layers.6.dense.weight': found F32 [30, 4], expected F32 [10, 4]" },
        { "network", "input 6 5 2\nconv 4 3 pad 1\nmaxpool 2\nconv 5 1 linear\nbn\nrelu\ndense 4\n",
          "layers.5.dense.weight' is missing" },
        { "network", "input 6 5 2\nconv 4 3 pad 1\nmaxpool 2\nconv 5 1\nbn\nrelu\ndropout 0.1\ndense 4\n",
          "layers.2.bn.scale' is missing" },
        { "classes", NULL, "no 'classes' in the metadata" },
        { "classes", "", "'classes' is not a JSON array" },
        { "classes", "{\"a\":1}", "'classes' is not a JSON array" },
        { "classes", "[\"a\",\"b\",", "'classes' is not a JSON array" },
        { "classes", "[]", "0 classes, expected 2" },
        { "classes", "[\"a\"]", "1 classes, expected 2" },
        { "classes", "[\"a\",\"b\"]", "head.eigenvalues: 2, expected 1 to 1" },
        { "classes", "[\"a\",\"b\",\"c\",\"d\"]", "head.counts': found F64 [3], expected F64 [4]" },
        { "classes", "[\"a\",\"b\",3]", "class name 2 is not a string" },
        { "classes", "[\"a\",\"b\",null]", "class name 2 is not a string" },
        { "classes", "[\"a\",\"b\",\"\\u0000\"]", "'classes' is not a JSON array" },
        { "classes", "[\"a\",\"b\",\"a\"]", "classes: numbers 0 and 2 are both 'a', expected different names" },
        { "classes", "[\"a\",\"\\u00e4\",\"\xc3\xa4\"]", "classes: numbers 1 and 2 are both" },
        { "options", NULL, "no 'options' in the metadata" },
        { "options", "[1]", "'options' is not a JSON object" },
        { "options", "{\"a\":1,\"a\":2}", "'options' is not a JSON object" },
        { "softmax", "some", "'softmax' is 'some', expected 'none'" },
        { "features", "", "'features' is not a JSON array of 60 names" },
        { "features", "{\"a\":1}", "'features' is not a JSON array of 60 names" },
        { "features", "[\"a\"]", "'features' is not a JSON array of 60 names" },
        { "features", SIXTY("3"), "feature name 0 is not a string" },
        { "features", SIXTY("[\"a\",\"b\",\"c\"]"), "feature name 0 is not a string" },
        { "features", SIXTY("\"a\""), "features: numbers 0 and 1 are both 'a', expected different names" },
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
    { SET, "head.counts", 1, -1, "head.counts: class 1 has -1 rows, expected a whole number" },
    { SET, "head.counts", 2, 1e300, "head.counts: class 2 has 1e+300 rows" },
    { SET, "head.counts", 1, 2.5, "head.counts: class 1 has 2.5 rows, expected a whole number" },
    { SET, "head.counts", 0, 0x1p53 + 2, "head.counts: class 0 has 9.0072e+15 rows" },
    { SET, "head.means", 5, 1e101, "head.means: value 5 is 1e+101, expected at most 1e+100 in size" },
    { SET, "head.means", 5, -1e308, "head.means: value 5 is -1e+308" },
    { SET, "head.directions", 3, 1e99, "head: means times directions: value" },
    { SET, "head.directions", 7, 1e300, "head.directions: value 7 is 1e+300" },
    { SET, "head.counts", 0, 1, "head: 2 directions do not match 2 usable classes and 4 features" },
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

/* ---- Texts that go too far ---- */

/* Very many brackets in a row, in each of the texts that are JSON. */
static void test_deep_json(void **state)
{
    enum { DEEP = 200000 };
    static const char *const json_texts[] = { "classes", "options", "preparation" };
    char *deep = check_memory(DEEP + 8);

    (void)state;
    memset(deep, '[', DEEP);
    deep[DEEP] = '\0';
    for (size_t i = 0; i < 3; i++) {
        write_with_text(json_texts[i], deep);
        check_bad_model(bad, json_texts[i], json_texts[i]);
    }
    free(deep);
}

/* Texts of many megabytes are read and refused in time that goes with their length. */
static void test_huge_json(void **state)
{
    enum { HUGE = 12 << 20 };
    char *huge = check_memory(HUGE + 1);

    (void)state;
    for (size_t i = 0; i + 4 <= HUGE; i += 4) memcpy(huge + i, i ? "\"a\"," : "[   ", 4);
    memcpy(huge + HUGE - 4, "\"a\"]", 4);
    huge[HUGE] = '\0';
    write_with_text("classes", huge);
    check_bad_model(bad, "millions of classes", "more than 327680 values in JSON");
    memset(huge, '#', HUGE);
    write_with_text("network", huge);
    check_bad_model(bad, "a network of one endless comment", "expected at most");
    write_with_text("options", huge);
    check_bad_model(bad, "options of many megabytes", "'options' is not a JSON object");
    free(huge);
}

/* Files of the first days have no 'preparation': their images are only scaled. */
static void test_missing_preparation_is_scale(void **state)
{
    dlda_model *older = NULL;
    answers expected = answers_of(model, 16, 1);

    (void)state;
    write_with_text("preparation", NULL);
    CHECK_OK(dlda_model_load(bad, &older));
    assert_string_equal(dlda_model_preparation(older), "scale");
    answers found = answers_of(older, 16, 1);
    assert_memory_equal(&found, &expected, sizeof found);
    dlda_model_destroy(older);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lies_in_texts), cmocka_unit_test(test_lies_in_tensors),
        cmocka_unit_test(test_giant_head), /* before the larger ones: only growth of the peak shows */
        cmocka_unit_test(test_giant_network), cmocka_unit_test(test_deep_json),
        cmocka_unit_test(test_huge_json),     cmocka_unit_test(test_missing_preparation_is_scale),
    };

    return cmocka_run_group_tests_name("model_lies", tests, make_all, remove_all);
}
