/* SPDX-License-Identifier: MIT
 *
 * rows.c - checks of feature rows and labels, and log-sum-exp.
 */
#include "objective/rows.h"

#include <math.h>

dlda_status dlda_objective_check_rows(size_t classes, size_t features, const double *H, const int *labels, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= classes)
            return dlda_fail(DLDA_E_ARGUMENT, "row %zu: label %d, expected 0 to %zu", i, labels[i], classes - 1);
    for (size_t i = 0; i < n * features; i++)
        if (!isfinite(H[i]))
            return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value",
                             i / features, i % features, H[i]);
    return DLDA_OK;
}

double dlda_log_sum_exp(size_t n, const double *x)
{
    double largest = x[0], sum = 0;

    for (size_t i = 1; i < n; i++) largest = fmax(largest, x[i]);
    for (size_t i = 0; i < n; i++) sum += exp(x[i] - largest);
    return largest + log(sum);
}
