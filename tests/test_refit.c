/* SPDX-License-Identifier: MIT
 *
 * test_refit.c - new heads for a trained network: the same data give the same head, a class more gives what a fit on all
 * rows gives, priors act on Bayes' rule alone; what does not fit is refused.
 */
#include "base/memory.h"
#include "model/model.h"
#include "objective/scatter.h"
#include "small_problem.h"

static dlda_model *model, *cce; /* trained on new_problem(1) */
static dlda_model *refitted;    /* model, refitted on the same */
static dlda_workspace *workspace, *cce_workspace;
static const double lambda = 1e-3;

static const char cce_text[] = "conv 8 3 pad 1\nmaxpool 2\nconv 8 3\ndense 4\n";

static dlda_model *train(const char *objective, const char *net, const char *text)
{
    dlda_options *options = new_options(objective);
    dlda_dataset *data = new_problem(1);
    dlda_trainer *trainer = NULL;
    dlda_model *made = NULL;
    char *file = in_folder("trained.safetensors");

    CHECK_OK(dlda_file_write(in_folder(net), text, strlen(text)));
    CHECK_OK(dlda_options_set(options, "net", in_folder(net)));
    CHECK_OK(dlda_trainer_create(options, data, NULL, &trainer));
    CHECK_OK(dlda_trainer_run(trainer));
    CHECK_OK(dlda_model_save(dlda_trainer_model(trainer), file));
    CHECK_OK(dlda_model_load(file, &made));
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(data);
    dlda_options_destroy(options);
    return made;
}

static int begin(void **state)
{
    if (set_up(state) != 0) return -1;
    model = train("lda", "lda.net", net_text);
    cce = train("cce", "cce.net", cce_text);
    CHECK_OK(dlda_workspace_create(model, 50, 2, &workspace));
    CHECK_OK(dlda_workspace_create(cce, 50, 2, &cce_workspace));
    dlda_dataset *data = new_problem(1);
    CHECK_OK(dlda_model_refit(model, workspace, data, lambda, &refitted));
    dlda_dataset_destroy(data);
    return 0;
}

static int end(void **state)
{
    dlda_workspace_destroy(workspace);
    dlda_workspace_destroy(cce_workspace);
    dlda_model_destroy(model);
    dlda_model_destroy(cce);
    dlda_model_destroy(refitted);
    if (dlda_memory_count().live) print_error("%zu blocks were not released\n", dlda_memory_count().live);
    return tear_down(state) != 0 || dlda_memory_count().live != 0;
}

/* A problem's images under other labels and names. */
static dlda_dataset *relabelled(uint32_t seed, const int map[CLASSES], size_t classes, const char *const *names)
{
    dlda_dataset *plain = new_problem(seed), *made = NULL;
    float *values = check_memory(COUNT * SIDE * SIDE * sizeof *values);
    int labels[COUNT];

    CHECK_OK(dlda_dataset_images(plain, 0, COUNT, values));
    for (size_t i = 0; i < COUNT; i++) labels[i] = map[dlda_dataset_label(plain, i)];
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = COUNT,
                                                       .height = SIDE,
                                                       .width = SIDE,
                                                       .channels = 1,
                                                       .classes = classes,
                                                       .labels = labels,
                                                       .values = values,
                                                       .names = names },
                                 &made));
    free(values);
    dlda_dataset_destroy(plain);
    return made;
}

/* The samples of a problem whose label is `only`, or all others if that is negative: ~label. At most `most` of them. */
static dlda_dataset *samples_of(uint32_t seed, int only, size_t most)
{
    dlda_dataset *all = new_problem(seed), *made = NULL;
    size_t pixels = SIDE * SIDE, count = 0;
    float *values = check_memory(COUNT * pixels * sizeof *values);
    int labels[COUNT];

    for (size_t i = 0; i < COUNT && count < most; i++) {
        int label = dlda_dataset_label(all, i);
        if (only >= 0 ? label != only : label == ~only) continue;
        CHECK_OK(dlda_dataset_images(all, i, 1, values + count * pixels));
        labels[count++] = only >= 0 ? 0 : label;
    }
    CHECK_OK(dlda_dataset_create(&(dlda_dataset_spec){ .count = count,
                                                       .height = SIDE,
                                                       .width = SIDE,
                                                       .channels = 1,
                                                       .classes = only >= 0 ? 1 : CLASSES - 1,
                                                       .labels = labels,
                                                       .values = values },
                                 &made));
    free(values);
    dlda_dataset_destroy(all);
    return made;
}

static void check_same_head(const dlda_lda *a, const dlda_lda *b, double tolerance)
{
    assert_true(a->C == b->C && a->D == b->D && a->K == b->K);
    CHECK_NEAR(a->counts, b->counts, b->C, 0, "counts");
    CHECK_NEAR(a->M, b->M, b->C * b->D, tolerance, "means");
    CHECK_NEAR(a->eigenvalues, b->eigenvalues, b->K, tolerance, "eigenvalues");
    CHECK_NEAR(a->Sw, b->Sw, b->D * b->D, tolerance, "within-class scatter");
    CHECK_NEAR(a->St, b->St, b->D * b->D, tolerance, "total scatter");
    CHECK_NEAR(a->T, b->T, b->C * b->D, 1e3 * tolerance, "scores");
}

/* ---- Other data ---- */

/* Up to the rounding of single precision: the network of a trainer computes in another order. */
static void test_same_data(void **state)
{
    (void)state;
    check_same_head(refitted->lda, model->lda, 1e-6);
    assert_string_equal(refitted->options, model->options);
    assert_memory_equal(refitted->weights, model->weights, model->network->n_weights * sizeof(float));
}

/* The same classes in another order, or by number: the model's order stays. */
static void test_same_classes(void **state)
{
    static const int map[CLASSES] = { 3, 0, 2, 1 };
    static const char *const names[CLASSES] = { "1", "3", "2", "0" }; /* of 3, 0, 2, 1 in turn */
    static const char *const words[CLASSES] = { "a", "b", "c", "d" };
    static const int same[CLASSES] = { 0, 1, 2, 3 };
    dlda_dataset *mixed = relabelled(1, map, CLASSES, names), *named = relabelled(1, same, CLASSES, words);
    dlda_model *again = NULL, *with_words = NULL;

    (void)state;
    CHECK_OK(dlda_model_refit(model, workspace, mixed, lambda, &again));
    check_same_head(again->lda, refitted->lda, 1e-9);
    dlda_model_destroy(again);
    CHECK_OK(dlda_model_refit(model, workspace, named, lambda, &with_words));
    assert_string_equal(dlda_model_class_name(with_words, 2), "c");
    dlda_dataset *numbers = new_problem(1);
    dlda_workspace *other = NULL;
    CHECK_OK(dlda_workspace_create(with_words, 50, 1, &other));
    CHECK_OK(dlda_model_refit(with_words, other, numbers, lambda, &again));
    assert_string_equal(dlda_model_class_name(again, 2), "c"); /* numbers stand for the names */
    check_same_head(again->lda, refitted->lda, 1e-9);
    dlda_workspace_destroy(other);
    dlda_model_destroy(again);
    dlda_model_destroy(with_words);
    dlda_dataset_destroy(numbers);
    dlda_dataset_destroy(mixed);
    dlda_dataset_destroy(named);
}

static void test_other_classes(void **state)
{
    static const int map[CLASSES] = { 0, 0, 1, 1 };
    static const char *const names[2] = { "above", "below" };
    dlda_dataset *data = relabelled(2, map, 2, names);
    dlda_model *two = NULL, *loaded = NULL;
    dlda_evaluation *evaluation = NULL;
    dlda_workspace *other = NULL;

    (void)state;
    CHECK_OK(dlda_model_refit(model, workspace, data, 0.25, &two));
    assert_int_equal(dlda_model_classes(two), 2);
    assert_int_equal(two->lda->K, 1);
    assert_non_null(strstr(two->options, "\"lambda\": 0.25"));
    CHECK_OK(dlda_model_save(two, in_folder("two.safetensors")));
    CHECK_OK(dlda_model_load(in_folder("two.safetensors"), &loaded));
    CHECK_OK(dlda_workspace_create(loaded, 50, 1, &other));
    CHECK_OK(dlda_model_evaluate(loaded, other, data, DLDA_PROBABILITY_BAYES, &evaluation));
    assert_true(evaluation->accuracy > 0.8);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(other);
    dlda_model_destroy(loaded);
    dlda_model_destroy(two);
    dlda_dataset_destroy(data);
}

/* ---- The softmax of a network trained with cce ---- */

static void test_softmax(void **state)
{
    static const int same[CLASSES] = { 0, 1, 2, 3 };
    static const char *const words[CLASSES] = { "a", "b", "c", "d" };
    dlda_dataset *data = new_problem(1), *named = relabelled(1, same, CLASSES, words);
    dlda_model *made = NULL, *loaded = NULL;
    int labels[COUNT];
    float H[COUNT * CLASSES], proba[COUNT * CLASSES], images[COUNT * SIDE * SIDE];

    (void)state;
    CHECK_OK(dlda_dataset_images(data, 0, COUNT, images));
    CHECK_OK(dlda_model_require_softmax(cce));
    CHECK_OK(dlda_model_embed(cce, cce_workspace, images, COUNT, H));
    CHECK_OK(dlda_model_predict(cce, cce_workspace, images, COUNT, DLDA_PROBABILITY_SOFTMAX, labels, proba));
    for (size_t i = 0; i < COUNT; i++)
        for (size_t c = 0; c < CLASSES; c++) assert_true(H[i * CLASSES + c] <= H[i * CLASSES + (size_t)labels[i]]);
    CHECK_STATUS(dlda_model_require_softmax(model), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("was not trained with objective cce");
    CHECK_STATUS(dlda_model_predict(model, workspace, images, COUNT, DLDA_PROBABILITY_SOFTMAX, labels, proba),
                 DLDA_E_OPTION);
    CHECK_OK(dlda_model_refit(cce, cce_workspace, data, lambda, &made));
    CHECK_OK(dlda_model_require_softmax(made));
    dlda_model_destroy(made);
    CHECK_OK(dlda_model_refit(cce, cce_workspace, named, lambda, &made));
    CHECK_OK(dlda_model_save(made, in_folder("named.safetensors")));
    CHECK_OK(dlda_model_load(in_folder("named.safetensors"), &loaded));
    CHECK_STATUS(dlda_model_require_softmax(made), DLDA_E_OPTION);
    CHECK_STATUS(dlda_model_require_softmax(loaded), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("are not those its softmax was trained on");
    dlda_model_destroy(made);
    dlda_model_destroy(loaded);
    dlda_dataset_destroy(data);
    dlda_dataset_destroy(named);
}

/* ---- A class more ---- */

/* With as many rows as the others it is the head of all rows together. */
static void test_class_of_many(void **state)
{
    dlda_dataset *three = samples_of(1, ~(CLASSES - 1), COUNT), *fourth = samples_of(1, CLASSES - 1, COUNT);
    dlda_model *small = NULL, *extended = NULL;

    (void)state;
    CHECK_OK(dlda_model_refit(model, workspace, three, lambda, &small));
    assert_int_equal(small->lda->K, 2);
    dlda_workspace *other = NULL;
    CHECK_OK(dlda_workspace_create(small, 30, 1, &other));
    CHECK_OK(dlda_model_add_class(small, other, fourth, "3", lambda, &extended));
    check_same_head(extended->lda, refitted->lda, 1e-6);
    for (size_t c = 0; c < CLASSES; c++)
        assert_string_equal(dlda_model_class_name(extended, c), dlda_model_class_name(model, c));
    dlda_workspace_destroy(other);
    dlda_model_destroy(small);
    dlda_model_destroy(extended);
    dlda_dataset_destroy(three);
    dlda_dataset_destroy(fourth);
}

/* A few rows count as many as the other classes have, and are recognised. */
static void test_class_of_few(void **state)
{
    dlda_dataset *three = samples_of(1, ~(CLASSES - 1), COUNT), *few = samples_of(1, CLASSES - 1, 5);
    dlda_dataset *others = new_problem(2);
    dlda_model *small = NULL, *extended = NULL, *loaded = NULL;
    dlda_evaluation *evaluation = NULL;
    dlda_workspace *other = NULL;

    (void)state;
    CHECK_OK(dlda_model_refit(model, workspace, three, lambda, &small));
    CHECK_OK(dlda_workspace_create(small, 30, 1, &other));
    CHECK_OK(dlda_model_add_class(small, other, few, "3", lambda, &extended));
    dlda_workspace_destroy(other);
    assert_true(extended->lda->counts[CLASSES - 1] == COUNT / CLASSES);
    CHECK_OK(dlda_model_save(extended, in_folder("more.safetensors")));
    CHECK_OK(dlda_model_load(in_folder("more.safetensors"), &loaded));
    CHECK_OK(dlda_workspace_create(loaded, 30, 1, &other));
    CHECK_OK(dlda_model_evaluate(loaded, other, others, DLDA_PROBABILITY_BAYES, &evaluation));
    if (evaluation->recall[CLASSES - 1] < 0.6) fail_msg("only %g are found", evaluation->recall[CLASSES - 1]);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(other);
    dlda_model_destroy(small);
    dlda_model_destroy(extended);
    dlda_model_destroy(loaded);
    dlda_dataset_destroy(three);
    dlda_dataset_destroy(few);
    dlda_dataset_destroy(others);
}

/* ---- Priors ---- */

static void test_priors(void **state)
{
    static const double priors[CLASSES] = { 1, 1, 2, 4 };
    dlda_dataset *few = samples_of(2, 0, 5), *data = new_problem(2);
    dlda_model *adapted = NULL, *loaded = NULL, *more = NULL, *back = NULL;
    dlda_workspace *other = NULL;
    static float images[COUNT * SIDE * SIDE];
    int before[COUNT], after[COUNT];

    (void)state;
    CHECK_OK(dlda_model_use_priors(model, priors, &adapted));
    CHECK_OK(dlda_model_save(adapted, in_folder("priors.safetensors")));
    CHECK_OK(dlda_model_load(in_folder("priors.safetensors"), &loaded));
    for (size_t c = 0; c < CLASSES; c++) {
        assert_true(fabs(dlda_lda_prior(loaded->lda, c) - priors[c] / 8) < 1e-12);
        assert_true(fabs(dlda_lda_prior(model->lda, c) - 0.25) < 1e-12);
    }
    CHECK_OK(dlda_workspace_create(loaded, 50, 1, &other));
    CHECK_OK(dlda_dataset_images(data, 0, COUNT, images));
    CHECK_OK(dlda_model_predict(model, workspace, images, COUNT, DLDA_PROBABILITY_PAPER, before, NULL));
    CHECK_OK(dlda_model_predict(loaded, other, images, COUNT, DLDA_PROBABILITY_PAPER, after, NULL));
    assert_memory_equal(before, after, sizeof before);
    CHECK_OK(dlda_model_add_class(loaded, other, few, "new", lambda, &more));
    assert_true(fabs(dlda_lda_prior(more->lda, CLASSES) - 0.2) < 1e-12);
    assert_true(fabs(dlda_lda_prior(more->lda, 3) - 0.4) < 1e-12);
    CHECK_OK(dlda_model_use_priors(loaded, NULL, &back));
    assert_true(fabs(dlda_lda_prior(back->lda, 3) - 0.25) < 1e-12);
    dlda_workspace_destroy(other);
    dlda_model *made[] = { adapted, loaded, more, back };
    for (size_t i = 0; i < 4; i++) dlda_model_destroy(made[i]);
    dlda_dataset_destroy(few);
    dlda_dataset_destroy(data);
}

/* ---- What does not fit ---- */

static void test_refused(void **state)
{
    dlda_dataset *one = samples_of(1, 2, 1), *few = samples_of(1, 2, 5), *all = new_problem(1);
    static const double bad[CLASSES] = { 1, 0, 2, 4 };
    dlda_model *none = NULL;

    (void)state;
    CHECK_STATUS(dlda_model_refit(model, workspace, few, lambda, &none), DLDA_E_CLASS);
    CHECK_ERROR_SAYS("refit: the data has 1 class, expected at least 2");
    CHECK_STATUS(dlda_model_refit(model, workspace, all, -1, &none), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("lambda -1, expected 0 or more");
    CHECK_STATUS(dlda_model_refit(model, cce_workspace, all, lambda, &none), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_model_add_class(model, workspace, few, "2", lambda, &none), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("has a class '2' already");
    CHECK_STATUS(dlda_model_add_class(model, workspace, few, "", lambda, &none), DLDA_E_OPTION);
    CHECK_STATUS(dlda_model_add_class(model, workspace, one, "new", lambda, &none), DLDA_E_CLASS);
    CHECK_ERROR_SAYS("1 samples of the new class, expected at least 2");
    CHECK_STATUS(dlda_model_add_class(model, workspace, all, "new", lambda, &none), DLDA_E_SHAPE);
    CHECK_ERROR_SAYS("several classes ('0' and '1')");
    CHECK_STATUS(dlda_model_use_priors(model, bad, &none), DLDA_E_OPTION);
    CHECK_ERROR_SAYS("class 1 has 0, expected more than 0");
    assert_null(none);
    dlda_dataset_destroy(one);
    dlda_dataset_destroy(few);
    dlda_dataset_destroy(all);
}

static dlda_status do_all(const dlda_dataset *all, const dlda_dataset *few, dlda_model *made[3])
{
    static const double priors[CLASSES] = { 1, 1, 2, 4 };
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_model_use_priors(model, priors, &made[0]));
    DLDA_TRY(dlda_model_refit(model, workspace, all, lambda, &made[1]));
    DLDA_TRY(dlda_model_add_class(model, workspace, few, "new", lambda, &made[2]));
done:
    return status;
}

static void test_without_memory(void **state)
{
    dlda_dataset *few = samples_of(1, 2, 5), *all = new_problem(1);
    size_t live = dlda_memory_count().live, n = 1;
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    for (; status == DLDA_E_MEMORY && n < 1000; n++) {
        dlda_model *made[3] = { NULL, NULL, NULL };
        dlda_memory_fail_at(n);
        status = do_all(all, few, made);
        dlda_memory_fail_at(0);
        for (int i = 0; i < 3; i++) dlda_model_destroy(made[i]);
        assert_int_equal(dlda_memory_count().live, live);
    }
    CHECK_OK(status);
    assert_true(n > 50);
    dlda_dataset_destroy(few);
    dlda_dataset_destroy(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_data),      cmocka_unit_test(test_same_classes),
        cmocka_unit_test(test_other_classes),  cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_class_of_many),  cmocka_unit_test(test_class_of_few),
        cmocka_unit_test(test_priors),         cmocka_unit_test(test_refused),
        cmocka_unit_test(test_without_memory),
    };
    return cmocka_run_group_tests_name("refit", tests, begin, end);
}
