/* SPDX-License-Identifier: MIT
 *
 * evaluate.c - accuracy, confusion matrix, recall and precision of each class, log loss.
 */
#include "classify/evaluate.h"
#include "base/memory.h"

#include <math.h>

/* A probability that has become 0 in single precision would make the log loss infinite. */
static const double least_probability = 1e-15;

/* The arrays are const to the user; they are ours to fill. */
static size_t *counts(const size_t *array)
{
    return (size_t *)array;
}

static double *shares(const double *array)
{
    return (double *)array;
}

dlda_status dlda_evaluation_create(size_t classes, dlda_evaluation **evaluation)
{
    dlda_status status = DLDA_OK;
    dlda_evaluation *self = NULL;
    size_t square = 0;

    DLDA_TRY(dlda_multiply_sizes(classes, classes, "confusion matrix", &square));
    DLDA_TRY(DLDA_TAKE(&self, 1, "evaluation"));
    self->classes = classes;
    DLDA_TRY(DLDA_TAKE((size_t **)&self->confusion, square, "confusion matrix"));
    DLDA_TRY(DLDA_TAKE((size_t **)&self->class_samples, classes, "evaluation"));
    DLDA_TRY(DLDA_TAKE((double **)&self->recall, classes, "evaluation"));
    DLDA_TRY(DLDA_TAKE((double **)&self->precision, classes, "evaluation"));
    *evaluation = self;
    self = NULL;
done:
    dlda_evaluation_destroy(self);
    return status;
}

void dlda_evaluation_destroy(dlda_evaluation *self)
{
    if (!self) return;
    dlda_release(counts(self->confusion));
    dlda_release(counts(self->class_samples));
    dlda_release(shares(self->recall));
    dlda_release(shares(self->precision));
    dlda_release(self);
}

void dlda_evaluation_count(dlda_evaluation *self, size_t n, const int *truth, const int *predicted,
                           const float *proba)
{
    for (size_t i = 0; i < n; i++) {
        size_t t = (size_t)truth[i], p = (size_t)predicted[i];
        counts(self->confusion)[t * self->classes + p]++;
        counts(self->class_samples)[t]++;
        self->correct += t == p;
        self->log_loss -= log(fmax(proba[i * self->classes + t], least_probability)); /* a sum until _finish */
    }
    self->samples += n;
}

void dlda_evaluation_finish(dlda_evaluation *self)
{
    size_t C = self->classes;

    self->accuracy = (double)self->correct / (double)self->samples;
    self->log_loss /= (double)self->samples;
    for (size_t c = 0; c < C; c++) {
        double found = (double)self->confusion[c * C + c], called = 0;
        for (size_t t = 0; t < C; t++) called += (double)self->confusion[t * C + c];
        shares(self->recall)[c] = self->class_samples[c] ? found / (double)self->class_samples[c] : NAN;
        shares(self->precision)[c] = called > 0 ? found / called : NAN;
    }
}
