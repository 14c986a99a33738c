/* SPDX-License-Identifier: MIT
 *
 * csv_scan.c - the first pass over a CSV table: counts the rows, collects classes and levels, and finds columns that
 * only number the rows.
 *
 * In a table that is sorted by class, a row number separates the classes perfectly, and means nothing. R and pandas
 * write row names as a first column without a name; other programs number the rows from 0 or 1.
 */
#define _GNU_SOURCE /* memrchr */
#include "base/memory.h"
#include "dataset/csv_columns.h"

#include <stdio.h>
#include <string.h>

/* ---- Labels and levels ---- */

/* Finds the label field. If it is the last and there are no quotes, it is searched from the end. */
static int label_field(const dlda_csv *self, const dlda_record *row, dlda_field *field)
{
    const char *begin = self->text.text + row->begin;
    size_t length = row->end - row->begin;
    dlda_fields fields = dlda_csv_fields(self, row);

    if (self->label == self->n_columns - 1 && !memchr(begin, '"', length)) {
        const char *last = memrchr(begin, self->separator, length);
        if (last) fields = dlda_fields_of(last + 1, (size_t)(begin + length - last - 1), self->separator);
        return last && dlda_fields_next(&fields, field);
    }
    for (size_t i = 0; i <= self->label; i++)
        if (!dlda_fields_next(&fields, field)) return 0;
    return 1;
}

static dlda_status add_text(dlda_csv *self, const dlda_record *row, size_t column, dlda_field field,
                            dlda_class_list *list)
{
    dlda_status status = DLDA_OK;
    char *text = NULL;
    int number = 0;

    if (field.doubled) {
        DLDA_TRY(dlda_field_text(&field, &text));
        field.at = text;
        field.length = strlen(text);
    }
    status = dlda_class_list_add(list, field.at, field.length, &number);
    if (status != DLDA_OK)
        status = dlda_fail_at(status, "%s: line %zu, column %zu", dlda_csv_where(self, row), row->line, column + 1);
done:
    dlda_release(text);
    return status;
}

/* ---- Whole rows ---- */

/* 1 if a value that is used is missing. */
static int is_incomplete(const dlda_csv *self, const dlda_record *row)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;

    for (size_t i = 0; i < self->n_columns && dlda_fields_next(&fields, &field); i++)
        switch (self->columns[i].role) {
        case DLDA_COLUMN_UNUSED: break;
        case DLDA_COLUMN_LABEL:
            if (dlda_csv_is_no_label(&field)) return 1;
            break;
        default:
            if (dlda_csv_is_missing(&field)) return 1;
        }
    return 0;
}

static dlda_status add_levels(dlda_csv *self, const dlda_record *row)
{
    dlda_status status = DLDA_OK;
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;

    for (size_t i = 0; i < self->n_columns && dlda_fields_next(&fields, &field); i++) {
        dlda_column *column = &self->columns[i];
        if (column->role != DLDA_COLUMN_CATEGORY || dlda_csv_is_missing(&field)) continue;
        DLDA_TRY(add_text(self, row, i, field, column->levels));
    }
done:
    return status;
}

static dlda_status add_row(dlda_csv *self, const dlda_record *row)
{
    dlda_status status = DLDA_OK;
    dlda_field field = { 0 };

    if (self->missing != DLDA_MISSING_REFUSE && is_incomplete(self, row)) {
        self->incomplete++;
        if (self->missing == DLDA_MISSING_DROP) return DLDA_OK;
    }
    self->rows++;
    if (self->label < self->n_columns) {
        if (!label_field(self, row, &field)) return dlda_csv_explain(self, row);
        if (self->for_lda && dlda_csv_is_no_label(&field))
            DLDA_FAIL(DLDA_E_FORMAT, "%s: line %zu, column %zu: no label; option missing=drop leaves such rows out",
                      dlda_csv_where(self, row), row->line, self->label + 1);
        DLDA_TRY(add_text(self, row, self->label, field, self->list));
    }
    if (self->has_categories && !self->by_name) DLDA_TRY(add_levels(self, row));
done:
    return status;
}

/* ---- Row numbers ---- */

/* The columns that count the rows: from 0 or 1 in the first file, from any number in the others. */
typedef struct row_counting {
    int *follows; /* [n_columns]: 1 as long as the column does       */
    float *start; /* [n_columns]: its first value in the file        */
    size_t left;  /* columns that do                                 */
    size_t steps; /* from one row to the next of the same file       */
} row_counting;

/* `number`: of the row in its file, or in what this rank has of it. */
static void follow_counts(const dlda_csv *self, const dlda_record *row, size_t number, row_counting *counting)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    int is_first = number == 0 && row->file == 0 && self->text.share.first_record == 0;

    for (size_t i = 0; i < self->n_columns && dlda_fields_next(&fields, &field); i++) {
        float value = -1;
        unsigned marks = 0;
        if (!counting->follows[i]) continue;
        int good = dlda_csv_number(self, &field, &value, &marks);
        if (number == 0) counting->start[i] = value;
        if (!good || (is_first && value != 0 && value != 1) || value != (float)number + counting->start[i]) {
            counting->follows[i] = 0;
            counting->left--;
        }
    }
}

static dlda_status refuse_row_number(const dlda_csv *self, size_t column, const char *what)
{
    const char *name = self->columns[column].name;
    char advice[96];

    if (self->for_lda)
        snprintf(advice, sizeof advice, "leave it out by option drop=%zu, or use it by option keep=%zu", column + 1,
                 column + 1);
    else snprintf(advice, sizeof advice, "remove it from the file");
    return dlda_fail(DLDA_E_FORMAT, "%s: column %zu (%s) %s, expected a feature: %s", self->path, column + 1,
                     name && name[0] ? dlda_show(name).text : "no name", what, advice);
}

static dlda_status check_row_numbers(const dlda_csv *self, const row_counting *counting)
{
    enum { LEAST_STEPS = 4 }; /* fewer may count up by chance */
    const dlda_column *columns = self->columns;

    for (size_t i = 0; i < self->n_columns; i++) {
        if (columns[i].role != DLDA_COLUMN_NUMBER || columns[i].kept) continue;
        if (counting->steps >= LEAST_STEPS && counting->follows[i])
            return refuse_row_number(self, i, "only counts the rows");
        if (i == 0 && columns[i].name && !columns[i].name[0])
            return refuse_row_number(self, i, "looks like the row names that R and pandas write");
    }
    return DLDA_OK;
}

/* ---- Several files ---- */

static dlda_status explain_header(const dlda_csv *self, const dlda_record *row)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    char found[DLDA_SHOWN + 2] = "";
    size_t i = 0;

    while (dlda_fields_next(&fields, &field) && i < self->n_columns && dlda_field_is(&field, self->columns[i].name))
        i++;
    size_t column = i < self->n_columns ? i : self->n_columns - 1;
    dlda_field_copy(&field, sizeof found - 1, found);
    return dlda_fail(DLDA_E_FORMAT, "%s: line %zu, column %zu: found '%s', expected '%s' as in %s, or a row",
                     dlda_csv_where(self, row), row->line, column + 1, dlda_show(found).text,
                     dlda_show(self->columns[column].name).text, self->files[0]);
}

/* A header that differs from the first file's would become a row. Called for the first row of each further file. */
static dlda_status check_first_row(const dlda_csv *self, const dlda_record *row)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    unsigned marks = 0;
    float value;
    size_t i = 0;
    int is_header = 0;

    for (; dlda_fields_next(&fields, &field); i++) {
        const dlda_column *column = &self->columns[i];
        if (!self->header || i >= self->n_columns) continue;
        if (column->role == DLDA_COLUMN_LABEL) is_header |= dlda_field_is(&field, column->name);
        if (column->role == DLDA_COLUMN_NUMBER && !dlda_csv_is_missing(&field))
            is_header |= !dlda_csv_number(self, &field, &value, &marks);
    }
    if (i != self->n_columns)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu has %zu columns, expected %zu as in the first line of %s",
                         dlda_csv_where(self, row), row->line, i, self->n_columns, self->files[0]);
    return is_header ? explain_header(self, row) : DLDA_OK;
}

/* Counts of all ranks; classes and levels that any of them has found. */
static dlda_status unite(dlda_csv *self, size_t *rows, row_counting *counting)
{
    dlda_status status = DLDA_OK;
    size_t n = self->n_columns;
    double *sums = NULL;

    if (dlda_comm_size(self->comm) == 1) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&sums, n + 3, self->path));
    for (size_t i = 0; i < n; i++) sums[i] = !counting->follows[i];
    sums[n] = (double)*rows;
    sums[n + 1] = (double)self->incomplete;
    sums[n + 2] = (double)counting->steps;
    DLDA_TRY(dlda_comm_sum(self->comm, sums, n + 3));
    for (size_t i = 0; i < n; i++) counting->follows[i] = sums[i] == 0;
    *rows = (size_t)sums[n];
    self->incomplete = (size_t)sums[n + 1];
    counting->steps = (size_t)sums[n + 2];
    DLDA_TRY(dlda_class_list_unite(self->list, self->comm));
    for (size_t i = 0; i < n && !self->by_name; i++)
        if (self->columns[i].levels) DLDA_TRY(dlda_class_list_unite(self->columns[i].levels, self->comm));
done:
    dlda_release(sums);
    return status;
}

/* ---- The pass ---- */

static dlda_status finish(dlda_csv *self, size_t rows)
{
    dlda_status status = DLDA_OK;

    if (rows == 0 && self->incomplete > 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: all %zu rows have missing values, expected some without", self->all,
                  self->incomplete);
    if (rows == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: a header and no rows", self->all);
    DLDA_TRY(dlda_class_list_sort(self->list));
    for (size_t i = 0; i < self->n_columns && !self->by_name; i++)
        if (self->columns[i].levels) DLDA_TRY(dlda_class_list_sort(self->columns[i].levels));
done:
    return status;
}

static dlda_status scan_rows(dlda_csv *self, row_counting *counting)
{
    enum { BLOCK = 4096 };
    dlda_status status = DLDA_OK;
    size_t file = 0, number = 0; /* of the row in it */
    int any = 0;

    for (size_t n = 1; n > 0;) {
        DLDA_TRY(dlda_csv_text_gather(&self->text, BLOCK, &n));
        for (size_t i = 0; i < n; i++, number++) {
            const dlda_record *row = &self->text.records[i];
            if (!any || row->file != file) {
                if (row->file > 0 && self->text.share.first_record == 0) DLDA_TRY(check_first_row(self, row));
                file = row->file;
                number = 0;
                any = 1;
            }
            if (counting->left > 0) follow_counts(self, row, number, counting);
            counting->steps += number > 0;
            self->file_rows[row->file]++;
            DLDA_TRY(add_row(self, row));
        }
    }
done:
    return status;
}

dlda_status dlda_csv_scan(dlda_csv *self)
{
    dlda_status status = DLDA_OK;
    row_counting counting = { 0 };
    int is_checked = !self->by_name && (self->for_lda || self->label < self->n_columns);

    DLDA_TRY(DLDA_TAKE(&counting.follows, self->n_columns, self->path));
    DLDA_TRY(DLDA_TAKE(&counting.start, self->n_columns, self->path));
    for (size_t i = 0; i < self->n_columns && is_checked; i++)
        counting.left += counting.follows[i] = self->columns[i].role == DLDA_COLUMN_NUMBER;
    DLDA_TRY(scan_rows(self, &counting));
    size_t rows = self->rows;
    DLDA_TRY(unite(self, &rows, &counting));
    if (is_checked) DLDA_TRY(check_row_numbers(self, &counting));
    DLDA_TRY(finish(self, rows));
done:
    dlda_release(counting.follows);
    dlda_release(counting.start);
    return status;
}
