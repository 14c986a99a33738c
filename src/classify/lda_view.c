/* SPDX-License-Identifier: MIT
 *
 * lda_view.c - the public view of a fitted LDA: pointers to its arrays, and its class names.
 */
#include "base/memory.h"
#include "base/utf8.h"
#include "classify/lda_head.h"

#include <math.h>
#include <string.h>

void dlda_lda_fill_view(dlda_lda *self)
{
    self->view = (dlda_lda_view){ .classes = self->C,
                                  .features = self->D,
                                  .n_directions = self->K,
                                  .lambda = self->lambda,
                                  .counts = self->counts,
                                  .priors = self->share,
                                  .means = self->M,
                                  .mean = self->mean,
                                  .directions = self->A,
                                  .eigenvalues = self->eigenvalues,
                                  .coefficients = self->B,
                                  .intercepts = self->intercept,
                                  .within = self->Sw,
                                  .total = self->St,
                                  .temperature = self->temperature,
                                  .common = self->common,
                                  .common_intercept = self->common ? self->common[self->D] : NAN };
}

const dlda_lda_view *dlda_lda_view_of(const dlda_lda *self)
{
    return self ? &self->view : NULL;
}

size_t dlda_lda_classes(const dlda_lda *self)
{
    return self ? self->C : 0;
}

size_t dlda_lda_features(const dlda_lda *self)
{
    return self ? self->D : 0;
}

double dlda_lda_prior(const dlda_lda *self, size_t c)
{
    return self && c < self->C ? self->share[c] : 0;
}

const double *dlda_lda_eigenvalues(const dlda_lda *self, size_t *count)
{
    if (count) *count = self ? self->K : 0;
    return self ? self->eigenvalues : NULL;
}

/* ---- Names ---- */

const char *dlda_lda_class_name(const dlda_lda *self, size_t label)
{
    return self && label < self->names.count ? dlda_name_list_at(&self->names, label) : NULL;
}

dlda_status dlda_lda_name_classes(dlda_lda *self, const char *const *names)
{
    dlda_status status = DLDA_OK;
    dlda_name_list list = { 0 };

    DLDA_NEED(self, names);
    for (size_t c = 0; c < self->C; c++) {
        if (!names[c]) DLDA_FAIL(DLDA_E_ARGUMENT, "LDA: class %zu has the name NULL", c);
        if (!dlda_is_utf8(names[c]))
            DLDA_FAIL(DLDA_E_FORMAT, "LDA: the name of class %zu, '%s', is not valid UTF-8", c, names[c]);
        DLDA_TRY(dlda_name_list_add(&list, names[c], strlen(names[c])));
    }
    dlda_name_list_release(&self->names);
    self->names = list;
    list = (dlda_name_list){ 0 };
done:
    dlda_name_list_release(&list);
    return status;
}

/* ---- Features ---- */

const dlda_feature *dlda_lda_feature(const dlda_lda *self, size_t j)
{
    return self && self->list && j < self->D ? &self->list[j] : NULL;
}

/* The texts of all features, three each; "" for those that are NULL. */
static dlda_status copy_texts(const dlda_feature *list, size_t D, dlda_name_list *texts)
{
    dlda_status status = DLDA_OK;

    for (size_t j = 0; j < D; j++) {
        const char *parts[] = { list[j].column, list[j].level, list[j].reference };
        if (!parts[0]) DLDA_FAIL(DLDA_E_ARGUMENT, "LDA: feature %zu has no column", j);
        for (size_t i = 0; i < 3; i++) {
            const char *text = parts[i] ? parts[i] : "";
            if (!dlda_is_utf8(text))
                DLDA_FAIL(DLDA_E_FORMAT, "LDA: the name of feature %zu, '%s', is not valid UTF-8", j, text);
            DLDA_TRY(dlda_name_list_add(texts, text, strlen(text)));
        }
    }
done:
    return status;
}

dlda_status dlda_lda_name_features(dlda_lda *self, const dlda_feature *list)
{
    dlda_status status = DLDA_OK;
    dlda_name_list texts = { 0 };
    dlda_feature *made = NULL;

    DLDA_NEED(self, list);
    DLDA_TRY(copy_texts(list, self->D, &texts));
    DLDA_TRY(DLDA_TAKE(&made, self->D, "feature names"));
    for (size_t j = 0; j < self->D; j++)
        made[j] = (dlda_feature){ dlda_name_list_at(&texts, 3 * j),
                                  list[j].level ? dlda_name_list_at(&texts, 3 * j + 1) : NULL,
                                  list[j].reference ? dlda_name_list_at(&texts, 3 * j + 2) : NULL };
    dlda_name_list_release(&self->columns);
    dlda_release(self->list);
    self->columns = texts;
    self->list = made;
    texts = (dlda_name_list){ 0 };
done:
    dlda_name_list_release(&texts);
    return status;
}
