/* SPDX-License-Identifier: MIT
 *
 * judge.c - rules that judge a run by its own figures; all thresholds are here.
 *
 * An accuracy p of n samples has the standard error sqrt(p (1 - p) / n). Differences that are smaller than about that
 * are chance, so the rules compare with it, and with a least size that matters in practice.
 */
#include "report/judge.h"
#include "eval/statistics.h"

#include <math.h>
#include <string.h>

static const double least_change = 0.005; /* of accuracy: less is level                    */
static const double least_gap = 0.05;     /* between training and validation: overfitting  */
static const double weak_share = 0.1;     /* of the largest eigenvalue: less is weak       */
static const double clear_correlation = 0.5;

enum { LEAST_MEASURED = 4, NAME = 20 /* letters of a class in a sentence */ };

/* Not 0 if all or none are right: then as if half a sample were otherwise. */
static double standard_error(double share, double samples)
{
    double p = fmin(fmax(share, 0.5 / samples), 1 - 0.5 / samples);

    return samples > 1 ? sqrt(p * (1 - p) / samples) : 0;
}

/* ---- Learning curves ---- */

typedef struct measured_curve {
    size_t count;
    double late, before; /* means of the last quarter of the measured epochs, and of the quarter before it */
    double best, best_epoch;
    double last; /* of the last measured epoch */
} measured_curve;

/* Mean validation accuracy of the measured epochs number `first` to `first + count - 1`. */
static double mean_of(const run_folder *run, size_t first, size_t count)
{
    double sum = 0;
    size_t number = 0;

    for (size_t row = 0; row < run->history.rows; row++) {
        double value = run_folder_at(run, row, "validation_accuracy");
        if (isnan(value)) continue;
        if (number >= first && number < first + count) sum += value;
        number++;
    }
    return sum / (double)count;
}

static measured_curve measure(const run_folder *run)
{
    measured_curve curve = { .best = NAN, .best_epoch = NAN };

    for (size_t row = 0; row < run->history.rows; row++) {
        double value = run_folder_at(run, row, "validation_accuracy");
        if (isnan(value)) continue;
        curve.count++;
        curve.last = value;
        if (value <= curve.best) continue;
        curve.best = value;
        curve.best_epoch = run_folder_at(run, row, "epoch");
    }
    size_t part = curve.count / 4 > 2 ? curve.count / 4 : 2;
    if (curve.count < 2 * part) return curve;
    curve.late = mean_of(run, curve.count - part, part);
    curve.before = mean_of(run, curve.count - 2 * part, part);
    return curve;
}

curve_verdict judge_curve(const run_folder *run, double samples)
{
    measured_curve curve = measure(run);
    double kept = run_folder_at(run, run->kept, "validation_accuracy");
    curve_verdict verdict = { .best_epoch = curve.best_epoch, .measured = curve.count };
    double error = isnan(samples) || isnan(kept) ? 0 : standard_error(kept, samples);

    verdict.pictures = entry_number(run->facts, "height") > 1 && entry_number(run->facts, "width") > 1;
    verdict.gap = run_folder_at(run, run->kept, "train_accuracy") - kept;
    verdict.overfits = verdict.gap > fmax(least_gap, 2 * error);
    if (curve.count < LEAST_MEASURED) return verdict;
    /* Both means are of the same samples and of several epochs, so half of the standard error is already clear. */
    if (curve.last >= curve.best && curve.late - curve.before > fmax(least_change, error / 2)) {
        verdict.trend = CURVE_RISING;
        verdict.change = curve.late - curve.before;
    } else if (curve.best - curve.late > fmax(2 * least_change, error)) {
        verdict.trend = CURVE_FALLING;
        verdict.change = curve.best - curve.late;
    } else verdict.trend = CURVE_LEVEL;
    return verdict;
}

static display_text trend_text(const curve_verdict *verdict, const char *run, double epochs)
{
    switch (verdict->trend) {
    case CURVE_RISING:
        return display_format("Validation accuracy still rose in the last epochs, by %.1f points: more epochs may "
                              "help (deeplda train --resume %s --epochs %.0f).",
                              100 * verdict->change, display_clean(run, 60).text, 2 * epochs);
    case CURVE_FALLING:
        return display_format("Validation accuracy fell by %.1f points after its best, in epoch %.0f: later "
                              "epochs did not help.",
                              100 * verdict->change, verdict->best_epoch);
    case CURVE_LEVEL:
        return display_format("Validation accuracy changed little in the last epochs: more of them would not help "
                              "much.");
    case CURVE_UNKNOWN: break;
    }
    if (verdict->measured == 0)
        return display_format("No samples were held out (--validation), so overfitting cannot be seen.");
    return display_format("Too few epochs were measured (%zu) to see a trend.", verdict->measured);
}

display_text judge_curve_text(const curve_verdict *verdict, const char *run, double epochs)
{
    display_text trend = trend_text(verdict, run, epochs);

    if (!verdict->overfits) return trend;
    return display_format(
        "%.300s The training samples are fitted better by %.0f points (overfitting): more samples%s may "
        "help.",
        trend.text, 100 * verdict->gap,
        verdict->pictures ? ", or random shifts of the pictures (--shift, and --flip if "
                            "mirrored pictures keep their class),"
                          : "");
}

/* ---- Predictions ---- */

/* The mean of |x| of a normal x is sqrt(2 / pi) times its deviation, here that of a bin's share of right answers. */
double judge_calibration_chance(const dlda_evaluation *found)
{
    double sum = 0;

    for (size_t bin = 0; bin < found->bins; bin++) {
        double n = (double)found->bin_samples[bin], p = found->bin_confidence[bin];
        if (n > 0) sum += sqrt(0.6366197723675814 * n * fmax(p * (1 - p), 0));
    }
    return found->samples ? sum / (double)found->samples : NAN;
}

static double mean_confidence(const dlda_evaluation *found)
{
    double sum = 0;

    for (size_t bin = 0; bin < found->bins; bin++)
        if (found->bin_samples[bin]) sum += (double)found->bin_samples[bin] * found->bin_confidence[bin];
    return sum / (double)found->samples;
}

calibration_verdict judge_calibration(const dlda_evaluation *found)
{
    if (found->calibration_error <= 0.01 + 2 * judge_calibration_chance(found)) return CALIBRATED;
    return mean_confidence(found) > found->accuracy ? OVERCONFIDENT : UNDERCONFIDENT;
}

/* 1 if there are enough samples to see a calibration error that matters. */
static int can_tell(const dlda_evaluation *found)
{
    return judge_calibration_chance(found) < 0.03;
}

display_text judge_calibration_title(const dlda_evaluation *found)
{
    calibration_verdict verdict = judge_calibration(found);

    if (verdict == CALIBRATED && !can_tell(found))
        return display_format("Calibration error %.3f: within chance for %zu samples", found->calibration_error,
                              found->samples);
    return display_format("%s: calibration error %.3f",
                          verdict == CALIBRATED      ? "Well calibrated"
                          : verdict == OVERCONFIDENT ? "Overconfident"
                                                     : "Underconfident",
                          found->calibration_error);
}

display_text judge_calibration_text(const test_answers *answers)
{
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    calibration_verdict verdict = judge_calibration(found);
    display_text means = display_format(
        "the probability of the predicted class is %.1f %% on average, and %.1f %% of "
        "the predictions are right",
        100 * mean_confidence(found), 100 * found->accuracy);

    if (verdict == CALIBRATED)
        return display_format("%s: %s. With %zu samples, chance alone gives a calibration error of about %.3f.",
                              can_tell(found) ? "The probabilities can be trusted"
                                              : "There are too few samples to judge the probabilities",
                              means.text, found->samples, judge_calibration_chance(found));
    return display_format(
        "The model is %s: %s.%s", verdict == OVERCONFIDENT ? "overconfident" : "underconfident", means.text,
        answers->calibration_samples
            ? " More held-out samples, or deeplda refit RUN --calibrate DATA with samples like these, "
              "improve that."
            : " It is not calibrated: deeplda refit RUN --calibrate DATA does that.");
}

display_text judge_confusion_text(const test_answers *answers)
{
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    size_t C = found->classes, most = 0, first = 0, second = 0, worst = C, wrong = found->samples - found->correct;

    for (size_t a = 0; a < C; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t both = found->confusion[a * C + b] + found->confusion[b * C + a];
            if (both > most) most = both, first = b, second = a;
        }
        if (!isnan(found->recall[a]) && (worst == C || found->recall[a] < found->recall[worst])) worst = a;
    }
    if (wrong == 0 || worst == C) return display_format("No sample is predicted wrongly.");
    display_text least = display_format("%s is recognised least often: %.0f %% of its %zu samples.",
                                        display_clean(test_answers_class(answers, worst), NAME).text,
                                        100 * found->recall[worst], found->class_samples[worst]);
    if (most == 1) return display_format("No two classes are confused more than once. %.200s", least.text);
    return display_format("%s and %s are confused most often: %zu of %zu mistakes. %.200s",
                          display_clean(test_answers_class(answers, first), NAME).text,
                          display_clean(test_answers_class(answers, second), NAME).text, most, wrong, least.text);
}

/* ---- Directions ---- */

size_t judge_weak_directions(const double *eigenvalues, size_t count)
{
    size_t weak = 0;

    while (weak < count && eigenvalues[count - 1 - weak] < weak_share * eigenvalues[0]) weak++;
    return weak;
}

display_text judge_directions_text(const double *eigenvalues, size_t count)
{
    size_t weak = judge_weak_directions(eigenvalues, count);

    if (weak == 0 && count == 2)
        return display_format("Both directions separate classes: the smaller eigenvalue is at least a tenth of the "
                              "larger.");
    if (weak == 0)
        return display_format("All %zu directions separate classes: none has less than a tenth of the largest "
                              "eigenvalue.",
                              count);
    if (weak == 1)
        return display_format("Direction %zu separates little: its eigenvalue is below a tenth of the largest.",
                              count);
    return display_format(
        "Directions %zu to %zu separate little: their eigenvalues are below a tenth of the largest.",
        count - weak + 1, count);
}

display_text judge_closest_text(const test_answers *answers)
{
    if (!answers || !(answers->nearest_distance > 0)) return (display_text){ "" };
    return display_format(
        "The closest classes are %s and %s, whose means are %.1f standard deviations of a class apart.",
        display_clean(test_answers_class(answers, answers->nearest[0]), NAME).text,
        display_clean(test_answers_class(answers, answers->nearest[1]), NAME).text, answers->nearest_distance);
}

/* Mean of a class on a direction; NaN if the class has no samples. */
static double class_mean(const test_answers *answers, int label, size_t direction)
{
    double sum = 0, count = 0;

    for (size_t i = 0; i < answers->count; i++)
        if (answers->truth[i] == label) sum += answers->Z[i * answers->directions + direction], count++;
    return count > 0 ? sum / count : NAN;
}

display_text judge_ends_text(const test_answers *answers, size_t directions)
{
    enum { MOST = 5, SHORT_NAME = 14 };
    display_text text = { "Classes at the two ends of each direction:" };

    for (size_t k = 0; k < directions && k < MOST; k++) {
        size_t low = 0, high = 0;
        double least = INFINITY, most = -INFINITY;
        for (size_t c = 0; c < answers->classes; c++) {
            double mean = class_mean(answers, (int)c, k);
            if (mean < least) least = mean, low = c;
            if (mean > most) most = mean, high = c;
        }
        text = display_format("%.400s%s %zu: %s and %s", text.text, k ? ";" : "", k + 1,
                              display_clean(test_answers_class(answers, low), SHORT_NAME).text,
                              display_clean(test_answers_class(answers, high), SHORT_NAME).text);
    }
    return display_format("%.500s.", text.text);
}

display_text judge_correlation_text(double r)
{
    if (isnan(r)) return (display_text){ "" };
    if (r >= clear_correlation)
        return display_format(
            "In this run, validation accuracy rose with the separation of the training samples. ");
    if (r <= -clear_correlation)
        return display_format(
            "In this run, validation accuracy fell while the separation of the training samples grew: "
            "what the network still learned does not carry over to other samples. ");
    return display_format(
        "In this run, validation accuracy did not follow the separation of the training samples. ");
}

/* ---- Runs ---- */

static int same_samples(const test_answers *a, const test_answers *b)
{
    return a->count == b->count && a->classes == b->classes && strcmp(a->part, b->part) == 0 &&
           memcmp(a->truth, b->truth, a->count * sizeof *a->truth) == 0;
}

static display_text paired_text(const char *name, const test_answers *better, const char *other_name,
                                const test_answers *other)
{
    stat_pairs pairs = { 0 };

    for (size_t i = 0; i < better->count; i++)
        stat_pairs_add(&pairs, better->evaluation[DLDA_PROBABILITY_BAYES]->predicted[i] == better->truth[i],
                       other->evaluation[DLDA_PROBABILITY_BAYES]->predicted[i] == better->truth[i]);
    stat_interval interval = stat_pairs_interval(&pairs);
    double p = stat_mcnemar(&pairs);
    return display_format(
        "%s is %s %s: %+.2f points, 95 %% interval %+.2f to %+.2f, on the same %zu samples (McNemar's "
        "test: p = %.2g).",
        name, p < stat_level ? "better than" : "best, but not clearly better than", other_name,
        100 * stat_pairs_difference(&pairs), 100 * interval.low, 100 * interval.high, better->count, p);
}

display_text judge_two_runs_text(const char *better_name, const test_answers *better, const char *other_name,
                                 const test_answers *other)
{
    display_text name = display_clean(better_name, 40), second = display_clean(other_name, 40);
    const dlda_evaluation *a = better->evaluation[DLDA_PROBABILITY_BAYES],
                          *b = other->evaluation[DLDA_PROBABILITY_BAYES];

    if (same_samples(better, other)) return paired_text(name.text, better, second.text, other);
    int overlap = stat_share_interval(a->correct, a->samples).low <=
                  stat_share_interval(b->correct, b->samples).high;
    return display_format(
        "%s has the highest accuracy; its interval %s that of %s. The runs were tested on different "
        "samples.",
        name.text, overlap ? "overlaps" : "lies above", second.text);
}
