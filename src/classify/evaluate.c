/* SPDX-License-Identifier: MIT
 *
 * evaluate.c - accuracy, confusion matrix, recall and precision of each class, log loss, calibration.
 *
 * The expected calibration error with B bins is sum_b (n_b / N) |accuracy_b - confidence_b|, where bin b holds the
 * n_b samples whose predicted class has a probability in ((b-1)/B, b/B] (docs/evaluation.md).
 */
#include "classify/evaluate.h"
#include "base/memory.h"

#include <math.h>

/* A probability that underflows to 0 in single precision would make the log loss infinite. */
static const double least_probability = 1e-15;

/* The arrays are const for users of the struct; this file fills them. */
static size_t *counts(const size_t *array)
{
    return (size_t *)array;
}

static double *shares(const double *array)
{
    return (double *)array;
}

dlda_status dlda_evaluation_begin(size_t classes, size_t samples, dlda_evaluation **evaluation)
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
    DLDA_TRY(DLDA_TAKE((int **)&self->predicted, samples, "predictions"));
    DLDA_TRY(DLDA_TAKE((float **)&self->confidence, samples, "probabilities"));
    DLDA_TRY(DLDA_TAKE((float **)&self->p_truth, samples, "probabilities"));
    DLDA_TRY(DLDA_TAKE((size_t **)&self->bin_samples, DLDA_CALIBRATION_BINS, "calibration"));
    DLDA_TRY(DLDA_TAKE((double **)&self->bin_accuracy, DLDA_CALIBRATION_BINS, "calibration"));
    DLDA_TRY(DLDA_TAKE((double **)&self->bin_confidence, DLDA_CALIBRATION_BINS, "calibration"));
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
    dlda_release((int *)self->predicted);
    dlda_release((float *)self->confidence);
    dlda_release((float *)self->p_truth);
    dlda_release(counts(self->bin_samples));
    dlda_release(shares(self->bin_accuracy));
    dlda_release(shares(self->bin_confidence));
    dlda_release(self);
}

/* Until _finish, log_loss and the bins hold sums. */
static void count_probability(dlda_evaluation *self, const float *proba, size_t truth, size_t predicted)
{
    double confidence = proba[predicted];
    double place = ceil(confidence * DLDA_CALIBRATION_BINS) - 1;
    size_t bin = place < 0 ? 0 : place < DLDA_CALIBRATION_BINS ? (size_t)place : DLDA_CALIBRATION_BINS - 1;

    self->bins = DLDA_CALIBRATION_BINS;
    self->log_loss -= log(fmax(proba[truth], least_probability));
    counts(self->bin_samples)[bin]++;
    shares(self->bin_accuracy)[bin] += truth == predicted;
    shares(self->bin_confidence)[bin] += confidence;
}

void dlda_evaluation_count(dlda_evaluation *self, size_t n, const int *truth, const int *predicted,
                           const float *proba)
{
    int *kept = (int *)self->predicted + self->samples;
    float *confidence = (float *)self->confidence + self->samples,
          *p_truth = (float *)self->p_truth + self->samples;

    for (size_t i = 0; i < n; i++) {
        size_t t = (size_t)truth[i], p = (size_t)predicted[i];
        kept[i] = predicted[i];
        confidence[i] = proba ? proba[i * self->classes + p] : NAN;
        p_truth[i] = proba ? proba[i * self->classes + t] : NAN;
        counts(self->confusion)[t * self->classes + p]++;
        counts(self->class_samples)[t]++;
        self->correct += t == p;
        if (proba) count_probability(self, proba + i * self->classes, t, p);
    }
    self->samples += n;
}

static void finish_classes(dlda_evaluation *self)
{
    size_t C = self->classes;

    for (size_t c = 0; c < C; c++) {
        double found = (double)self->confusion[c * C + c], called = 0;
        for (size_t t = 0; t < C; t++) called += (double)self->confusion[t * C + c];
        shares(self->recall)[c] = self->class_samples[c] ? found / (double)self->class_samples[c] : NAN;
        shares(self->precision)[c] = called > 0 ? found / called : NAN;
    }
}

static void finish_bins(dlda_evaluation *self)
{
    double sum = 0;

    for (size_t b = 0; b < self->bins; b++) {
        double n = (double)self->bin_samples[b]; /* 0 / 0: an empty bin is NaN */
        sum += fabs(self->bin_accuracy[b] - self->bin_confidence[b]);
        shares(self->bin_accuracy)[b] /= n;
        shares(self->bin_confidence)[b] /= n;
    }
    self->calibration_error = sum / (double)self->samples;
}

void dlda_evaluation_finish(dlda_evaluation *self)
{
    self->accuracy = (double)self->correct / (double)self->samples;
    self->log_loss /= (double)self->samples;
    finish_classes(self);
    finish_bins(self);
    if (self->bins == 0) self->log_loss = self->calibration_error = NAN;
}

/* ---- One call ---- */

static dlda_status check_labels(const int *labels, const char *what, size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= classes)
            return dlda_fail(DLDA_E_ARGUMENT, "evaluation: %s class %d of sample %zu, expected 0 to %zu", what,
                             labels[i], i, classes - 1);
    return DLDA_OK;
}

dlda_status dlda_evaluation_create(const int *truth, const int *predicted, const float *proba, size_t n,
                                   size_t classes, dlda_evaluation **evaluation)
{
    DLDA_NEED(truth, predicted, evaluation);
    dlda_status status = DLDA_OK;
    dlda_evaluation *self = NULL;

    if (n == 0 || classes == 0)
        DLDA_FAIL(DLDA_E_ARGUMENT, "evaluation: %zu samples of %zu classes, expected at least 1", n, classes);
    DLDA_TRY(check_labels(truth, "true", n, classes));
    DLDA_TRY(check_labels(predicted, "predicted", n, classes));
    DLDA_TRY(dlda_evaluation_begin(classes, n, &self));
    dlda_evaluation_count(self, n, truth, predicted, proba);
    dlda_evaluation_finish(self);
    *evaluation = self;
done:
    return status;
}
