/* SPDX-License-Identifier: MIT
 *
 * csv.c - reads the rows of a CSV table: columns of numbers, of categories, and one of labels.
 *
 * csv_columns.c decides what each column is, csv_scan.c makes a first pass over the rows. Numbers have a decimal point
 * in every locale; where the separator is not a comma, all may have a decimal comma instead.
 */
#include "dataset/csv.h"
#include "base/memory.h"
#include "dataset/csv_columns.h"
#include "dataset/table_share.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* ---- Messages ---- */

static const char *advice(const dlda_csv *self, const dlda_record *row, const dlda_field *field)
{
    if (self->for_lda && dlda_csv_is_missing(field))
        return "; option missing=drop leaves out such rows, option missing=mean uses the mean of the column";
    if (self->for_lda)
        return "; option label names the column of the labels, option drop leaves a column out, option categories "
               "makes indicators of it";
    if (dlda_csv_is_missing(field)) return "; complete such rows, or remove them from the file";
    return row->line <= self->header + 1 ? "; use option label to name the label column, or remove this column"
                                         : "";
}

static dlda_status bad_cell(const dlda_csv *self, const dlda_record *row, size_t column, const dlda_field *field)
{
    char copy[DLDA_SHOWN + 2] = "", name[DLDA_SHOWN + 8] = "";
    size_t shown = field->length < sizeof copy - 1 ? field->length : sizeof copy - 1;
    const char *given = self->columns[column].name;

    memcpy(copy, field->at, shown);
    if (given) snprintf(name, sizeof name, " (%.64s)", dlda_show(given).text);
    if (field->damaged)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu, column %zu%s: found %s, expected '%c'",
                         dlda_csv_where(self, row), row->line, column + 1, name,
                         field->damaged == DLDA_UNCLOSED ? "a quote that is never closed" : "text behind a quote",
                         self->separator);
    if (self->columns[column].role == DLDA_COLUMN_CATEGORY && !dlda_csv_is_missing(field))
        return dlda_fail(DLDA_E_FORMAT,
                         "%s: line %zu, column %zu%s: found '%s', expected a level that the LDA knows",
                         dlda_csv_where(self, row), row->line, column + 1, name, dlda_show(copy).text);
    return dlda_fail(DLDA_E_FORMAT, "%s: line %zu, column %zu%s: found '%s', expected a number%s",
                     dlda_csv_where(self, row), row->line, column + 1, name, dlda_show(copy).text,
                     advice(self, row, field));
}

/* ---- Cells ---- */

/* Called by threads, which cannot report lack of memory, so it allocates none. */
static int class_of(const dlda_class_list *list, const dlda_field *field)
{
    char text[DLDA_MOST_CLASS_NAME];

    if (!field->doubled) return dlda_class_list_find(list, field->at, field->length);
    size_t length = dlda_field_copy(field, sizeof text, text);
    return length <= sizeof text ? dlda_class_list_find(list, text, length) : -1;
}

/* Sets the indicators of a category, which are 0 before; NaN if the value is missing. */
static int decode_level(const dlda_column *column, const dlda_field *field, float *X)
{
    int missing = dlda_csv_is_missing(field), level = missing ? 0 : class_of(column->levels, field);

    if (level < 0) return 0;
    for (size_t k = 0; missing && k < dlda_class_list_count(column->levels); k++)
        if (column->places[k] >= 0) X[column->places[k]] = NAN;
    if (!missing && column->places[level] >= 0) X[column->places[level]] = 1;
    return 1;
}

/* Returns 1 if the value of a cell is good, or missing where that is allowed. */
static int decode_cell(const dlda_csv *self, const dlda_column *column, const dlda_field *field, float *X,
                       int *class, unsigned *marks)
{
    int may_miss = self->missing != DLDA_MISSING_REFUSE;

    switch (column->role) {
    case DLDA_COLUMN_LABEL: return (*class = class_of(self->list, field)) >= 0;
    case DLDA_COLUMN_CATEGORY: return (may_miss || !dlda_csv_is_missing(field)) && decode_level(column, field, X);
    case DLDA_COLUMN_NUMBER:
        if (dlda_csv_number(self, field, &X[column->feature], marks)) return 1;
        X[column->feature] = NAN;
        return may_miss && dlda_csv_is_missing(field);
    default: return 1;
    }
}

static int has_missing(const dlda_csv *self, const float *X)
{
    for (size_t j = 0; j < self->n_features; j++)
        if (isnan(X[j])) return 1;
    return 0;
}

static void complete(const dlda_csv *self, float *X)
{
    for (size_t j = 0; j < self->n_features; j++)
        if (isnan(X[j])) X[j] = (float)self->means[j];
}

/* ---- Rows ---- */

enum { LEFT_OUT = -2 }; /* instead of a class */

/* Returns 1 if the row is valid. Otherwise X and `class` are only partly written. */
static int decode(const dlda_csv *self, const dlda_record *row, float *X, int *class, unsigned *marks)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    size_t column = 0;
    int no_label = 0;

    *class = -1;
    if (self->has_categories) memset(X, 0, self->n_features * sizeof *X);
    for (; dlda_fields_next(&fields, &field); column++) {
        if (column == self->n_columns || field.damaged) return 0;
        if (column == self->label && self->missing == DLDA_MISSING_DROP && dlda_csv_is_no_label(&field))
            no_label = 1;
        else if (!decode_cell(self, &self->columns[column], &field, X, class, marks)) return 0;
    }
    if (column != self->n_columns) return 0;
    if (self->missing == DLDA_MISSING_DROP && (no_label || has_missing(self, X))) *class = LEFT_OUT;
    if (self->missing == DLDA_MISSING_MEAN && self->means) complete(self, X);
    return 1;
}

/* Reports what is wrong with a row that could not be decoded. */
dlda_status dlda_csv_explain(const dlda_csv *self, const dlda_record *row)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    size_t column = 0;
    unsigned marks = 0;
    float value;

    for (; dlda_fields_next(&fields, &field); column++) {
        if (column >= self->n_columns) continue;
        const dlda_column *found = &self->columns[column];
        int missing = dlda_csv_is_missing(&field), allowed = missing && self->missing != DLDA_MISSING_REFUSE;
        if (field.damaged) return bad_cell(self, row, column, &field);
        if (found->role == DLDA_COLUMN_NUMBER && !allowed && !dlda_csv_number(self, &field, &value, &marks))
            return bad_cell(self, row, column, &field);
        if (found->role == DLDA_COLUMN_CATEGORY && found->places && !allowed &&
            (missing || class_of(found->levels, &field) < 0))
            return bad_cell(self, row, column, &field);
    }
    if (column != self->n_columns)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu has %zu columns, expected %zu as in the first line",
                         dlda_csv_where(self, row), row->line, column, self->n_columns);
    return dlda_fail(DLDA_E_IO, "%s: line %zu: changed while it was read", dlda_csv_where(self, row), row->line);
}

typedef struct decoding {
    const dlda_csv *csv;
    float *X;
    int *classes;
    atomic_size_t first_bad; /* row */
    atomic_uint marks;
} decoding;

static void decode_rows(void *context, const dlda_chunk *chunk)
{
    decoding *job = context;
    size_t features = job->csv->n_features;
    unsigned marks = 0;

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        if (decode(job->csv, &job->csv->text.records[i], job->X + i * features, &job->classes[i], &marks)) continue;
        size_t least = atomic_load(&job->first_bad);
        while (i < least && !atomic_compare_exchange_weak(&job->first_bad, &least, i)) {}
        break;
    }
    atomic_fetch_or(&job->marks, marks);
}

/* Points and commas in one table: one of them would be a thousands separator, and the numbers wrong. */
static dlda_status check_marks(dlda_csv *self, unsigned marks)
{
    enum { BOTH = DLDA_DECIMAL_POINT | DLDA_DECIMAL_COMMA };

    self->decimals |= marks;
    if (self->decimals != BOTH) return DLDA_OK;
    return dlda_fail(
        DLDA_E_FORMAT,
        "%s: found numbers with a decimal comma and numbers with a point, expected one of them; numbers "
        "have no thousands separators",
        self->all);
}

dlda_status dlda_csv_check_ranks(dlda_csv *self)
{
    dlda_status status = DLDA_OK;
    double found[] = { self->decimals & DLDA_DECIMAL_POINT, self->decimals & DLDA_DECIMAL_COMMA };

    DLDA_TRY(dlda_comm_sum(self->comm, found, 2));
    DLDA_TRY(check_marks(self, (found[0] > 0 ? DLDA_DECIMAL_POINT : 0) | (found[1] > 0 ? DLDA_DECIMAL_COMMA : 0)));
done:
    return status;
}

/* Removes the rows that are left out. */
static void compact(const dlda_csv *self, float *X, int *classes, size_t *n)
{
    size_t left = 0, features = self->n_features;

    for (size_t i = 0; i < *n; i++) {
        if (classes[i] == LEFT_OUT) continue;
        if (left < i) memcpy(X + left * features, X + i * features, features * sizeof *X);
        classes[left++] = classes[i];
    }
    *n = left;
}

dlda_status dlda_csv_next(dlda_csv *self, dlda_team *team, size_t most, float *X, int *classes, size_t *n)
{
    enum { GRAIN = 64 };
    dlda_status status = DLDA_OK;
    size_t read = 0;

    do {
        decoding job = { .csv = self, .X = X, .classes = classes };
        atomic_init(&job.first_bad, SIZE_MAX);
        atomic_init(&job.marks, 0);
        DLDA_TRY(dlda_csv_text_gather(&self->text, most, &read));
        dlda_parallel_for(team, read, GRAIN, decode_rows, &job);
        size_t bad = atomic_load(&job.first_bad);
        if (bad < read) DLDA_TRY(dlda_csv_explain(self, &self->text.records[bad]));
        DLDA_TRY(check_marks(self, atomic_load(&job.marks)));
        *n = read;
        if (self->missing == DLDA_MISSING_DROP) compact(self, X, classes, n);
    } while (*n == 0 && read > 0);
done:
    return status;
}

/* ---- Opening ---- */

dlda_status dlda_csv_rewind(dlda_csv *self)
{
    return dlda_csv_text_rewind(&self->text);
}

/* The means of what is not missing, by one more pass. */
static dlda_status find_means(dlda_csv *self, double *means)
{
    enum { BLOCK = 256 };
    dlda_status status = DLDA_OK;
    float *X = NULL;
    int classes[BLOCK];
    size_t *counts = NULL, n = 0;

    DLDA_TRY(DLDA_TAKE(&X, BLOCK * self->n_features, self->path));
    DLDA_TRY(DLDA_TAKE(&counts, self->n_features, self->path));
    do {
        DLDA_TRY(dlda_csv_next(self, NULL, BLOCK, X, classes, &n));
        for (size_t i = 0; i < n * self->n_features; i++) {
            size_t j = i % self->n_features;
            if (isnan(X[i])) continue;
            means[j] += ((double)X[i] - means[j]) / (double)++counts[j];
        }
    } while (n > 0);
    DLDA_TRY(dlda_means_sum(self->comm, self->n_features, means, counts));
    for (size_t j = 0; j < self->n_features; j++)
        if (counts[j] == 0)
            DLDA_FAIL(DLDA_E_FORMAT,
                      "%s: feature %zu has no values at all, expected some; option drop leaves it out", self->all,
                      j + 1);
done:
    dlda_release(X);
    dlda_release(counts);
    return status;
}

static dlda_status take_means(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;
    double *means = NULL;

    if (self->missing != DLDA_MISSING_MEAN) return DLDA_OK;
    if (spec->means && self->n_features != spec->n_means)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu features, expected %zu as the LDA has", self->path, self->n_features,
                  spec->n_means);
    DLDA_TRY(DLDA_TAKE(&means, self->n_features, self->path));
    if (spec->means) memcpy(means, spec->means, self->n_features * sizeof *means);
    else DLDA_TRY(find_means(self, means));
    self->means = means;
    means = NULL;
    DLDA_TRY(dlda_csv_rewind(self));
done:
    dlda_release(means);
    return status;
}

static dlda_status take_files(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;
    const char *shown = spec->name ? spec->name : spec->path;
    size_t room = strlen(shown) + 64;

    DLDA_TRY(DLDA_TAKE(&self->files, spec->n_more + 1, spec->path));
    for (; self->n_files <= spec->n_more; self->n_files++)
        DLDA_TRY(dlda_take_text(self->n_files == 0 ? spec->path : spec->more[self->n_files - 1],
                                &self->files[self->n_files]));
    DLDA_TRY(DLDA_TAKE(&self->file_rows, self->n_files, spec->path));
    if (spec->name) DLDA_TRY(dlda_take_text(spec->name, &self->name));
    self->path = self->name ? self->name : self->files[0];
    DLDA_TRY(DLDA_TAKE(&self->all, room, shown));
    if (spec->n_more == 0) snprintf(self->all, room, "%s", shown);
    else snprintf(self->all, room, "%s and %zu more file%s", shown, spec->n_more, spec->n_more == 1 ? "" : "s");
done:
    return status;
}

/* The files of this rank; or its records of a file that it shares with others, which must be counted first. */
static dlda_status choose_share(dlda_csv *self)
{
    dlda_status status = DLDA_OK;
    dlda_file_share mine = dlda_share_of_files(self->n_files, self->comm);
    dlda_csv_share *share = &self->text.share;
    uint32_t sum = 0;
    size_t records = 0;

    if (dlda_comm_size(self->comm) == 1) return DLDA_OK;
    for (size_t i = 0; i < self->n_columns; i++) {
        const char *name = self->columns[i].name ? self->columns[i].name : "";
        sum = dlda_comm_checksum(sum, name, strlen(name) + 1);
        sum = dlda_comm_checksum(sum, &self->columns[i].role, sizeof self->columns[i].role);
    }
    DLDA_TRY(dlda_comm_agree(self->comm, &sum, sizeof sum, "the columns of the table"));
    share->first_file = mine.first;
    share->end_file = mine.end;
    if (mine.parts == 1) return DLDA_OK;
    DLDA_TRY(dlda_csv_text_count(&self->text, &records));
    share->first_record = records * mine.part / mine.parts;
    share->end_record = records * (mine.part + 1) / mine.parts;
done:
    return status;
}

dlda_status dlda_csv_open(const dlda_csv_spec *spec, dlda_csv **csv)
{
    dlda_status status = DLDA_OK;
    dlda_csv *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, spec->path));
    self->for_lda = spec->for_lda;
    self->missing = spec->missing;
    self->comm = spec->comm;
    DLDA_TRY(take_files(self, spec));
    DLDA_TRY(
        dlda_csv_text_open((const char *const *)self->files, self->n_files, self->name, spec->limits, &self->text));
    DLDA_TRY(dlda_class_list_create("labels", &self->list));
    DLDA_TRY(dlda_csv_read_columns(self, spec));
    DLDA_TRY(choose_share(self));
    DLDA_TRY(dlda_csv_rewind(self));
    DLDA_TRY(dlda_csv_scan(self));
    DLDA_TRY(dlda_csv_rewind(self));
    DLDA_TRY(dlda_csv_place_features(self, spec));
    DLDA_TRY(take_means(self, spec));
    *csv = self;
    self = NULL;
done:
    dlda_csv_destroy(self);
    return status;
}

void dlda_csv_destroy(dlda_csv *self)
{
    if (!self) return;
    dlda_csv_release_columns(self);
    dlda_csv_text_close(&self->text);
    dlda_class_list_destroy(self->list);
    dlda_release(self->means);
    dlda_release_texts(self->files, self->n_files);
    dlda_release(self->file_rows);
    dlda_release(self->name);
    dlda_release(self->all);
    dlda_release(self);
}

/* ---- What is in it ---- */

size_t dlda_csv_rows(const dlda_csv *self)
{
    return self->rows;
}

size_t dlda_csv_file_rows(const dlda_csv *self, size_t file)
{
    return self->file_rows[file];
}

size_t dlda_csv_incomplete(const dlda_csv *self)
{
    return self->incomplete;
}

size_t dlda_csv_features(const dlda_csv *self)
{
    return self->n_features;
}

dlda_status dlda_csv_expect(const dlda_csv *self)
{
    dlda_status status = DLDA_OK;
    size_t bytes = 0;

    DLDA_TRY(dlda_multiply_sizes(self->rows, self->n_features * sizeof(float), self->path, &bytes));
    DLDA_TRY(dlda_flow_expect(&self->text.flow, bytes, self->rows));
done:
    return status;
}

const dlda_class_list *dlda_csv_classes(const dlda_csv *self)
{
    return self->list;
}

const dlda_feature *dlda_csv_feature(const dlda_csv *self, size_t j)
{
    return j < self->n_features ? &self->features[j] : NULL;
}

size_t dlda_csv_columns(const dlda_csv *self)
{
    return self->n_columns;
}

size_t dlda_csv_label(const dlda_csv *self)
{
    return self->label;
}

const char *dlda_csv_column_name(const dlda_csv *self, size_t column)
{
    return column < self->n_columns ? self->columns[column].name : NULL;
}

int dlda_csv_uses(const dlda_csv *self, size_t column)
{
    return column < self->n_columns && self->columns[column].role != DLDA_COLUMN_UNUSED;
}
