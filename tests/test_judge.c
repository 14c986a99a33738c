/* SPDX-License-Identifier: MIT
 *
 * test_judge.c - what captions say of a run: curves that rise, fall or stay, probabilities that are too high or too low, weak
 * directions, classes that are confused, runs that differ by chance; and the axes and colours of figures.
 */
#include "base/memory.h"
#include "report/html.h"
#include "report/judge.h"
#include "report/palette.h"
#include "report/plot.h"
#include "report/raster.h"
#include "small_problem.h"

#include <math.h>

#define SAYS(sentence, words)     assert_non_null(strstr((sentence).text, words))
#define SAYS_NOT(sentence, words) assert_null(strstr((sentence).text, words))

/* ---- Learning curves ---- */

/* A run of `count` epochs with these accuracies; the epoch number `kept`, from 1, was selected; NaN: not measured. */
static curve_verdict verdict_of(size_t count, const double *train, const double *validation, size_t kept,
                                int samples)
{
    char text[4000] = "epoch,train_accuracy,validation_accuracy,best\n", number[64];
    run_folder run = { 0 };

    for (size_t i = 0; i < count; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%zu,", i + 1);
        for (int side = 0; side < 2; side++) {
            double value = side ? validation[i] : train[i];
            snprintf(number, sizeof number, isnan(value) ? "," : "%.4f,", value);
            strcat(text, number);
        }
        strcat(text, i + 1 == kept ? "1\n" : "0\n");
    }
    CHECK_OK(dlda_folder_make(in_folder("run")));
    CHECK_OK(dlda_file_write(in_folder("run/history.csv"), text, strlen(text)));
    CHECK_OK(run_folder_read(in_folder("run"), &run));
    curve_verdict verdict = judge_curve(&run, samples);
    run_folder_release(&run);
    return verdict;
}

static void test_curves(void **state)
{
    const double high[8] = { .9, .9, .9, .9, .9, .9, .9, .9 }, full[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    const double rising[8] = { .6, .7, .75, .78, .80, .82, .84, .86 },
                 level[8] = { .6, .7, .85, .88, .88, .89, .88, .89 };
    const double late_peak[8] = { .6, .7, .75, .78, .80, .82, .86, .855 }; /* the last epoch is not the best */
    const double falling[8] = { .6, .9, .9, .88, .86, .84, .82, .8 };
    const double gaps[8] = { NAN, .7, NAN, .75, NAN, .80, NAN, .85 },
                 none[8] = { NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };

    (void)state;
    curve_verdict verdict = verdict_of(8, high, rising, 8, 1000);
    assert_int_equal(verdict.trend, CURVE_RISING);
    assert_float_equal(verdict.change, .04, 1e-9);
    assert_false(verdict.overfits);
    display_text text = judge_curve_text(&verdict, "runs/a", 8);
    SAYS(text, "still rose in the last epochs, by 4.0 points");
    SAYS(text, "deeplda train --resume runs/a --epochs 16");
    SAYS_NOT(text, "overfitting");

    assert_int_equal(verdict_of(8, high, late_peak, 7, 1000).trend, CURVE_LEVEL);
    verdict = verdict_of(8, full, level, 8, 1000);
    assert_int_equal(verdict.trend, CURVE_LEVEL);
    assert_true(verdict.overfits); /* 11 points */
    SAYS(judge_curve_text(&verdict, "a", 8), "11 points (overfitting)");
    SAYS_NOT(judge_curve_text(&verdict, "a", 8), "--shift"); /* not known to be pictures */

    verdict = verdict_of(8, high, falling, 2, 1000);
    assert_int_equal(verdict.trend, CURVE_FALLING);
    assert_float_equal(verdict.best_epoch, 2, 0);
    SAYS(judge_curve_text(&verdict, "a", 8), "fell by 9.0 points after its best, in epoch 2");

    /* Epochs that were not measured do not count; with few samples, a change of ten points is chance. */
    assert_int_equal(verdict_of(8, high, gaps, 8, 1000).trend, CURVE_RISING);
    assert_int_equal(verdict_of(8, high, gaps, 8, 2).trend, CURVE_LEVEL);
    assert_int_equal(verdict_of(8, high, gaps, 8, 1000).measured, 4);
    verdict = verdict_of(3, high, rising, 3, 1000);
    assert_int_equal(verdict.trend, CURVE_UNKNOWN);
    SAYS(judge_curve_text(&verdict, "a", 3), "Too few epochs were measured (3)");
    verdict = verdict_of(8, high, none, 8, 0);
    assert_int_equal(verdict.trend, CURVE_UNKNOWN);
    SAYS(judge_curve_text(&verdict, "a", 8), "No samples were held out");
}

/* ---- Predictions ---- */

/* Answers of `n` samples of two classes "cat" and "dog": the predicted class has probability p, and the first `right` samples
 * are right. All are cats but the last, and lie at 1 or 3 on the first direction. */
static test_answers *new_answers(size_t n, size_t right, float p)
{
    test_answers *self = NULL;
    int *predicted = NULL;
    float *proba = NULL;

    CHECK_OK(DLDA_TAKE(&self, 1, "answers"));
    CHECK_OK(DLDA_TAKE(&self->truth, n, "answers"));
    CHECK_OK(DLDA_TAKE(&self->Z, n, "answers"));
    CHECK_OK(DLDA_TAKE(&predicted, n, "answers"));
    CHECK_OK(DLDA_TAKE(&proba, 2 * n, "answers"));
    snprintf(self->part, sizeof self->part, "test");
    self->count = n;
    self->classes = 2;
    self->directions = 1;
    CHECK_OK(dlda_name_list_add(&self->names, "cat", 3));
    CHECK_OK(dlda_name_list_add(&self->names, "dog", 3));
    for (size_t i = 0; i < n; i++) {
        self->truth[i] = i + 1 == n;
        self->Z[i] = self->truth[i] ? 1 : 3;
        predicted[i] = i < right ? self->truth[i] : !self->truth[i];
        proba[2 * i + (size_t)predicted[i]] = p;
        proba[2 * i + (size_t)!predicted[i]] = 1 - p;
    }
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++)
        CHECK_OK(dlda_evaluation_create(self->truth, predicted, proba, n, 2, &self->evaluation[kind]));
    dlda_release(predicted);
    dlda_release(proba);
    return self;
}

static calibration_verdict calibration_of(size_t n, size_t right, float p, const char *words)
{
    test_answers *answers = new_answers(n, right, p);
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    calibration_verdict verdict = judge_calibration(found);

    SAYS(judge_calibration_text(answers), words);
    test_answers_destroy(answers);
    return verdict;
}

static void test_calibration(void **state)
{
    (void)state;
    assert_int_equal(calibration_of(1000, 800, .8f, "can be trusted"), CALIBRATED);
    assert_int_equal(
        calibration_of(1000, 700, .9f, "overconfident: the probability of the predicted class is 90.0 %"),
        OVERCONFIDENT);
    assert_int_equal(calibration_of(1000, 950, .7f, "underconfident"), UNDERCONFIDENT);
    assert_int_equal(calibration_of(1000, 700, .9f, "--calibrate DATA does that"),
                     OVERCONFIDENT); /* not calibrated */
    /* Ten points off is chance with 20 samples. */
    assert_int_equal(calibration_of(20, 16, .9f, "too few samples to judge"), CALIBRATED);
    for (size_t n = 100; n <= 1000; n += 900) {
        test_answers *answers = new_answers(n, n * 8 / 10, .8f);
        const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
        assert_float_equal(judge_calibration_chance(found), sqrt(2 / 3.14159265358979 * .8 * .2 / (double)n), 1e-6);
        assert_string_equal(judge_calibration_title(found).text,
                            n == 1000 ? "Well calibrated: calibration error 0.000"
                                      : "Calibration error 0.000: within chance for 100 samples");
        test_answers_destroy(answers);
    }
}

static void test_confusion(void **state)
{
    test_answers *answers = new_answers(10, 7, .8f);

    (void)state;
    SAYS(judge_confusion_text(answers), "cat and dog are confused most often: 3 of 3 mistakes");
    SAYS(judge_confusion_text(answers), "dog is recognised least often: 0 % of its 1 samples");
    test_answers_destroy(answers);
    answers = new_answers(10, 9, .8f);
    SAYS(judge_confusion_text(answers), "No two classes are confused more than once");
    test_answers_destroy(answers);
    answers = new_answers(10, 10, .8f);
    SAYS(judge_confusion_text(answers), "No sample is predicted wrongly");
    test_answers_destroy(answers);
}

/* ---- Directions ---- */

static void test_directions(void **state)
{
    const double values[] = { 10, 5, 1, .5, -.1 };
    test_answers *answers = new_answers(10, 7, .8f);

    (void)state;
    assert_int_equal(judge_weak_directions(values, 5), 2);
    assert_int_equal(judge_weak_directions(values, 3), 0); /* a tenth is not below a tenth */
    SAYS(judge_directions_text(values, 5), "Directions 4 to 5 separate little");
    SAYS(judge_directions_text(values, 4), "Direction 4 separates little");
    SAYS(judge_directions_text(values, 2), "Both directions separate classes");
    SAYS(judge_directions_text(values, 3), "All 3 directions separate classes");
    SAYS(judge_ends_text(answers, 1), "1: dog and cat.");
    assert_string_equal(judge_closest_text(NULL).text, "");
    answers->nearest[1] = 1;
    answers->nearest_distance = 2.5;
    SAYS(judge_closest_text(answers), "cat and dog, whose means are 2.5 standard deviations");
    SAYS(judge_correlation_text(.8), "rose with");
    SAYS(judge_correlation_text(-.8), "fell while");
    SAYS(judge_correlation_text(.1), "did not follow");
    assert_string_equal(judge_correlation_text(NAN).text, "");
    test_answers_destroy(answers);
}

/* ---- Runs ---- */

static void test_two_runs(void **state)
{
    test_answers *good = new_answers(100, 95, .8f), *bad = new_answers(100, 70, .8f),
                 *near = new_answers(100, 94, .8f);
    test_answers *other = new_answers(50, 20, .8f);

    (void)state;
    SAYS(judge_two_runs_text("a", good, "b", bad), "a is better than b: +25.00 points");
    SAYS(judge_two_runs_text("a", good, "b", near), "best, but not clearly better than b: +1.00 points");
    SAYS(judge_two_runs_text("a", good, "b", other), "its interval lies above that of b");
    SAYS(judge_two_runs_text("a", good, "b", other), "different samples");
    test_answers_destroy(good);
    test_answers_destroy(bad);
    test_answers_destroy(near);
    test_answers_destroy(other);
}

/* ---- Axes, colours, letters ---- */

static void test_ranges(void **state)
{
    plot_extent extent = { 99, 100 };

    (void)state;
    plot_extent range = plot_range_of(&extent, 0, 100);
    assert_true(range.low < 99 && range.low > 98 && range.high == 100);
    extent = (plot_extent){ 100, 100 }; /* a single value has room, but not beyond what is possible */
    range = plot_range_of(&extent, 0, 100);
    assert_true(range.low == 90 && range.high == 100);
    assert_true(plot_legend_height(6, 10) < plot_legend_height(6, 30)); /* long entries are below each other */
    assert_int_equal(plot_legend_height(6, 300), 6 * plot_legend_height(1, 1));
    extent = (plot_extent){ NAN, NAN };
    range = plot_range_of(&extent, -INFINITY, INFINITY);
    assert_true(range.low == 0 && range.high == 1);
}

static void test_colours(void **state)
{
    static const char drawing[] =
        "<svg viewBox=\"0 0 4 3\"><g fill=\"rgb(0,114,178)\" stroke='rgb(  0, 114, 178)' color=\"black\">"
        "<text fill='rgb(1,2,3)'>rgb(0,114,178) \"black\"</text><a fill=\"white\"/></g></svg>";
    dlda_file_writer *page = NULL;
    char *text = NULL;
    size_t size = 0;

    (void)state;
    assert_int_equal(palette_find(0x0072B2), 0);
    assert_int_equal(palette_find(0x010203), -1);
    CHECK_OK(dlda_file_write(in_folder("drawing.svg"), drawing, strlen(drawing)));
    CHECK_OK(dlda_file_writer_open(in_folder("page.html"), &page));
    CHECK_OK(html_drawing(page, in_folder("drawing.svg"), "p-", "d"));
    CHECK_OK(dlda_file_writer_finish(page));
    dlda_file_writer_destroy(page);
    CHECK_OK(dlda_file_read(in_folder("page.html"), 1 << 20, &text, &size));
    /* Colours become variables, but not in texts. */
    assert_string_equal(strstr(text, "<g"), "<g fill=\"var(--f0)\" stroke='var(--f0)' color=\"currentColor\">"
                                            "<text fill='rgb(1,2,3)'>rgb(0,114,178) \"black\"</text>"
                                            "<a fill=\"var(--card)\"/></g></svg>");
    dlda_release(text);
}

static void test_letters(void **state)
{
    uint8_t one[3][20 * 12 * 3] = { { 0 } };
    const char *const texts[3] = { "\xC3\xBC", "u", "v" };

    (void)state;
    for (int i = 0; i < 3; i++) raster_text(&(dlda_pixels){ 20, 12, 3, one[i] }, 1, 1, 1, texts[i], 5, 255);
    assert_memory_equal(one[0], one[1], sizeof one[0]); /* without its accent, not '?' */
    assert_memory_not_equal(one[0], one[2], sizeof one[0]);
    assert_int_equal(display_letters("ab\xC3\xBC"), 3);
    assert_int_equal(display_letters("\xE7\x8C\xAB"), 2); /* a wide character */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_curves),     cmocka_unit_test(test_calibration), cmocka_unit_test(test_confusion),
        cmocka_unit_test(test_directions), cmocka_unit_test(test_two_runs),    cmocka_unit_test(test_ranges),
        cmocka_unit_test(test_colours),    cmocka_unit_test(test_letters),
    };
    return cmocka_run_group_tests_name("judge", tests, set_up, tear_down);
}
