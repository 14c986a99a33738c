/* SPDX-License-Identifier: MIT
 *
 * monitor.c - measures the features after an epoch: fits an LDA on the network's inference output
 * and computes its accuracy.
 *
 * The LDA of an epoch is fitted on a fixed stratified part of the training set (the probe); using the whole set
 * would cost a third of the training time. The final model's LDA is fitted on all training features and calibrated on the
 * validation samples, which no step has seen.
 */
#include "classify/lda_head.h"
#include "model/calibration.h"
#include "training/trainer.h"

#include <math.h>
#include <string.h>

enum { LEAST_PER_CLASS = 20, CALIBRATION_BATCH = 100 };

dlda_status dlda_trainer_choose_probe(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *rest = NULL;
    size_t count = dlda_dataset_count(self->train), least = LEAST_PER_CLASS * dlda_dataset_classes(self->train);
    double wanted = self->options->measure;
    size_t n = wanted < 1 ? (size_t)(wanted * (double)count) : wanted < (double)count ? (size_t)wanted : count;

    if (n < least) n = least;
    if (wanted > 0 && n < count)
        DLDA_TRY(dlda_dataset_split(self->train, n, (uint64_t)self->options->seed, &rest, &self->probe));
done:
    dlda_dataset_destroy(rest);
    return status;
}

/* The next samples of a set that this rank visits, and their labels; returns their number. */
static size_t next_portion(dlda_trainer *self, const dlda_dataset *set, size_t *next)
{
    size_t n = dlda_dataset_visit(set, self->comm, next, self->portion, self->positions);

    for (size_t i = 0; i < n; i++) self->labels[i] = dlda_dataset_labels(set)[self->positions[i]];
    return n;
}

/* Features of the n samples at self->positions. */
static const float *embed(dlda_trainer *self, const dlda_dataset *set, size_t n, const float *weights,
                          const float *state)
{
    dlda_dataset_gather(set, self->positions, n, self->team, self->images);
    dlda_preparation_run(self->batch_preparation, self->team, n, self->images, NULL);
    return dlda_plan_infer(dlda_passes_plan(self->passes, NULL), weights, state, self->images, n);
}

/* Fits an LDA on a set's features. Copies the features of this rank's samples to H unless it is NULL. */
static dlda_status fit(dlda_trainer *self, const dlda_dataset *set, const float *weights, const float *state,
                       float *H, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    size_t D = self->model->network->features;

    dlda_scatter_reset(self->scatter);
    for (size_t next = 0, first = 0, n; (n = next_portion(self, set, &next)) > 0; first += n) {
        const float *rows = embed(self, set, n, weights, state);
        if (H) memcpy(H + first * D, rows, n * D * sizeof *H);
        DLDA_TRY(dlda_scatter_add(self->scatter, rows, self->labels, n));
    }
    DLDA_TRY(dlda_scatter_sum(self->scatter, self->comm));
    DLDA_TRY(dlda_lda_fit(self->scatter, self->options->lambda, lda));
done:
    return status;
}

/* Number of correct predictions of the latest LDA for the features H of the n samples at self->positions. */
static dlda_status count_right(dlda_trainer *self, size_t n, const float *H, double *right)
{
    dlda_status status = dlda_lda_predict(self->lda, H, n, DLDA_PROBABILITY_PAPER, self->predicted, NULL);

    for (size_t i = 0; status == DLDA_OK && i < n; i++) *right += self->predicted[i] == self->labels[i];
    return status;
}

/* Accuracy on a whole set. H holds the features of this rank's samples; NULL: they are computed. */
static dlda_status accuracy_on(dlda_trainer *self, const dlda_dataset *set, const float *H, double *accuracy)
{
    dlda_status status = DLDA_OK;
    size_t D = self->model->network->features;
    double right = 0;

    for (size_t next = 0, first = 0, n; (n = next_portion(self, set, &next)) > 0; first += n) {
        const float *rows = H ? H + first * D : embed(self, set, n, self->weights, self->state);
        DLDA_TRY(count_right(self, n, rows, &right));
    }
    DLDA_TRY(dlda_comm_sum(self->comm, &right, 1));
    *accuracy = right / (double)dlda_dataset_count(set);
done:
    return status;
}

/* The last epoch is always measured. */
static int is_measured(const dlda_options *options, size_t epoch)
{
    return epoch % (size_t)options->measure_every == 0 || epoch == (size_t)options->epochs;
}

dlda_status dlda_trainer_measure(dlda_trainer *self, dlda_epoch *epoch)
{
    dlda_status status = DLDA_OK;
    const dlda_dataset *probe = self->probe ? self->probe : self->train;

    dlda_lda_destroy(self->lda);
    self->lda = NULL;
    epoch->train_accuracy = epoch->validation_accuracy = NAN;
    if (!is_measured(self->options, epoch->epoch)) return DLDA_OK;
    DLDA_TRY(fit(self, probe, self->weights, self->state, self->H, &self->lda));
    epoch->eigenvalues = dlda_lda_eigenvalues(self->lda, &epoch->n_eigenvalues);
    DLDA_TRY(accuracy_on(self, probe, self->H, &epoch->train_accuracy));
    if (self->validation) DLDA_TRY(accuracy_on(self, self->validation, NULL, &epoch->validation_accuracy));
done:
    return status;
}

/* The model prepares images itself, so it gets the validation samples as they were given. */
static dlda_status calibrate(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    dlda_workspace *workspace = NULL;
    size_t count = dlda_dataset_count(self->held_out);

    DLDA_TRY(dlda_workspace_create(self->model, count < CALIBRATION_BATCH ? count : CALIBRATION_BATCH,
                                   dlda_team_threads(self->team), &workspace));
    DLDA_TRY(dlda_model_fit_calibration(self->model, workspace, self->held_out, self->comm));
done:
    dlda_workspace_destroy(workspace);
    return status;
}

dlda_status dlda_trainer_complete(dlda_trainer *self)
{
    dlda_status status = DLDA_OK;
    dlda_model *model = self->model;
    dlda_lda *lda = NULL;

    if (!model->lda || (!self->probe && !self->held_out)) return DLDA_OK;
    if (self->probe) {
        DLDA_TRY(fit(self, self->train, model->weights, model->state, NULL, &lda));
        dlda_lda_destroy(model->lda);
        model->lda = lda;
    }
    if (self->held_out) DLDA_TRY(calibrate(self));
    DLDA_TRY(dlda_trainer_write_record(self, 1));
done:
    return status;
}
