/* SPDX-License-Identifier: MIT
 *
 * head_file.c - writes and reads the LDA head of a model file.
 *
 * Four tensors are always present. The two scatter matrices are optional, both or none, and so are the priors;
 * files of early versions have neither.
 */
#include "model/head_file.h"

#include <math.h>
#include <string.h>

/* The tensors of the head, in file order. */
enum { COUNTS, MEANS, DIRECTIONS, EIGENVALUES, WITHIN, TOTAL, PRIORS };

typedef struct found {
    const dlda_tensor *tensors[DLDA_HEAD_TENSORS]; /* NULL: not in the file */
    size_t K, count;
} found;

size_t dlda_head_tensors(const dlda_lda *lda, dlda_tensor tensors[DLDA_HEAD_TENSORS])
{
    const dlda_tensor all[DLDA_HEAD_TENSORS] = {
        { "head.counts", DLDA_F64, 1, { lda->C }, lda->counts },
        { "head.means", DLDA_F64, 2, { lda->C, lda->D }, lda->M },
        { "head.directions", DLDA_F64, 2, { lda->K, lda->D }, lda->A },
        { "head.eigenvalues", DLDA_F64, 1, { lda->K }, lda->eigenvalues },
        { "head.within", DLDA_F64, 2, { lda->D, lda->D }, lda->Sw },
        { "head.total", DLDA_F64, 2, { lda->D, lda->D }, lda->St },
        { "head.priors", DLDA_F64, 1, { lda->C }, lda->priors },
    };
    size_t count = 0;

    for (size_t i = 0; i < DLDA_HEAD_TENSORS; i++)
        if (all[i].data) tensors[count++] = all[i];
    return count;
}

/* ---- Presence and shapes ---- */

static dlda_status find(const dlda_safetensors *file, const char *name, size_t rank, const size_t *shape,
                        size_t place, found *head)
{
    dlda_status status = dlda_safetensors_require(file, name, DLDA_F64, rank, shape, &head->tensors[place]);

    head->count += status == DLDA_OK;
    return status;
}

static dlda_status find_all(const dlda_safetensors *file, const char *path, size_t C, size_t D, found *head)
{
    dlda_status status = DLDA_OK;
    const dlda_tensor *values = dlda_safetensors_find(file, "head.eigenvalues");
    size_t K = values && values->rank == 1 ? values->shape[0] : 0;
    const size_t means[] = { C, D }, directions[] = { K, D }, square[] = { D, D };

    if (K < 1 || K > D || K > C - 1)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: head.eigenvalues: %zu, expected 1 to %zu", path, K, D < C - 1 ? D : C - 1);
    head->K = K;
    DLDA_TRY(find(file, "head.counts", 1, &C, COUNTS, head));
    DLDA_TRY(find(file, "head.means", 2, means, MEANS, head));
    DLDA_TRY(find(file, "head.directions", 2, directions, DIRECTIONS, head));
    DLDA_TRY(find(file, "head.eigenvalues", 1, &K, EIGENVALUES, head));
    if (dlda_safetensors_find(file, "head.within") || dlda_safetensors_find(file, "head.total")) {
        DLDA_TRY(find(file, "head.within", 2, square, WITHIN, head));
        DLDA_TRY(find(file, "head.total", 2, square, TOTAL, head));
    }
    if (dlda_safetensors_find(file, "head.priors")) DLDA_TRY(find(file, "head.priors", 1, &C, PRIORS, head));
done:
    return status;
}

dlda_status dlda_head_check(const dlda_safetensors *file, const char *path, size_t C, size_t D, size_t *used)
{
    found head = { .count = 0 };
    dlda_status status = find_all(file, path, C, D, &head);

    *used = head.count;
    return status;
}

/* ---- Values ---- */

/* Eigenvalues must be in order, and the counts must allow the number of directions. */
static dlda_status check_values(const dlda_lda *lda, const char *path)
{
    size_t usable = 0;

    for (size_t c = 0; c < lda->C; c++) {
        if (!(lda->counts[c] >= 0 && lda->counts[c] <= 0x1p53 && lda->counts[c] == floor(lda->counts[c])))
            return dlda_fail(DLDA_E_FORMAT, "%s: head.counts: class %zu has %g rows, expected a whole number", path,
                             c, lda->counts[c]);
        usable += lda->counts[c] >= 2;
    }
    if (usable < 2 || lda->K != (usable - 1 < lda->D ? usable - 1 : lda->D))
        return dlda_fail(DLDA_E_FORMAT, "%s: head: %zu directions do not match %zu usable classes and %zu features",
                         path, lda->K, usable, lda->D);
    for (size_t k = 1; k < lda->K; k++)
        if (lda->eigenvalues[k] > lda->eigenvalues[k - 1])
            return dlda_fail(DLDA_E_FORMAT, "%s: head.eigenvalues: number %zu is larger than the one before it",
                             path, k);
    for (size_t c = 0; lda->priors && c < lda->C; c++)
        if (!(lda->priors[c] > 0))
            return dlda_fail(DLDA_E_FORMAT, "%s: head.priors: class %zu has %g, expected more than 0", path, c,
                             lda->priors[c]);
    return DLDA_OK;
}

/* Bounds the values so that no sum with features, which are floats, overflows: an overflow would
 * silently give a wrong class. */
static dlda_status check_sizes(const double *values, size_t n, const char *path, const char *name)
{
    static const double most = 1e100;

    for (size_t i = 0; i < n; i++)
        if (!(fabs(values[i]) <= most))
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: value %zu is %g, expected at most %g in size", path, name, i,
                             values[i], most);
    return DLDA_OK;
}

/* A covariance matrix is symmetric and has no negative variance. */
static dlda_status check_matrix(const double *S, size_t D, const char *path, const char *name)
{
    double largest = 0;

    for (size_t i = 0; i < D; i++) {
        if (S[i * D + i] < 0)
            return dlda_fail(DLDA_E_FORMAT, "%s: %s: entry %zu, %zu is %g, expected 0 or more", path, name, i, i,
                             S[i * D + i]);
        largest = fmax(largest, S[i * D + i]);
    }
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < i; j++)
            if (fabs(S[i * D + j] - S[j * D + i]) > 1e-9 * largest)
                return dlda_fail(DLDA_E_FORMAT,
                                 "%s: %s: entries %zu, %zu and %zu, %zu differ, expected a symmetric "
                                 "matrix",
                                 path, name, i, j, j, i);
    return DLDA_OK;
}

/* ---- Loading ---- */

static void copy(double *to, const dlda_tensor *tensor)
{
    memcpy(to, tensor->data, dlda_tensor_elements(tensor) * sizeof *to);
}

static dlda_status load_matrices(const found *head, const char *path, dlda_lda *lda)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_lda_take_scatter(lda));
    copy(lda->Sw, head->tensors[WITHIN]);
    copy(lda->St, head->tensors[TOTAL]);
    DLDA_TRY(check_matrix(lda->Sw, lda->D, path, "head.within"));
    DLDA_TRY(check_matrix(lda->St, lda->D, path, "head.total"));
done:
    return status;
}

dlda_status dlda_head_load(const dlda_safetensors *file, const char *path, size_t C, size_t D, dlda_lda **lda)
{
    dlda_status status = DLDA_OK;
    found head = { .count = 0 };
    dlda_lda *self = NULL;

    DLDA_TRY(find_all(file, path, C, D, &head));
    DLDA_TRY(dlda_lda_create(C, D, head.K, &self));
    copy(self->counts, head.tensors[COUNTS]);
    copy(self->M, head.tensors[MEANS]);
    copy(self->A, head.tensors[DIRECTIONS]);
    copy(self->eigenvalues, head.tensors[EIGENVALUES]);
    if (head.tensors[WITHIN]) DLDA_TRY(load_matrices(&head, path, self));
    if (head.tensors[PRIORS]) DLDA_TRY(dlda_lda_take_priors(self));
    if (head.tensors[PRIORS]) copy(self->priors, head.tensors[PRIORS]);
    DLDA_TRY(check_values(self, path));
    DLDA_TRY(check_sizes(self->M, C * D, path, "head.means"));
    DLDA_TRY(check_sizes(self->A, head.K * D, path, "head.directions"));
    dlda_lda_prepare(self);
    DLDA_TRY(check_sizes(self->T, C * D, path, "head: means times directions"));
    *lda = self;
    self = NULL;
done:
    dlda_lda_destroy(self);
    return status;
}
