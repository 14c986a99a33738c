/* SPDX-License-Identifier: MIT
 *
 * answers.c - computes the predictions of a model on labelled samples, in batches, with
 * everything the figures need.
 *
 * The network runs once for each sample: both kinds of probabilities, the projections and the softmax
 * follow from its features.
 */
#include "report/answers.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 200 };

/* State while the model runs. */
typedef struct testing {
    const dlda_model *model;
    dlda_workspace *workspace;
    test_answers *answers;
    float *images, *features;          /* of a batch       */
    int *predicted[PROBABILITY_KINDS]; /* [count]          */
    float *proba[PROBABILITY_KINDS];   /* [count][classes] */
    size_t softmax_right;
} testing;

const char *test_answers_class(const test_answers *self, size_t label)
{
    return dlda_name_list_at(&self->names, label);
}

const char *test_answers_true_class(const test_answers *self, size_t sample)
{
    return test_answers_class(self, (size_t)self->truth[sample]);
}

const char *test_answers_predicted_class(const test_answers *self, size_t sample)
{
    return test_answers_class(self, (size_t)self->evaluation[DLDA_PROBABILITY_BAYES]->predicted[sample]);
}

/* ---- Setup ---- */

static dlda_status check_samples(const test_answers_spec *spec)
{
    const dlda_dataset *samples = spec->samples;
    size_t height = dlda_dataset_height(samples), width = dlda_dataset_width(samples);
    size_t channels = dlda_dataset_channels(samples), classes = dlda_dataset_classes(samples);
    size_t rows = dlda_model_height(spec->model), columns = dlda_model_width(spec->model);

    if (dlda_dataset_count(samples) == 0) return dlda_fail(DLDA_E_SHAPE, "%s: the data has no samples", spec->part);
    if (height != rows || width != columns || channels != dlda_model_channels(spec->model))
        return dlda_fail(DLDA_E_SHAPE, "%s: images of %zux%zux%zu, the model takes %zux%zux%zu", spec->part, height,
                         width, channels, rows, columns, dlda_model_channels(spec->model));
    if (dlda_dataset_label(samples, 0) < 0)
        return dlda_fail(DLDA_E_SHAPE, "%s: the data has no labels", spec->part);
    if (classes > dlda_model_classes(spec->model))
        return dlda_fail(DLDA_E_SHAPE, "%s: %zu classes in the data, the model has %zu", spec->part, classes,
                         dlda_model_classes(spec->model));
    return DLDA_OK;
}

static dlda_status take_answers(const test_answers_spec *spec, test_answers *self)
{
    dlda_status status = DLDA_OK;
    size_t n_Z = 0;

    snprintf(self->part, sizeof self->part, "%s", spec->part);
    self->count = dlda_dataset_count(spec->samples);
    self->classes = dlda_model_classes(spec->model);
    dlda_lda_eigenvalues(dlda_model_lda(spec->model), &self->directions);
    self->nearest_distance = dlda_lda_nearest_classes(dlda_model_lda(spec->model), &self->nearest[0],
                                                      &self->nearest[1]);
    self->calibration_samples = dlda_model_calibration_samples(spec->model);
    DLDA_TRY(dlda_multiply_sizes(self->count, self->directions, "projections", &n_Z));
    DLDA_TRY(DLDA_TAKE(&self->Z, n_Z, "projections"));
    DLDA_TRY(DLDA_TAKE(&self->truth, self->count, "labels"));
    for (size_t i = 0; i < self->count; i++) self->truth[i] = dlda_dataset_label(spec->samples, i);
    for (size_t c = 0; c < self->classes; c++) {
        const char *name = dlda_model_class_name(spec->model, c);
        DLDA_TRY(dlda_name_list_add(&self->names, name, strlen(name)));
    }
done:
    return status;
}

static dlda_status take_scratch(const test_answers_spec *spec, testing *now)
{
    dlda_status status = DLDA_OK;
    size_t count = now->answers->count, batch = count < BATCH ? count : BATCH, n_images = 0, n_proba = 0;

    DLDA_TRY(dlda_multiply_sizes(batch, dlda_model_image_size(now->model), "images", &n_images));
    DLDA_TRY(dlda_multiply_sizes(count, now->answers->classes, "probabilities", &n_proba));
    DLDA_TRY(dlda_workspace_create(now->model, batch, spec->threads, &now->workspace));
    DLDA_TRY(DLDA_TAKE(&now->images, n_images, "images"));
    DLDA_TRY(DLDA_TAKE(&now->features, batch * dlda_model_features(now->model), "features"));
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++) {
        DLDA_TRY(DLDA_TAKE(&now->predicted[kind], count, "predictions"));
        DLDA_TRY(DLDA_TAKE(&now->proba[kind], n_proba, "probabilities"));
    }
done:
    return status;
}

static void release_scratch(testing *now)
{
    dlda_workspace_destroy(now->workspace);
    dlda_release(now->images);
    dlda_release(now->features);
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++) {
        dlda_release(now->predicted[kind]);
        dlda_release(now->proba[kind]);
    }
}

/* ---- Running the model ---- */

/* The softmax predicts the class with the largest score. */
static size_t count_softmax(const testing *now, size_t first, size_t n)
{
    size_t C = now->answers->classes, right = 0;

    for (size_t i = 0; i < n; i++) {
        const float *scores = now->features + i * C;
        size_t best = 0;
        for (size_t c = 1; c < C; c++)
            if (scores[c] > scores[best]) best = c;
        right += (size_t)now->answers->truth[first + i] == best;
    }
    return right;
}

static dlda_status answer_batch(testing *now, size_t first, size_t n, int has_softmax)
{
    dlda_status status = DLDA_OK;
    const test_answers *self = now->answers;
    size_t C = self->classes;
    dlda_answers answers = { .labels = now->predicted[DLDA_PROBABILITY_BAYES] + first,
                             .proba = now->proba[DLDA_PROBABILITY_BAYES] + first * C,
                             .features = now->features,
                             .projections = self->Z + first * self->directions };

    DLDA_TRY(dlda_model_answer(now->model, now->workspace, now->images, n, DLDA_PROBABILITY_BAYES, &answers));
    DLDA_TRY(dlda_lda_predict(dlda_model_lda(now->model), now->features, n, DLDA_PROBABILITY_PAPER,
                              now->predicted[DLDA_PROBABILITY_PAPER] + first,
                              now->proba[DLDA_PROBABILITY_PAPER] + first * C));
    if (has_softmax) now->softmax_right += count_softmax(now, first, n);
done:
    return status;
}

static dlda_status run_model(const test_answers_spec *spec, testing *now)
{
    dlda_status status = DLDA_OK;
    test_answers *self = now->answers;
    int has_softmax = dlda_model_require_softmax(now->model) == DLDA_OK;

    for (size_t first = 0; first < self->count; first += BATCH) {
        size_t n = self->count - first < BATCH ? self->count - first : BATCH;
        DLDA_TRY(dlda_dataset_images(spec->samples, first, n, now->images));
        DLDA_TRY(answer_batch(now, first, n, has_softmax));
    }
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++)
        DLDA_TRY(dlda_evaluation_create(self->truth, now->predicted[kind], now->proba[kind], self->count,
                                        self->classes, &self->evaluation[kind]));
    self->softmax_accuracy = has_softmax ? (double)now->softmax_right / (double)self->count : NAN;
done:
    return status;
}

dlda_status test_answers_create(const test_answers_spec *spec, test_answers **answers)
{
    dlda_status status = DLDA_OK;
    testing now = { .model = spec->model };

    DLDA_TRY(check_samples(spec));
    DLDA_TRY(DLDA_TAKE(&now.answers, 1, "answers"));
    DLDA_TRY(take_answers(spec, now.answers));
    DLDA_TRY(take_scratch(spec, &now));
    DLDA_TRY(run_model(spec, &now));
    *answers = now.answers;
    now.answers = NULL;
done:
    release_scratch(&now);
    test_answers_destroy(now.answers);
    return status;
}

void test_answers_destroy(test_answers *self)
{
    if (!self) return;
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++) dlda_evaluation_destroy(self->evaluation[kind]);
    dlda_release(self->truth);
    dlda_release(self->Z);
    dlda_name_list_release(&self->names);
    dlda_release(self);
}
