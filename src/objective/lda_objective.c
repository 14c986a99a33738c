/* SPDX-License-Identifier: MIT
 *
 * lda_objective.c - loss = -f(v_1 .. v_K) of the batch's LDA eigenvalues, and its gradient in closed form.
 *
 * With w_j = df/dv_j and (h - m), (h - m_c) as rows (docs/method.md, step 5):
 *     dLoss/dh = -2 [ (h - m) P / (N-1)  -  (h - m_c) Q / (C'(N_c-1)) ],
 *     P = sum_j w_j e_j e_j',   Q = sum_j w_j (1 + v_j) e_j e_j'.
 */
#include "base/memory.h"
#include "linalg/gemm.h"
#include "objective/lda_problem.h"
#include "objective/objective.h"
#include "objective/spectrum.h"

typedef struct lda_objective {
    dlda_objective_spec spec;
    dlda_scatter *scatter;
    dlda_lda_problem *problem;
    double *w;       /* [D]         weights of the first K eigenvalues    */
    double *P, *Q;   /* [D][D]                                            */
    double *centred; /* [batch][D]  rows minus a mean                     */
    double *product; /* [batch][D]                                        */
} lda_objective;

static void destroy(void *state)
{
    lda_objective *self = state;

    if (!self) return;
    dlda_scatter_destroy(self->scatter);
    dlda_lda_problem_destroy(self->problem);
    dlda_release(self->w);
    dlda_release(self->P);
    dlda_release(self->Q);
    dlda_release(self->centred);
    dlda_release(self->product);
    dlda_release(self);
}

static dlda_status create(const dlda_objective_spec *spec, void **state)
{
    dlda_status status = DLDA_OK;
    lda_objective *self = NULL;
    size_t D = spec->features, rows = spec->batch * D; /* checked by dlda_objective_create */

    DLDA_TRY(DLDA_TAKE(&self, 1, "LDA objective"));
    self->spec = *spec;
    DLDA_TRY(dlda_scatter_create(spec->classes, D, &self->scatter));
    DLDA_TRY(dlda_lda_problem_create(D, &self->problem));
    DLDA_TRY(DLDA_TAKE(&self->w, D, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->P, D * D, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->Q, D * D, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->centred, rows, "LDA objective"));
    DLDA_TRY(DLDA_TAKE(&self->product, rows, "LDA objective"));
    *state = self;
    self = NULL;
done:
    destroy(self);
    return status;
}

static void weigh_directions(lda_objective *self)
{
    const dlda_lda_problem *problem = self->problem;
    size_t D = problem->D;

    for (size_t i = 0; i < D; i++)
        for (size_t k = 0; k < D; k++) {
            double p = 0, q = 0;
            for (size_t j = 0; j < problem->K; j++) {
                double term = self->w[j] * problem->E[j * D + i] * problem->E[j * D + k];
                p += term;
                q += term * (1 + problem->values[j]);
            }
            self->P[i * D + k] = p;
            self->Q[i * D + k] = q;
        }
}

/* dH = -2/(N-1) (H - m) P: the pull of the total scatter of all N rows, on n of them. */
static void total_part(lda_objective *self, const double *H, size_t n, double *dH)
{
    size_t D = self->problem->D;
    double factor = -2 / ((double)dlda_scatter_rows(self->scatter) - 1);

    for (size_t i = 0; i < n * D; i++) self->centred[i] = H[i] - self->problem->m[i % D];
    dlda_double_gemm(n, D, D, self->centred, self->P, 0, dH);
    for (size_t i = 0; i < n * D; i++) dH[i] *= factor;
}

/* dH += 2/(C'(N_c-1)) (h - m_c) Q: the push of the within-class scatter, absent for classes of one row. */
static void within_part(lda_objective *self, const double *H, const int *labels, size_t n, double *dH)
{
    size_t D = self->problem->D;
    double usable = (double)dlda_scatter_usable(self->scatter);

    for (size_t i = 0; i < n; i++) {
        size_t c = (size_t)labels[i], count = self->scatter->counts[c];
        double factor = count >= 2 ? 2 / (usable * (double)(count - 1)) : 0;
        for (size_t j = 0; j < D; j++)
            self->centred[i * D + j] = factor * (H[i * D + j] - self->scatter->means[c * D + j]);
    }
    dlda_double_gemm(n, D, D, self->centred, self->Q, 0, self->product);
    for (size_t i = 0; i < n * D; i++) dH[i] += self->product[i];
}

/* ---- Stages ---- */

static void reset(void *state, size_t round)
{
    lda_objective *self = state;

    (void)round;
    dlda_scatter_reset(self->scatter);
}

static dlda_status add(void *state, const double *H, const int *labels, size_t n)
{
    lda_objective *self = state;

    return dlda_scatter_add_double(self->scatter, H, labels, n);
}

static size_t n_sums(const void *state)
{
    const lda_objective *self = state;

    return dlda_scatter_sums_size(self->scatter);
}

static void export_sums(const void *state, double *sums)
{
    const lda_objective *self = state;

    dlda_scatter_export_sums(self->scatter, sums);
}

static dlda_status merge_sums(void *state, const double *sums)
{
    lda_objective *self = state;

    return dlda_scatter_merge_sums(self->scatter, sums, dlda_scatter_sums_size(self->scatter));
}

static dlda_status sum(void *state, const dlda_comm *comm)
{
    const lda_objective *self = state;

    return dlda_scatter_sum(self->scatter, comm);
}

static dlda_status solve(void *state, double *loss)
{
    lda_objective *self = state;
    const dlda_lda_problem *problem = self->problem;
    dlda_status status = dlda_lda_problem_solve(self->problem, self->scatter, self->spec.lambda);

    if (status != DLDA_OK) return status;
    *loss = -dlda_spectrum_separation(self->spec.kind, problem->values, problem->K, self->spec.epsilon, self->w);
    weigh_directions(self);
    return DLDA_OK;
}

static void gradient(void *state, const double *H, const int *labels, size_t n, double *dH)
{
    lda_objective *self = state;

    total_part(self, H, n, dH);
    within_part(self, H, labels, n, dH);
}

static const double *eigenvalues(const void *state, size_t *count)
{
    const lda_objective *self = state;

    *count = self->problem->K;
    return self->problem->values;
}

static size_t selected(const void *state)
{
    const lda_objective *self = state;
    size_t count = 0;

    for (size_t j = 0; j < self->problem->K; j++) count += self->w[j] != 0;
    return count;
}

const dlda_objective_functions dlda_lda_objective = { 1,        create,      destroy,    reset, add,
                                                      n_sums,   export_sums, merge_sums, sum,   solve,
                                                      gradient, eigenvalues, selected };
