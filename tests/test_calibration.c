/* SPDX-License-Identifier: MIT
 *
 * test_calibration.c - temperature, tail and appearance, each against its definition; and the calibration of a model: in
 * memory, in its file, after changes of the head, at the end of a training. tests/cli/calibration.py compares all figures
 * with NumPy's.
 */
#include "small_model.h"

#include "classify/tail.h"
#include "classify/temperature.h"
#include "model/calibration.h"
#include "model/model.h"
#include "model/safetensors.h"

/* ---- Temperature ---- */

enum { ROWS = 4000, CLASSES = 4 };
static double scores[ROWS * CLASSES];
static int truth[ROWS];

/* Labels drawn from softmax(scores / T + log prior). */
static void draw_labels(double T, const double *log_prior)
{
    uint64_t seed = 3;

    for (size_t i = 0; i < ROWS; i++) {
        double p[CLASSES], sum = 0;
        for (size_t c = 0; c < CLASSES; c++) {
            scores[i * CLASSES + c] = 20 * check_normal(&seed);
            p[c] = exp(scores[i * CLASSES + c] / T + (log_prior ? log_prior[c] : 0));
            sum += p[c];
        }
        double u = 0.5 * (1 + erf(check_normal(&seed) / sqrt(2))) * sum;
        truth[i] = 0;
        for (size_t c = 0; c + 1 < CLASSES && u > p[c]; c++) u -= p[c], truth[i]++;
    }
}

static void test_temperature_is_found(void **state)
{
    static const double log_prior[CLASSES] = { -0.2, -3, -3, -3 };
    static const double known[] = { 0.5, 1, 7, 40 };

    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        draw_labels(known[i], NULL);
        assert_true(fabs(dlda_temperature_fit(scores, NULL, truth, ROWS, CLASSES, 5) / known[i] - 1) < 0.12);
        draw_labels(known[i], log_prior);
        assert_true(fabs(dlda_temperature_fit(scores, log_prior, truth, ROWS, CLASSES, 5) / known[i] - 1) < 0.25);
    }
}

/* Without evidence the temperature is the expected one; if all rows are right or all are wrong it stays in a sensible range. */
static void test_temperature_without_evidence(void **state)
{
    double equal[2 * CLASSES] = { 0 };

    (void)state;
    assert_true(fabs(dlda_temperature_fit(scores, NULL, truth, 0, CLASSES, 1) - 1) < 1e-6);
    assert_true(fabs(dlda_temperature_fit(equal, NULL, truth, 2, CLASSES, 5) - 5) < 1e-6);
    draw_labels(1, NULL);
    for (size_t i = 0; i < 30; i++)
        for (int c = 0; c < CLASSES; c++) scores[i * CLASSES + (size_t)c] = c == truth[i] ? 5 : -5;
    double T = dlda_temperature_fit(scores, NULL, truth, 30, CLASSES, 1);
    assert_true(T > 0.2 && T < 1.001);
    for (size_t i = 0; i < 30; i++) truth[i] = (truth[i] + 1) % CLASSES;
    T = dlda_temperature_fit(scores, NULL, truth, 30, CLASSES, 1);
    assert_true(T > 10 && T < 1e5);
    scores[1] = -INFINITY; /* rows of a class that is never predicted do not count */
    truth[0] = 1;
    assert_true(isfinite(dlda_temperature_fit(scores, NULL, truth, 30, CLASSES, 1)));
}

/* ---- Tail ---- */

static void test_tail(void **state)
{
    enum { MANY = 999 };
    static double values[MANY];
    dlda_tail tail;

    (void)state;
    for (size_t i = 0; i < MANY; i++)
        values[(i * 7) % MANY] = pow((double)(i + 1) / (MANY + 1), -0.5); /* power 2 */
    dlda_tail_fit(&tail, values, MANY);
    for (size_t k = 1; k <= 300; k++) /* the k-th largest is exceeded by k in 1000 */
        assert_true(fabs(dlda_tail_share(&tail, values[MANY - k]) / ((double)k / 1000) - 1) < 0.1);
    double far = dlda_tail_share(&tail, 100 * values[MANY - 1]);
    assert_true(far < 3e-7 && far > 3e-8); /* 1/1000 of 100^-2 */
    assert_true(dlda_tail_share(&tail, 0) == 1 && dlda_tail_share(&tail, NAN) == 1);
    for (double v = 0.5, last = 1; v < 1e6; v *= 1.1) {
        double share = dlda_tail_share(&tail, v);
        assert_true(share <= last && share > 0);
        last = share;
    }
}

static void test_tail_of_equal_values(void **state)
{
    double same[20], many[3] = { 0, 0, 1 };
    dlda_tail tail;

    (void)state;
    for (size_t i = 0; i < 20; i++) same[i] = 4;
    dlda_tail_fit(&tail, same, 20);
    assert_true(dlda_tail_share(&tail, 4) == 1 && dlda_tail_share(&tail, 5) < 1e-8);
    dlda_tail_fit(&tail, many, 3);
    assert_true(tail.count >= 2 && dlda_tail_share(&tail, 2) < 1);
}

/* ---- Appearance ---- */

static void test_appearance_without_itself(void **state)
{
    enum { FEW = 40, P = 3 };
    double V[FEW * P], copy[FEW * P], rest[FEW * P], distances[FEW], unused[FEW], last[P];
    dlda_appearance all = { 0 }, others = { 0 };
    uint64_t seed = 5;

    (void)state;
    for (size_t i = 0; i < FEW * P; i++) V[i] = check_normal(&seed) * (double)(1 + i % P) + (double)i / 100;
    memcpy(copy, V, sizeof V);
    memcpy(rest, V, sizeof V);
    memcpy(last, V + (FEW - 1) * P, sizeof last);
    CHECK_OK(dlda_appearance_fit(&all, copy, FEW, P, distances));
    CHECK_OK(dlda_appearance_fit(&others, rest, FEW - 1, P, unused));
    double expected = dlda_appearance_distance(&others, last);
    assert_true(fabs(distances[FEW - 1] / expected - 1) < 0.05); /* divisors n and n-1, and the ridge, differ */
    dlda_appearance_release(&all);
    dlda_appearance_release(&others);
}

static void test_appearance_counts(void **state)
{
    (void)state;
    assert_int_equal(dlda_appearance_count((dlda_shape){ 28, 28, 1 }), 13);
    assert_int_equal(dlda_appearance_count((dlda_shape){ 96, 96, 3 }), 18);
    assert_int_equal(dlda_appearance_count((dlda_shape){ 1, 1, 30 }), 30); /* a row of a table */
    assert_int_equal(dlda_appearance_count((dlda_shape){ 1, 1, 65 }), 0);
    assert_int_equal(dlda_appearance_count((dlda_shape){ 3, 100, 1 }), 0);
}

/* ---- A model ---- */

static dlda_model *calibrated_model(size_t threads)
{
    dlda_workspace *workspace = workspace_for(model, 7, threads);
    dlda_model *made = NULL;

    CHECK_OK(dlda_model_calibrate(model, workspace, dataset, &made));
    dlda_workspace_destroy(workspace);
    return made;
}

typedef struct results {
    float proba[N][C];
    double p_values[N];
} results;

static results results_of(const dlda_model *any, dlda_probability kind)
{
    results found;
    dlda_workspace *workspace = workspace_for(any, 7, 1);
    const dlda_answers wanted = { .proba = found.proba[0], .p_values = found.p_values };

    CHECK_OK(dlda_model_answer(any, workspace, images[0], N, kind, &wanted));
    dlda_workspace_destroy(workspace);
    return found;
}

static double log_loss_of(const results *found)
{
    double sum = 0;

    for (size_t i = 0; i < N; i++) sum -= log(found->proba[i][labels[i]]) / N;
    return sum;
}

static void test_model_is_calibrated(void **state)
{
    dlda_model *made = calibrated_model(1), *again = calibrated_model(3), *loaded = NULL;
    results before = results_of(model, DLDA_PROBABILITY_BAYES), after = results_of(made, DLDA_PROBABILITY_BAYES);
    results paper[2] = { results_of(model, DLDA_PROBABILITY_PAPER), results_of(made, DLDA_PROBABILITY_PAPER) };

    (void)state;
    assert_int_equal(dlda_model_calibration_samples(model), 0);
    assert_true(dlda_model_temperature(model, DLDA_PROBABILITY_BAYES) == 1);
    assert_int_equal(dlda_model_calibration_samples(made), N);
    double T = dlda_model_temperature(made, DLDA_PROBABILITY_BAYES);
    assert_true(T != 1 &&
                T == dlda_model_temperature(again, DLDA_PROBABILITY_BAYES)); /* for any number of threads */
    assert_true(dlda_model_temperature(made, DLDA_PROBABILITY_PAPER) == 1);
    assert_true(log_loss_of(&after) < log_loss_of(&before));
    assert_memory_equal(paper[0].proba, paper[1].proba, sizeof paper[0].proba);
    CHECK_OK(dlda_model_save(made, bad));
    CHECK_OK(dlda_model_load(bad, &loaded));
    results kept = results_of(loaded, DLDA_PROBABILITY_BAYES);
    assert_memory_equal(&kept, &after, sizeof kept);
    dlda_model_destroy(loaded);
    dlda_model_destroy(again);
    dlda_model_destroy(made);
}

/* Bayes' rule at a temperature: coefficients and intercepts of the view give its scores. */
static void test_view_has_the_temperature(void **state)
{
    dlda_model *made = calibrated_model(1);
    const dlda_lda_view *view = dlda_lda_view_of(dlda_model_lda(made));
    dlda_workspace *workspace = workspace_for(made, N, 1);
    static float H[N][D];
    static double found[N][C];
    const dlda_answers wanted = { .features = H[0], .scores = found[0] };

    (void)state;
    CHECK_OK(dlda_model_answer(made, workspace, images[0], N, DLDA_PROBABILITY_BAYES, &wanted));
    assert_true(view->temperature == dlda_model_temperature(made, DLDA_PROBABILITY_BAYES));
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < C; c++) {
            double score = view->intercepts[c];
            for (size_t j = 0; j < D; j++) score += view->coefficients[c * D + j] * (double)H[i][j];
            assert_true(fabs(score - found[i][c]) < 1e-9 * (1 + fabs(score)));
        }
    dlda_workspace_destroy(workspace);
    dlda_model_destroy(made);
}

/* About a share alpha of good images have a p-value of at most alpha; constant images and strong noise have a small one. */
static void test_p_values(void **state)
{
    dlda_model *made = calibrated_model(1);
    results found = results_of(made, DLDA_PROBABILITY_BAYES);
    static float odd[2][PIXELS];
    double p[2];
    size_t rejected = 0;
    dlda_workspace *workspace = workspace_for(made, 2, 1);

    (void)state;
    for (size_t i = 0; i < N; i++) rejected += found.p_values[i] <= 0.2;
    assert_in_range(rejected, N / 10, 3 * N / 10);
    for (size_t j = 0; j < PIXELS; j++) odd[1][j] = 30 * images[1][j];
    CHECK_OK(
        dlda_model_answer(made, workspace, odd[0], 2, DLDA_PROBABILITY_BAYES, &(dlda_answers){ .p_values = p }));
    assert_true(p[0] < 0.01 && p[1] < 0.01);
    dlda_workspace_destroy(workspace);
    dlda_model_destroy(made);
}

/* Without a calibration, the p-value is that of the chi-square distribution. */
static void test_p_values_without_calibration(void **state)
{
    double distances[N], p[N], limit = 0;
    dlda_workspace *workspace = workspace_for(model, 7, 1);

    (void)state;
    CHECK_OK(dlda_model_answer(model, workspace, images[0], N, DLDA_PROBABILITY_BAYES,
                               &(dlda_answers){ .distances = distances, .p_values = p }));
    CHECK_OK(dlda_lda_distance_limit(dlda_model_lda(model), 0.3, &limit));
    for (size_t i = 0; i < N; i++) assert_int_equal(p[i]<0.3, distances[i]> limit);
    dlda_workspace_destroy(workspace);
}

/* Priors do not touch the calibration; another head keeps it and says so; other classes lose it. */
static void test_changed_heads(void **state)
{
    static const double priors[C] = { 1, 2, 3 };
    static const char *const others[C] = { "x", "y", "z" };
    dlda_model *made = calibrated_model(1), *changed[4] = { NULL };
    dlda_workspace *workspace = workspace_for(made, 10, 1);
    dlda_dataset_spec spec = spec_of_images(), one = spec_of_images();
    double T = dlda_model_temperature(made, DLDA_PROBABILITY_BAYES);

    (void)state;
    spec.names = others;
    one.labels = NULL;
    one.classes = 0;
    one.names = NULL;
    dlda_dataset *renamed = make_dataset(&spec), *unlabelled = make_dataset(&one);
    CHECK_OK(dlda_model_use_priors(made, priors, &changed[0]));
    CHECK_OK(dlda_model_refit(made, workspace, dataset, 0.01, &changed[1]));
    CHECK_OK(dlda_model_add_class(made, workspace, unlabelled, "fourth", 0.01, &changed[2]));
    CHECK_OK(dlda_model_refit(made, workspace, renamed, 0.01, &changed[3]));
    for (int i = 0; i < 4; i++) {
        assert_int_equal(dlda_model_calibration_samples(changed[i]), i < 3 ? N : 0);
        assert_int_equal(dlda_model_calibration_is_kept(changed[i]), i == 1 || i == 2);
        assert_true(dlda_model_temperature(changed[i], DLDA_PROBABILITY_BAYES) == (i < 3 ? T : 1));
        CHECK_OK(dlda_model_save(changed[i], bad));
        dlda_model_destroy(changed[i]);
        CHECK_OK(dlda_model_load(bad, &changed[i]));
        assert_int_equal(dlda_model_calibration_is_kept(changed[i]), i == 1 || i == 2);
        dlda_model_destroy(changed[i]);
    }
    dlda_dataset_destroy(renamed);
    dlda_dataset_destroy(unlabelled);
    dlda_workspace_destroy(workspace);
    dlda_model_destroy(made);
}

static void test_bad_held_out_sets(void **state)
{
    dlda_workspace *workspace = workspace_for(model, 7, 1);
    dlda_dataset_spec wide = spec_of_images(), blank = spec_of_images();
    dlda_model *made = NULL;

    (void)state;
    wide.width = HEIGHT;
    wide.height = WIDTH;
    blank.labels = NULL;
    blank.classes = 0;
    blank.names = NULL;
    dlda_dataset *sets[2] = { make_dataset(&wide), make_dataset(&blank) };
    for (int i = 0; i < 2; i++) {
        CHECK_STATUS(dlda_model_calibrate(model, workspace, sets[i], &made), DLDA_E_SHAPE);
        CHECK_ERROR_SAYS("calibrate: ");
        dlda_dataset_destroy(sets[i]);
    }
    dlda_workspace_destroy(workspace);
}

static void test_out_of_memory(void **state)
{
    dlda_workspace *workspace = workspace_for(model, 7, 1);
    dlda_status status = DLDA_E_MEMORY;

    (void)state;
    for (size_t n = 1; status == DLDA_E_MEMORY; n++) {
        dlda_model *made = NULL;
        size_t before = dlda_memory_count().live;
        dlda_memory_fail_at(n);
        status = dlda_model_calibrate(model, workspace, dataset, &made);
        dlda_memory_fail_at(0);
        dlda_model_destroy(made);
        assert_int_equal(dlda_memory_count().live, before);
    }
    CHECK_OK(status);
    dlda_workspace_destroy(workspace);
}

/* ---- Files ---- */

/* The file of a calibrated model with one value of one array replaced, or without that array. */
static void write_changed(const char *name, size_t place, double value, int removed)
{
    dlda_model *made = calibrated_model(1);
    dlda_safetensors *file = NULL;
    dlda_tensor tensors[64];
    dlda_metadata_entry texts[5];
    static const char *const keys[5] = { "deeplda_format", "network", "classes", "options", "preparation" };
    double copy[1024];
    size_t count = 0, found = 0;

    CHECK_OK(dlda_model_save(made, bad));
    CHECK_OK(dlda_safetensors_read(bad, &file));
    for (size_t i = 0; i < 5; i++)
        texts[i] = (dlda_metadata_entry){ keys[i], dlda_safetensors_metadata(file, keys[i]) };
    for (size_t i = 0; dlda_safetensors_at(file, i); i++) {
        dlda_tensor tensor = *dlda_safetensors_at(file, i);
        int is_it = strcmp(tensor.name, name) == 0;
        found += (size_t)is_it;
        if (is_it && removed) continue;
        if (is_it) {
            memcpy(copy, tensor.data, dlda_tensor_elements(&tensor) * sizeof *copy);
            copy[place] = value;
            tensor.data = copy;
        }
        tensors[count++] = tensor;
    }
    assert_int_equal(found, 1);
    CHECK_OK(dlda_safetensors_write(bad, tensors, count, texts, 5));
    dlda_safetensors_destroy(file);
    dlda_model_destroy(made);
}

static void test_lies_in_files(void **state)
{
    static const struct lie {
        const char *name;
        size_t place;
        double value;
        int removed;
        const char *says;
    } lies[] = {
        { "calibration.temperature", 0, 0, 0, "calibration.temperature: value 0 is 0, expected 1e-06 to 1e+06" },
        { "calibration.temperature", 1, -1, 0, "calibration.temperature: value 1 is -1" },
        { "calibration.temperature", 0, 0, 1, "tensors, expected" },
        { "calibration.samples", 0, 0, 0, "calibration.samples: found 0 and 0, expected a number of samples" },
        { "calibration.samples", 0, 2.5, 0, "calibration.samples: found 2.5" },
        { "calibration.samples", 1, 2, 0, "and 0 or 1" },
        { "calibration.samples", 0, 0, 1, "'calibration.samples' is missing" },
        { "calibration.units", 0, 0, 0, "calibration.units: value 0 is 0" },
        { "calibration.units", 0, 0, 1, "'calibration.units' is missing" },
        { "calibration.tail", 0, 1e9, 0, "calibration.tail: row 1 is" },
        { "calibration.tail", 1, 2, 0, "calibration.tail: row 0 is" },
        { "calibration.tail", 3, 0, 0, "calibration.tail: row 1 is" },
        { "calibration.tail", 0, 0, 1, "tensors, expected" },
        { "calibration.appearance.mean", 0, 1e200, 0, "calibration.appearance.mean: value 0 is 1e+200" },
        { "calibration.appearance.inverse", 0, 0, 1, "'calibration.appearance.inverse' is missing" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        dlda_model *loaded = NULL;
        write_changed(lies[i].name, lies[i].place, lies[i].value, lies[i].removed);
        CHECK_STATUS(dlda_model_load(bad, &loaded), DLDA_E_FORMAT);
        CHECK_ERROR_SAYS(bad);
        CHECK_ERROR_SAYS(lies[i].says);
    }
}

/* ---- Training ---- */

/* A training calibrates its model on the validation samples; without them it does not. */
static void test_training_calibrates(void **state)
{
    for (int with = 0; with < 2; with++) {
        dlda_options *options = NULL;
        dlda_trainer *trainer = NULL;

        (void)state;
        CHECK_OK(dlda_options_create(&options));
        CHECK_OK(dlda_options_set(options, "net", net));
        CHECK_OK(dlda_options_set(options, "batch", "30"));
        CHECK_OK(dlda_options_set(options, "epochs", "2"));
        CHECK_OK(dlda_options_set(options, "threads", "1"));
        CHECK_OK(dlda_options_set(options, "prepare", "gcn,zca")); /* prepared copies replace the sets */
        CHECK_OK(dlda_trainer_create(options, dataset, with ? dataset : NULL, &trainer));
        CHECK_OK(dlda_trainer_run_epoch(trainer));
        assert_int_equal(dlda_model_calibration_samples(dlda_trainer_model(trainer)), 0);
        CHECK_OK(dlda_trainer_run(trainer));
        const dlda_model *trained = dlda_trainer_model(trainer);
        assert_int_equal(dlda_model_calibration_samples(trained), with ? N : 0);
        if (with) {
            dlda_model *made = NULL;
            dlda_workspace *workspace = workspace_for(trained, N, 2);
            CHECK_OK(dlda_model_calibrate(trained, workspace, dataset, &made));
            assert_true(dlda_model_temperature(made, DLDA_PROBABILITY_BAYES) ==
                        dlda_model_temperature(trained, DLDA_PROBABILITY_BAYES));
            dlda_workspace_destroy(workspace);
            dlda_model_destroy(made);
        }
        dlda_trainer_destroy(trainer);
        dlda_options_destroy(options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_temperature_is_found),
        cmocka_unit_test(test_temperature_without_evidence),
        cmocka_unit_test(test_tail),
        cmocka_unit_test(test_tail_of_equal_values),
        cmocka_unit_test(test_appearance_without_itself),
        cmocka_unit_test(test_appearance_counts),
        cmocka_unit_test(test_model_is_calibrated),
        cmocka_unit_test(test_view_has_the_temperature),
        cmocka_unit_test(test_p_values),
        cmocka_unit_test(test_p_values_without_calibration),
        cmocka_unit_test(test_changed_heads),
        cmocka_unit_test(test_bad_held_out_sets),
        cmocka_unit_test(test_out_of_memory),
        cmocka_unit_test(test_lies_in_files),
        cmocka_unit_test(test_training_calibrates),
    };

    return cmocka_run_group_tests(tests, make_all, remove_all);
}
