/* SPDX-License-Identifier: MIT
 *
 * calibration.c - calibrates a model on held-out samples (docs/method.md, step 6; docs/predicting.md, "Rejecting").
 *
 * Networks fit their training samples better than others, so an LDA of training features is overconfident: samples of a
 * class spread wider than Sw says. Held-out samples show by how much: in one temperature for the probabilities, and in the
 * distribution of their distances for the rejection of images that are of no class.
 */
#include "model/calibration.h"
#include "base/memory.h"
#include "classify/temperature.h"
#include "dataset/dataset.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_FOR_TAIL = 20 };

/* Before any held-out sample is seen. Temperatures of LDAs on trained features were 2 to 250 (docs/evaluation.md). */
static const double expected_temperature = 5, expected_softmax_temperature = 1;

void dlda_calibration_destroy(dlda_calibration *self)
{
    if (!self) return;
    dlda_appearance_release(&self->appearance);
    dlda_release(self);
}

dlda_status dlda_calibration_copy(const dlda_calibration *self, dlda_calibration **copy)
{
    dlda_status status = DLDA_OK;
    dlda_calibration *made = NULL;

    if (!self) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&made, 1, "calibration"));
    *made = *self;
    made->appearance = (dlda_appearance){ 0 };
    DLDA_TRY(dlda_appearance_copy(&self->appearance, &made->appearance));
    *copy = made;
    made = NULL;
done:
    dlda_calibration_destroy(made);
    return status;
}

double dlda_calibration_share(const dlda_calibration *self, dlda_shape shape, const float *image, double distance,
                              double *grey)
{
    double v[DLDA_APPEARANCE_MOST], unusual = distance / self->distance_unit;

    if (self->appearance.count) {
        dlda_appearance_describe(shape, image, grey, v);
        unusual = fmax(unusual, dlda_appearance_distance(&self->appearance, v) / self->appearance_unit);
    }
    return dlda_tail_share(&self->tail, unusual);
}

/* ---- Fitting ---- */

/* Of all held-out samples. */
typedef struct answers {
    size_t n, C, D, p;
    double *scores;    /* [n][C]  of the LDA, without priors             */
    double *logits;    /* [n][C]  of the softmax; NULL: there is none    */
    double *V;         /* [n][p]  appearance                             */
    double *distances; /* [n]     to the nearest class                   */
    double *unusual;   /* [n]     distances of the appearance            */
    double *sorted;    /* [n]     scratch                                */
    double *grey;      /* [height][width] scratch                        */
    float *images, *H; /* [batch][input], [batch][D]                     */
    size_t *positions; /* [batch]                                        */
    double *rows;      /* [batch][C + 1] scores and distances            */
} answers;

static dlda_status take(answers *self, const dlda_model *model, size_t batch)
{
    dlda_status status = DLDA_OK;
    dlda_shape in = model->network->input;
    size_t n_scores = 0, n_images = 0;

    DLDA_TRY(dlda_multiply_sizes(self->n, self->C, "class scores", &n_scores));
    DLDA_TRY(dlda_multiply_sizes(batch, dlda_shape_size(in), "images", &n_images));
    DLDA_TRY(DLDA_TAKE(&self->scores, n_scores, "class scores"));
    if (model->softmax) DLDA_TRY(DLDA_TAKE(&self->logits, n_scores, "class scores"));
    DLDA_TRY(DLDA_TAKE(&self->V, self->n * self->p, "statistics of images"));
    DLDA_TRY(DLDA_TAKE(&self->distances, self->n, "distances"));
    DLDA_TRY(DLDA_TAKE(&self->unusual, self->n, "distances"));
    DLDA_TRY(DLDA_TAKE(&self->sorted, self->n, "distances"));
    DLDA_TRY(DLDA_TAKE(&self->grey, in.height * in.width, "an image"));
    DLDA_TRY(DLDA_TAKE(&self->images, n_images, "images"));
    DLDA_TRY(DLDA_TAKE(&self->H, batch * self->D, "features"));
    DLDA_TRY(DLDA_TAKE(&self->positions, batch, "positions"));
    DLDA_TRY(DLDA_TAKE(&self->rows, batch * (self->C + 1), "class scores"));
done:
    return status;
}

static void release(answers *self)
{
    void *arrays[] = { self->scores, self->logits, self->V, self->distances, self->unusual, self->sorted,
                       self->grey,   self->images, self->H, self->positions, self->rows };

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) dlda_release(arrays[i]);
}

/* Copies the answers for image i of a batch to its place among all samples. */
static void place(answers *self, size_t i, size_t n, dlda_shape in)
{
    size_t C = self->C, to = self->positions[i];

    memcpy(self->scores + to * C, self->rows + i * C, C * sizeof *self->rows);
    self->distances[to] = self->rows[n * C + i];
    for (size_t c = 0; self->logits && c < C; c++) self->logits[to * C + c] = (double)self->H[i * C + c];
    if (self->p)
        dlda_appearance_describe(in, self->images + i * dlda_shape_size(in), self->grey, self->V + to * self->p);
}

/* Of several ranks, each answers for some samples; the answers for the others are 0, so that sums bring them together. */
static dlda_status collect(answers *self, const dlda_model *model, dlda_workspace *workspace,
                           const dlda_dataset *held_out, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    size_t batch = dlda_workspace_batch(workspace), C = self->C;

    for (size_t next = 0, n; (n = dlda_dataset_visit(held_out, comm, &next, batch, self->positions)) > 0;) {
        const dlda_answers wanted = { .scores = self->rows, .distances = self->rows + n * C, .features = self->H };
        dlda_dataset_gather(held_out, self->positions, n, NULL, self->images);
        DLDA_TRY(dlda_model_answer(model, workspace, self->images, n, DLDA_PROBABILITY_PAPER, &wanted));
        for (size_t i = 0; i < n; i++) place(self, i, n, model->network->input);
    }
    DLDA_TRY(dlda_comm_sum(comm, self->scores, self->n * C));
    DLDA_TRY(dlda_comm_sum(comm, self->distances, self->n));
    if (self->logits) DLDA_TRY(dlda_comm_sum(comm, self->logits, self->n * C));
    if (self->p) DLDA_TRY(dlda_comm_sum(comm, self->V, self->n * self->p));
done:
    return status;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The value that a tenth exceeds; never 0, since it becomes a divisor. */
static double large_value(answers *self, const double *values)
{
    memcpy(self->sorted, values, self->n * sizeof *values);
    qsort(self->sorted, self->n, sizeof *values, compare);
    return fmax(self->sorted[self->n - 1 - self->n / 10], 1e-100);
}

static dlda_status fit_tail(answers *self, dlda_calibration *made)
{
    dlda_status status = DLDA_OK;

    made->distance_unit = made->appearance_unit = 1;
    if (self->n < LEAST_FOR_TAIL) return DLDA_OK;
    if (self->p) DLDA_TRY(dlda_appearance_fit(&made->appearance, self->V, self->n, self->p, self->unusual));
    made->distance_unit = large_value(self, self->distances);
    if (self->p) made->appearance_unit = large_value(self, self->unusual);
    for (size_t i = 0; i < self->n; i++)
        self->sorted[i] = fmax(self->distances[i] / made->distance_unit, self->unusual[i] / made->appearance_unit);
    dlda_tail_fit(&made->tail, self->sorted, self->n);
done:
    return status;
}

dlda_status dlda_model_fit_calibration(dlda_model *model, dlda_workspace *workspace, const dlda_dataset *held_out,
                                       const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    dlda_calibration *made = NULL;
    answers all = { .n = dlda_dataset_count(held_out),
                    .C = model->classes,
                    .D = model->network->features,
                    .p = dlda_appearance_count(model->network->input) };

    DLDA_TRY(dlda_model_check_images(model, held_out, "calibrate"));
    DLDA_TRY(dlda_model_check_labels(model, held_out, "calibrate"));
    DLDA_TRY(dlda_dataset_check_ranks(held_out, comm));
    DLDA_TRY(take(&all, model, dlda_workspace_batch(workspace)));
    DLDA_TRY(collect(&all, model, workspace, held_out, comm));
    DLDA_TRY(DLDA_TAKE(&made, 1, "calibration"));
    made->samples = all.n;
    made->softmax_temperature = 1;
    const int *labels = dlda_dataset_labels(held_out);
    if (all.logits)
        made->softmax_temperature = dlda_temperature_fit(all.logits, NULL, labels, all.n, all.C,
                                                         expected_softmax_temperature);
    double temperature = dlda_temperature_fit(all.scores, model->lda->log_prior, labels, all.n, all.C,
                                              expected_temperature);
    DLDA_TRY(fit_tail(&all, made));
    dlda_lda_set_temperature(model->lda, temperature);
    dlda_calibration_destroy(model->calibration);
    model->calibration = made;
    made = NULL;
done:
    dlda_calibration_destroy(made);
    release(&all);
    return status;
}

dlda_status dlda_model_calibrate(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *held_out,
                                 dlda_model **calibrated)
{
    DLDA_NEED(self, workspace, held_out, calibrated);
    dlda_status status = DLDA_OK;
    dlda_workspace *own = NULL;
    dlda_model *made = NULL;

    DLDA_TRY(dlda_model_copy(self, &made));
    DLDA_TRY(dlda_workspace_create(made, dlda_workspace_batch(workspace),
                                   dlda_team_threads(dlda_workspace_team(workspace)), &own));
    DLDA_TRY(dlda_model_fit_calibration(made, own, held_out, NULL));
    *calibrated = made;
    made = NULL;
done:
    dlda_workspace_destroy(own);
    dlda_model_destroy(made);
    return status;
}

/* ---- Properties ---- */

size_t dlda_model_calibration_samples(const dlda_model *self)
{
    return self && self->calibration ? self->calibration->samples : 0;
}

int dlda_model_calibration_is_kept(const dlda_model *self)
{
    return self && self->calibration ? self->calibration->kept : 0;
}

double dlda_model_temperature(const dlda_model *self, dlda_probability kind)
{
    if (!self) return NAN;
    if (kind == DLDA_PROBABILITY_SOFTMAX) return self->calibration ? self->calibration->softmax_temperature : 1;
    return kind == DLDA_PROBABILITY_BAYES && self->lda ? self->lda->temperature : 1;
}
