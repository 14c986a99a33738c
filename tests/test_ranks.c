/* SPDX-License-Identifier: MIT
 *
 * test_ranks.c - work divided among ranks, here threads: the rows of a batch, objectives and their gradients, whole
 * trainings, shared data, stops and failures.
 */
#include "thread_comm.h"

#include "base/comm.h"
#include "base/memory.h"
#include "base/random.h"
#include "dataset/dataset.h"
#include "model/model.h"
#include "objective/objective.h"
#include "small_problem.h"
#include "training/trainer.h"

#include <math.h>

/* ---- Rows ---- */

static void test_each_row_has_one_rank(void **state)
{
    (void)state;
    for (size_t size = 1; size <= 7; size++)
        for (size_t groups = 1; groups <= 9; groups++)
            for (size_t n = 0; n <= 40; n++) {
                size_t next = 0;
                for (size_t rank = 0; rank < size; rank++) {
                    dlda_rows rows = dlda_rows_of_rank(n, groups, rank, size);
                    assert_int_equal(rows.first, next);
                    next += rows.count;
                    dlda_rows mine = dlda_groups_of_rank(groups, rank, size);
                    assert_true(mine.count > 0);
                    assert_true(rows.first >= mine.first * n / groups);
                    assert_true(rows.first + rows.count <= (mine.first + mine.count) * n / groups);
                    if (groups >= size)
                        assert_int_equal(rows.count, (mine.first + mine.count) * n / groups - rows.first);
                }
                assert_int_equal(next, n);
            }
}

/* ---- Objectives ---- */

enum { ROWS = 37, FEATURES = 5, KINDS = 7 };

typedef struct objective_job {
    const char *kind;
    const double *H;
    const int *labels;
    size_t first, n, portions; /* this rank's rows, and in how many portions it adds them */
    double loss, dH[ROWS * FEATURES];
    dlda_status status;
} objective_job;

/* The rows of portion p. */
static dlda_rows portion_of(const objective_job *job, size_t p)
{
    dlda_rows rows = dlda_rows_of_rank(job->n, job->portions, p, job->portions);

    rows.first += job->first;
    return rows;
}

static void evaluate_in_portions(const dlda_comm *comm, void *context)
{
    objective_job *job = context;
    const dlda_objective_info *info = dlda_objective_find(job->kind);
    const dlda_objective_functions *functions = dlda_objective_row_of(info->kind)->functions;
    dlda_objective_spec spec = { info->kind, FEATURES, FEATURES, ROWS, 1e-3, 1 };
    dlda_status status = DLDA_OK;
    void *objective = NULL;

    DLDA_TRY(functions->create(&spec, &objective));
    for (size_t round = 0; round < functions->rounds; round++) {
        functions->reset(objective, round);
        for (size_t p = 0; p < job->portions; p++) {
            dlda_rows rows = portion_of(job, p);
            if (rows.count > 0)
                DLDA_TRY(functions->add(objective, job->H + rows.first * FEATURES, job->labels + rows.first,
                                        rows.count));
        }
        DLDA_TRY(functions->sum(objective, comm));
        DLDA_TRY(functions->solve(objective, &job->loss));
    }
    for (size_t p = 0; p < job->portions; p++) {
        dlda_rows rows = portion_of(job, p);
        if (rows.count > 0)
            functions->gradient(objective, job->H + rows.first * FEATURES, job->labels + rows.first, rows.count,
                                job->dH + rows.first * FEATURES);
    }
done:
    functions->destroy(objective);
    job->status = status;
}

/* How the rows are divided: the first row of each rank. */
static const size_t divisions[][MOST_RANKS + 1] = {
    { 1, 0, ROWS },         { 2, 0, 18, ROWS },         { 2, 0, 3, ROWS },
    { 3, 0, 12, 12, ROWS }, /* a rank without rows */
    { 3, 0, 0, 30, ROWS },  { 4, 0, 10, 19, 28, ROWS }, { 4, 0, 1, 2, ROWS, ROWS },
};

static void check_close(const double *found, const double *expected, size_t n)
{
    double largest = 0;

    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(expected[i]));
    for (size_t i = 0; i < n; i++) assert_true(fabs(found[i] - expected[i]) <= 1e-12 * largest);
}

static void divide_and_compare(const char *kind, const double *H, const int *labels)
{
    static objective_job whole, jobs[MOST_RANKS];
    void *contexts[MOST_RANKS];

    whole = (objective_job){ .kind = kind, .H = H, .labels = labels, .n = ROWS, .portions = 1 };
    evaluate_in_portions(NULL, &whole);
    CHECK_OK(whole.status);
    for (size_t d = 0; d < sizeof divisions / sizeof divisions[0]; d++)
        for (size_t portions = 1; portions <= 5; portions += portions == 1 ? 1 : 3) { /* 1, 2, 5 */
            size_t ranks = divisions[d][0];
            const size_t *first = divisions[d] + 1;
            for (size_t r = 0; r < ranks; r++) {
                jobs[r] = (objective_job){
                    kind, H, labels, first[r], first[r + 1] - first[r], portions, 0, { 0 }, 0
                };
                contexts[r] = &jobs[r];
            }
            run_ranks(ranks, evaluate_in_portions, contexts);
            for (size_t r = 0; r < ranks; r++) {
                CHECK_OK(jobs[r].status);
                assert_true(jobs[r].loss == jobs[0].loss);
                assert_true(fabs(jobs[r].loss - whole.loss) <= 1e-12 * fabs(whole.loss));
                for (size_t i = 0; i < jobs[r].first * FEATURES; i++) jobs[r].dH[i] = 0;
            }
            double all[ROWS * FEATURES] = { 0 };
            for (size_t r = 0; r < ranks; r++)
                for (size_t i = 0; i < ROWS * FEATURES; i++) all[i] += jobs[r].dH[i];
            check_close(all, whole.dH, ROWS * FEATURES);
        }
}

static void test_objectives_over_ranks(void **state)
{
    static const char *const kinds[KINDS] = { "lda", "lda-log", "lda-soft", "lda-bayes", "cce", "lda-trace", "lda-cce" };
    double H[ROWS * FEATURES];
    int mixed[ROWS], sorted[ROWS];
    dlda_random random = dlda_random_stream(3, DLDA_RANDOM_TEST, 0, 0);
    float values[ROWS * FEATURES];

    (void)state;
    dlda_random_normal(&random, ROWS * FEATURES, 1, values);
    for (int i = 0; i < ROWS; i++) {
        mixed[i] = i * 7 % FEATURES;
        sorted[i] = i * FEATURES / ROWS; /* most ranks lack most classes */
    }
    for (int order = 0; order < 2; order++) {
        const int *labels = order ? sorted : mixed;
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < FEATURES; j++) /* an offset that raw sums of squares would not survive */
                H[i * FEATURES + j] = values[i * FEATURES + j] + 3 * (labels[i] == j) + 50;
        for (int k = 0; k < KINDS; k++) divide_and_compare(kinds[k], H, labels);
    }
}

/* ---- Trainings ---- */

enum { STEPS = 20 };

typedef struct training_job {
    const char *objective, *group, *micro, *prepare;
    int shared;       /* each rank keeps a share of the images        */
    size_t seed;      /* of the training data                         */
    size_t stop_at;   /* this rank asks to stop after so many batches; 0: never */
    const char *to;   /* run folder, or NULL                          */
    const char *from; /* run folder to resume, or NULL                */
    dlda_status status;
    char message[256];
    size_t steps;
    double accuracy;
    float *weights, *values; /* after the last step: weights, state */
    size_t n_weights, n_state;
} training_job;

static int ask_to_stop(void *user)
{
    training_job *job = user;

    return job->stop_at > 0 && --job->stop_at == 0;
}

static dlda_status run_training(dlda_trainer *trainer, const training_job *job)
{
    dlda_status status = DLDA_OK;

    if (job->from) status = dlda_trainer_resume(trainer, job->from);
    else if (job->to) status = dlda_trainer_record(trainer, job->to, 1);
    return status == DLDA_OK ? dlda_trainer_run(trainer) : status;
}

static void keep_result(training_job *job, const dlda_trainer *trainer)
{
    const dlda_network *network = trainer->model->network;
    size_t count = 0;
    const dlda_epoch *epochs = dlda_trainer_history(trainer, &count);

    job->steps = trainer->steps_done;
    job->accuracy = count ? epochs[count - 1].validation_accuracy : -1;
    job->n_weights = network->n_weights;
    job->n_state = network->n_state;
    if (DLDA_TAKE(&job->weights, network->n_weights, "test") != DLDA_OK) return;
    if (DLDA_TAKE(&job->values, network->n_state, "test") != DLDA_OK) return;
    memcpy(job->weights, trainer->weights, network->n_weights * sizeof(float));
    memcpy(job->values, trainer->state, network->n_state * sizeof(float));
}

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER; /* new_problem has static arrays */

static void train_on_rank(const dlda_comm *comm, void *context)
{
    training_job *job = context;
    dlda_status status = DLDA_OK;
    dlda_trainer *trainer = NULL;

    pthread_mutex_lock(&making);
    dlda_dataset *all = new_problem((uint32_t)job->seed), *validation = new_problem(2);
    dlda_options *options = new_options(job->objective);
    pthread_mutex_unlock(&making);
    DLDA_TRY(dlda_options_set(options, "epochs", "5")); /* of 4 batches */
    DLDA_TRY(dlda_options_set(options, "threads", "1"));
    DLDA_TRY(dlda_options_set(options, "rate", "0.02"));
    DLDA_TRY(dlda_options_set(options, "norm-group", job->group));
    if (job->micro) DLDA_TRY(dlda_options_set(options, "micro-batch", job->micro));
    if (job->prepare) DLDA_TRY(dlda_options_set(options, "prepare", job->prepare));
    if (job->shared) DLDA_TRY(dlda_dataset_keep_share(all, comm));
    if (job->shared) DLDA_TRY(dlda_dataset_keep_share(validation, comm));
    DLDA_TRY(dlda_trainer_create_over(comm, options, all, validation, &trainer));
    dlda_trainer_watch(trainer, &(dlda_watch){ .user = job, .stop = ask_to_stop });
    status = run_training(trainer, job);
    keep_result(job, trainer);
done:
    if (status != DLDA_OK) snprintf(job->message, sizeof job->message, "%s", dlda_last_error());
    job->status = status;
    dlda_trainer_destroy(trainer);
    dlda_options_destroy(options);
    dlda_dataset_destroy(all);
    dlda_dataset_destroy(validation);
}

static void release_jobs(training_job *jobs, size_t n)
{
    for (size_t r = 0; r < n; r++) {
        dlda_release(jobs[r].weights);
        dlda_release(jobs[r].values);
    }
}

/* Runs copies of a job on so many ranks; returns the floats summed. */
static size_t train_over(size_t ranks, const training_job *job, training_job *jobs)
{
    return run_copies(ranks, train_on_rank, job, jobs, sizeof *job);
}

static training_job train_alone(const training_job *job)
{
    training_job alone = *job;

    alone.shared = 0;
    train_on_rank(NULL, &alone);
    CHECK_OK(alone.status);
    return alone;
}

/* Relative to the largest value. */
static double difference(const float *a, const float *b, size_t n)
{
    double largest = 0, most = 0;

    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, fabsf(b[i]));
        most = fmax(most, fabs((double)a[i] - b[i]));
    }
    return most / largest;
}

static void compare_with_one(const training_job *job)
{
    training_job alone = train_alone(job), jobs[MOST_RANKS], again[MOST_RANKS];

    assert_int_equal(alone.steps, STEPS);
    for (size_t ranks = 2; ranks <= 4; ranks++) {
        size_t summed = train_over(ranks, job, jobs);
        assert_int_equal(summed, STEPS * (alone.n_weights + alone.n_state)); /* nothing twice, nothing left out */
        for (size_t r = 0; r < ranks; r++) {
            assert_string_equal(jobs[r].message, "");
            assert_int_equal(jobs[r].steps, STEPS);
            assert_memory_equal(jobs[r].weights, jobs[0].weights, alone.n_weights * sizeof(float));
            assert_memory_equal(jobs[r].values, jobs[0].values, alone.n_state * sizeof(float));
        }
        assert_true(difference(jobs[0].weights, alone.weights, alone.n_weights) < 1e-4);
        assert_true(difference(jobs[0].values, alone.values, alone.n_state) < 1e-4);
        assert_true(fabs(jobs[0].accuracy - alone.accuracy) < 2.0 / COUNT);
        train_over(ranks, job, again);
        assert_memory_equal(again[0].weights, jobs[0].weights, alone.n_weights * sizeof(float));
        release_jobs(jobs, ranks);
        release_jobs(again, ranks);
    }
    release_jobs(&alone, 1);
}

static void test_trainings_agree_with_one_process(void **state)
{
    static const char *const objectives[] = { "lda", "lda-log", "lda-soft", "lda-bayes" };
    static const char *const groups[] = { "0", "20", "10", "5" };

    (void)state;
    for (size_t i = 0; i < 4; i++)
        for (int shared = 0; shared < 2; shared++)
            compare_with_one(&(training_job){ objectives[i], groups[i], .shared = shared, .seed = 1 });
    compare_with_one(&(training_job){ "lda", "10", .prepare = "scale,gcn,zca", .shared = 1, .seed = 1 });
    compare_with_one(&(training_job){ "lda", "0", .prepare = "standardise", .shared = 1, .seed = 1 });
}

static void test_micro_batches_change_no_bit(void **state)
{
    training_job whole[MOST_RANKS], parts[MOST_RANKS];
    training_job job = { "lda", "5", .seed = 1 };

    (void)state;
    for (size_t ranks = 2; ranks <= 3; ranks++) {
        job.micro = NULL;
        train_over(ranks, &job, whole);
        job.micro = ranks == 2 ? "5" : "10";
        train_over(ranks, &job, parts);
        assert_int_equal(parts[0].steps, STEPS);
        assert_memory_equal(parts[0].weights, whole[0].weights, whole[0].n_weights * sizeof(float));
        release_jobs(whole, ranks);
        release_jobs(parts, ranks);
    }
}

/* One rank is asked to stop: all stop after the same batch, and another number of ranks goes on. */
static void test_stop_and_resume_with_other_ranks(void **state)
{
    training_job job = { "lda", "10", .seed = 1 }, alone = train_alone(&job), jobs[MOST_RANKS];
    void *contexts[MOST_RANKS];
    const char *run = in_folder("run");

    (void)state;
    for (size_t r = 0; r < 3; r++) {
        jobs[r] = (training_job){ "lda", "10", .seed = 1, .to = run, .stop_at = r == 1 ? 6 : 0 };
        contexts[r] = &jobs[r];
    }
    run_ranks(3, train_on_rank, contexts);
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(jobs[r].status, DLDA_E_STOPPED);
        assert_int_equal(jobs[r].steps, 6);
    }
    release_jobs(jobs, 3);
    job.from = run;
    train_over(2, &job, jobs);
    for (size_t r = 0; r < 2; r++) {
        assert_string_equal(jobs[r].message, "");
        assert_int_equal(jobs[r].steps, STEPS);
    }
    assert_true(difference(jobs[0].weights, alone.weights, alone.n_weights) < 1e-4);
    release_jobs(jobs, 2);
    release_jobs(&alone, 1);
}

/* Rank 2 reads other data or has other options: all end, and know why. */
static void test_ranks_that_differ(void **state)
{
    training_job jobs[MOST_RANKS];
    void *contexts[MOST_RANKS];

    (void)state;
    for (int difference = 0; difference < 3; difference++) {
        for (size_t r = 0; r < 3; r++) {
            jobs[r] = (training_job){ "lda", "10", .seed = 1, .shared = difference == 1 };
            contexts[r] = &jobs[r];
        }
        if (difference < 2) jobs[2].seed = 9;
        else jobs[2].group = "20";
        run_ranks(3, train_on_rank, contexts);
        for (size_t r = 0; r < 3; r++) {
            assert_int_not_equal(jobs[r].status, DLDA_OK);
            const char *what = difference == 2 ? "the options: not the same" : "data: not the same";
            assert_non_null(strstr(jobs[r].message, what));
            if (r < 2) assert_int_equal(jobs[r].status, DLDA_E_RANK);
            if (r < 2) assert_non_null(strstr(jobs[r].message, "rank 2: "));
        }
        release_jobs(jobs, 3);
    }
}

static void keep_and_look(const dlda_comm *comm, void *context)
{
    dlda_dataset *set = context;
    float image[SIDE * SIDE];
    size_t mine = comm->rank == 0 ? 0 : COUNT - 1, other = COUNT - 1 - mine;

    CHECK_OK(dlda_dataset_keep_share(set, comm));
    CHECK_OK(dlda_dataset_images(set, mine, 1, image));
    CHECK_STATUS(dlda_dataset_images(set, other, 1, image), DLDA_E_ARGUMENT);
    CHECK_STATUS(dlda_dataset_keep_share(set, comm), DLDA_E_ARGUMENT); /* twice */
}

static void test_images_of_other_ranks_are_refused(void **state)
{
    dlda_dataset *sets[] = { new_problem(1), new_problem(1) };
    float image[SIDE * SIDE];

    (void)state;
    CHECK_OK(dlda_dataset_keep_share(sets[0], NULL)); /* one process: nothing happens */
    CHECK_OK(dlda_dataset_images(sets[0], COUNT - 1, 1, image));
    run_ranks(2, keep_and_look, (void **)sets);
    for (int i = 0; i < 2; i++) dlda_dataset_destroy(sets[i]);
}

/* ---- Models ---- */

typedef struct evaluation_job {
    dlda_model *model;
    dlda_workspace *workspace;
    dlda_dataset *set;
    int shares;           /* the set is divided among the ranks */
    int without_comm;     /* the caller forgets the ranks       */
    const char *features; /* file to write, or NULL: evaluates  */
    dlda_status status;
    char message[256];
} evaluation_job;

static void evaluate_on_rank(const dlda_comm *comm, void *context)
{
    evaluation_job *job = context;
    dlda_evaluation *found = NULL;
    const dlda_comm *used = job->without_comm ? NULL : comm;

    if (job->shares) CHECK_OK(dlda_dataset_keep_share(job->set, comm));
    job->status = job->features
                      ? dlda_model_write_features_over(used, job->model, job->workspace, job->set, 0, job->features)
                      : dlda_model_evaluate_over(used, job->model, job->workspace, job->set, DLDA_PROBABILITY_PAPER,
                                                 &found);
    if (job->status != DLDA_OK) snprintf(job->message, sizeof job->message, "%s", dlda_last_error());
    dlda_evaluation_destroy(found);
}

/* Two ranks, of which the second may have another model or other data. */
static void evaluate_over_two(evaluation_job *jobs, const evaluation_job *common, const char *second_run,
                              uint32_t second_seed)
{
    void *contexts[] = { &jobs[0], &jobs[1] };

    for (int r = 0; r < 2; r++) {
        char path[300];
        jobs[r] = *common;
        snprintf(path, sizeof path, "%s/model.safetensors", in_folder(r ? second_run : "first"));
        CHECK_OK(dlda_model_load(path, &jobs[r].model));
        CHECK_OK(dlda_workspace_create(jobs[r].model, 20, 1, &jobs[r].workspace));
        jobs[r].set = new_problem(r ? second_seed : 2);
    }
    run_ranks(2, evaluate_on_rank, contexts);
    for (int r = 0; r < 2; r++) {
        dlda_workspace_destroy(jobs[r].workspace);
        dlda_model_destroy(jobs[r].model);
        dlda_dataset_destroy(jobs[r].set);
    }
}

static void expect_difference(const evaluation_job *common, const char *run, uint32_t seed, const char *words)
{
    evaluation_job jobs[2];

    evaluate_over_two(jobs, common, run, seed);
    for (int r = 0; r < 2; r++) {
        assert_int_equal(jobs[r].status, r ? DLDA_E_ARGUMENT : DLDA_E_RANK); /* rank 1 differs from rank 0 */
        assert_non_null(strstr(jobs[r].message, words));
    }
}

static void test_models_over_ranks(void **state)
{
    evaluation_job common = { 0 }, jobs[2];
    char path[300];

    (void)state;
    snprintf(path, sizeof path, "%s", in_folder("features.npy"));
    for (size_t i = 0; i < 2; i++) {
        training_job job = { "lda", "10", .seed = i ? 9 : 1, .to = in_folder(i ? "second" : "first") };
        training_job alone = train_alone(&job);
        release_jobs(&alone, 1);
    }
    for (int i = 0; i < 2; i++) {
        common.features = i ? path : NULL;
        evaluate_over_two(jobs, &common, "first", 2);
        CHECK_OK(jobs[0].status);
        CHECK_OK(jobs[1].status);
        expect_difference(&common, "second", 2, "the weights of the model: not the same");
        expect_difference(&common, "first", 3, "the data: not the same");
    }
    /* A failure of rank 0 alone reaches rank 1. */
    snprintf(path, sizeof path, "%s", in_folder("none/features.npy"));
    evaluate_over_two(jobs, &common, "first", 2);
    assert_int_equal(jobs[0].status, DLDA_E_IO);
    assert_int_equal(jobs[1].status, DLDA_E_RANK);
    /* A share of the data is not the data. */
    common = (evaluation_job){ .shares = 1, .without_comm = 1 };
    evaluate_over_two(jobs, &common, "first", 2);
    for (int r = 0; r < 2; r++) assert_int_equal(jobs[r].status, DLDA_E_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_row_has_one_rank),
        cmocka_unit_test(test_objectives_over_ranks),
        cmocka_unit_test(test_trainings_agree_with_one_process),
        cmocka_unit_test(test_micro_batches_change_no_bit),
        cmocka_unit_test(test_stop_and_resume_with_other_ranks),
        cmocka_unit_test(test_ranks_that_differ),
        cmocka_unit_test(test_images_of_other_ranks_are_refused),
        cmocka_unit_test(test_models_over_ranks),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
