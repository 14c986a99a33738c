/* SPDX-License-Identifier: MIT
 *
 * softmax.c - softmax classifier: p = exp(h) / sum exp(h), and the class with the largest h.
 */
#include "classify/softmax.h"
#include "base/number.h"

#include <math.h>

static void classify_row(const float *h, size_t C, double temperature, int *label, float *proba)
{
    size_t best = 0;
    double sum = 0;

    for (size_t c = 1; c < C; c++)
        if (h[c] > h[best]) best = c;
    if (label) *label = (int)best;
    if (!proba) return;
    for (size_t c = 0; c < C; c++) sum += exp(((double)h[c] - (double)h[best]) / temperature);
    for (size_t c = 0; c < C; c++) proba[c] = (float)(exp(((double)h[c] - (double)h[best]) / temperature) / sum);
}

dlda_status dlda_softmax_predict(const float *H, size_t n, size_t C, double temperature, int *labels, float *proba)
{
    size_t bad = dlda_find_not_finite(H, n * C);

    if (bad < n * C)
        return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value", bad / C,
                         bad % C, (double)H[bad]);
    for (size_t i = 0; i < n; i++)
        classify_row(H + i * C, C, temperature, labels ? labels + i : NULL, proba ? proba + i * C : NULL);
    return DLDA_OK;
}
