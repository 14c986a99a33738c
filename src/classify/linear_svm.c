/* SPDX-License-Identifier: MIT
 *
 * linear_svm.c - a linear support vector machine on projected features, for comparison with the LDA.
 *
 * For each class against all others, liblinear minimises  |w|^2 / 2 + C sum max(0, 1 - y w'z)^2  in the primal by a
 * trust-region Newton method, which uses no random numbers. Rows are centred and get a last component of 1, so that
 * the penalty on the intercept has little effect. The cost C is chosen by cross-validation on the training rows.
 */
#define _GNU_SOURCE
#include "base/memory.h"
#include "base/number.h"
#include "base/parallel.h"
#include "classify/svm_folds.h"
#include "linalg/gemm.h"

#include <dlfcn.h>
#include <limits.h>
#include <linear.h>
#include <math.h>
#include <string.h>

struct dlda_svm {
    size_t C, K;
    double *centre; /* [K]        mean of the fitted rows                       */
    double *W;      /* [C][K + 1] weights and offset of each class              */
    int *known;     /* [C]        1: the class has rows, so it can be predicted */
    double cost, accuracy;
    /* derived values, for rows that are not centred */
    double *weights;    /* [C][K] */
    double *intercepts; /* [C]    */
};

enum { DEFAULT_FOLDS = 5, DEFAULT_COSTS = 9 };
static const double tolerance = 1e-3;

typedef struct model *train_function(const struct problem *problem, const struct parameter *parameter);

/* State of a fit: the rows in liblinear's form, and the results of the cross-validation. */
typedef struct fitting {
    train_function *train;
    size_t n, C, K, folds, n_costs;
    const double *costs;        /* [n_costs]                                             */
    const int *labels;          /* [n]                                                   */
    struct feature_node *nodes; /* [n][K + 2]: indices from 1, a constant 1, an end mark */
    size_t *fold;               /* [n]                                                   */
    size_t *right;              /* [n_costs][folds]: correct predictions                 */
    /* per thread */
    size_t threads;
    struct feature_node **rows; /* [threads][n] */
    double *targets;            /* [threads][n] */
    dlda_svm **scratch;         /* [threads]    */
} fitting;

/* ---- liblinear ---- */

static void say_nothing(const char *text)
{
    (void)text;
}

/* liblinear's function `train`. A direct call would be unsafe: if the program has its own function
 * `train`, the dynamic linker would resolve to that. So it is looked up in liblinear, which is located by
 * a name that only it has. */
static void find_train(train_function **found)
{
    Dl_info place;
    void *library = NULL, *symbol = NULL;

    set_print_string_function(say_nothing);
    if (dladdr((void *)set_print_string_function, &place) && place.dli_fname)
        library = dlopen(place.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library) symbol = dlsym(library, "train");
    if (library) dlclose(library); /* remains loaded: this library is linked to it */
    /* In a program without position-independent code, all names seem to belong to the program. */
    if (!symbol) symbol = dlsym(RTLD_NEXT, "train");
    if (symbol) memcpy(found, &symbol, sizeof symbol); /* ISO C has no cast from object to function pointers */
    else *found = train;                               /* static linking, where a second `train` is a link error */
}

/* Copies liblinear's weights as one row per class. With two classes liblinear has one row for both. */
static void take_weights(dlda_svm *self, const struct model *model)
{
    size_t columns = model->nr_class == 2 ? 1 : (size_t)model->nr_class, width = self->K + 1;

    memset(self->known, 0, self->C * sizeof *self->known);
    for (size_t j = 0; j < (size_t)model->nr_class; j++) {
        size_t c = (size_t)model->label[j], column = columns == 1 ? 0 : j;
        double sign = columns == 1 && j == 1 ? -1 : 1;
        self->known[c] = 1;
        for (size_t k = 0; k < width; k++) self->W[c * width + k] = sign * model->w[k * columns + column];
    }
}

static struct feature_node *row_of(const fitting *fit, size_t i)
{
    return fit->nodes + i * (fit->K + 2);
}

/* Trains on the rows outside fold `left_out`; on all rows if that is `folds`. */
static void learn(const fitting *fit, size_t worker, size_t left_out, double cost, dlda_svm *svm)
{
    struct feature_node **rows = fit->rows + worker * fit->n;
    double *targets = fit->targets + worker * fit->n;
    struct problem problem = { .n = (int)fit->K + 1, .y = targets, .x = rows, .bias = 1 };
    const struct parameter parameter = { .solver_type = L2R_L2LOSS_SVC, .eps = tolerance, .C = cost, .p = 0.1 };

    for (size_t i = 0; i < fit->n; i++) {
        if (fit->fold[i] == left_out) continue;
        rows[problem.l] = row_of(fit, i);
        targets[problem.l++] = fit->labels[i];
    }
    dlda_blas_begin();
    struct model *model = fit->train(&problem, &parameter);
    dlda_blas_end();
    take_weights(svm, model);
    free_and_destroy_model(&model);
}

/* ---- Prediction ---- */

static dlda_status create(size_t C, size_t K, dlda_svm **svm)
{
    dlda_status status = DLDA_OK;
    dlda_svm *self = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_multiply_sizes(C, K + 1, "SVM", &size));
    DLDA_TRY(DLDA_TAKE(&self, 1, "SVM"));
    self->C = C;
    self->K = K;
    DLDA_TRY(DLDA_TAKE(&self->centre, K, "SVM"));
    DLDA_TRY(DLDA_TAKE(&self->W, size, "SVM"));
    DLDA_TRY(DLDA_TAKE(&self->known, C, "SVM"));
    DLDA_TRY(DLDA_TAKE(&self->weights, C * K, "SVM"));
    DLDA_TRY(DLDA_TAKE(&self->intercepts, C, "SVM"));
    *svm = self;
    self = NULL;
done:
    dlda_svm_destroy(self);
    return status;
}

void dlda_svm_destroy(dlda_svm *self)
{
    if (!self) return;
    dlda_release(self->centre);
    dlda_release(self->W);
    dlda_release(self->known);
    dlda_release(self->weights);
    dlda_release(self->intercepts);
    dlda_release(self);
}

/* The class with the largest decision value for a centred row [K]. */
static int classify(const dlda_svm *self, const double *centred)
{
    double largest = -INFINITY;
    int best = 0;

    for (size_t c = 0; c < self->C; c++) {
        const double *w = self->W + c * (self->K + 1);
        double value = w[self->K];
        for (size_t k = 0; k < self->K; k++) value += w[k] * centred[k];
        if (!self->known[c] || value <= largest) continue;
        largest = value;
        best = (int)c;
    }
    return best;
}

size_t dlda_svm_features(const dlda_svm *self)
{
    return self ? self->K : 0;
}

size_t dlda_svm_classes(const dlda_svm *self)
{
    return self ? self->C : 0;
}

double dlda_svm_cost(const dlda_svm *self)
{
    return self ? self->cost : NAN;
}

double dlda_svm_accuracy(const dlda_svm *self)
{
    return self ? self->accuracy : NAN;
}

const double *dlda_svm_weights(const dlda_svm *self)
{
    return self ? self->weights : NULL;
}

const double *dlda_svm_intercepts(const dlda_svm *self)
{
    return self ? self->intercepts : NULL;
}

/* w'(z - centre) + offset = w'z + intercept. */
static void derive_weights(dlda_svm *self)
{
    for (size_t c = 0; c < self->C; c++) {
        const double *w = self->W + c * (self->K + 1);
        double intercept = self->known[c] ? w[self->K] : -INFINITY;
        for (size_t k = 0; k < self->K; k++) {
            self->weights[c * self->K + k] = w[k];
            intercept -= w[k] * self->centre[k];
        }
        self->intercepts[c] = intercept;
    }
}

static dlda_status check_finite(const float *Z, size_t n, size_t K)
{
    size_t bad = dlda_find_not_finite(Z, n * K);

    if (bad == n * K) return DLDA_OK;
    return dlda_fail(DLDA_E_NUMERIC, "SVM: row %zu, column %zu is %g, expected a finite value", bad / K, bad % K,
                     (double)Z[bad]);
}

dlda_status dlda_svm_predict(const dlda_svm *self, const float *Z, size_t n, int *labels)
{
    dlda_status status = DLDA_OK;
    double *centred = NULL;

    DLDA_NEED(self);
    if (n > 0) DLDA_NEED(Z, labels);
    DLDA_TRY(check_finite(Z, n, self->K));
    DLDA_TRY(DLDA_TAKE(&centred, self->K, "SVM"));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < self->K; k++) centred[k] = (double)Z[i * self->K + k] - self->centre[k];
        labels[i] = classify(self, centred);
    }
done:
    dlda_release(centred);
    return status;
}

/* ---- Fitting ---- */

static dlda_status check_rows(const fitting *fit, const float *Z)
{
    size_t others = 0;

    if (fit->n > INT_MAX / 2 || fit->K > INT_MAX / 2)
        return dlda_fail(DLDA_E_ARGUMENT, "SVM: %zu rows of %zu features are too many", fit->n, fit->K);
    if (fit->folds < 2 || fit->n < fit->folds)
        return dlda_fail(DLDA_E_ARGUMENT, "SVM: %zu folds for %zu rows, expected 2 or more, and no more than rows",
                         fit->folds, fit->n);
    if (fit->n_costs == 0) return dlda_fail(DLDA_E_ARGUMENT, "SVM: no cost to choose, expected one at least");
    for (size_t j = 0; j < fit->n_costs; j++)
        if (!(fit->costs[j] > 0 && isfinite(fit->costs[j])))
            return dlda_fail(DLDA_E_ARGUMENT, "SVM: cost %g, expected more than 0", fit->costs[j]);
    for (size_t i = 0; i < fit->n; i++) {
        if (fit->labels[i] < 0 || (size_t)fit->labels[i] >= fit->C)
            return dlda_fail(DLDA_E_ARGUMENT, "SVM: row %zu: label %d, expected 0 to %zu", i, fit->labels[i],
                             fit->C - 1);
        others += fit->labels[i] != fit->labels[0];
    }
    if (others == 0)
        return dlda_fail(DLDA_E_CLASS, "SVM: all %zu rows are of one class, expected at least two", fit->n);
    return check_finite(Z, fit->n, fit->K);
}

/* Centres the rows at their mean, stored in `centre`, and converts them to nodes. */
static void fill_nodes(fitting *fit, const float *Z, double *centre)
{
    size_t K = fit->K;

    for (size_t i = 0; i < fit->n; i++)
        for (size_t k = 0; k < K; k++) centre[k] += (double)Z[i * K + k];
    for (size_t k = 0; k < K; k++) centre[k] /= (double)fit->n;
    for (size_t i = 0; i < fit->n; i++) {
        struct feature_node *row = row_of(fit, i);
        for (size_t k = 0; k < K; k++)
            row[k] = (struct feature_node){ (int)k + 1, (double)Z[i * K + k] - centre[k] };
        row[K] = (struct feature_node){ (int)K + 1, 1 };
        row[K + 1] = (struct feature_node){ -1, 0 };
    }
}

static size_t count_right(const fitting *fit, const dlda_svm *svm, size_t fold, double *centred)
{
    size_t right = 0;

    for (size_t i = 0; i < fit->n; i++) {
        if (fit->fold[i] != fold) continue;
        for (size_t k = 0; k < fit->K; k++) centred[k] = row_of(fit, i)[k].value;
        right += classify(svm, centred) == fit->labels[i];
    }
    return right;
}

/* Item j * folds + f: trains with cost j and tests on fold f. */
static void try_cost(void *context, const dlda_chunk *chunk)
{
    const fitting *fit = context;

    for (size_t item = chunk->begin; item < chunk->end; item++) {
        dlda_svm *svm = fit->scratch[chunk->worker];
        size_t fold = item % fit->folds;
        learn(fit, chunk->worker, fold, fit->costs[item / fit->folds], svm);
        fit->right[item] = count_right(fit, svm, fold, svm->centre);
    }
}

static void choose_cost(const fitting *fit, dlda_svm *svm)
{
    size_t most = 0;

    svm->cost = INFINITY;
    for (size_t j = 0; j < fit->n_costs; j++) {
        size_t right = 0;
        for (size_t f = 0; f < fit->folds; f++) right += fit->right[j * fit->folds + f];
        if (right < most || (right == most && fit->costs[j] >= svm->cost)) continue;
        most = right;
        svm->cost = fit->costs[j];
    }
    svm->accuracy = (double)most / (double)fit->n;
}

static dlda_status take_arrays(fitting *fit)
{
    dlda_status status = DLDA_OK;
    size_t n_nodes = 0, n_rows = 0;

    DLDA_TRY(dlda_multiply_sizes(fit->n, fit->K + 2, "SVM rows", &n_nodes));
    DLDA_TRY(dlda_multiply_sizes(fit->n, fit->threads, "SVM rows", &n_rows));
    DLDA_TRY(DLDA_TAKE(&fit->nodes, n_nodes, "SVM rows"));
    DLDA_TRY(DLDA_TAKE(&fit->fold, fit->n, "SVM rows"));
    DLDA_TRY(DLDA_TAKE(&fit->right, fit->n_costs * fit->folds, "SVM rows"));
    DLDA_TRY(DLDA_TAKE(&fit->rows, n_rows, "SVM rows"));
    DLDA_TRY(DLDA_TAKE(&fit->targets, n_rows, "SVM rows"));
    DLDA_TRY(DLDA_TAKE(&fit->scratch, fit->threads, "SVM rows"));
    for (size_t t = 0; t < fit->threads; t++) DLDA_TRY(create(fit->C, fit->K, &fit->scratch[t]));
done:
    return status;
}

static void release_arrays(fitting *fit)
{
    for (size_t t = 0; fit->scratch && t < fit->threads; t++) dlda_svm_destroy(fit->scratch[t]);
    dlda_release(fit->scratch);
    dlda_release(fit->targets);
    dlda_release(fit->rows);
    dlda_release(fit->right);
    dlda_release(fit->fold);
    dlda_release(fit->nodes);
}

dlda_status dlda_svm_fit(const float *Z, const int *labels, size_t n, size_t features, size_t classes,
                         const dlda_svm_spec *spec, dlda_svm **svm)
{
    DLDA_NEED(Z, labels, spec, svm);
    static const double usual[DEFAULT_COSTS] = { 0x1p-8, 0x1p-6, 0x1p-4, 0x1p-2, 1, 4, 16, 64, 256 };
    dlda_status status = DLDA_OK;
    fitting fit = { .n = n,
                    .C = classes,
                    .K = features,
                    .labels = labels,
                    .folds = spec->folds ? spec->folds : DEFAULT_FOLDS,
                    .costs = spec->costs ? spec->costs : usual,
                    .n_costs = spec->costs ? spec->n_costs : DEFAULT_COSTS };
    dlda_team *team = NULL;
    dlda_svm *self = NULL;

    DLDA_TRY(check_rows(&fit, Z));
    find_train(&fit.train);
    DLDA_TRY(dlda_team_create(spec->threads, &team));
    fit.threads = dlda_team_threads(team);
    DLDA_TRY(take_arrays(&fit));
    DLDA_TRY(create(classes, features, &self));
    fill_nodes(&fit, Z, self->centre);
    DLDA_TRY(dlda_svm_folds(labels, n, classes, fit.folds, spec->seed, fit.fold));
    dlda_parallel_for(team, fit.n_costs * fit.folds, 1, try_cost, &fit);
    choose_cost(&fit, self);
    learn(&fit, 0, fit.folds, self->cost, self);
    derive_weights(self);
    *svm = self;
    self = NULL;
done:
    dlda_svm_destroy(self);
    release_arrays(&fit);
    dlda_team_destroy(team);
    return status;
}
