/* SPDX-License-Identifier: MIT
 *
 * refit.c - gives a model another head: fitted on other data, with one more class, or with other priors.
 *
 * The network is unchanged, so this takes one pass over some images and one eigenproblem.
 */
#include "base/json.h"
#include "base/memory.h"
#include "dataset/dataset.h"
#include "model/calibration.h"
#include "model/model.h"
#include "objective/scatter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Copy with other classes ---- */

/* The options with another lambda, as JSON in new memory. */
static dlda_status options_with(const char *options, double lambda, char **text)
{
    dlda_status status = DLDA_OK;
    json_t *object = NULL;

    DLDA_TRY(dlda_json_parse_text(options, "refit", &object));
    if (!object) DLDA_FAIL(DLDA_E_ARGUMENT, "refit: the model's options are not JSON");
    const json_t *old = json_object_get(object, "lambda");
    if (old && json_number_value(old) == lambda) DLDA_TRY(dlda_take_text(options, text));
    else {
        DLDA_TRY(dlda_json_set(object, "lambda", json_real(lambda), "refit"));
        DLDA_TRY(dlda_json_print(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17), "refit", text));
    }
done:
    json_decref(object);
    return status;
}

static int same_classes(const dlda_model *self, size_t classes, const char *const *names)
{
    if (classes != self->classes) return 0;
    for (size_t c = 0; c < classes; c++)
        if (strcmp(names[c], self->class_names[c]) != 0) return 0;
    return 1;
}

/* Copies the model with these classes and no head; `options` NULL: those of the model. */
static dlda_status copy_without_head(const dlda_model *self, size_t classes, const char *const *names,
                                     const char *options, dlda_model **copy)
{
    dlda_status status = DLDA_OK;
    dlda_model *made = NULL;
    const dlda_model_spec spec = { .network_text = self->network->text,
                                   .where = "network of the model",
                                   .classes = classes,
                                   .class_names = names,
                                   .columns = (const char *const *)self->columns,
                                   .options = options ? options : self->options };

    DLDA_TRY(dlda_model_create(&spec, &made));
    DLDA_TRY(dlda_preparation_copy(self->preparation, &made->preparation));
    memcpy(made->weights, self->weights, self->network->n_weights * sizeof *made->weights);
    memcpy(made->state, self->state, self->network->n_state * sizeof *made->state);
    if (!self->softmax || !same_classes(self, classes, names)) dlda_model_lose_softmax(made);
    *copy = made;
    made = NULL;
done:
    dlda_model_destroy(made);
    return status;
}

/* The changed head keeps the calibration, which was measured with the head before it. */
static dlda_status keep_calibration(const dlda_model *self, dlda_model *made)
{
    dlda_status status = DLDA_OK;

    if (!self->calibration) return DLDA_OK;
    DLDA_TRY(dlda_calibration_copy(self->calibration, &made->calibration));
    made->calibration->kept = 1;
    if (!made->softmax) made->calibration->softmax_temperature = 1;
    dlda_lda_set_temperature(made->lda, self->lda->temperature);
done:
    return status;
}

/* ---- Features into a scatter ---- */

typedef struct sums {
    dlda_scatter *scatter;
    const int *labels; /* [count] */
} sums;

static dlda_status add_portion(void *context, const float *H, size_t first, size_t n)
{
    const sums *self = context;

    return dlda_scatter_add(self->scatter, H, self->labels + first, n);
}

/* Adds a set's features under the given labels to the scatter. */
static dlda_status sum_features(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *data,
                                const int *labels, size_t classes, dlda_scatter **scatter)
{
    dlda_status status = DLDA_OK;
    sums all = { .labels = labels };

    DLDA_TRY(dlda_scatter_create(classes, self->network->features, &all.scatter));
    DLDA_TRY(dlda_model_visit_features(self, workspace, data, add_portion, &all));
    *scatter = all.scatter;
    all.scatter = NULL;
done:
    dlda_scatter_destroy(all.scatter);
    return status;
}

/* ---- Other data ---- */

/* 1 if the name of the set's class c is its number. */
static int is_number(const dlda_dataset *data, size_t c)
{
    char number[24];

    snprintf(number, sizeof number, "%zu", c);
    return strcmp(dlda_dataset_class_name(data, c), number) == 0;
}

/* place[c]: index of the set's class c among the model's. Returns 0 unless both have the same classes,
 * up to order and numbering. */
static int match_classes(const dlda_model *self, const dlda_dataset *data, int *place)
{
    size_t classes = dlda_dataset_classes(data), by_name = 0, numbers = 0;

    if (classes != self->classes) return 0;
    for (size_t c = 0; c < classes; c++) {
        place[c] = -1;
        for (size_t k = 0; k < classes && place[c] < 0; k++)
            if (strcmp(dlda_dataset_class_name(data, c), self->class_names[k]) == 0) place[c] = (int)k;
        by_name += place[c] >= 0;
        numbers += (size_t)is_number(data, c);
    }
    if (by_name == classes) return 1;
    for (size_t c = 0; c < classes; c++) place[c] = (int)c;
    return by_name == 0 && numbers == classes;
}

/* Determines the classes of the refitted model and the labels of the data in terms of them. */
static dlda_status choose_classes(const dlda_model *self, const dlda_dataset *data, const char **names, int *labels)
{
    dlda_status status = DLDA_OK;
    size_t classes = dlda_dataset_classes(data);
    int *place = NULL;

    DLDA_TRY(DLDA_TAKE(&place, classes, "class names"));
    int same = match_classes(self, data, place);
    for (size_t c = 0; c < classes; c++) names[c] = same ? self->class_names[c] : dlda_dataset_class_name(data, c);
    for (size_t i = 0; i < dlda_dataset_count(data); i++) {
        int label = dlda_dataset_labels(data)[i];
        labels[i] = same ? place[label] : label;
    }
done:
    dlda_release(place);
    return status;
}

static dlda_status check_data(const dlda_model *self, const dlda_dataset *data)
{
    dlda_status status = dlda_model_check_images(self, data, "refit");

    if (status != DLDA_OK) return status;
    if (!dlda_dataset_labels(data)) return dlda_fail(DLDA_E_SHAPE, "refit: the data has no labels");
    if (dlda_dataset_classes(data) < 2)
        return dlda_fail(DLDA_E_CLASS, "refit: the data has %zu class, expected at least 2",
                         dlda_dataset_classes(data));
    return DLDA_OK;
}

dlda_status dlda_model_refit(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *data,
                             double lambda, dlda_model **refitted)
{
    DLDA_NEED(self, workspace, data, refitted);
    dlda_status status = DLDA_OK;
    dlda_scatter *scatter = NULL;
    dlda_model *made = NULL;
    const char **names = NULL;
    char *options = NULL;
    int *labels = NULL;

    DLDA_TRY(check_data(self, data));
    size_t classes = dlda_dataset_classes(data);
    DLDA_TRY(DLDA_TAKE(&names, classes, "class names"));
    DLDA_TRY(DLDA_TAKE(&labels, dlda_dataset_count(data), "labels"));
    DLDA_TRY(choose_classes(self, data, names, labels));
    DLDA_TRY(options_with(self->options, lambda, &options));
    DLDA_TRY(copy_without_head(self, classes, names, options, &made));
    DLDA_TRY(sum_features(self, workspace, data, labels, classes, &scatter));
    DLDA_TRY(dlda_lda_fit(scatter, lambda, &made->lda));
    if (same_classes(self, classes, names)) DLDA_TRY(keep_calibration(self, made));
    *refitted = made;
    made = NULL;
done:
    dlda_scatter_destroy(scatter);
    dlda_model_destroy(made);
    dlda_release(names);
    dlda_release(labels);
    dlda_release(options);
    return status;
}

/* ---- One more class ---- */

static dlda_status check_new_class(const dlda_model *self, const dlda_dataset *images, const char *name)
{
    const int *labels = dlda_dataset_labels(images);

    if (!name[0]) return dlda_fail(DLDA_E_OPTION, "add class: its name is empty");
    for (size_t c = 0; c < self->classes; c++)
        if (strcmp(self->class_names[c], name) == 0)
            return dlda_fail(DLDA_E_OPTION, "add class: the model has a class '%s' already; choose another name",
                             dlda_show(name).text);
    if (!self->lda->Sw)
        return dlda_fail(DLDA_E_ARGUMENT,
                         "add class: the model keeps no scatter matrices, as early versions wrote it; "
                         "refit it on its training data first (deeplda refit MODEL DATA)");
    for (size_t i = 1; labels && i < dlda_dataset_count(images); i++)
        if (labels[i] != labels[0])
            return dlda_fail(DLDA_E_SHAPE,
                             "add class: the samples are of several classes ('%s' and '%s'), expected "
                             "samples of one",
                             dlda_show(dlda_dataset_class_name(images, (size_t)labels[0])).text,
                             dlda_show(dlda_dataset_class_name(images, (size_t)labels[i])).text);
    return dlda_model_check_images(self, images, "add class");
}

dlda_status dlda_model_add_class(const dlda_model *self, dlda_workspace *workspace, const dlda_dataset *images,
                                 const char *name, double lambda, dlda_model **extended)
{
    DLDA_NEED(self, workspace, images, name, extended);
    dlda_status status = DLDA_OK;
    dlda_scatter *scatter = NULL;
    dlda_model *made = NULL;
    const char **names = NULL;
    char *options = NULL;
    int *zeros = NULL;

    DLDA_TRY(check_new_class(self, images, name));
    DLDA_TRY(DLDA_TAKE(&names, self->classes + 1, "class names"));
    DLDA_TRY(DLDA_TAKE(&zeros, dlda_dataset_count(images), "labels"));
    memcpy(names, self->class_names, self->classes * sizeof *names);
    names[self->classes] = name;
    DLDA_TRY(options_with(self->options, lambda, &options));
    DLDA_TRY(copy_without_head(self, self->classes + 1, names, options, &made));
    DLDA_TRY(sum_features(self, workspace, images, zeros, 1, &scatter));
    DLDA_TRY(dlda_lda_extend(self->lda, scatter, lambda, &made->lda));
    DLDA_TRY(keep_calibration(self, made));
    *extended = made;
    made = NULL;
done:
    dlda_scatter_destroy(scatter);
    dlda_model_destroy(made);
    dlda_release(names);
    dlda_release(zeros);
    dlda_release(options);
    return status;
}

/* ---- Other priors ---- */

static dlda_status set_priors(dlda_lda *lda, const double *priors)
{
    dlda_status status = DLDA_OK;

    for (size_t c = 0; priors && c < lda->C; c++)
        if (!(priors[c] > 0 && priors[c] < 1e300))
            DLDA_FAIL(DLDA_E_OPTION, "priors: class %zu has %g, expected more than 0", c, priors[c]);
    if (priors) {
        DLDA_TRY(dlda_lda_take_priors(lda));
        memcpy(lda->priors, priors, lda->C * sizeof *priors);
    } else {
        dlda_release(lda->priors);
        lda->priors = NULL;
    }
    dlda_lda_prepare(lda);
done:
    return status;
}

dlda_status dlda_model_copy(const dlda_model *self, dlda_model **copy)
{
    DLDA_NEED(self, copy);
    dlda_status status = DLDA_OK;
    dlda_model *made = NULL;

    DLDA_TRY(copy_without_head(self, self->classes, (const char *const *)self->class_names, NULL, &made));
    DLDA_TRY(dlda_lda_copy(self->lda, &made->lda));
    DLDA_TRY(dlda_calibration_copy(self->calibration, &made->calibration));
    *copy = made;
    made = NULL;
done:
    dlda_model_destroy(made);
    return status;
}

dlda_status dlda_model_use_priors(const dlda_model *self, const double *priors, dlda_model **adapted)
{
    DLDA_NEED(self, adapted);
    dlda_status status = DLDA_OK;
    dlda_model *made = NULL;

    DLDA_TRY(dlda_model_copy(self, &made));
    DLDA_TRY(set_priors(made->lda, priors));
    *adapted = made;
    made = NULL;
done:
    dlda_model_destroy(made);
    return status;
}
