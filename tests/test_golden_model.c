/* SPDX-License-Identifier: MIT
 *
 * test_golden_model.c - model files of earlier versions of the format: they are read for ever, and what they say of images
 * stays the same. The answers are those of tools/forward.py.
 */
#include "check.h"

#include "base/memory.h"
#include "golden/golden_model.h"

enum { N_MODELS = sizeof golden_models / sizeof *golden_models, MOST = 256 };

static dlda_model *load(const golden_model *golden)
{
    char path[1024];
    dlda_model *model = NULL;

    snprintf(path, sizeof path, "%s/%s", DLDA_GOLDEN_FOLDER, golden->file);
    CHECK_OK(dlda_model_load(path, &model));
    assert_int_equal(dlda_model_classes(model), golden->C);
    assert_int_equal(dlda_model_features(model), golden->D);
    return model;
}

static void check_answers(const golden_model *golden, const dlda_model *model, dlda_workspace *workspace,
                          dlda_probability kind)
{
    size_t n = golden->n;
    float *images = check_nan_floats(n * golden->pixels), H[MOST], Z[MOST], proba[MOST];
    int labels[MOST];
    const dlda_answers wanted = { .labels = labels, .proba = proba, .features = H, .projections = Z };

    assert_true(n * golden->D <= MOST && n * golden->C <= MOST);
    for (size_t i = 0; i < n * golden->pixels; i++) images[i] = (float)golden->images[i] / 255.0f;
    CHECK_OK(dlda_model_answer(model, workspace, images, n, kind, &wanted));
    CHECK_NEAR_FLOAT(H, golden->features, n * golden->D, 1e-5, "%s: features", golden->file);
    CHECK_NEAR_FLOAT(Z, golden->projections, n * golden->K, 1e-5, "%s: projections", golden->file);
    CHECK_NEAR_FLOAT(proba, golden->proba[kind], n * golden->C, 1e-5, "%s: probabilities", golden->file);
    assert_memory_equal(labels, golden->labels[kind], n * sizeof *labels);
    free(images);
}

static void test_answers(void **state)
{
    static const size_t batches[] = { 1, 5, 12 };

    (void)state;
    for (size_t g = 0; g < N_MODELS; g++)
        for (size_t b = 0; b < 3; b++) {
            dlda_model *model = load(&golden_models[g]);
            dlda_workspace *workspace = NULL;
            CHECK_OK(dlda_workspace_create(model, batches[b], 2, &workspace));
            check_answers(&golden_models[g], model, workspace, DLDA_PROBABILITY_PAPER);
            check_answers(&golden_models[g], model, workspace, DLDA_PROBABILITY_BAYES);
            dlda_workspace_destroy(workspace);
            dlda_model_destroy(model);
        }
    assert_int_equal(dlda_memory_count().live, 0);
}

static void test_texts(void **state)
{
    static const char *const names[] = { "cat", "d\xc3\xb6g", "\"third\"\\", "4, last" };
    dlda_model *plain = load(&golden_models[0]), *prepared = load(&golden_models[1]);

    (void)state;
    for (size_t c = 0; c < 4; c++) assert_string_equal(dlda_model_class_name(plain, c), names[c]);
    assert_string_equal(dlda_model_preparation(plain), "scale");
    assert_string_equal(dlda_model_preparation(prepared), "scale,standardise,gcn,zca");
    assert_non_null(strstr(dlda_model_network_text(plain), "# all kinds of layers\nconv 4 3 pad 1\n"));
    assert_non_null(strstr(dlda_model_options_json(prepared), "\"gcn-bias\": 0.5"));
    dlda_model_destroy(plain);
    dlda_model_destroy(prepared);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_answers), cmocka_unit_test(test_texts) };

    return cmocka_run_group_tests_name("golden_model", tests, NULL, NULL);
}
