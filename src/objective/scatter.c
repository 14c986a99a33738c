/* SPDX-License-Identifier: MIT
 *
 * scatter.c - streaming, mergeable class sums (docs/method.md, steps 1 and 2).
 *
 * Sums of raw squares would lose all digits if the features share a large offset. So each portion of rows is
 * centred at its own class means, and moments around different means are combined by
 *     M = M1 + M2 + n1 n2 / (n1 + n2) (m1 - m2)(m1 - m2)'          (Chan, Golub, LeVeque 1979).
 *
 * A pooled scatter keeps a single M for all classes. Centring is still per class, but the products of a whole
 * portion are one call. The correction terms are collected as rows sqrt(n1 n2 / (n1 + n2)) (m1 - m2), and their products
 * are added when there are many of them.
 */
#include "objective/scatter.h"
#include "base/memory.h"
#include "base/number.h"
#include "kernels/kernels.h"
#include "linalg/gemm.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Portions of wide rows fill a cache, so that each product is large enough to be efficient. Narrow rows fit anyway;
 * 256 of them are enough. Pooled products take the rows of all classes at once: a smaller portion, which stays in the
 * second-level cache from the first pass to the last, and has several rows for each row of correction. */
static size_t portion_of(size_t classes, size_t features, int pooled)
{
    enum { NARROW = 32, LEAST = 256, VALUES = 1 << 17, POOLED_VALUES = 1 << 15, PER_CLASS = 16, PIECE = 64 };
    size_t most = features < NARROW || VALUES / features < LEAST ? LEAST : VALUES / features;
    size_t rows = POOLED_VALUES / features;

    if (!pooled) return most;
    if (rows < PER_CLASS * classes) rows = PER_CLASS * classes;
    if (rows > most) rows = most;
    return rows < LEAST ? LEAST : rows - rows % PIECE;
}

static dlda_status take_scratch(dlda_scatter *self)
{
    dlda_status status = DLDA_OK;
    size_t rows = (self->pooled ? 2 : 1) * self->portion, n_grouped = 0;

    DLDA_TRY(dlda_multiply_sizes(rows, self->D, "scatter rows", &n_grouped));
    DLDA_TRY(DLDA_TAKE(&self->start, self->C + 1, "scatter rows"));
    DLDA_TRY(DLDA_TAKE(&self->order, self->portion, "scatter rows"));
    DLDA_TRY(DLDA_TAKE(&self->grouped, n_grouped, "scatter rows"));
    DLDA_TRY(DLDA_TAKE(&self->shift, (self->pooled ? self->C : 1) * self->D, "scatter rows"));
done:
    return status;
}

dlda_status dlda_scatter_create_as(size_t classes, size_t features, int pooled, size_t portion,
                                   dlda_scatter **scatter)
{
    dlda_status status = DLDA_OK;
    dlda_scatter *self = NULL;
    size_t n_means = 0, n_moments = 0;

    if (classes < 1 || features < 1)
        DLDA_FAIL(DLDA_E_ARGUMENT, "scatter: %zu classes of %zu features, expected at least 1 of 1", classes,
                  features);
    DLDA_TRY(dlda_blas_reserve());
    DLDA_TRY(dlda_multiply_sizes(classes, features, "class means", &n_means));
    DLDA_TRY(dlda_multiply_sizes(pooled ? features : n_means, features, "class moments", &n_moments));
    DLDA_TRY(DLDA_TAKE(&self, 1, "scatter"));
    self->C = classes;
    self->D = features;
    self->pooled = pooled;
    self->portion = portion > 0 ? portion : portion_of(classes, features, pooled);
    DLDA_TRY(DLDA_TAKE(&self->counts, classes, "class counts"));
    DLDA_TRY(DLDA_TAKE(&self->means, n_means, "class means"));
    DLDA_TRY(DLDA_TAKE(&self->moments, n_moments, "class moments"));
    DLDA_TRY(take_scratch(self));
    *scatter = self;
    self = NULL;
done:
    dlda_scatter_destroy(self);
    return status;
}

dlda_status dlda_scatter_create(size_t classes, size_t features, dlda_scatter **scatter)
{
    DLDA_NEED(scatter);
    return dlda_scatter_create_as(classes, features, 0, 0, scatter);
}

dlda_status dlda_scatter_create_pooled(size_t classes, size_t features, dlda_scatter **scatter)
{
    DLDA_NEED(scatter);
    return dlda_scatter_create_as(classes, features, 1, 0, scatter);
}

void dlda_scatter_destroy(dlda_scatter *self)
{
    if (!self) return;
    dlda_release(self->counts);
    dlda_release(self->means);
    dlda_release(self->moments);
    dlda_release(self->start);
    dlda_release(self->order);
    dlda_release(self->grouped);
    dlda_release(self->shift);
    dlda_release(self);
}

/* The moments [D][D] that rows of class c are added to. */
static double *moments_of(const dlda_scatter *self, size_t c)
{
    return self->moments + (self->pooled ? 0 : c * self->D * self->D);
}

static size_t n_moments(const dlda_scatter *self)
{
    return (self->pooled ? 1 : self->C) * self->D * self->D;
}

void dlda_scatter_reset(dlda_scatter *self)
{
    memset(self->counts, 0, self->C * sizeof *self->counts);
    memset(self->means, 0, self->C * self->D * sizeof *self->means);
    memset(self->moments, 0, n_moments(self) * sizeof *self->moments);
}

/* ---- Adding rows ---- */

/* Updates count and mean of class c for n more rows with mean `mean`. */
static void move_mean(dlda_scatter *self, size_t c, size_t n, const double *mean)
{
    double *m = self->means + c * self->D, n1 = (double)self->counts[c], n2 = (double)n;

    for (size_t i = 0; i < self->D; i++) m[i] += (mean[i] - m[i]) * (n2 / (n1 + n2));
    self->counts[c] += n;
}

/* Merges n rows with mean `mean`, whose centred moments were already added, into class c. */
static void join_class(dlda_scatter *self, size_t c, size_t n, const double *mean)
{
    size_t D = self->D;
    double *m = self->means + c * D, *M = moments_of(self, c);
    double n1 = (double)self->counts[c], n2 = (double)n;
    double weight = n1 * n2 / (n1 + n2);

    for (size_t i = 0; i < D; i++) {
        double difference = weight * (mean[i] - m[i]);
        for (size_t j = 0; j < D; j++) M[i * D + j] += difference * (mean[j] - m[j]);
    }
    move_mean(self, c, n, mean);
}

/* Like join_class, but returns the correction as a row whose outer product is to be added to the moments. */
static void join_as_row(dlda_scatter *self, size_t c, size_t n, const double *mean, double *row)
{
    const double *m = self->means + c * self->D;
    double n1 = (double)self->counts[c], n2 = (double)n;
    double root = sqrt(n1 * n2 / (n1 + n2));

    for (size_t i = 0; i < self->D; i++) row[i] = root * (mean[i] - m[i]);
    move_mean(self, c, n, mean);
}

/* Copies rows order[0 .. n-1], all of one class, to `to` and centres them; `shift` receives their mean. */
static void centre_rows(dlda_scatter *self, const dlda_class_rows *rows, const size_t *order, size_t n, double *to)
{
    size_t D = self->D;
    double *restrict shift = self->shift;

    memset(shift, 0, D * sizeof *shift);
    for (size_t i = 0; i < n; i++) {
        double *restrict row = to + i * D;
        size_t at = dlda_row_at(rows, order[i]) * D;
        if (rows->doubles) memcpy(row, rows->doubles + at, D * sizeof *row);
        else
            for (size_t j = 0; j < D; j++) row[j] = rows->floats[at + j];
        for (size_t j = 0; j < D; j++) shift[j] += row[j];
    }
    for (size_t j = 0; j < D; j++) shift[j] /= (double)n;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < D; j++) to[i * D + j] -= shift[j];
}

/* Sorts rows first .. first+n-1 of the list by class, stably. */
static void sort_portion(dlda_scatter *self, const dlda_class_rows *rows, size_t first, size_t n)
{
    size_t *start = self->start;

    memset(start, 0, (self->C + 1) * sizeof *start);
    for (size_t i = first; i < first + n; i++) start[rows->labels[dlda_row_at(rows, i)] + 1]++;
    for (size_t c = 0; c < self->C; c++) start[c + 1] += start[c];
    /* Filling advances each start to the beginning of the next class; afterwards all are
     * shifted back by one class. */
    for (size_t i = first; i < first + n; i++) self->order[start[rows->labels[dlda_row_at(rows, i)]]++] = i;
    memmove(start + 1, start, self->C * sizeof *start);
    start[0] = 0;
}

/* Both triangles of S += X' X. */
static void add_products(size_t n, size_t D, const double *X, double *S)
{
    dlda_kernels_fast()->add_upper_products(n, D, X, S);
    dlda_double_mirror(D, S);
}

static void add_portion(dlda_scatter *self, const dlda_class_rows *rows, size_t first, size_t n)
{
    size_t D = self->D;

    sort_portion(self, rows, first, n);
    for (size_t c = 0; c < self->C; c++) {
        size_t begin = self->start[c], found = self->start[c + 1] - begin;
        if (found == 0) continue;
        centre_rows(self, rows, self->order + begin, found, self->grouped);
        add_products(found, D, self->grouped, moments_of(self, c));
        join_class(self, c, found, self->shift);
    }
}

static double *corrections_of(const dlda_scatter *self)
{
    return self->grouped + self->portion * self->D;
}

static void add_corrections(dlda_scatter *self)
{
    dlda_kernels_fast()->add_upper_products(self->joins, self->D, corrections_of(self), self->moments);
    self->joins = 0;
}

static void add_pooled_portion(dlda_scatter *self, const dlda_class_rows *rows, size_t first, size_t n)
{
    size_t D = self->D, most_joins = self->C < n ? self->C : n;

    if (self->joins + most_joins > self->portion) add_corrections(self);
    dlda_kernels_fast()->class_means(rows, first, n, self->C, D, self->start, self->shift);
    dlda_kernels_fast()->class_centre(rows, first, n, D, self->shift, self->grouped);
    dlda_kernels_fast()->add_upper_products(n, D, self->grouped, self->moments);
    for (size_t c = 0; c < self->C; c++)
        if (self->start[c] > 0)
            join_as_row(self, c, self->start[c], self->shift + c * D, corrections_of(self) + self->joins++ * D);
}

static void add_rows(dlda_scatter *self, const dlda_class_rows *rows, size_t n)
{
    for (size_t first = 0; first < n; first += self->portion)
        (self->pooled ? add_pooled_portion : add_portion)(self, rows, first,
                                                          n - first < self->portion ? n - first : self->portion);
    add_corrections(self);
}

static dlda_status check_labels(const dlda_scatter *self, const int *labels, size_t first, size_t n)
{
    for (size_t i = first; i < first + n; i++)
        if (labels[i] < 0 || (size_t)labels[i] >= self->C)
            return dlda_fail(DLDA_E_ARGUMENT, "row %zu: label %d, expected 0 to %zu", i, labels[i], self->C - 1);
    return DLDA_OK;
}

static dlda_status check_finite(const dlda_scatter *self, const dlda_row_block *rows, size_t first, size_t n)
{
    size_t D = self->D, at = first * D;
    assert(rows->doubles || rows->floats);
    size_t bad = rows->doubles ? dlda_find_not_finite_double(rows->doubles + at, n * D)
                               : dlda_find_not_finite(rows->floats + at, n * D);

    if (bad == n * D) return DLDA_OK;
    double value = rows->doubles ? rows->doubles[at + bad] : (double)rows->floats[at + bad];
    return dlda_fail(DLDA_E_NUMERIC, "features: row %zu, column %zu is %g, expected a finite value",
                     first + bad / D, bad % D, value);
}

/* Rows first .. first+n-1 of a block. */
static dlda_class_rows part_of(const dlda_scatter *self, const dlda_row_block *rows, size_t first)
{
    return (dlda_class_rows){ .labels = rows->labels + first,
                              .floats = rows->floats ? rows->floats + first * self->D : NULL,
                              .doubles = rows->doubles ? rows->doubles + first * self->D : NULL };
}

dlda_status dlda_scatter_add_range(dlda_scatter *self, const dlda_row_block *rows, size_t first, size_t n)
{
    dlda_status status = check_labels(self, rows->labels, first, n);
    dlda_class_rows list = part_of(self, rows, first);

    if (status == DLDA_OK) status = check_finite(self, rows, first, n);
    if (status == DLDA_OK) add_rows(self, &list, n);
    return status;
}

dlda_status dlda_scatter_add_new(dlda_scatter *self, const dlda_row_block *rows, size_t first, size_t n)
{
    dlda_status status = check_labels(self, rows->labels, first, n);
    dlda_class_rows list = part_of(self, rows, first);
    size_t n_means = self->C * self->D;

    if (status != DLDA_OK) return status;
    add_rows(self, &list, n);
    return dlda_find_not_finite_double(self->means, n_means) == n_means ? DLDA_OK
                                                                        : check_finite(self, rows, first, n);
}

dlda_status dlda_scatter_add_double(dlda_scatter *self, const double *H, const int *labels, size_t n)
{
    DLDA_NEED(self);
    if (n == 0) return DLDA_OK;
    DLDA_NEED(H, labels);
    return dlda_scatter_add_range(self, &(dlda_row_block){ .doubles = H, .labels = labels }, 0, n);
}

dlda_status dlda_scatter_add(dlda_scatter *self, const float *H, const int *labels, size_t n)
{
    DLDA_NEED(self);
    if (n == 0) return DLDA_OK;
    DLDA_NEED(H, labels);
    return dlda_scatter_add_range(self, &(dlda_row_block){ .floats = H, .labels = labels }, 0, n);
}

void dlda_scatter_add_chosen(dlda_scatter *self, const float *H, const int *labels, const size_t *index, size_t n)
{
    add_rows(self, &(dlda_class_rows){ .floats = H, .labels = labels, .index = index }, n);
}

dlda_status dlda_scatter_merge(dlda_scatter *self, const dlda_scatter *other)
{
    DLDA_NEED(self, other);
    if (self->C != other->C || self->D != other->D)
        return dlda_fail(DLDA_E_SHAPE, "scatter merge: %zu classes of %zu features, expected %zu of %zu", other->C,
                         other->D, self->C, self->D);
    if (self->pooled != other->pooled)
        return dlda_fail(DLDA_E_SHAPE, "scatter merge: one is pooled and one is not, expected the same kind");
    for (size_t i = 0; i < n_moments(self); i++) self->moments[i] += other->moments[i];
    for (size_t c = 0; c < self->C; c++)
        if (other->counts[c] > 0) join_class(self, c, other->counts[c], other->means + c * self->D);
    return DLDA_OK;
}

/* ---- Sums as one array ---- */

size_t dlda_scatter_sums_size(const dlda_scatter *self)
{
    return self ? self->C + self->C * self->D + n_moments(self) : 0;
}

void dlda_scatter_export_sums(const dlda_scatter *self, double *sums)
{
    if (!self || !sums) return;
    size_t C = self->C, n_means = C * self->D;

    for (size_t c = 0; c < C; c++) sums[c] = (double)self->counts[c];
    memcpy(sums + C, self->means, n_means * sizeof *sums);
    memcpy(sums + C + n_means, self->moments, n_moments(self) * sizeof *sums);
}

/* Counts must be whole, all values finite, no sum of squares negative. */
static dlda_status check_sums(const dlda_scatter *self, const double *sums, size_t size)
{
    const double most = 9007199254740992.0; /* doubles are exact up to here */
    size_t C = self->C, D = self->D, before = C + C * D;

    assert(D != 0);
    if (size != dlda_scatter_sums_size(self))
        return dlda_fail(DLDA_E_SHAPE, "scatter merge: %zu sums, expected %zu for %zu classes of %zu features%s",
                         size, dlda_scatter_sums_size(self), C, D, self->pooled ? ", pooled" : "");
    for (size_t i = 0; i < size; i++)
        if (!isfinite(sums[i]) || (i < C && (sums[i] < 0 || sums[i] > most || sums[i] != floor(sums[i]))))
            return dlda_fail(DLDA_E_NUMERIC, "scatter merge: value %zu is %g, expected %s", i, sums[i],
                             i < C ? "a count of rows" : "a finite value");
    for (size_t i = before; i < size; i++)
        if ((i - before) / D % D == (i - before) % D && sums[i] < 0) /* on the diagonal */
            return dlda_fail(DLDA_E_NUMERIC,
                             "scatter merge: value %zu, a sum of squares, is %g, expected 0 or more", i, sums[i]);
    return DLDA_OK;
}

dlda_status dlda_scatter_merge_sums(dlda_scatter *self, const double *sums, size_t size)
{
    DLDA_NEED(self, sums);
    dlda_status status = check_sums(self, sums, size);
    const double *means = sums + self->C, *moments = means + self->C * self->D;

    if (status != DLDA_OK) return status;
    for (size_t i = 0; i < n_moments(self); i++) self->moments[i] += moments[i];
    for (size_t c = 0; c < self->C; c++)
        if (sums[c] > 0) join_class(self, c, (size_t)sums[c], means + c * self->D);
    return DLDA_OK;
}

/* ---- Sums over ranks ---- */

/* Moves the moments of class c, of n rows with this rank's mean, to another centre. */
static void recentre(dlda_scatter *self, size_t c, const double *centre)
{
    size_t D = self->D;
    const double *m = self->means + c * D;
    double *M = moments_of(self, c), n = (double)self->counts[c];

    for (size_t i = 0; i < D; i++) {
        double difference = n * (m[i] - centre[i]);
        for (size_t j = 0; j < D; j++) M[i * D + j] += difference * (m[j] - centre[j]);
    }
}

/* Counts and class means first; then each rank moves its moments to the common means, around which they can be added. */
dlda_status dlda_scatter_sum(dlda_scatter *self, const dlda_comm *comm)
{
    dlda_status status = DLDA_OK;
    size_t C = self->C, D = self->D;
    double *counts = NULL;

    if (dlda_comm_size(comm) == 1) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&counts, C + C * D, "sums over ranks"));
    double *means = counts + C;
    for (size_t c = 0; c < C; c++) {
        counts[c] = (double)self->counts[c];
        for (size_t i = 0; i < D; i++) means[c * D + i] = counts[c] * self->means[c * D + i];
    }
    DLDA_TRY(dlda_comm_sum(comm, counts, C + C * D));
    for (size_t c = 0; c < C; c++) {
        for (size_t i = 0; counts[c] > 0 && i < D; i++) means[c * D + i] /= counts[c];
        if (self->counts[c] > 0) recentre(self, c, means + c * D);
        self->counts[c] = (size_t)counts[c];
    }
    memcpy(self->means, means, C * D * sizeof *means);
    DLDA_TRY(dlda_comm_sum(comm, self->moments, n_moments(self)));
done:
    dlda_release(counts);
    return status;
}

/* ---- The matrices ---- */

size_t dlda_scatter_rows(const dlda_scatter *self)
{
    size_t rows = 0;
    for (size_t c = 0; c < self->C; c++) rows += self->counts[c];
    return rows;
}

size_t dlda_scatter_usable(const dlda_scatter *self)
{
    size_t usable = 0;
    for (size_t c = 0; c < self->C; c++) usable += self->counts[c] >= 2;
    return usable;
}

/* Appends "class 'cat' has 1 sample"; nothing if that does not fit. */
static void append_count(char *list, size_t room, const char *name, size_t count)
{
    size_t used = strlen(list);
    int length = snprintf(list + used, room - used, "%sclass '%s' has %zu sample%s", used ? ", " : "", name, count,
                          count == 1 ? "" : "s");

    if ((size_t)length >= room - used) list[used] = '\0';
}

dlda_status dlda_check_class_counts(const size_t *counts, size_t classes, dlda_class_name_fn *name, const void *set)
{
    size_t usable = 0;
    char list[512] = "", number[24];

    for (size_t c = 0; c < classes; c++) usable += counts[c] >= 2;
    if (usable >= 2) return DLDA_OK;
    for (size_t c = 0; c < classes; c++) {
        snprintf(number, sizeof number, "%zu", c);
        if (counts[c] > 0) append_count(list, sizeof list, name ? name(set, c) : number, counts[c]);
    }
    return dlda_fail(DLDA_E_CLASS, "LDA needs at least two classes with two samples each; found %zu of %zu (%s)",
                     usable, classes, list[0] ? list : "no samples at all");
}

dlda_status dlda_scatter_check(const dlda_scatter *self)
{
    return dlda_check_class_counts(self->counts, self->C, NULL, NULL);
}

static void overall_mean(const dlda_scatter *self, double *m)
{
    double N = (double)dlda_scatter_rows(self);

    memset(m, 0, self->D * sizeof *m);
    for (size_t c = 0; c < self->C; c++)
        for (size_t i = 0; i < self->D; i++) m[i] += self->means[c * self->D + i] * ((double)self->counts[c] / N);
}

/* Sw += M_c / (C'(N_c - 1)) for a usable class; St += (M_c + N_c (m_c - m)(m_c - m)') / (N - 1). */
static void add_class_to_matrices(const dlda_scatter *self, size_t c, const double *m, double *Sw, double *St)
{
    size_t D = self->D, n = self->counts[c];
    const double *mean = self->means + c * D, *M = self->moments + c * D * D;
    double within = n >= 2 ? 1 / ((double)dlda_scatter_usable(self) * (double)(n - 1)) : 0;
    double total = 1 / ((double)dlda_scatter_rows(self) - 1);

    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            Sw[i * D + j] += within * M[i * D + j];
            St[i * D + j] += total * (M[i * D + j] + (double)n * (mean[i] - m[i]) * (mean[j] - m[j]));
        }
}

/* St += N_c (m_c - m)(m_c - m)' / (N - 1) for each class. */
static void add_means_to_total(const dlda_scatter *self, const double *m, double *St)
{
    size_t D = self->D;
    double total = 1 / ((double)dlda_scatter_rows(self) - 1);

    for (size_t c = 0; c < self->C; c++) {
        const double *mean = self->means + c * D;
        double weight = total * (double)self->counts[c];
        if (self->counts[c] == 0) continue;
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < D; j++) St[i * D + j] += weight * (mean[i] - m[i]) * (mean[j] - m[j]);
    }
}

/* Sw = M / sum of (N_c - 1) over the usable classes; the others have zero moments. */
static void pooled_matrices(const dlda_scatter *self, const double *m, double *Sw, double *St)
{
    size_t D = self->D, rows = dlda_scatter_rows(self), freedom = 0;

    for (size_t c = 0; c < self->C; c++) freedom += self->counts[c] >= 2 ? self->counts[c] - 1 : 0;
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double moment = i < j ? self->moments[i * D + j] : self->moments[j * D + i];
            Sw[i * D + j] = moment / (double)freedom;
            St[i * D + j] = moment / ((double)rows - 1);
        }
    add_means_to_total(self, m, St);
}

dlda_status dlda_scatter_matrices(const dlda_scatter *self, double *Sw, double *Sb, double *m)
{
    size_t square = self->D * self->D;
    dlda_status status = dlda_scatter_check(self);

    if (status != DLDA_OK) return status;
    overall_mean(self, m);
    memset(Sw, 0, square * sizeof *Sw);
    memset(Sb, 0, square * sizeof *Sb);
    if (self->pooled) pooled_matrices(self, m, Sw, Sb);
    for (size_t c = 0; !self->pooled && c < self->C; c++)
        if (self->counts[c] > 0) add_class_to_matrices(self, c, m, Sw, Sb);
    for (size_t i = 0; i < square; i++) Sb[i] -= Sw[i];
    return DLDA_OK;
}
