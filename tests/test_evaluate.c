/* SPDX-License-Identifier: MIT
 *
 * test_evaluate.c - figures of answers, nearest classes and linear SVMs against tools/eval_twin.py.
 */
#include "check.h"

#include "base/memory.h"
#include "classify/evaluate.h"
#include "classify/softmax.h"
#include "classify/svm_folds.h"
#include "golden/golden_evaluation.h"

/* A program may have functions of these names, as liblinear does; neither must be taken for the other. */
void *train(void);
double predict(void);

void *train(void)
{
    fail_msg("the program's own function train was called in place of liblinear's");
    return NULL;
}

double predict(void)
{
    fail_msg("the program's own function predict was called");
    return 0;
}

/* ---- Answers ---- */

static void test_answers(void **state)
{
    dlda_evaluation *e = NULL;

    (void)state;
    CHECK_OK(dlda_evaluation_begin(ANSWER_CLASSES, ANSWERS, &e));
    for (size_t first = 0, n; first < ANSWERS; first += n) { /* in uneven portions */
        n = ANSWERS - first < 77 ? ANSWERS - first : 77;
        dlda_evaluation_count(e, n, answer_truth + first, answer_predicted + first,
                              answer_proba + first * ANSWER_CLASSES);
    }
    dlda_evaluation_finish(e);
    assert_int_equal(e->samples, ANSWERS);
    CHECK_NEAR(&e->log_loss, &answer_log_loss, 1, 1e-12, "log loss");
    CHECK_NEAR(&e->calibration_error, &answer_calibration_error, 1, 1e-12, "calibration error");
    assert_int_equal(e->bins, BINS);
    assert_memory_equal(e->predicted, answer_predicted, sizeof answer_predicted);
    for (size_t i = 0; i < ANSWERS; i++) {
        assert_true(e->confidence[i] == answer_proba[i * ANSWER_CLASSES + (size_t)answer_predicted[i]]);
        assert_true(e->p_truth[i] == answer_proba[i * ANSWER_CLASSES + (size_t)answer_truth[i]]);
    }
    for (size_t b = 0; b < BINS; b++) {
        assert_int_equal(e->bin_samples[b], bin_samples[b]);
        if (bin_samples[b] == 0) {
            assert_true(isnan(e->bin_accuracy[b]) && isnan(e->bin_confidence[b]));
            continue;
        }
        CHECK_NEAR(&e->bin_confidence[b], &bin_confidence[b], 1, 1e-12, "confidence of bin %zu", b);
        CHECK_NEAR(&e->bin_accuracy[b], &bin_accuracy[b], 1, 1e-12, "accuracy of bin %zu", b);
    }
    dlda_evaluation_destroy(e);
}

static void test_answers_without_probabilities(void **state)
{
    dlda_evaluation *e = NULL;

    (void)state;
    CHECK_OK(dlda_evaluation_create(answer_truth, answer_predicted, NULL, ANSWERS, ANSWER_CLASSES, &e));
    assert_true(isnan(e->log_loss) && isnan(e->calibration_error) && e->bins == 0);
    assert_true(e->accuracy == (double)e->correct / ANSWERS && e->correct > 0);
    for (size_t i = 0; i < ANSWERS; i++) assert_true(isnan(e->confidence[i]) && isnan(e->p_truth[i]));
    dlda_evaluation_destroy(e);
}

static void test_answers_are_checked(void **state)
{
    static const int good[] = { 0, 1 }, large[] = { 0, 2 }, negative[] = { -1, 0 };
    dlda_evaluation *e = NULL;

    (void)state;
    CHECK_STATUS(dlda_evaluation_create(good, large, NULL, 2, 2, &e), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("predicted class 2 of sample 1, expected 0 to 1");
    CHECK_STATUS(dlda_evaluation_create(negative, good, NULL, 2, 2, &e), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("true class -1 of sample 0");
    CHECK_STATUS(dlda_evaluation_create(good, good, NULL, 0, 2, &e), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_evaluation_create(good, good, NULL, 2, 0, &e), DLDA_E_ARGUMENT);
    assert_null(e);
}

/* 0 and 1 belong to the first and the last bin. */
static void test_ends_of_the_bins(void **state)
{
    static const float proba[][2] = { { 1, 0 }, { 0, 1 }, { 0.5F, 0.5F } };
    static const int truth[] = { 0, 0, 0 }, predicted[] = { 0, 0, 0 };
    dlda_evaluation *e = NULL;

    (void)state;
    CHECK_OK(dlda_evaluation_create(truth, predicted, proba[0], 3, 2, &e));
    assert_int_equal(e->bin_samples[14], 1);
    assert_int_equal(e->bin_samples[0], 1);
    assert_int_equal(e->bin_samples[7], 1);
    CHECK_NEAR(&e->calibration_error, &(double){ 0.5 }, 1, 1e-12, "calibration error"); /* (0 + 1 + 0.5) / 3 */
    assert_true(isfinite(e->log_loss));
    dlda_evaluation_destroy(e);
}

static void test_softmax(void **state)
{
    static const float H[][3] = { { 1, 2, 3 }, { 1000, 999, -1000 }, { 0, 0, 0 } };
    static const double expected[] = { 0.09003057317038046,
                                       0.24472847105479764,
                                       0.6652409557748219,
                                       0.7310585786300049,
                                       0.2689414213699951,
                                       0,
                                       1 / 3.0,
                                       1 / 3.0,
                                       1 / 3.0 };
    float proba[9], bad[3] = { 0, NAN, 0 };
    int labels[3];

    (void)state;
    CHECK_OK(dlda_softmax_predict(H[0], 3, 3, labels, proba));
    CHECK_NEAR_FLOAT(proba, expected, 9, 1e-7, "softmax");
    assert_true(labels[0] == 2 && labels[1] == 0 && labels[2] == 0);
    CHECK_STATUS(dlda_softmax_predict(bad, 1, 3, labels, proba), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("row 0, column 1 is nan");
}

/* ---- Nearest classes ---- */

static void test_nearest_classes(void **state)
{
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;
    size_t first = 99, second = 99;

    (void)state;
    CHECK_OK(dlda_scatter_create(NEAR_CLASSES, NEAR_FEATURES, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, near_rows, near_labels, NEAR_ROWS));
    CHECK_OK(dlda_lda_fit(scatter, near_lambda, &lda));
    double distance = dlda_lda_nearest_classes(lda, &first, &second), mean = dlda_lda_mean_separation(lda);
    assert_int_equal(first, nearest[0]);
    assert_int_equal(second, nearest[1]);
    CHECK_NEAR(&distance, &nearest_distance, 1, 1e-6, "nearest distance");
    CHECK_NEAR(&mean, &near_mean, 1, 1e-9, "mean separation");
    dlda_lda_destroy(lda);
    dlda_scatter_destroy(scatter);
}

/* ---- The linear SVM ---- */

static dlda_svm *fit(const dlda_svm_spec *spec)
{
    dlda_svm *svm = NULL;

    CHECK_OK(dlda_svm_fit(svm_rows, svm_labels, SVM_ROWS, SVM_FEATURES, SVM_CLASSES, spec, &svm));
    return svm;
}

/* The class with the largest z . weights + intercept is the one that is predicted. */
static void check_svm_weights(const dlda_svm *svm, const float *Z, size_t n, const int *predicted)
{
    const double *weights = dlda_svm_weights(svm), *intercepts = dlda_svm_intercepts(svm);
    size_t K = dlda_svm_features(svm);

    for (size_t i = 0; i < n; i++) {
        double largest = -INFINITY;
        int best = -1;
        for (size_t c = 0; c < dlda_svm_classes(svm); c++) {
            double value = intercepts[c];
            for (size_t k = 0; k < K; k++) value += weights[c * K + k] * (double)Z[i * K + k];
            if (value <= largest) continue;
            largest = value;
            best = (int)c;
        }
        if (best != predicted[i]) fail_msg("row %zu: %d by its weights, expected %d", i, best, predicted[i]);
    }
}

static void test_svm(void **state)
{
    int predicted[SVM_OTHERS];
    dlda_svm *svm = fit(&(dlda_svm_spec){ .costs = &svm_cost, .n_costs = 1 });

    (void)state;
    assert_true(dlda_svm_cost(svm) == svm_cost);
    assert_int_equal(dlda_svm_features(svm), SVM_FEATURES);
    assert_int_equal(dlda_svm_classes(svm), SVM_CLASSES);
    CHECK_OK(dlda_svm_predict(svm, svm_others, SVM_OTHERS, predicted));
    for (size_t i = 0; i < SVM_OTHERS; i++)
        if (predicted[i] != svm_predicted[i])
            fail_msg("row %zu: %d, expected %d", i, predicted[i], svm_predicted[i]);
    check_svm_weights(svm, svm_others, SVM_OTHERS, predicted);
    dlda_svm_destroy(svm);
}

static void test_svm_two_classes(void **state)
{
    static const float Z[] = { -1, -2, -3, -1.5F, 1, 2, 3, 1.5F };
    static const int labels[] = { 4, 4, 4, 4, 1, 1, 1, 1 };
    static const float others[] = { -0.5F, 0.5F, -9, 9 };
    int predicted[4];
    dlda_svm *svm = NULL;

    (void)state;
    CHECK_OK(dlda_svm_fit(Z, labels, 8, 1, 6, &(dlda_svm_spec){ .folds = 4 }, &svm));
    CHECK_OK(dlda_svm_predict(svm, others, 4, predicted));
    assert_true(predicted[0] == 4 && predicted[1] == 1 && predicted[2] == 4 && predicted[3] == 1);
    check_svm_weights(svm, others, 4, predicted);
    assert_true(dlda_svm_weights(svm)[0] == 0 && dlda_svm_intercepts(svm)[0] == -INFINITY); /* has no rows */
    assert_true(dlda_svm_accuracy(svm) == 1);
    assert_true(dlda_svm_cost(svm) == 0x1p-8); /* all costs do, so the smallest is taken */
    dlda_svm_destroy(svm);
}

/* The same answers for any number of threads, and when it is fitted again. */
static void test_svm_repeats(void **state)
{
    int predicted[3][SVM_OTHERS];
    double cost[3], accuracy[3];

    (void)state;
    for (size_t t = 0; t < 3; t++) {
        dlda_svm *svm = fit(&(dlda_svm_spec){ .seed = 5, .threads = t + 1 });
        CHECK_OK(dlda_svm_predict(svm, svm_others, SVM_OTHERS, predicted[t]));
        cost[t] = dlda_svm_cost(svm);
        accuracy[t] = dlda_svm_accuracy(svm);
        dlda_svm_destroy(svm);
        assert_true(cost[t] == cost[0] && accuracy[t] == accuracy[0]);
        assert_memory_equal(predicted[t], predicted[0], sizeof predicted[0]);
    }
    assert_true(accuracy[0] > 0.6);
}

static void test_svm_folds(void **state)
{
    enum { N = 103, C = 4, F = 5 };
    int labels[N];
    size_t fold[N], size[F] = { 0 }, of_class[C][F] = { { 0 } };

    (void)state;
    for (int i = 0; i < N; i++) labels[i] = i % 7 == 0 ? 2 : i % C;
    CHECK_OK(dlda_svm_folds(labels, N, C, F, 1, fold));
    for (int i = 0; i < N; i++) size[fold[i]]++, of_class[labels[i]][fold[i]]++;
    for (size_t f = 1; f < F; f++) {
        assert_true(size[f] <= size[0] && size[f] + 1 >= size[0]);
        for (size_t c = 0; c < C; c++)
            assert_true(of_class[c][f] + 1 >= of_class[c][0] && of_class[c][f] <= of_class[c][0] + 1);
    }
}

static void test_svm_refuses(void **state)
{
    static const double bad_cost[] = { 1, -1 };
    int one[SVM_ROWS] = { 0 }, high[SVM_ROWS] = { 0, 1, 7 };
    float *Z = check_memory(sizeof svm_rows);
    const dlda_svm_spec usual = { 0 };
    dlda_svm *svm = NULL;

    (void)state;
    CHECK_STATUS(dlda_svm_fit(svm_rows, one, SVM_ROWS, SVM_FEATURES, SVM_CLASSES, &usual, &svm), DLDA_E_CLASS);
    CHECK_ERROR_SAYS("all 90 rows are of one class");
    CHECK_STATUS(dlda_svm_fit(svm_rows, high, SVM_ROWS, SVM_FEATURES, SVM_CLASSES, &usual, &svm), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("row 2: label 7, expected 0 to 2");
    CHECK_STATUS(dlda_svm_fit(svm_rows, svm_labels, 3, SVM_FEATURES, SVM_CLASSES, &usual, &svm), DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("5 folds for 3 rows");
    CHECK_STATUS(dlda_svm_fit(svm_rows, svm_labels, SVM_ROWS, SVM_FEATURES, SVM_CLASSES,
                              &(dlda_svm_spec){ .costs = bad_cost, .n_costs = 2 }, &svm),
                 DLDA_E_ARGUMENT);
    CHECK_ERROR_SAYS("cost -1, expected more than 0");
    CHECK_STATUS(dlda_svm_fit(svm_rows, svm_labels, SVM_ROWS, SVM_FEATURES, SVM_CLASSES,
                              &(dlda_svm_spec){ .costs = bad_cost }, &svm),
                 DLDA_E_ARGUMENT);
    memcpy(Z, svm_rows, sizeof svm_rows);
    Z[5] = INFINITY;
    CHECK_STATUS(dlda_svm_fit(Z, svm_labels, SVM_ROWS, SVM_FEATURES, SVM_CLASSES, &usual, &svm), DLDA_E_NUMERIC);
    CHECK_ERROR_SAYS("row 2, column 1 is inf");
    assert_null(svm);
    free(Z);
}

/* Each allocation fails in turn: an error, and nothing is left behind. */
static void test_svm_without_memory(void **state)
{
    dlda_status status = DLDA_E_MEMORY;
    size_t live = dlda_memory_count().live;
    const dlda_svm_spec spec = { .threads = 1 };

    (void)state;
    for (size_t n = 1; status == DLDA_E_MEMORY && n < 100; n++) {
        dlda_svm *svm = NULL;
        dlda_memory_fail_at(n);
        status = dlda_svm_fit(svm_rows, svm_labels, SVM_ROWS, SVM_FEATURES, SVM_CLASSES, &spec, &svm);
        dlda_memory_fail_at(0);
        dlda_svm_destroy(svm);
        assert_int_equal(dlda_memory_count().live, live);
    }
    CHECK_OK(status);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_answers_without_probabilities),
        cmocka_unit_test(test_answers_are_checked),
        cmocka_unit_test(test_ends_of_the_bins),
        cmocka_unit_test(test_softmax),
        cmocka_unit_test(test_nearest_classes),
        cmocka_unit_test(test_svm),
        cmocka_unit_test(test_svm_two_classes),
        cmocka_unit_test(test_svm_repeats),
        cmocka_unit_test(test_svm_folds),
        cmocka_unit_test(test_svm_refuses),
        cmocka_unit_test(test_svm_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
