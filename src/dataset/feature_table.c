/* SPDX-License-Identifier: MIT
 *
 * feature_table.c - tables of labelled rows in .npy, .npz and CSV files. They are read in blocks, so they
 * may be larger than memory. Several files are one table: csv.c and array_table.c read them one after the other.
 */
#include "dataset/feature_table.h"
#include "base/file.h"
#include "base/memory.h"
#include "dataset/array.h"
#include "dataset/array_table.h"
#include "dataset/csv.h"
#include "dataset/npz.h"

#include <string.h>

struct dlda_table {
    const dlda_comm *comm; /* NULL: one rank                         */
    size_t rows;           /* of all ranks                           */
    size_t features;
    dlda_missing missing;
    const dlda_class_list *classes; /* NULL: an array without labels          */
    char **files;                   /* [n_files]                              */
    size_t n_files;
    double *file_rows; /* [n_files]: of all ranks, with those left out */
    dlda_csv *csv;     /* or: */
    dlda_array_table *arrays;
};

void dlda_table_destroy(dlda_table *self)
{
    if (!self) return;
    dlda_csv_destroy(self->csv);
    dlda_array_table_destroy(self->arrays);
    dlda_release_texts(self->files, self->n_files);
    dlda_release(self->file_rows);
    dlda_release(self);
}

/* ---- Files ---- */

/* 1 if a file is an .npy of one column, as labels are. */
static int has_one_column(const char *path)
{
    dlda_array array = { 0 };
    uint8_t start[16] = { 0 };
    size_t n = 0;
    int found = dlda_file_read_start(path, sizeof start, start, &n) == DLDA_OK && dlda_starts_npy(start, n) &&
                dlda_array_open(path, NULL, &array) == DLDA_OK;

    if (found) found = array.npy.n_dimensions == 1 || (array.npy.n_dimensions == 2 && array.npy.dimension[1] == 1);
    dlda_array_close(&array);
    return found;
}

/* Leaves out files that have the labels of others by their names: "part-*.npy" matches both. */
static dlda_status drop_labels(dlda_table *self)
{
    dlda_status status = DLDA_OK;
    char **beside = NULL;
    size_t n = self->n_files, left = 0;

    DLDA_TRY(DLDA_TAKE(&beside, n, "labels"));
    for (size_t i = 0; i < n; i++) dlda_npy_labels_beside(self->files[i], &beside[i]); /* NULL: none */
    for (size_t i = 0; i < n; i++) {
        int is_labels = 0;
        for (size_t j = 0; j < n && !is_labels; j++)
            is_labels = beside[j] && strcmp(beside[j], self->files[i]) == 0;
        if (is_labels) dlda_release(self->files[i]);
        else self->files[left++] = self->files[i];
    }
    self->n_files = left;
done:
    for (size_t i = 0; beside && i < n; i++) dlda_release(beside[i]);
    dlda_release(beside);
    return status;
}

static dlda_status take_files(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    size_t n = spec->n_more + 1;

    DLDA_TRY(DLDA_TAKE(&self->files, n, "files"));
    for (; self->n_files < n; self->n_files++) {
        const char *path = self->n_files == 0 ? spec->path : spec->more[self->n_files - 1];
        if (!path) DLDA_FAIL(DLDA_E_ARGUMENT, "table: file %zu is NULL, expected a path", self->n_files + 1);
        DLDA_TRY(dlda_take_text(path, &self->files[self->n_files]));
    }
    if (n > 1 && spec->labels)
        DLDA_FAIL(DLDA_E_ARGUMENT, "table: labels in %s of %zu files, expected them beside each file", spec->labels,
                  n);
done:
    return status;
}

/* All ranks must have been given the same files. */
static dlda_status agree_on_files(const dlda_table *self)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < self->n_files; i++)
        sum = dlda_comm_checksum(sum, self->files[i], strlen(self->files[i]) + 1);
    return dlda_comm_agree(self->comm, &sum, sizeof sum, "the files of the table");
}

/* ---- Opening ---- */

static dlda_status open_arrays(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;

    if (self->n_files > 1) DLDA_TRY(drop_labels(self));
    DLDA_TRY(agree_on_files(self));
    DLDA_TRY(
        dlda_array_table_open(spec, (const char *const *)self->files, self->n_files, self->comm, &self->arrays));
    self->features = dlda_array_table_features(self->arrays);
    self->classes = dlda_array_table_classes(self->arrays);
done:
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
                          .missing = spec->missing,
                          .more = (const char *const *)self->files + 1,
                          .n_more = self->n_files - 1,
                          .comm = self->comm };

    if (spec->lda) csv.means = dlda_lda_view_of(spec->lda)->mean, csv.n_means = csv.unlabelled;
    DLDA_TRY(list_features(spec->lda, &features, &csv.n_features));
    csv.features = features;
    DLDA_TRY(agree_on_files(self));
    DLDA_TRY(dlda_csv_open(&csv, &self->csv));
    self->features = dlda_csv_features(self->csv);
    self->classes = dlda_csv_classes(self->csv);
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
    int is_array = dlda_starts_npy(start, n) || dlda_starts_zip(start, n);
    if (spec->name && is_array) DLDA_FAIL(DLDA_E_FORMAT, "%s: a NumPy file, expected a CSV table", spec->name);
    if (is_array) DLDA_TRY(refuse_lists(spec));
    if (spec->labels && !dlda_starts_npy(start, n))
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: has its labels in itself, expected no %s; only an .npy file takes one",
                  spec->name ? spec->name : spec->path, spec->labels);
    if (is_array) return open_arrays(spec, self);
    if (spec->name || dlda_is_csv(spec->path, start, n)) return open_csv(spec, self);
    DLDA_FAIL(DLDA_E_FORMAT, "%s: not a table that is known, expected an .npy or .npz file or CSV", spec->path);
done:
    return status;
}

/* Of two files, an .npy of one column is the labels of the other. */
static dlda_status open_with_labels(const dlda_table_spec *spec, dlda_table *self)
{
    dlda_status status = DLDA_OK;
    dlda_table_spec with = *spec;

    if (spec->n_more == 1 && !spec->labels && spec->more[0] && has_one_column(spec->more[0])) {
        with.labels = spec->more[0];
        with.n_more = 0;
    }
    DLDA_TRY(take_files(&with, self));
    DLDA_TRY(open_any(&with, self));
done:
    return status;
}

static dlda_status count_rows(dlda_table *self)
{
    dlda_status status = DLDA_OK;
    double rows = (double)dlda_table_own_rows(self);

    DLDA_TRY(DLDA_TAKE(&self->file_rows, self->n_files, "files"));
    for (size_t i = 0; i < self->n_files; i++)
        self->file_rows[i] = (double)(self->csv ? dlda_csv_file_rows(self->csv, i)
                                                : dlda_array_table_file_rows(self->arrays, i));
    DLDA_TRY(dlda_comm_sum(self->comm, self->file_rows, self->n_files));
    DLDA_TRY(dlda_comm_sum(self->comm, &rows, 1));
    self->rows = (size_t)rows;
done:
    return status;
}

dlda_status dlda_table_open(const dlda_table_spec *spec, dlda_table **table)
{
    DLDA_NEED(spec, table);
    return dlda_table_open_over(NULL, spec, table);
}

dlda_status dlda_table_open_over(const dlda_comm *comm, const dlda_table_spec *spec, dlda_table **table)
{
    dlda_status status = DLDA_OK;
    dlda_table *self = NULL;

    DLDA_NEED(spec, table);
    DLDA_NEED(spec->path);
    if (spec->n_more > 0) DLDA_NEED(spec->more);
    DLDA_TRY(DLDA_TAKE(&self, 1, "table"));
    self->comm = dlda_comm_size(comm) > 1 ? comm : NULL;
    self->missing = spec->missing;
    DLDA_TRY(open_with_labels(spec, self));
    DLDA_TRY(count_rows(self));
    *table = self;
    self = NULL;
done:
    dlda_table_destroy(self);
    return status == DLDA_OK ? status : dlda_comm_fail(comm, status);
}

size_t dlda_table_rows(const dlda_table *self)
{
    return self ? self->rows : 0;
}

size_t dlda_table_files(const dlda_table *self)
{
    return self ? self->n_files : 0;
}

const char *dlda_table_file(const dlda_table *self, size_t i)
{
    return i < dlda_table_files(self) ? self->files[i] : NULL;
}

size_t dlda_table_file_rows(const dlda_table *self, size_t i)
{
    return i < dlda_table_files(self) ? (size_t)self->file_rows[i] : 0;
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
    if (!self) return 0;
    return self->csv ? dlda_csv_incomplete(self->csv) : dlda_array_table_incomplete(self->arrays);
}

int dlda_table_completes(const dlda_table *self)
{
    return self && self->missing == DLDA_MISSING_MEAN;
}

/* ---- Of one rank ---- */

const dlda_comm *dlda_table_comm(const dlda_table *self)
{
    return self->comm;
}

size_t dlda_table_own_rows(const dlda_table *self)
{
    return self->csv ? dlda_csv_rows(self->csv) : dlda_array_table_rows(self->arrays);
}

size_t dlda_table_own_class_rows(const dlda_table *self, size_t c)
{
    return self->csv ? dlda_class_list_rows(self->classes, c) : dlda_array_table_class_rows(self->arrays, c);
}

dlda_status dlda_table_check_ranks(dlda_table *self)
{
    return self->csv && self->comm ? dlda_csv_check_ranks(self->csv) : DLDA_OK;
}

/* ---- Rows ---- */

dlda_status dlda_table_rewind(dlda_table *self)
{
    DLDA_NEED(self);
    return self->csv ? dlda_csv_rewind(self->csv) : dlda_array_table_rewind(self->arrays);
}

dlda_status dlda_table_next(dlda_table *self, dlda_team *team, size_t most, float *X, int *labels, size_t *n)
{
    if (self->csv) return dlda_csv_next(self->csv, team, most, X, labels, n); /* CSV numbers are always finite */
    return dlda_array_table_next(self->arrays, team, most, X, labels, n);
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
