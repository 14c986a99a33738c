/* SPDX-License-Identifier: MIT
 *
 * answers.c - runs a model on labelled samples, batch by batch, and keeps what the figures need.
 */
#include "report/answers.h"
#include "base/memory.h"
#include "classify/evaluate.h"
#include "classify/softmax.h"
#include "dataset/dataset.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 200 };

/* What is needed while the model runs. */
typedef struct answering {
    dlda_test_answers *answers;
    const dlda_lda *lda;
    float *proba; /* [BATCH][classes] */
    int has_softmax;
    size_t softmax_right;
} answering;

const char *dlda_test_answers_class(const dlda_test_answers *self, size_t label)
{
    return dlda_name_list_at(&self->names, label);
}

/* ---- Running the model ---- */

static dlda_status take_arrays(dlda_test_answers *self)
{
    dlda_status status = DLDA_OK;
    size_t n_Z = 0;

    DLDA_TRY(dlda_multiply_sizes(self->count, self->directions, "projections", &n_Z));
    DLDA_TRY(DLDA_TAKE(&self->Z, n_Z, "projections"));
    DLDA_TRY(DLDA_TAKE(&self->truth, self->count, "labels"));
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        DLDA_TRY(DLDA_TAKE(&self->p_truth[kind], self->count, "probabilities"));
        DLDA_TRY(DLDA_TAKE(&self->p_called[kind], self->count, "probabilities"));
        DLDA_TRY(dlda_evaluation_create(self->classes, self->count, &self->evaluation[kind]));
    }
done:
    return status;
}

static dlda_status answer_portion(void *context, const float *H, size_t first, size_t n)
{
    dlda_status status = DLDA_OK;
    answering *now = context;
    dlda_test_answers *self = now->answers;
    const int *truth = self->truth + first;
    int called[BATCH];

    if (now->has_softmax) {
        DLDA_TRY(dlda_softmax_predict(H, n, self->classes, called, now->proba));
        for (size_t i = 0; i < n; i++) now->softmax_right += called[i] == truth[i];
    }
    DLDA_TRY(dlda_lda_transform(now->lda, H, n, self->Z + first * self->directions));
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        DLDA_TRY(dlda_lda_predict(now->lda, H, n, (dlda_probability)kind, called, now->proba));
        dlda_evaluation_count(self->evaluation[kind], n, truth, called, now->proba);
        for (size_t i = 0; i < n; i++) {
            const float *p = now->proba + i * self->classes;
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

static int is_harder(const dlda_test_answers *self, size_t a, size_t b)
{
    const float *truth = self->p_truth[DLDA_BAYES], *called = self->p_called[DLDA_BAYES];

    if (truth[a] != truth[b]) return truth[a] < truth[b];
    if (called[a] != called[b]) return called[a] > called[b];
    return a < b;
}

size_t dlda_test_answers_hardest(const dlda_test_answers *self, size_t count, size_t *order)
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

static dlda_status begin(const dlda_test_answers_spec *spec, dlda_test_answers *self)
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

dlda_status dlda_test_answers_create(const dlda_test_answers_spec *spec, dlda_test_answers **answers)
{
    dlda_status status = DLDA_OK;
    dlda_test_answers *self = NULL;
    dlda_workspace *workspace = NULL;
    answering now = { .lda = dlda_model_lda(spec->model), .has_softmax = spec->model->softmax };

    DLDA_TRY(dlda_model_check_images(spec->model, spec->samples, spec->part));
    DLDA_TRY(dlda_model_check_labels(spec->model, spec->samples, spec->part));
    DLDA_TRY(DLDA_TAKE(&self, 1, "answers"));
    DLDA_TRY(begin(spec, self));
    size_t batch = self->count < BATCH ? self->count : BATCH;
    DLDA_TRY(dlda_workspace_create(spec->model, batch, spec->threads, &workspace));
    DLDA_TRY(DLDA_TAKE(&now.proba, batch * self->classes, "probabilities"));
    now.answers = self;
    DLDA_TRY(dlda_model_visit_features(spec->model, workspace, spec->samples, answer_portion, &now));
    for (int kind = 0; kind < DLDA_KINDS; kind++) dlda_evaluation_finish(self->evaluation[kind]);
    self->softmax_accuracy = now.has_softmax ? (double)now.softmax_right / (double)self->count : NAN;
    *answers = self;
    self = NULL;
done:
    dlda_workspace_destroy(workspace);
    dlda_release(now.proba);
    dlda_test_answers_destroy(self);
    return status;
}

void dlda_test_answers_destroy(dlda_test_answers *self)
{
    if (!self) return;
    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        dlda_release(self->p_truth[kind]);
        dlda_release(self->p_called[kind]);
        dlda_evaluation_destroy(self->evaluation[kind]);
    }
    dlda_release(self->truth);
    dlda_release(self->Z);
    dlda_name_list_release(&self->names);
    dlda_release(self);
}
