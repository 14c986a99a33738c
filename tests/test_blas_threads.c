/* SPDX-License-Identifier: MIT
 *
 * test_blas_threads.c - OpenBLAS has one number of threads for the whole process, which belongs to the caller: it is the
 * same before and after each kind of call, and our own products run with one.
 */
#include "check.h"

#include "linalg/gemm.h"
#include "small_problem.h"

/* Another BLAS has no such setting. */
extern void openblas_set_num_threads(int n) __attribute__((weak));
extern int openblas_get_num_threads(void) __attribute__((weak));

enum { THREADS = 3 };

#define KEEPS_THREADS(call)                                                                                        \
    do {                                                                                                           \
        openblas_set_num_threads(THREADS);                                                                         \
        CHECK_OK(call);                                                                                            \
        assert_int_equal(openblas_get_num_threads(), THREADS);                                                     \
    } while (0)

static void test_nested(void **state)
{
    (void)state;
    openblas_set_num_threads(THREADS);
    dlda_blas_begin();
    assert_int_equal(openblas_get_num_threads(), 1);
    dlda_blas_begin();
    dlda_blas_end();
    assert_int_equal(openblas_get_num_threads(), 1);
    dlda_blas_end();
    assert_int_equal(openblas_get_num_threads(), THREADS);
}

static void check_training(const char *objective, const dlda_dataset *data, dlda_trainer **trainer)
{
    dlda_options *options = new_options(objective);

    CHECK_OK(dlda_options_set(options, "prepare", "gcn,zca"));
    KEEPS_THREADS(dlda_trainer_create(options, data, data, trainer));
    KEEPS_THREADS(dlda_trainer_run_step(*trainer));
    KEEPS_THREADS(dlda_trainer_run_epoch(*trainer));
    KEEPS_THREADS(dlda_trainer_finish(*trainer)); /* early */
    KEEPS_THREADS(dlda_trainer_run(*trainer));
    dlda_options_destroy(options);
}

static void test_training_and_model(void **state)
{
    dlda_dataset *data = new_problem(1), *more = NULL;
    dlda_trainer *trainer = NULL;
    dlda_workspace *workspace = NULL;
    dlda_model *refitted = NULL;
    dlda_evaluation *evaluation = NULL;
    dlda_svm *svm = NULL;
    float images[2 * SIDE * SIDE] = { 0 };
    int labels[2];

    (void)state;
    images[0] = 1;
    CHECK_OK(dlda_dataset_create(
        &(dlda_dataset_spec){ .count = 2, .height = SIDE, .width = SIDE, .channels = 1, .values = images }, &more));
    check_training("lda-bayes", data, &trainer);
    dlda_trainer_destroy(trainer);
    check_training("lda", data, &trainer);
    const dlda_model *model = dlda_trainer_model(trainer);
    KEEPS_THREADS(dlda_workspace_create(model, 20, 2, &workspace));
    KEEPS_THREADS(dlda_model_predict(model, workspace, images, 2, DLDA_PROBABILITY_BAYES, labels, NULL));
    KEEPS_THREADS(dlda_model_evaluate(model, workspace, data, DLDA_PROBABILITY_PAPER, &evaluation));
    KEEPS_THREADS(dlda_model_fit_svm(model, workspace, data, &(dlda_svm_spec){ .threads = 2 }, &svm));
    KEEPS_THREADS(dlda_model_refit(model, workspace, data, 0.001, &refitted));
    dlda_model_destroy(refitted);
    KEEPS_THREADS(dlda_model_add_class(model, workspace, more, "more", 0.001, &refitted));
    dlda_model_destroy(refitted);
    KEEPS_THREADS(dlda_model_copy(model, &refitted));
    dlda_model_destroy(refitted);
    dlda_svm_destroy(svm);
    dlda_evaluation_destroy(evaluation);
    dlda_workspace_destroy(workspace);
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(more);
    dlda_dataset_destroy(data);
}

static void test_lda_and_objective(void **state)
{
    enum { N = 60, D = 4, C = 3 };
    float H[N * D], dH[N * D], proba[N * C];
    int labels[N], predicted[N];
    uint64_t seed = 1;
    double loss = 0;
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;
    dlda_objective *objective = NULL;
    void *bytes = NULL;
    size_t size = 0;

    (void)state;
    for (int i = 0; i < N * D; i++) H[i] = (float)check_normal(&seed) + (i / D % C == i % D ? 2 : 0);
    for (int i = 0; i < N; i++) labels[i] = i % C;
    CHECK_OK(dlda_scatter_create(C, D, &scatter));
    KEEPS_THREADS(dlda_scatter_add(scatter, H, labels, N));
    KEEPS_THREADS(dlda_lda_fit(scatter, 0.001, &lda));
    KEEPS_THREADS(dlda_lda_predict(lda, H, N, DLDA_PROBABILITY_BAYES, predicted, proba));
    const dlda_objective_spec spec = { DLDA_OBJECTIVE_LDA_BAYES, C, D, N, 0.001, 1 };
    CHECK_OK(dlda_objective_create(&spec, &objective));
    KEEPS_THREADS(dlda_objective_evaluate(objective, H, labels, N, &loss, dH));
    for (size_t round = 0; round < dlda_objective_rounds(objective); round++) {
        dlda_objective_reset(objective, round);
        KEEPS_THREADS(dlda_objective_add(objective, H, labels, N));
        KEEPS_THREADS(dlda_objective_solve(objective, &loss));
    }
    KEEPS_THREADS(dlda_objective_gradient(objective, H, labels, N, dH));
    dlda_objective_destroy(objective);
    KEEPS_THREADS(dlda_lda_to_bytes(lda, &bytes, &size));
    dlda_lda_destroy(lda);
    KEEPS_THREADS(dlda_lda_from_bytes(bytes, size, &lda));
    dlda_lda_destroy(lda);
    dlda_bytes_destroy(bytes);
    dlda_scatter_destroy(scatter);
}

static void test_failure(void **state)
{
    const float H[8] = { 0 }; /* no scatter within classes */
    const int labels[4] = { 0, 0, 1, 1 };
    dlda_scatter *scatter = NULL;
    dlda_lda *lda = NULL;

    (void)state;
    CHECK_OK(dlda_scatter_create(2, 2, &scatter));
    CHECK_OK(dlda_scatter_add(scatter, H, labels, 4));
    openblas_set_num_threads(THREADS);
    CHECK_STATUS(dlda_lda_fit(scatter, 0, &lda), DLDA_E_NUMERIC);
    assert_int_equal(openblas_get_num_threads(), THREADS);
    dlda_scatter_destroy(scatter);
}

static void test_table(void **state)
{
    const char text[] = "a,b,label\n1,2,x\n2,1,y\n1,3,x\n3,1,y\n2,4,x\n4,2,y\n";
    dlda_table *table = NULL;
    dlda_table_fit *fit = NULL;

    (void)state;
    CHECK_OK(dlda_file_write(in_folder("t.csv"), text, strlen(text)));
    CHECK_OK(dlda_table_open(&(dlda_table_spec){ .path = in_folder("t.csv") }, &table));
    KEEPS_THREADS(dlda_table_fit_lda(table, &(dlda_table_fit_spec){ .lambda = 0.001, .threads = 2 }, &fit));
    dlda_table_fit_destroy(fit);
    dlda_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_training_and_model),
        cmocka_unit_test(test_lda_and_objective),
        cmocka_unit_test(test_failure),
        cmocka_unit_test(test_table),
    };

    if (!openblas_set_num_threads || !openblas_get_num_threads) return 77; /* skipped */
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
