/* SPDX-License-Identifier: MIT
 *
 * statistics.c - confidence intervals and tests for accuracies.
 *
 * With z = 1.96, the 97.5 % quantile of the normal distribution:
 *
 *     share p of n (Wilson):       (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n)
 *     difference (Bonett, Price):  d ± z √((p₁ + p₂ - d²) / (n+2)),   p₁ = (b+1)/(n+2),  p₂ = (c+1)/(n+2),  d = p₁ - p₂
 *     McNemar, exact:              min(1, 2 Σ_{i ≤ min(b,c)} C(b+c, i) / 2^(b+c))
 *
 * where b samples are correct with the first classifier only and c with the second only. Pure functions.
 */
#include "eval/statistics.h"

#include <math.h>

const double stat_level = 0.05;
static const double z = 1.9599639845400545;
static const double pi = 3.14159265358979323846;

static double clamped(double value, double least, double most)
{
    return fmin(fmax(value, least), most);
}

/* ---- One classifier ---- */

stat_interval stat_share_interval(size_t right, size_t count)
{
    double n = (double)count, p = (double)right / n, whole = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / whole;
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / whole;

    /* Rounding must not give a lower bound above 0 if nothing is correct, or an upper bound
     * below 1 if everything is. */
    return (stat_interval){ .low = right == 0 ? 0 : clamped(middle - half, 0, p),
                            .high = right == count ? 1 : clamped(middle + half, p, 1) };
}

/* ---- Two classifiers ---- */

size_t stat_pairs_count(const stat_pairs *pairs)
{
    return pairs->both + pairs->only_first + pairs->only_second + pairs->neither;
}

void stat_pairs_add(stat_pairs *pairs, int first_right, int second_right)
{
    if (first_right && second_right) pairs->both++;
    else if (first_right) pairs->only_first++;
    else if (second_right) pairs->only_second++;
    else pairs->neither++;
}

double stat_mcnemar(const stat_pairs *pairs)
{
    double n = (double)(pairs->only_first + pairs->only_second);
    double least = fmin((double)pairs->only_first, (double)pairs->only_second);
    double sum = 1, term = 1;
    double log_largest = lgamma(n + 1) - lgamma(least + 1) - lgamma(n - least + 1) - n * log(2);

    /* Sums from the largest term of the tail downwards, C(n, i-1) = C(n, i) i / (n-i+1),
     * until terms are negligible. */
    for (double i = least; i > 0 && term > 1e-17 * sum; i--) {
        term *= i / (n - i + 1);
        sum += term;
    }
    return fmin(1, 2 * exp(log_largest) * sum);
}

double stat_pairs_difference(const stat_pairs *pairs)
{
    return ((double)pairs->only_first - (double)pairs->only_second) / (double)stat_pairs_count(pairs);
}

stat_interval stat_pairs_interval(const stat_pairs *pairs)
{
    double n = (double)stat_pairs_count(pairs) + 2;
    double first = ((double)pairs->only_first + 1) / n, second = ((double)pairs->only_second + 1) / n;
    double d = first - second, half = z * sqrt((first + second - d * d) / n);

    return (stat_interval){ .low = clamped(d - half, -1, 1), .high = clamped(d + half, -1, 1) };
}

/* ---- Several runs ---- */

stat_summary stat_summarise(const double *values, size_t count)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < count; i++) sum += values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++) squares += (values[i] - mean) * (values[i] - mean);
    return (stat_summary){ .count = count,
                           .mean = count > 0 ? mean : NAN,
                           .deviation = count > 1 ? sqrt(squares / ((double)count - 1)) : NAN };
}

/* P(|T| > t) for Student's t with an integer number of degrees of freedom, by the finite sums of Abramowitz and
 * Stegun, 26.7.3 and 26.7.4. */
static double student_tails(double t, size_t degrees)
{
    double angle = atan(t / sqrt((double)degrees)), c = cos(angle), s = sin(angle);
    int odd = (int)(degrees % 2);
    double term = odd ? c : 1, sum = 0;

    for (size_t k = odd ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= c * c * ((double)k - 1) / (double)k;
    }
    double inside = odd ? 2 / pi * (angle + s * sum) : s * sum;
    return clamped(1 - inside, 0, 1);
}

/* The t with P(|T| > t) = 0.05. */
static double student_limit(size_t degrees)
{
    double low = 0, high = 20; /* 12.7 with one degree of freedom, less with more */

    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (student_tails(middle, degrees) > stat_level) low = middle;
        else high = middle;
    }
    return (low + high) / 2;
}

static double standard_error(const stat_summary *summary)
{
    return summary->deviation / sqrt((double)summary->count);
}

stat_interval stat_mean_interval(const stat_summary *summary)
{
    if (summary->count < 2) return (stat_interval){ NAN, NAN };
    double half = student_limit(summary->count - 1) * standard_error(summary);
    return (stat_interval){ .low = summary->mean - half, .high = summary->mean + half };
}

double stat_mean_test(const stat_summary *summary)
{
    if (summary->count < 2) return NAN;
    if (summary->deviation == 0) return summary->mean == 0 ? 1 : 0;
    return student_tails(fabs(summary->mean) / standard_error(summary), summary->count - 1);
}
