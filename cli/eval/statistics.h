/* SPDX-License-Identifier: MIT
 *
 * statistics.h - how far accuracies and their differences can be trusted. docs/evaluation.md names the methods and says why.
 */
#ifndef DEEPLDA_CLI_STATISTICS_H
#define DEEPLDA_CLI_STATISTICS_H

#include <stddef.h>

/* A 95 % confidence interval. */
typedef struct stat_interval {
    double low, high;
} stat_interval;

/* Below this p-value a difference counts as one. */
extern const double stat_level;

/* ---- One classifier ---- */

/* Of a share `right` of `count` samples, by Wilson's score method: within 0 to 1, and not empty at either end. */
stat_interval stat_share_interval(size_t right, size_t count);

/* ---- Two classifiers on the same samples ---- */

typedef struct stat_pairs {
    size_t both, only_first, only_second, neither; /* samples that were classified correctly */
} stat_pairs;

size_t stat_pairs_count(const stat_pairs *pairs);

/* Counts one more sample. */
void stat_pairs_add(stat_pairs *pairs, int first_right, int second_right);

/* McNemar's test, two-sided and exact: the p-value of samples that only one of the two got right being as unevenly
 * divided as this, if each was as likely to go to the one as to the other. 1 if there are none. */
double stat_mcnemar(const stat_pairs *pairs);

/* Accuracy of the first less that of the second, a fraction. */
double stat_pairs_difference(const stat_pairs *pairs);

/* Its interval, which takes into account that the samples are the same (Wald's, adjusted by Bonett and Price). */
stat_interval stat_pairs_interval(const stat_pairs *pairs);

/* ---- Several runs ---- */

typedef struct stat_summary {
    size_t count;
    double mean;      /* NaN if there are none                     */
    double deviation; /* of the sample (n - 1); NaN if fewer than two */
} stat_summary;

stat_summary stat_summarise(const double *values, size_t count);

/* Student's t: the interval of the mean, and the two-sided p-value of a mean this far from 0. Of differences between runs
 * that belong together it is the paired t-test. NaN if fewer than two; runs that all agree have an interval of width 0. */
stat_interval stat_mean_interval(const stat_summary *summary);
double stat_mean_test(const stat_summary *summary);

#endif
