/* SPDX-License-Identifier: MIT
 *
 * array_table.c - tables of labelled rows in .npy and .npz files, one or several.
 *
 * One file is open at a time. A first pass counts the rows and collects the classes; then the rows can be read repeatedly.
 * Blocks of rows continue from one file to the next, so they are those of one file with all rows. Arrays of more than two
 * dimensions are flattened to one row per first index. Numbers are not scaled; in particular bytes are not divided by 255,
 * unlike those of images.
 */
#include "dataset/array_table.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/number.h"
#include "dataset/array.h"
#include "dataset/npz.h"
#include "dataset/table_share.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

struct dlda_array_table {
    const char *const *files; /* [n_files] */
    size_t n_files;
    const char *labels; /* of the only file, while it is opened; NULL: beside it */
    enum { LABELS_REQUIRED, LABELS_OPTIONAL, LABELS_NONE } wanted;
    const dlda_comm *comm;
    dlda_file_share share; /* of this rank                                       */
    size_t rows, features; /* rows: of this rank, without those left out         */
    size_t incomplete;     /* rows with missing numbers                          */
    dlda_missing missing;
    int surveyed;          /* the rows with missing numbers were counted         */
    double *means;         /* [features] of a table with missing numbers; NULL: left as NaN */
    dlda_class_list *list; /* NULL: no labels                                    */
    size_t *class_rows;    /* [classes]                                          */
    size_t *file_rows;     /* [n_files]: of this rank, with those left out        */
    /* the open file */
    dlda_array X, y;
    size_t file;       /* n_files: none                                      */
    size_t next, end;  /* rows of it that are yet to be read                 */
    int converts;      /* the elements are not native floats                 */
    uint8_t *elements; /* [room]: bytes of elements before conversion        */
    size_t room;
};

static void close_file(dlda_array_table *self)
{
    dlda_array_close(&self->X);
    dlda_array_close(&self->y);
    self->file = self->n_files;
}

void dlda_array_table_destroy(dlda_array_table *self)
{
    if (!self) return;
    close_file(self);
    dlda_class_list_destroy(self->list);
    dlda_release(self->class_rows);
    dlda_release(self->file_rows);
    dlda_release(self->elements);
    dlda_release(self->means);
    dlda_release(self);
}

/* ---- One file ---- */

static dlda_status open_npy(dlda_array_table *self, const char *path)
{
    dlda_status status = DLDA_OK;
    char *beside = NULL;

    if (self->wanted != LABELS_NONE && !self->labels) {
        status = dlda_npy_labels_beside(path, &beside);
        if (self->wanted == LABELS_OPTIONAL && status == DLDA_E_IO) self->wanted = LABELS_NONE;
        else DLDA_TRY(status);
    }
    DLDA_TRY(dlda_array_open(path, NULL, &self->X));
    if (self->wanted != LABELS_NONE)
        DLDA_TRY(dlda_array_open(self->labels ? self->labels : beside, NULL, &self->y));
done:
    dlda_release(beside);
    return status;
}

static dlda_status open_npz(dlda_array_table *self, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_zip *zip = NULL;
    dlda_npz_names names = { 0 };

    DLDA_TRY(dlda_zip_open(path, &zip));
    status = dlda_npz_find(path, zip, DLDA_PART_TRAIN, &names);
    if (self->wanted == LABELS_REQUIRED || !names.images || names.labels) DLDA_TRY(status);
    DLDA_TRY(dlda_array_open(path, names.images, &self->X));
    if (!names.labels) self->wanted = LABELS_NONE;
    if (self->wanted != LABELS_NONE) DLDA_TRY(dlda_array_open(path, names.labels, &self->y));
done:
    dlda_zip_destroy(zip);
    return status;
}

static dlda_status check_arrays(dlda_array_table *self)
{
    dlda_status status = DLDA_OK;
    const dlda_npy *npy = &self->X.npy;

    if (npy->kind != 'f' && !dlda_npy_is_whole(npy))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: features of type %s, expected numbers", self->X.name, dlda_npy_type(npy));
    if (npy->n_dimensions < 2)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu dimensions, expected N x D; for one feature, x.reshape(-1, 1)",
                  self->X.name, npy->n_dimensions);
    size_t rows = npy->dimension[0], features = npy->count / rows;
    if (self->features > 0 && features != self->features)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu features, expected %zu as in %s", self->X.name, features, self->features,
                  self->files[0]);
    self->features = features;
    self->converts = npy->kind != 'f' || npy->item != 4 || npy->swapped;
    if (self->wanted != LABELS_NONE) DLDA_TRY(dlda_array_check_labels(&self->y, rows, self->X.name));
done:
    return status;
}

static dlda_status open_file(dlda_array_table *self, size_t file)
{
    dlda_status status = DLDA_OK;
    const char *path = self->files[file];
    uint8_t start[16] = { 0 };
    size_t n = 0;

    close_file(self);
    DLDA_TRY(dlda_file_read_start(path, sizeof start, start, &n));
    if (dlda_starts_npy(start, n)) DLDA_TRY(open_npy(self, path));
    else if (dlda_starts_zip(start, n)) DLDA_TRY(open_npz(self, path));
    else DLDA_FAIL(DLDA_E_FORMAT, "%s: expected an .npy or .npz file as %s", path, self->files[0]);
    DLDA_TRY(check_arrays(self));
    self->file = file;
done:
    return status;
}

/* Goes to the first row of this rank in a file. */
static dlda_status start_file(dlda_array_table *self, size_t file)
{
    dlda_status status = DLDA_OK;

    if (self->file != file) DLDA_TRY(open_file(self, file));
    else if (self->X.read > 0 || self->y.read > 0) {
        DLDA_TRY(dlda_array_rewind(&self->X));
        if (self->wanted != LABELS_NONE) DLDA_TRY(dlda_array_rewind(&self->y));
    }
    size_t rows = self->X.npy.dimension[0];
    self->next = rows * self->share.part / self->share.parts;
    self->end = rows * (self->share.part + 1) / self->share.parts;
    if (self->next > 0) {
        DLDA_TRY(dlda_array_skip(&self->X, self->next * self->features));
        if (self->wanted != LABELS_NONE) DLDA_TRY(dlda_array_skip(&self->y, self->next));
    }
done:
    return status;
}

/* ---- Opening ---- */

static dlda_status add_labels(dlda_array_table *self)
{
    enum { PORTION = 4096 };
    dlda_status status = DLDA_OK;
    int numbers[PORTION];

    for (size_t first = self->next; first < self->end; first += PORTION) {
        size_t n = self->end - first < PORTION ? self->end - first : PORTION;
        status = dlda_array_add_labels(&self->y, n, self->list, numbers);
        if (status != DLDA_OK) return dlda_fail_at(status, "%s", self->y.name);
    }
    return status;
}

/* Counts the rows of this rank and collects the classes of all. */
static dlda_status collect(dlda_array_table *self)
{
    dlda_status status = DLDA_OK;

    if (self->wanted != LABELS_NONE) DLDA_TRY(dlda_class_list_create("labels", &self->list));
    for (size_t f = self->share.first; f < self->share.end; f++) {
        DLDA_TRY(start_file(self, f));
        self->rows += self->file_rows[f] = self->end - self->next;
        if (self->list) DLDA_TRY(add_labels(self));
    }
    if (!self->list) return DLDA_OK;
    DLDA_TRY(dlda_class_list_unite(self->list, self->comm));
    DLDA_TRY(dlda_class_list_sort(self->list));
    size_t classes = dlda_class_list_count(self->list);
    DLDA_TRY(DLDA_TAKE(&self->class_rows, classes, "classes"));
    for (size_t c = 0; c < classes; c++) self->class_rows[c] = dlda_class_list_rows(self->list, c);
done:
    return status;
}

typedef struct survey_sums {
    double *means;  /* [features]: of what is not missing */
    size_t *counts; /* [features]                         */
    size_t rows;    /* that are not left out              */
} survey_sums;

static dlda_status survey_rows(dlda_array_table *self, survey_sums *sums)
{
    enum { BLOCK = 256 };
    dlda_status status = DLDA_OK;
    float *X = NULL;
    size_t n = 0, D = self->features;
    int labels[BLOCK];

    DLDA_TRY(DLDA_TAKE(&X, BLOCK * D, self->files[0]));
    for (size_t c = 0; self->list && c < dlda_class_list_count(self->list); c++) self->class_rows[c] = 0;
    do {
        DLDA_TRY(dlda_array_table_next(self, NULL, BLOCK, X, labels, &n));
        sums->rows += n;
        for (size_t i = 0; i < n && self->list; i++) self->class_rows[labels[i]]++;
        for (size_t i = 0; i < n * D; i++)
            if (!isnan(X[i]))
                sums->means[i % D] += ((double)X[i] - sums->means[i % D]) / (double)++sums->counts[i % D];
    } while (n > 0);
done:
    dlda_release(X);
    return status;
}

/* Counts the rows with missing numbers and finds the means of the others. */
static dlda_status survey(dlda_array_table *self, const dlda_table_spec *spec)
{
    dlda_status status = DLDA_OK;
    survey_sums sums = { 0 };
    const dlda_lda_view *view = dlda_lda_view_of(spec->lda);
    size_t D = self->features;

    self->missing = spec->missing;
    if (spec->missing == DLDA_MISSING_REFUSE) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&sums.means, D, self->files[0]));
    DLDA_TRY(DLDA_TAKE(&sums.counts, D, self->files[0]));
    DLDA_TRY(survey_rows(self, &sums));
    double totals[] = { (double)sums.rows, (double)self->incomplete };
    DLDA_TRY(dlda_comm_sum(self->comm, totals, 2));
    DLDA_TRY(dlda_means_sum(self->comm, D, sums.means, sums.counts));
    if (totals[0] == 0) DLDA_FAIL(DLDA_E_NUMERIC, "%s: every row has missing numbers", self->files[0]);
    self->rows = sums.rows;
    self->incomplete = (size_t)totals[1];
    if (view && view->features == D) memcpy(sums.means, view->mean, D * sizeof *sums.means);
    if (spec->missing == DLDA_MISSING_MEAN) self->means = sums.means, sums.means = NULL;
    self->surveyed = 1;
    DLDA_TRY(dlda_array_table_rewind(self));
done:
    dlda_release(sums.means);
    dlda_release(sums.counts);
    return status;
}

dlda_status dlda_array_table_open(const dlda_table_spec *spec, const char *const *files, size_t n,
                                  const dlda_comm *comm, dlda_array_table **table)
{
    dlda_status status = DLDA_OK;
    dlda_array_table *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "table"));
    *self = (dlda_array_table){ .files = files,
                                .n_files = n,
                                .file = n,
                                .labels = spec->labels,
                                .comm = comm,
                                .share = dlda_share_of_files(n, comm),
                                .wanted = spec->features || spec->lda ? LABELS_OPTIONAL : LABELS_REQUIRED };
    DLDA_TRY(DLDA_TAKE(&self->file_rows, n, "table"));
    DLDA_TRY(open_file(self, 0));
    if (self->wanted == LABELS_OPTIONAL) self->wanted = LABELS_REQUIRED; /* also in the other files */
    const size_t found[] = { self->features, self->wanted };
    DLDA_TRY(dlda_comm_agree(comm, found, sizeof found, "the features of the table"));
    DLDA_TRY(collect(self));
    DLDA_TRY(dlda_array_table_rewind(self));
    DLDA_TRY(survey(self, spec));
    self->labels = NULL; /* the file stays open */
    *table = self;
    self = NULL;
done:
    dlda_array_table_destroy(self);
    return status;
}

size_t dlda_array_table_rows(const dlda_array_table *self)
{
    return self->rows;
}

size_t dlda_array_table_file_rows(const dlda_array_table *self, size_t file)
{
    return self->file_rows[file];
}

size_t dlda_array_table_class_rows(const dlda_array_table *self, size_t c)
{
    return self->class_rows[c];
}

size_t dlda_array_table_features(const dlda_array_table *self)
{
    return self->features;
}

size_t dlda_array_table_incomplete(const dlda_array_table *self)
{
    return self->incomplete;
}

const dlda_class_list *dlda_array_table_classes(const dlda_array_table *self)
{
    return self->list;
}

/* ---- Rows ---- */

dlda_status dlda_array_table_rewind(dlda_array_table *self)
{
    self->next = self->end = 0;
    if (self->share.first == self->share.end) return DLDA_OK;
    return start_file(self, self->share.first);
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
static dlda_status get_elements(dlda_array_table *self, size_t rows, float *X)
{
    dlda_status status = DLDA_OK;
    size_t n = rows * self->features, bytes = n * self->X.npy.item;

    if (!self->converts) return dlda_array_get(&self->X, n, X);
    if (self->room < bytes) {
        DLDA_TRY(DLDA_ENLARGE(&self->elements, 0, bytes, self->X.name));
        self->room = bytes;
    }
    DLDA_TRY(dlda_array_get(&self->X, n, self->elements));
done:
    return status;
}

static dlda_status get_floats(dlda_array_table *self, dlda_team *team, size_t first, size_t rows, float *X)
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
static void handle_missing(dlda_array_table *self, float *X, int *labels, size_t *n)
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

/* The next rows, also of the files that follow. */
static dlda_status get_rows(dlda_array_table *self, dlda_team *team, size_t most, float *X, int *labels, size_t *n)
{
    dlda_status status = DLDA_OK;

    for (*n = 0; *n < most;) {
        size_t left = self->end - self->next, some = left < most - *n ? left : most - *n;
        if (some == 0) {
            if (self->file + 1 >= self->share.end) break;
            DLDA_TRY(start_file(self, self->file + 1));
            continue;
        }
        DLDA_TRY(get_floats(self, team, self->next, some, X + *n * self->features));
        if (self->list) DLDA_TRY(dlda_array_get_classes(&self->y, some, self->list, labels + *n));
        else memset(labels + *n, -1, some * sizeof *labels);
        self->next += some;
        *n += some;
    }
done:
    return status;
}

dlda_status dlda_array_table_next(dlda_array_table *self, dlda_team *team, size_t most, float *X, int *labels,
                                  size_t *n)
{
    dlda_status status = DLDA_OK;
    size_t read = 0;

    do {
        DLDA_TRY(get_rows(self, team, most, X, labels, &read));
        *n = read;
        if (self->missing != DLDA_MISSING_REFUSE) handle_missing(self, X, labels, n);
    } while (*n == 0 && read > 0);
done:
    return status;
}
