/* SPDX-License-Identifier: MIT
 *
 * feature_table.c - tables of labelled rows in .npy, .npz and CSV files. They are read in blocks, so they
 * may be larger than memory.
 *
 * A first pass counts the rows and collects the classes; then the rows can be read repeatedly. Arrays of more than
 * two dimensions are flattened to one row per first index. Numbers are not scaled; in particular bytes are not
 * divided by 255, unlike those of images.
 */
#include "dataset/feature_table.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "dataset/array.h"
#include "dataset/csv.h"
#include "dataset/npz.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct dlda_table {
    size_t rows, features;
    size_t read;                 /* rows of arrays read since the last rewind */
    size_t all_rows, incomplete; /* rows of arrays, and those with missing numbers */
    dlda_missing missing;
    int surveyed;                   /* the rows with missing numbers were counted */
    double *means;                  /* [features] of an array with missing numbers; NULL: left as NaN */
    const dlda_class_list *classes; /* NULL: an array without labels */
    /* CSV: */
    dlda_csv *csv;
    /* or two arrays: */
    dlda_array X, y;
    dlda_class_list *list;
    int converts;      /* the elements are not native floats           */
    uint8_t *elements; /* [room][features]: elements before conversion */
    size_t room;
};

void dlda_table_destroy(dlda_table *self)
{
    if (!self) return;
    dlda_csv_destroy(self->csv);
    dlda_array_close(&self->X);
    dlda_array_close(&self->y);
    dlda_class_list_destroy(self->list);
    dlda_release(self->elements);
    dlda_release(self->means);
    dlda_release(self);
}

/* ---- Opening ---- */

static dlda_status collect_classes(dlda_table *self)
{
    enum { PORTION = 4096 };
    dlda_status status = DLDA_OK;
    int numbers[PORTION];

    DLDA_TRY(dlda_class_list_create(self->y.name, &self->list));
    for (size_t first = 0; first < self->all_rows; first += PORTION) {
        size_t n = self->all_rows - first < PORTION ? self->all_rows - first : PORTION;
        DLDA_TRY(dlda_array_add_labels(&self->y, n, self->list, numbers));
    }
    DLDA_TRY(dlda_class_list_sort(self->list));
    self->classes = self->list;
done:
    return status;
}

/* Counts the rows with missing numbers and finds the means of the others. */
static dlda_status survey(dlda_table *self, const dlda_table_spec *spec)
{
    enum { BLOCK = 256 };
    dlda_status status = DLDA_OK;
    float *X = NULL;
    double *means = NULL;
    size_t *counts = NULL, n = 0, left_out = 0;
    int labels[BLOCK];

    self->missing = spec->missing;
    if (spec->missing == DLDA_MISSING_REFUSE) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&X, BLOCK * self->features, self->X.name));
    DLDA_TRY(DLDA_TAKE(&means, self->features, self->X.name));
    DLDA_TRY(DLDA_TAKE(&counts, self->features, self->X.name));
    do {
        DLDA_TRY(dlda_table_next(self, NULL, BLOCK, X, labels, &n));
        left_out += n;
        for (size_t i = 0; i < n * self->features; i++)
            if (!isnan(X[i]))
                means[i % self->features] += ((double)X[i] - means[i % self->features]) /
                                             (double)++counts[i % self->features];
    } while (n > 0);
    if (spec->missing == DLDA_MISSING_DROP) self->rows = left_out;
    if (self->rows == 0) DLDA_FAIL(DLDA_E_NUMERIC, "%s: every row has missing numbers", self->X.name);
    const dlda_lda_view *view = dlda_lda_view_of(spec->lda);
    if (view && view->features == self->features) memcpy(means, view->mean, self->features * sizeof *means);
    if (spec->missing == DLDA_MISSING_MEAN) self->means = means, means = NULL;
    self->surveyed = 1;
    DLDA_TRY(dlda_table_rewind(self));
done:
    dlda_release(X);
    dlda_release(means);
    dlda_release(counts);
    return status;
}

static dlda_status understand_arrays(dlda_table *self, const dlda_table_spec *spec, int has_labels)
{
    dlda_status status = DLDA_OK;
    const dlda_npy *npy = &self->X.npy;

    if (npy->kind != 'f' && !dlda_npy_is_whole(npy))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: features of type %s, expected numbers", self->X.name, dlda_npy_type(npy));
    if (npy->n_dimensions < 2)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu dimensions, expected N x D; for one feature, x.reshape(-1, 1)",
                  self->X.name, npy->n_dimensions);
    self->rows = self->all_rows = npy->dimension[0];
    self->features = npy->count / self->rows;
    self->converts = npy->kind != 'f' || npy->item != 4 || npy->swapped;
    if (has_labels) {
        DLDA_TRY(dlda_array_check_labels(&self->y, self->rows, self->X.name));
        DLDA_TRY(collect_classes(self));
    }
    DLDA_TRY(dlda_table_rewind(self));
    DLDA_TRY(survey(self, spec));
done:
    return status;
}

static dlda_status open_npy(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    char *beside = NULL;

    if (!spec->labels) status = dlda_npy_labels_beside(spec->path, &beside);
    int has_labels = status == DLDA_OK;
    if ((spec->features == 0 && !spec->lda) || status != DLDA_E_IO) DLDA_TRY(status);
    DLDA_TRY(dlda_array_open(spec->path, NULL, &self->X));
    if (has_labels) DLDA_TRY(dlda_array_open(spec->labels ? spec->labels : beside, NULL, &self->y));
    DLDA_TRY(understand_arrays(self, spec, has_labels));
done:
    dlda_release(beside);
    return status;
}

static dlda_status open_npz(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    dlda_zip *zip = NULL;
    dlda_npz_names names = { 0 };

    DLDA_TRY(dlda_zip_open(spec->path, &zip));
    status = dlda_npz_find(spec->path, zip, DLDA_PART_TRAIN, &names);
    if ((spec->features == 0 && !spec->lda) || !names.images || names.labels) DLDA_TRY(status);
    DLDA_TRY(dlda_array_open(spec->path, names.images, &self->X));
    if (names.labels) DLDA_TRY(dlda_array_open(spec->path, names.labels, &self->y));
    DLDA_TRY(understand_arrays(self, spec, names.labels != NULL));
done:
    dlda_zip_destroy(zip);
    return status;
}

/* The features of an LDA; NULL if it has no names. */
static dlda_status list_features(const dlda_lda *lda, dlda_feature **list, size_t *count)
{
    dlda_status status = DLDA_OK;

    *count = dlda_lda_feature(lda, 0) ? dlda_lda_features(lda) : 0;
    if (*count == 0) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(list, *count, "feature names"));
    for (size_t j = 0; j < *count; j++) (*list)[j] = *dlda_lda_feature(lda, j);
done:
    return status;
}

static dlda_status open_csv(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    dlda_feature *features = NULL;
    dlda_csv_spec csv = { .path = spec->path,
                          .name = spec->name,
                          .label = spec->label,
                          .unlabelled = spec->lda ? dlda_lda_features(spec->lda) : spec->features,
                          .for_lda = 1,
                          .drop = spec->drop,
                          .categories = spec->categories,
                          .keep = spec->keep,
                          .missing = spec->missing };

    if (spec->lda) csv.means = dlda_lda_view_of(spec->lda)->mean, csv.n_means = csv.unlabelled;
    DLDA_TRY(list_features(spec->lda, &features, &csv.n_features));
    csv.features = features;
    DLDA_TRY(dlda_csv_open(&csv, &self->csv));
    self->rows = dlda_csv_rows(self->csv);
    self->features = dlda_csv_features(self->csv);
    self->classes = dlda_csv_classes(self->csv);
    self->incomplete = dlda_csv_incomplete(self->csv);
    self->missing = spec->missing;
done:
    dlda_release(features);
    return status;
}

static dlda_status refuse_lists(const dlda_table_spec *spec)
{
    const char *lists[] = { spec->drop, spec->categories, spec->keep };
    static const char *const names[] = { "drop", "categories", "keep" };

    for (size_t i = 0; i < 3; i++)
        if (lists[i] && lists[i][0])
            return dlda_fail(DLDA_E_OPTION, "option %s: %s is an array, expected a CSV table", names[i],
                             spec->path);
    return DLDA_OK;
}

static dlda_status open_any(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    uint8_t start[16] = { 0 };
    size_t n = 0;

    DLDA_TRY(dlda_file_read_start(spec->path, sizeof start, start, &n));
    if (spec->name && (dlda_starts_npy(start, n) || dlda_starts_zip(start, n)))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: a NumPy file, expected a CSV table", spec->name);
    if (dlda_starts_npy(start, n) || dlda_starts_zip(start, n)) DLDA_TRY(refuse_lists(spec));
    if (dlda_starts_npy(start, n)) return open_npy(spec, self);
    if (spec->labels)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: has its labels in itself, expected no %s; only an .npy file takes one",
                  spec->name ? spec->name : spec->path, spec->labels);
    if (dlda_starts_zip(start, n)) return open_npz(spec, self);
    if (spec->name || dlda_is_csv(spec->path, start, n)) return open_csv(spec, self);
    DLDA_FAIL(DLDA_E_FORMAT, "%s: not a table that is known, expected an .npy or .npz file or CSV", spec->path);
done:
    return status;
}

dlda_status dlda_table_open(const dlda_table_spec *spec, dlda_table **table)
{
    dlda_status status = DLDA_OK;
    dlda_table *self = NULL;

    DLDA_NEED(spec, table);
    DLDA_NEED(spec->path);
    DLDA_TRY(DLDA_TAKE(&self, 1, "table"));
    DLDA_TRY(open_any(spec, self));
    *table = self;
    self = NULL;
done:
    dlda_table_destroy(self);
    return status;
}

size_t dlda_table_rows(const dlda_table *self)
{
    return self ? self->rows : 0;
}

size_t dlda_table_features(const dlda_table *self)
{
    return self ? self->features : 0;
}

size_t dlda_table_classes(const dlda_table *self)
{
    return self && self->classes ? dlda_class_list_count(self->classes) : 0;
}

const char *dlda_table_class_name(const dlda_table *self, size_t label)
{
    return label < dlda_table_classes(self) ? dlda_class_list_names(self->classes)[label] : NULL;
}

const dlda_feature *dlda_table_feature(const dlda_table *self, size_t j)
{
    return self && self->csv ? dlda_csv_feature(self->csv, j) : NULL;
}

size_t dlda_table_columns(const dlda_table *self)
{
    return self && self->csv ? dlda_csv_columns(self->csv) : 0;
}

const char *dlda_table_column_name(const dlda_table *self, size_t i)
{
    return self && self->csv ? dlda_csv_column_name(self->csv, i) : NULL;
}

size_t dlda_table_label_column(const dlda_table *self)
{
    if (!self || !self->csv || dlda_csv_label(self->csv) == dlda_csv_columns(self->csv)) return 0;
    return dlda_csv_label(self->csv) + 1;
}

int dlda_table_uses_column(const dlda_table *self, size_t i)
{
    return self && self->csv && dlda_csv_uses(self->csv, i);
}

size_t dlda_table_incomplete_rows(const dlda_table *self)
{
    return self ? self->incomplete : 0;
}

int dlda_table_completes(const dlda_table *self)
{
    return self && self->missing == DLDA_MISSING_MEAN;
}

/* ---- Rows ---- */

dlda_status dlda_table_rewind(dlda_table *self)
{
    dlda_status status = DLDA_OK;

    DLDA_NEED(self);
    self->read = 0;
    if (self->csv) return dlda_csv_rewind(self->csv);
    DLDA_TRY(dlda_array_rewind(&self->X));
    if (self->classes) DLDA_TRY(dlda_array_rewind(&self->y));
done:
    return status;
}

/* Conversion of elements to floats, by threads. */
typedef struct conversion {
    const dlda_npy *npy;
    const uint8_t *elements; /* [n][features]; NULL: X already holds the floats */
    float *X;                /* [n][features]                                   */
    size_t features;
    int may_miss;            /* NaN is allowed                              */
    atomic_size_t first_bad; /* index of the first value that is not finite */
} conversion;

static size_t find_infinite(const float *X, size_t n)
{
    size_t i = 0;

    while (i < n && !isinf(X[i])) i++;
    return i;
}

static void convert_rows(void *context, const dlda_chunk *chunk)
{
    conversion *job = context;
    size_t first = chunk->begin * job->features, n = (chunk->end - chunk->begin) * job->features;

    if (job->elements) dlda_npy_to_floats(job->npy, job->elements + first * job->npy->item, n, job->X + first);
    size_t bad = job->may_miss ? find_infinite(job->X + first, n) : dlda_find_not_finite(job->X + first, n),
           least = atomic_load(&job->first_bad);
    if (bad == n) return;
    while (first + bad < least && !atomic_compare_exchange_weak(&job->first_bad, &least, first + bad)) {}
}

/* Reads the next elements: floats to X, others to self->elements. */
static dlda_status get_elements(dlda_table *self, size_t rows, float *X)
{
    dlda_status status = DLDA_OK;
    const dlda_npy *npy = &self->X.npy;

    if (!self->converts) return dlda_array_get(&self->X, rows * self->features, X);
    if (self->room < rows) {
        DLDA_TRY(DLDA_ENLARGE(&self->elements, 0, rows * self->features * npy->item, self->X.name));
        self->room = rows;
    }
    DLDA_TRY(dlda_array_get(&self->X, rows * self->features, self->elements));
done:
    return status;
}

static dlda_status get_floats(dlda_table *self, dlda_team *team, size_t first, size_t rows, float *X)
{
    enum { GRAIN = 64 };
    dlda_status status = DLDA_OK;
    conversion job = {
        .npy = &self->X.npy, .X = X, .features = self->features, .may_miss = self->missing != DLDA_MISSING_REFUSE
    };

    DLDA_TRY(get_elements(self, rows, X));
    if (self->converts) job.elements = self->elements;
    atomic_init(&job.first_bad, rows * self->features);
    dlda_parallel_for(team, rows, GRAIN, convert_rows, &job);
    size_t bad = atomic_load(&job.first_bad);
    if (bad < rows * self->features)
        DLDA_FAIL(DLDA_E_NUMERIC, "%s: row %zu, column %zu is %g, expected a finite number (both from 0)%s",
                  self->X.name, first + bad / self->features, bad % self->features, (double)X[bad],
                  isnan(X[bad])
                      ? "; option missing=drop leaves out such rows, option missing=mean uses the mean of "
                        "the column"
                      : "");
done:
    return status;
}

/* Leaves out rows with missing numbers, or completes them. Until the survey has the means, they stay NaN. */
static void handle_missing(dlda_table *self, float *X, int *labels, size_t *n)
{
    size_t left = 0, D = self->features;

    for (size_t i = 0; i < *n; i++) {
        int missing = 0;
        for (size_t j = 0; j < D; j++) {
            float *value = &X[i * D + j];
            missing |= isnan(*value);
            if (isnan(*value) && self->means) *value = (float)self->means[j];
        }
        self->incomplete += missing && !self->surveyed;
        if (missing && self->missing == DLDA_MISSING_DROP) continue;
        if (left < i) memcpy(X + left * D, X + i * D, D * sizeof *X);
        labels[left++] = labels[i];
    }
    *n = left;
}

dlda_status dlda_table_next(dlda_table *self, dlda_team *team, size_t most, float *X, int *labels, size_t *n)
{
    dlda_status status = DLDA_OK;

    if (self->csv) return dlda_csv_next(self->csv, team, most, X, labels, n); /* CSV numbers are always finite */
    do {
        size_t left = self->all_rows - self->read;
        *n = left < most ? left : most;
        if (*n == 0) return DLDA_OK;
        DLDA_TRY(get_floats(self, team, self->read, *n, X));
        if (self->classes) DLDA_TRY(dlda_array_get_classes(&self->y, *n, self->classes, labels));
        else memset(labels, -1, *n * sizeof *labels);
        self->read += *n;
        if (self->missing != DLDA_MISSING_REFUSE) handle_missing(self, X, labels, n);
    } while (*n == 0);
done:
    return status;
}

dlda_status dlda_table_read(dlda_table *self, size_t most, float *X, int *labels, size_t *n)
{
    dlda_status status = DLDA_OK;
    int *unwanted = NULL;

    DLDA_NEED(self, X, n);
    if (most == 0) DLDA_FAIL(DLDA_E_ARGUMENT, "table: 0 rows to read, expected 1 or more");
    if (most > self->rows) most = self->rows;
    if (!labels) DLDA_TRY(DLDA_TAKE(&unwanted, most, "labels"));
    DLDA_TRY(dlda_table_next(self, NULL, most, X, labels ? labels : unwanted, n));
done:
    dlda_release(unwanted);
    return status;
}
