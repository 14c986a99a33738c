/* SPDX-License-Identifier: MIT
 *
 * chi_square.c - tail probability and quantiles of the chi-square distribution, by the incomplete gamma function.
 *
 * With a = k/2 and y = x/2 the tail is Q(a, y) = 1 - P(a, y). Left of the bulk, P is summed as a series; right of
 * it, Q is a continued fraction (Abramowitz and Stegun, 6.5.29 and 6.5.31). So the smaller of the two, or nearly
 * the smaller, is computed directly and keeps its relative precision.
 */
#define _GNU_SOURCE
#include "base/chi_square.h"

#include <float.h>
#include <math.h>

enum { MOST_TERMS = 100000, MOST_STEPS = 200 };

/* Logarithm of y^a e^-y / Gamma(a), the density at y times y. lgamma would write to a global variable. */
static double log_weight(double a, double y)
{
    int sign = 0;
    return a * log(y) - y - lgamma_r(a, &sign);
}

/* log P(a, y) = log_weight - log a + log(1 + y/(a+1) + y^2/((a+1)(a+2)) + ...) */
static double log_lower(double a, double y)
{
    double term = 1, sum = 1;

    for (int n = 1; n < MOST_TERMS && term > sum * DBL_EPSILON / 4; n++) {
        term *= y / (a + n);
        sum += term;
    }
    return log_weight(a, y) + log(sum) - log(a);
}

/* log Q(a, y) = log_weight - log of the fraction y+1-a - 1(1-a)/(y+3-a - 2(2-a)/(y+5-a - ...)), from the front (Lentz). */
static double log_upper(double a, double y)
{
    double b = y + 1 - a, c = 1 / DBL_MIN, d = 1 / b, h = d;

    for (int n = 1; n < MOST_TERMS; n++) {
        double numerator = -n * (n - a);
        b += 2;
        d = 1 / (numerator * d + b);
        c = b + numerator / c;
        h *= d * c;
        if (fabs(d * c - 1) < DBL_EPSILON) break;
    }
    return log_weight(a, y) + log(h);
}

/* log P and log Q at y. */
static void log_sides(double a, double y, double *lower, double *upper)
{
    if (y < a + 1) {
        *lower = log_lower(a, y);
        *upper = log1p(-exp(*lower));
    } else {
        *upper = log_upper(a, y);
        *lower = log1p(-exp(*upper));
    }
}

double dlda_chi_square_tail(double x, double k)
{
    double lower = 0, upper = 0;

    if (!(x > 0)) return 1;
    if (isinf(x)) return 0;
    log_sides(k / 2, x / 2, &lower, &upper);
    return exp(upper);
}

/* Wilson and Hilferty: the cube root of a chi-square variable is nearly normal. The normal quantile is only needed
 * roughly, so sqrt(-2 log alpha) will do. */
static double first_guess(double alpha, double k)
{
    double small = alpha < 0.5 ? alpha : 1 - alpha, z = sqrt(-2 * log(small > 1e-300 ? small : 1e-300)) - 0.5;
    double root = 1 - 2 / (9 * k) + (alpha < 0.5 ? z : -z) * sqrt(2 / (9 * k));

    return root > 0.01 ? k * root * root * root : k * 1e-6;
}

/* The logarithm of the smaller side is concave, so Newton steps on it converge; a step that would leave the bracket
 * is replaced by bisection. */
double dlda_chi_square_limit(double alpha, double k)
{
    double a = k / 2, y = first_guess(alpha, k) / 2, least = 0, most = INFINITY;
    int is_upper = alpha < 0.5;
    double wanted = is_upper ? log(alpha) : log1p(-alpha);

    if (!(alpha > 0)) return INFINITY;
    if (!(alpha < 1)) return 0;
    for (int i = 0; i < MOST_STEPS; i++) {
        double lower = 0, upper = 0;
        log_sides(a, y, &lower, &upper);
        double side = is_upper ? upper : lower;
        int too_small = is_upper ? side > wanted : side < wanted;
        if (too_small) least = y;
        else most = y;
        double slope = exp(log_weight(a, y) - log(y) - side) * (is_upper ? -1 : 1);
        double next = y - (side - wanted) / slope;
        if (!(next > least && next < most)) next = isinf(most) ? 2 * y : (least + most) / 2;
        double moved = fabs(next - y);
        y = next;
        if (moved <= y * DBL_EPSILON) break;
    }
    return 2 * y;
}
