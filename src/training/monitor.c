/* SPDX-License-Identifier: MIT
 *
 * monitor.c - how good the features are after an epoch: an LDA on all training features, with the network as it
 * would predict, and its accuracy on the training and the validation set.
 */
#include "classify/lda_head.h"
#include "training/trainer.h"

#include <math.h>
#include <string.h>

/* Features of a whole set into self->H. */
static void embed_set(dlda_trainer *self, const dlda_dataset *set)
{
    size_t count = dlda_dataset_count(set), D = self->model->network->features;

    for (size_t first = 0; first < count; first += self->batch) {
        size_t n = count - first < self->batch ? count - first : self->batch;
        for (size_t i = 0; i < n; i++) self->positions[i] = first + i;
        dlda_dataset_gather(set, self->positions, n, self->team, self->images);
        dlda_preparation_run(self->still, self->team, n, self->images, NULL);
        const float *H = dlda_plan_infer(self->plan, self->weights, self->state, self->images, n);
        memcpy(self->H + first * D, H, n * D * sizeof *H);
    }
}

/* Share of right answers on the features in self->H. */
static dlda_status accuracy_of(dlda_trainer *self, const dlda_dataset *set, double *accuracy)
{
    size_t count = dlda_dataset_count(set), correct = 0;
    const int *labels = dlda_dataset_labels(set);
    dlda_status status = dlda_lda_predict(self->lda, self->H, count, DLDA_PAPER, self->predicted, NULL);

    for (size_t i = 0; status == DLDA_OK && i < count; i++) correct += self->predicted[i] == labels[i];
    *accuracy = (double)correct / (double)count;
    return status;
}

dlda_status dlda_trainer_measure(dlda_trainer *self, dlda_epoch *epoch)
{
    dlda_status status = DLDA_OK;

    embed_set(self, self->train);
    dlda_scatter_reset(self->scatter);
    DLDA_TRY(dlda_scatter_add(self->scatter, self->H, dlda_dataset_labels(self->train),
                              dlda_dataset_count(self->train)));
    dlda_lda_destroy(self->lda);
    self->lda = NULL;
    DLDA_TRY(dlda_lda_fit(self->scatter, self->options.lambda, &self->lda));
    epoch->eigenvalues = dlda_lda_eigenvalues(self->lda, &epoch->n_eigenvalues);
    DLDA_TRY(accuracy_of(self, self->train, &epoch->train_accuracy));
    epoch->validation_accuracy = NAN;
    if (self->validation) {
        embed_set(self, self->validation);
        DLDA_TRY(accuracy_of(self, self->validation, &epoch->validation_accuracy));
    }
done:
    return status;
}
