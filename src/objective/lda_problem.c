/* SPDX-License-Identifier: MIT
 *
 * lda_problem.c - solves for the discriminant directions, given class sums (docs/method.md, step 3).
 */
#include "objective/lda_problem.h"
#include "base/memory.h"

#include <string.h>

dlda_status dlda_lda_problem_create(size_t features, dlda_lda_problem **problem)
{
    dlda_status status = DLDA_OK;
    dlda_lda_problem *self = NULL;
    size_t square = 0;

    DLDA_TRY(dlda_multiply_sizes(features, features, "LDA matrices", &square));
    DLDA_TRY(DLDA_TAKE(&self, 1, "LDA problem"));
    self->D = features;
    DLDA_TRY(DLDA_TAKE(&self->Sw, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->Sb, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->regularised, square, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->m, features, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->values, features, "LDA matrices"));
    DLDA_TRY(DLDA_TAKE(&self->E, square, "LDA matrices"));
    DLDA_TRY(dlda_eigen_create(features, &self->eigen));
    *problem = self;
    self = NULL;
done:
    dlda_lda_problem_destroy(self);
    return status;
}

void dlda_lda_problem_destroy(dlda_lda_problem *self)
{
    if (!self) return;
    dlda_release(self->Sw);
    dlda_release(self->Sb);
    dlda_release(self->regularised);
    dlda_release(self->m);
    dlda_release(self->values);
    dlda_release(self->E);
    dlda_eigen_destroy(self->eigen);
    dlda_release(self);
}

dlda_status dlda_lda_problem_solve(dlda_lda_problem *self, const dlda_scatter *scatter, double lambda)
{
    dlda_status status = DLDA_OK;
    size_t D = self->D;

    DLDA_TRY(dlda_scatter_matrices(scatter, self->Sw, self->Sb, self->m));
    memcpy(self->regularised, self->Sw, D * D * sizeof *self->Sw);
    for (size_t i = 0; i < D; i++) self->regularised[i * D + i] += lambda;
    size_t directions = dlda_scatter_usable(scatter) - 1;
    self->K = directions < D ? directions : D;
    DLDA_TRY(dlda_eigen_solve(self->eigen, self->Sb, self->regularised, D, self->values, self->E));
done:
    return status;
}
