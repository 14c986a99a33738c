/* SPDX-License-Identifier: MIT
 *
 * statistics.h - confidence intervals and tests for accuracies and their differences.
 * docs/evaluation.md explains the methods.
 */
#ifndef DEEPLDA_CLI_STATISTICS_H
#define DEEPLDA_CLI_STATISTICS_H

#include <stddef.h>

/* A 95 % confidence interval. */
typedef struct stat_interval {
    double low, high;
} stat_interval;

/* Differences with a smaller p-value are significant. */
extern const double stat_level;

/* ---- One classifier ---- */

/* For `right` correct of `count` samples, by Wilson's score method: within 0 to 1, and not empty at either end. */
stat_interval stat_share_interval(size_t right, size_t count);

/* ---- Two classifiers on the same samples ---- */

typedef struct stat_pairs {
    size_t both, only_first, only_second, neither; /* samples classified correctly */
} stat_pairs;

size_t stat_pairs_count(const stat_pairs *pairs);

/* Counts one more sample. */
void stat_pairs_add(stat_pairs *pairs, int first_right, int second_right);

/* McNemar's test, exact and two-sided: the p-value under the hypothesis that a sample which only one classifier
 * gets right is equally likely to be either's. 1 if there are none. */
double stat_mcnemar(const stat_pairs *pairs);

/* Accuracy of the first minus that of the second, as a fraction. */
double stat_pairs_difference(const stat_pairs *pairs);

/* Its interval for paired samples (Wald, adjusted by Bonett and Price). */
stat_interval stat_pairs_interval(const stat_pairs *pairs);

/* ---- Several runs ---- */

typedef struct stat_summary {
    size_t count;
    double mean;      /* NaN if there are none                                    */
    double deviation; /* sample standard deviation (n - 1); NaN if fewer than two */
} stat_summary;

stat_summary stat_summarise(const double *values, size_t count);

/* Student's t: the interval of the mean, and the two-sided p-value of the mean being 0. For paired differences this
 * is the paired t-test. NaN if fewer than two; equal values give an interval of width 0. */
stat_interval stat_mean_interval(const stat_summary *summary);
double stat_mean_test(const stat_summary *summary);

#endif
