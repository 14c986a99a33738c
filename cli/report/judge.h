/* SPDX-License-Identifier: MIT
 *
 * judge.h - what the figures of a run mean for its user: simple rules, and the sentences that captions show.
 */
#ifndef DEEPLDA_CLI_JUDGE_H
#define DEEPLDA_CLI_JUDGE_H

#include "report/answers.h"
#include "report/display_text.h"
#include "report/run_folder.h"

/* ---- Learning curves ---- */

typedef enum curve_trend {
    CURVE_UNKNOWN, /* no validation, or fewer than four measured epochs     */
    CURVE_RISING,  /* validation accuracy rose in the last epochs           */
    CURVE_LEVEL,   /* it changed little                                     */
    CURVE_FALLING  /* it is lower in the last epochs than in an earlier one */
} curve_trend;

typedef struct curve_verdict {
    curve_trend trend;
    double change;     /* of validation accuracy: rise in the last epochs, or fall since the best one */
    double best_epoch; /* with the best validation accuracy; NaN if there is none                     */
    double gap;        /* training minus validation accuracy of the selected epoch; NaN: unknown      */
    int overfits;      /* 1: the gap is large                                                         */
    size_t measured;   /* epochs with a validation accuracy                                           */
    int pictures;      /* 1: trained on pictures, not on rows of a table                              */
} curve_verdict;

/* `samples` is the number of validation samples. Differences within their chance are no trend. */
curve_verdict judge_curve(const run_folder *run, double samples);
/* In words; `run` is the argument of --resume. */
display_text judge_curve_text(const curve_verdict *verdict, const char *run, double epochs);

/* ---- Predictions ---- */

typedef enum calibration_verdict {
    CALIBRATED,    /* the calibration error is no more than chance explains */
    OVERCONFIDENT, /* the probabilities are too high                        */
    UNDERCONFIDENT
} calibration_verdict;

/* Calibration error that perfect probabilities are expected to have with so few samples. */
double judge_calibration_chance(const dlda_evaluation *found);
calibration_verdict judge_calibration(const dlda_evaluation *found);
/* In words: a headline, and a sentence. */
display_text judge_calibration_title(const dlda_evaluation *found);
display_text judge_calibration_text(const test_answers *answers);

/* The pair of classes that is confused most often, and the class with the lowest recall. */
display_text judge_confusion_text(const test_answers *answers);

/* ---- Directions ---- */

/* Directions with an eigenvalue below a tenth of the largest. */
size_t judge_weak_directions(const double *eigenvalues, size_t count);
display_text judge_directions_text(const double *eigenvalues, size_t count);
/* The two closest classes; "" if unknown. */
display_text judge_closest_text(const test_answers *answers);
/* Which classes lie at the two ends of each of the first directions. */
display_text judge_ends_text(const test_answers *answers, size_t directions);
/* Whether accuracy followed the mean eigenvalue; `r` is their correlation, may be NaN. */
display_text judge_correlation_text(double r);

/* ---- Runs ---- */

/* Whether the better of two runs is better beyond chance: on the same samples by McNemar's test, otherwise by their
 * intervals. */
display_text judge_two_runs_text(const char *better_name, const test_answers *better, const char *other_name,
                                 const test_answers *other);

#endif
