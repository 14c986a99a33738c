/* SPDX-License-Identifier: MIT
 *
 * answers.c - runs a model on labelled samples, batch by batch, and keeps what the figures need.
 */
#include "report/answers.h"
#include "base/memory.h"
#include "classify/evaluate.h"
#include "dataset/dataset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 200 };

/* Memory for one batch. */
typedef struct portion {
    dlda_workspace *workspace;
    float *images, *H, *proba;
} portion;

const char *dlda_answers_class(const dlda_answers *self, size_t label)
{
    return dlda_name_list_at(&self->names, label);
}

/* ---- Running the model ---- */

static dlda_status check_samples(const dlda_model *model, const dlda_dataset *samples)
{
    if (!dlda_dataset_labels(samples)) return dlda_fail(DLDA_E_SHAPE, "the samples have no labels");
    if (dlda_dataset_count(samples) == 0) return dlda_fail(DLDA_E_SHAPE, "there are no samples");
    if (dlda_dataset_height(samples) != dlda_model_height(model) ||
        dlda_dataset_width(samples) != dlda_model_width(model) ||
        dlda_dataset_channels(samples) != dlda_model_channels(model))
        return dlda_fail(DLDA_E_SHAPE, "samples of %zu x %zu x %zu, the model takes %zu x %zu x %zu",
                         dlda_dataset_height(samples), dlda_dataset_width(samples), dlda_dataset_channels(samples),
                         dlda_model_height(model), dlda_model_width(model), dlda_model_channels(model));
    if (dlda_dataset_classes(samples) > dlda_model_classes(model))
        return dlda_fail(DLDA_E_SHAPE, "samples of %zu classes, the model knows %zu", dlda_dataset_classes(samples),
                         dlda_model_classes(model));
    return DLDA_OK;
}

static dlda_status take_arrays(dlda_answers *self)
{
    dlda_status status = DLDA_OK;
    size_t n_Z = 0;

    DLDA_TRY(dlda_multiply_sizes(self->count, self->directions, "projections", &n_Z));
    DLDA_TRY(DLDA_TAKE(&self->Z, n_Z, "projections"));
    DLDA_TRY(DLDA_TAKE(&self->truth, self->count, "labels"));
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        DLDA_TRY(DLDA_TAKE(&self->called[kind], self->count, "labels"));
        DLDA_TRY(DLDA_TAKE(&self->p_truth[kind], self->count, "probabilities"));
        DLDA_TRY(DLDA_TAKE(&self->p_called[kind], self->count, "probabilities"));
        DLDA_TRY(dlda_evaluation_create(self->classes, &self->evaluation[kind]));
    }
done:
    return status;
}

static dlda_status take_portion(const dlda_answers_spec *spec, size_t batch, portion *memory)
{
    dlda_status status = DLDA_OK;
    const dlda_model *model = spec->model;
    size_t pixels = dlda_model_height(model) * dlda_model_width(model) * dlda_model_channels(model);

    DLDA_TRY(dlda_workspace_create(model, batch, spec->threads, &memory->workspace));
    DLDA_TRY(DLDA_TAKE(&memory->images, batch * pixels, "images"));
    DLDA_TRY(DLDA_TAKE(&memory->H, batch * dlda_model_features(model), "features"));
    DLDA_TRY(DLDA_TAKE(&memory->proba, batch * dlda_model_classes(model), "probabilities"));
done:
    return status;
}

static void release_portion(portion *memory)
{
    dlda_workspace_destroy(memory->workspace);
    dlda_release(memory->images);
    dlda_release(memory->H);
    dlda_release(memory->proba);
}

static dlda_status answer_portion(dlda_answers *self, const dlda_answers_spec *spec, portion *memory, size_t first,
                                  size_t n)
{
    dlda_status status = DLDA_OK;
    const dlda_lda *lda = dlda_model_lda(spec->model);
    const int *truth = self->truth + first;

    DLDA_TRY(dlda_dataset_images(spec->samples, first, n, memory->images));
    DLDA_TRY(dlda_model_embed(spec->model, memory->workspace, memory->images, n, memory->H));
    DLDA_TRY(dlda_lda_transform(lda, memory->H, n, self->Z + first * self->directions));
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        int *called = self->called[kind] + first;
        DLDA_TRY(dlda_lda_predict(lda, memory->H, n, (dlda_probability)kind, called, memory->proba));
        dlda_evaluation_count(self->evaluation[kind], n, truth, called, memory->proba);
        for (size_t i = 0; i < n; i++) {
            const float *p = memory->proba + i * self->classes;
            self->p_truth[kind][first + i] = p[truth[i]];
            self->p_called[kind][first + i] = p[called[i]];
        }
    }
done:
    return status;
}

/* ---- What follows from the answers ---- */

void dlda_share_interval(double right, double count, double *low, double *high)
{
    double z = 1.959964, p = right / count, whole = 1 + z * z / count;
    double middle = (p + z * z / (2 * count)) / whole;
    double half = z * sqrt(p * (1 - p) / count + z * z / (4 * count * count)) / whole;

    *low = middle - half;
    *high = middle + half;
}

static void calibrate(const dlda_answers *self, int kind, dlda_calibration *result)
{
    for (size_t i = 0; i < self->count; i++) {
        double p = self->p_called[kind][i];
        int bin = (int)(p * DLDA_BINS);
        bin = bin < 0 ? 0 : bin >= DLDA_BINS ? DLDA_BINS - 1 : bin;
        result->count[bin]++;
        result->probability[bin] += p;
        result->right[bin] += self->called[kind][i] == self->truth[i];
    }
    for (int bin = 0; bin < DLDA_BINS; bin++) {
        if (result->count[bin] == 0) continue;
        result->error += fabs(result->probability[bin] - result->right[bin]) / (double)self->count;
        dlda_share_interval(result->right[bin], (double)result->count[bin], &result->low[bin], &result->high[bin]);
        result->probability[bin] /= (double)result->count[bin];
        result->right[bin] /= (double)result->count[bin];
    }
}

static int is_harder(const dlda_answers *self, size_t a, size_t b)
{
    const float *truth = self->p_truth[DLDA_BAYES], *called = self->p_called[DLDA_BAYES];

    if (truth[a] != truth[b]) return truth[a] < truth[b];
    if (called[a] != called[b]) return called[a] > called[b];
    return a < b;
}

size_t dlda_answers_hardest(const dlda_answers *self, size_t count, size_t *order)
{
    size_t used = 0;

    for (size_t i = 0; i < self->count; i++) {
        size_t place = used;
        while (place > 0 && is_harder(self, i, order[place - 1])) place--;
        if (place >= count) continue;
        if (used < count) used++;
        memmove(order + place + 1, order + place, (used - place - 1) * sizeof *order);
        order[place] = i;
    }
    return used;
}

/* ---- All of it ---- */

static dlda_status begin(const dlda_answers_spec *spec, dlda_answers *self)
{
    dlda_status status = DLDA_OK;

    snprintf(self->part, sizeof self->part, "%s", spec->part);
    self->count = dlda_dataset_count(spec->samples);
    self->classes = dlda_model_classes(spec->model);
    dlda_lda_eigenvalues(dlda_model_lda(spec->model), &self->directions);
    for (size_t c = 0; c < self->classes; c++) {
        const char *name = dlda_model_class_name(spec->model, c);
        DLDA_TRY(dlda_name_list_add(&self->names, name, strlen(name)));
    }
    DLDA_TRY(take_arrays(self));
    memcpy(self->truth, dlda_dataset_labels(spec->samples), self->count * sizeof *self->truth);
done:
    return status;
}

dlda_status dlda_answers_create(const dlda_answers_spec *spec, dlda_answers **answers)
{
    dlda_status status = DLDA_OK;
    dlda_answers *self = NULL;
    portion memory = { 0 };

    DLDA_TRY(check_samples(spec->model, spec->samples));
    DLDA_TRY(DLDA_TAKE(&self, 1, "answers"));
    DLDA_TRY(begin(spec, self));
    DLDA_TRY(take_portion(spec, self->count < BATCH ? self->count : BATCH, &memory));
    for (size_t first = 0; first < self->count; first += BATCH)
        DLDA_TRY(
            answer_portion(self, spec, &memory, first, self->count - first < BATCH ? self->count - first : BATCH));
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        dlda_evaluation_finish(self->evaluation[kind]);
        calibrate(self, kind, &self->calibration[kind]);
    }
    *answers = self;
    self = NULL;
done:
    release_portion(&memory);
    dlda_answers_destroy(self);
    return status;
}

void dlda_answers_destroy(dlda_answers *self)
{
    if (!self) return;
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        dlda_release(self->called[kind]);
        dlda_release(self->p_truth[kind]);
        dlda_release(self->p_called[kind]);
        dlda_evaluation_destroy(self->evaluation[kind]);
    }
    dlda_release(self->truth);
    dlda_release(self->Z);
    dlda_name_list_release(&self->names);
    dlda_release(self);
}
