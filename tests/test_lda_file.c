/* SPDX-License-Identifier: MIT
 *
 * test_lda_file.c - an LDA as a file of its own: the same answers after a round trip; files that lie, are cut off or are
 * something else; no memory.
 */
#define _GNU_SOURCE
#include "small_model.h"

#include "classify/lda_head.h"
#include "model/feature_names.h"
#include "model/safetensors.h"

#include <locale.h>

enum { ROWS = 60, FEATURES = 4, MOST_TENSORS = 8 };

static float X[ROWS][FEATURES];
static int classes[ROWS];
static dlda_lda *lda; /* of three classes, named */

static int make_lda(void **state)
{
    dlda_scatter *scatter = NULL;
    uint64_t seed = 3;

    if (make_all(state)) return -1;
    for (size_t i = 0; i < ROWS; i++) {
        classes[i] = (int)(i % 3);
        for (size_t j = 0; j < FEATURES; j++) X[i][j] = (float)(check_normal(&seed) + (j == i % 3));
    }
    CHECK_OK(dlda_scatter_create_pooled(3, FEATURES, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, X[0], classes, ROWS));
    CHECK_OK(dlda_lda_fit(scatter, 0.1, &lda));
    CHECK_OK(dlda_lda_name_classes(lda, names));
    dlda_scatter_destroy(scatter);
    CHECK_OK(dlda_lda_save(lda, good));
    return 0;
}

static int remove_lda(void **state)
{
    dlda_lda_destroy(lda);
    return remove_all(state);
}

/* ---- Round trips ---- */

static void check_same(const dlda_lda *found)
{
    const dlda_lda_view *a = dlda_lda_view_of(lda), *b = dlda_lda_view_of(found);
    float proba[2][ROWS * 3], Z[2][ROWS * 2];

    assert_int_equal(b->classes, 3);
    assert_true(a->lambda == b->lambda);
    assert_memory_equal(a->within, b->within, FEATURES * FEATURES * sizeof(double));
    assert_memory_equal(a->coefficients, b->coefficients, 3 * FEATURES * sizeof(double));
    assert_memory_equal(a->intercepts, b->intercepts, 3 * sizeof(double));
    for (size_t c = 0; c < 3; c++) assert_string_equal(dlda_lda_class_name(found, c), names[c]);
    CHECK_OK(dlda_lda_predict(lda, X[0], ROWS, DLDA_PROBABILITY_BAYES, NULL, proba[0]));
    CHECK_OK(dlda_lda_predict(found, X[0], ROWS, DLDA_PROBABILITY_BAYES, NULL, proba[1]));
    CHECK_OK(dlda_lda_transform(lda, X[0], ROWS, Z[0]));
    CHECK_OK(dlda_lda_transform(found, X[0], ROWS, Z[1]));
    assert_memory_equal(proba[0], proba[1], sizeof proba[0]);
    assert_memory_equal(Z[0], Z[1], sizeof Z[0]);
}

static void test_round_trip(void **state)
{
    dlda_lda *loaded = NULL, *decoded = NULL;
    void *bytes = NULL;
    size_t size = 0;

    (void)state;
    CHECK_OK(dlda_lda_load(good, &loaded));
    check_same(loaded);
    CHECK_OK(dlda_lda_save(loaded, bad));
    assert_true(same_files(good, bad));
    CHECK_OK(dlda_lda_to_bytes(loaded, &bytes, &size));
    CHECK_OK(dlda_lda_from_bytes(bytes, size, &decoded));
    check_same(decoded);
    dlda_bytes_destroy(bytes);
    dlda_lda_destroy(loaded);
    dlda_lda_destroy(decoded);
}

static void test_feature_names(void **state)
{
    static const dlda_feature features[FEATURES] = {
        { .column = "length" }, { .column = "" }, { "colour", "red", "blue" }, { "colour", "gr\xC3\xBCn", "blue" }
    };
    static const char *const lies[] = { "[1]",
                                        "{}",
                                        "[\"a\",\"b\",\"c\"]",
                                        "[\"a\",\"b\",\"c\",[\"d\",\"e\"]]",
                                        "[\"a\",\"b\",\"c\",[\"d\",\"\",\"e\"]]",
                                        "[\"a\",\"b\",\"c\",1]" };
    dlda_lda *named = NULL, *loaded = NULL;

    (void)state;
    CHECK_OK(dlda_lda_copy(lda, &named));
    assert_null(dlda_lda_feature(named, 0));
    CHECK_STATUS(dlda_lda_name_features(named, (dlda_feature[FEATURES]){ { .column = "a" } }), DLDA_E_ARGUMENT);
    CHECK_OK(dlda_lda_name_features(named, features));
    CHECK_OK(dlda_lda_save(named, bad));
    CHECK_OK(dlda_lda_load(bad, &loaded));
    for (size_t j = 0; j < FEATURES; j++) {
        const dlda_feature *found = dlda_lda_feature(loaded, j);
        assert_string_equal(found->column, features[j].column);
        assert_int_equal(found->level != NULL, features[j].level != NULL);
        if (found->level) assert_string_equal(found->level, features[j].level);
        if (found->level) assert_string_equal(found->reference, "blue");
    }
    assert_null(dlda_lda_feature(loaded, FEATURES));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        CHECK_STATUS(dlda_feature_names_from_json("here", lies[i], loaded), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS("here: ");
    }
    dlda_lda_destroy(named);
    dlda_lda_destroy(loaded);
}

/* Where numbers have a comma, files have a point all the same. localedef makes the locale, which may not be installed. */
static void test_every_locale(void **state)
{
    char place[] = "/tmp/deeplda-locale-XXXXXX", command[128];
    dlda_lda *decoded = NULL;
    void *bytes = NULL;
    size_t size = 0;

    (void)state;
    assert_non_null(mkdtemp(place));
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 2> /dev/null", place);
    int made = system(command) == 0 && setenv("LOCPATH", place, 1) == 0;
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8")) {
        CHECK_OK(dlda_lda_to_bytes(lda, &bytes, &size));
        CHECK_OK(dlda_lda_from_bytes(bytes, size, &decoded));
        check_same(decoded);
    }
    setlocale(LC_NUMERIC, "C");
    if (made) unsetenv("LOCPATH");
    snprintf(command, sizeof command, "rm -rf %s", place);
    assert_int_equal(system(command), 0);
    dlda_bytes_destroy(bytes);
    dlda_lda_destroy(decoded);
}

/* The LDA of a model has no names and no lambda; with priors of its own. */
static void test_of_a_model(void **state)
{
    const double priors[C] = { 1, 2, 7 };
    dlda_model *adapted = NULL;
    dlda_lda *loaded = NULL;

    (void)state;
    CHECK_OK(dlda_model_use_priors(model, priors, &adapted));
    CHECK_OK(dlda_lda_save(dlda_model_lda(adapted), bad));
    CHECK_OK(dlda_lda_load(bad, &loaded));
    assert_true(isnan(dlda_lda_view_of(loaded)->lambda));
    assert_null(dlda_lda_class_name(loaded, 0));
    CHECK_NEAR(dlda_lda_view_of(loaded)->priors, ((const double[]){ 0.1, 0.2, 0.7 }), C, 1e-14, "priors");
    dlda_lda_destroy(loaded);
    dlda_model_destroy(adapted);
}

static void test_names_that_are_equal(void **state)
{
    dlda_lda *copy = NULL;

    (void)state;
    CHECK_OK(dlda_lda_copy(lda, &copy));
    CHECK_OK(dlda_lda_name_classes(copy, (const char *const[]){ "a", "b", "a" }));
    CHECK_STATUS(dlda_lda_save(copy, bad), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("numbers 0 and 2 are both 'a'");
    CHECK_STATUS(dlda_lda_name_classes(copy, (const char *const[]){ "a", "b", "\xff" }), DLDA_E_FORMAT);
    assert_string_equal(dlda_lda_class_name(copy, 1), "b");
    dlda_lda_destroy(copy);
}

/* ---- Other files ---- */

/* The file is refused with a message that names it and says `words`; nothing is leaked. */
static void check_bad(const char *path, const char *what, const char *words)
{
    dlda_lda *none = NULL;
    size_t live = dlda_memory_count().live;
    dlda_status status = dlda_lda_load(path, &none);

    if (status != DLDA_E_FORMAT || !strstr(dlda_last_error(), path) || !strstr(dlda_last_error(), words))
        fail_msg("%s: status %d, message '%s', expected '%s'", what, status, dlda_last_error(), words);
    assert_null(none);
    assert_int_equal(dlda_memory_count().live, live);
}

static void test_other_kinds(void **state)
{
    const dlda_metadata_entry text = { "deeplda_checkpoint", "1" };
    dlda_model *none = NULL;

    (void)state;
    CHECK_OK(dlda_model_save(model, bad));
    check_bad(bad, "a model", "found a model (a network with its LDA), expected an LDA (without a network)");
    CHECK_STATUS(dlda_model_load(good, &none), DLDA_E_FORMAT);
    CHECK_ERROR_SAYS("found an LDA (without a network), expected a model (a network with its LDA)");
    CHECK_OK(dlda_safetensors_write(bad, NULL, 0, &text, 1));
    check_bad(bad, "a checkpoint", "found a checkpoint");
    CHECK_OK(dlda_safetensors_write(bad, NULL, 0, NULL, 0));
    check_bad(bad, "another", "no 'deeplda_lda' in the metadata; this is not a deeplda LDA");
}

/* ---- Lies ---- */

typedef enum lie_kind { TEXT, DROP, SET, RESIZE, FLATTEN, ADD } lie_kind;

static const struct {
    lie_kind kind;
    const char *name; /* of a text or a tensor */
    const char *text; /* NULL: none            */
    size_t index;     /* SET: of the value; RESIZE: new first entry of the shape, with zeros as data */
    double value;
    const char *words;
} lies[] = {
    { TEXT, "deeplda_lda", "2", 0, 0, "a newer deeplda wrote this LDA, and is needed to read it" },
    { TEXT, "deeplda_lda", "", 0, 0, "format version '', expected '1'" },
    { TEXT, "classes", "[\"a\",\"b\"]", 0, 0, "2 class names, expected 3" },
    { TEXT, "classes", "[\"a\",\"b\",\"b\"]", 0, 0, "numbers 1 and 2 are both 'b'" },
    { TEXT, "classes", "[\"a\",\"b\",1]", 0, 0, "class name 2 is not a string" },
    { TEXT, "classes", "{}", 0, 0, "'classes' is not a JSON array" },
    { TEXT, "lambda", "-1", 0, 0, "'lambda' is '-1', expected a number, 0 or more" },
    { TEXT, "lambda", "nan", 0, 0, "'lambda' is 'nan'" },
    { TEXT, "lambda", "inf", 0, 0, "'lambda' is 'inf'" },
    { TEXT, "lambda", "1x", 0, 0, "'lambda' is '1x'" },
    { DROP, "head.counts", NULL, 0, 0, "head.counts: 0 classes, expected 2 to 262144" },
    { DROP, "head.means", NULL, 0, 0, "head.means: no features" },
    { DROP, "head.directions", NULL, 0, 0, "tensor 'head.directions' is missing" },
    { DROP, "head.eigenvalues", NULL, 0, 0, "head.eigenvalues: 0, expected 1 to 2" },
    { DROP, "head.within", NULL, 0, 0, "tensor 'head.within' is missing" },
    { DROP, "head.total", NULL, 0, 0, "tensor 'head.total' is missing" },
    { RESIZE, "head.counts", NULL, 1, 0, "head.counts: 1 classes" },
    { RESIZE, "head.counts", NULL, 2, 0, "head.eigenvalues: 2, expected 1 to 1" },
    { RESIZE, "head.counts", NULL, 4, 0, "tensor 'head.means': found F64 [3, 4], expected F64 [4, 4]" },
    { RESIZE, "head.eigenvalues", NULL, 1, 0, "tensor 'head.directions': found F64 [2, 4], expected F64 [1, 4]" },
    { FLATTEN, "head.means", NULL, 0, 0, "head.means: no features" },
    { FLATTEN, "head.within", NULL, 0, 0, "found F64 [16], expected F64 [4, 4]" },
    { ADD, "layers.0.dense.weight", NULL, 0, 0, "7 tensors, expected 6 for an LDA" },
    { ADD, "head.priors", NULL, 0, 0, "tensor 'head.priors': found F32 [5], expected F64 [3]" },
    { SET, "head.counts", NULL, 1, 2.5, "head.counts: class 1 has 2.5 rows, expected a whole number" },
    { SET, "head.counts", NULL, 1, 1, "head: 2 directions do not match 2 usable classes and 4 features" },
    { SET, "head.means", NULL, 5, 1e101, "head.means: value 5 is 1e+101" },
    { SET, "head.directions", NULL, 5, -1e300, "head.directions: value 5 is -1e+300" },
    { SET, "head.eigenvalues", NULL, 1, 1e9, "head.eigenvalues: number 1 is larger than the one before it" },
    { SET, "head.within", NULL, 1, 1e6, "head.within: entries 1, 0 and 0, 1 differ" },
    { SET, "head.total", NULL, 5, -1, "head.total: entry 1, 1 is -1" },
};

enum { N_LIES = sizeof lies / sizeof lies[0] };

static void lie_about(size_t lie, dlda_tensor *tensors, size_t *count, double *buffer)
{
    size_t t = 0;

    while (t < *count && strcmp(tensors[t].name, lies[lie].name) != 0) t++;
    if (lies[lie].kind == ADD) tensors[(*count)++] = (dlda_tensor){ lies[lie].name, DLDA_F32, 1, { 5 }, buffer };
    else if (t == *count) fail_msg("no tensor '%s' in the good file", lies[lie].name);
    else if (lies[lie].kind == DROP) tensors[t] = tensors[--*count];
    else if (lies[lie].kind == RESIZE) tensors[t].shape[0] = lies[lie].index, tensors[t].data = buffer;
    else if (lies[lie].kind == FLATTEN)
        tensors[t].shape[0] = dlda_tensor_elements(&tensors[t]), tensors[t].rank = 1;
    else {
        memcpy(buffer, tensors[t].data, dlda_tensor_elements(&tensors[t]) * sizeof *buffer);
        buffer[lies[lie].index] = lies[lie].value;
        tensors[t].data = buffer;
    }
}

static void write_lie(size_t lie, const dlda_safetensors *file)
{
    static const char *const keys[] = { "deeplda_lda", "classes", "lambda" };
    dlda_metadata_entry texts[3];
    dlda_tensor tensors[MOST_TENSORS];
    double buffer[100] = { 0 };
    size_t count = 0;

    for (size_t i = 0; i < 3; i++) {
        int lied = lies[lie].kind == TEXT && strcmp(keys[i], lies[lie].name) == 0;
        texts[i] = (dlda_metadata_entry){ keys[i],
                                          lied ? lies[lie].text : dlda_safetensors_metadata(file, keys[i]) };
    }
    for (; dlda_safetensors_at(file, count); count++) tensors[count] = *dlda_safetensors_at(file, count);
    if (lies[lie].kind != TEXT) lie_about(lie, tensors, &count, buffer);
    CHECK_OK(dlda_safetensors_write(bad, tensors, count, texts, 3));
}

static void test_lies(void **state)
{
    dlda_safetensors *file = NULL;

    (void)state;
    CHECK_OK(dlda_safetensors_read(good, &file));
    for (size_t i = 0; i < N_LIES; i++) {
        write_lie(i, file);
        check_bad(bad, lies[i].name, lies[i].words);
    }
    dlda_safetensors_destroy(file);
}

/* Cut off at every length, and with every byte of the first part changed: refused, or as good as before. */
static void test_damage(void **state)
{
    void *bytes = NULL;
    size_t size = 0, live = 0;

    (void)state;
    CHECK_OK(dlda_lda_to_bytes(lda, &bytes, &size));
    live = dlda_memory_count().live;
    for (size_t n = 0; n < size; n++) {
        dlda_lda *none = NULL;
        CHECK_STATUS(dlda_lda_from_bytes(bytes, n, &none), DLDA_E_FORMAT);
    }
    for (size_t i = 0; i < size; i++) {
        dlda_lda *any = NULL;
        ((unsigned char *)bytes)[i] ^= 0x15;
        if (dlda_lda_from_bytes(bytes, size, &any) == DLDA_OK) dlda_lda_destroy(any);
        ((unsigned char *)bytes)[i] ^= 0x15;
        assert_int_equal(dlda_memory_count().live, live);
    }
    dlda_bytes_destroy(bytes);
}

static void test_no_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;

    (void)state;
    for (size_t n = 1; status != DLDA_OK; n++) {
        dlda_lda *loaded = NULL;
        void *bytes = NULL;
        size_t size = 0;
        dlda_memory_fail_at(n);
        status = dlda_lda_to_bytes(lda, &bytes, &size);
        if (status == DLDA_OK) status = dlda_lda_from_bytes(bytes, size, &loaded);
        dlda_memory_fail_at(0);
        if (status != DLDA_OK) assert_int_equal(status, DLDA_E_MEMORY);
        dlda_bytes_destroy(bytes);
        dlda_lda_destroy(loaded);
        assert_int_equal(dlda_memory_count().live, live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_feature_names),
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_every_locale),
        cmocka_unit_test(test_of_a_model),
        cmocka_unit_test(test_names_that_are_equal),
        cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_no_memory),
    };

    return cmocka_run_group_tests_name("lda_file", tests, make_lda, remove_lda);
}
