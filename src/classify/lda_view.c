/* SPDX-License-Identifier: MIT
 *
 * lda_view.c - the public view of a fitted LDA: pointers to its arrays, and its class names.
 */
#include "base/utf8.h"
#include "classify/lda_head.h"

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
                                  .temperature = self->temperature };
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
