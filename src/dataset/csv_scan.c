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
        status = dlda_fail_at(status, "%s: line %zu, column %zu", self->path, row->line, column + 1);
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
                      self->path, row->line, self->label + 1);
        DLDA_TRY(add_text(self, row, self->label, field, self->list));
    }
    if (self->has_categories && !self->by_name) DLDA_TRY(add_levels(self, row));
done:
    return status;
}

/* ---- Row numbers ---- */

/* first [n_columns]: 0 or 1 if the column counts the rows so far from there; -1: it does not. Returns the number of
 * columns that do. */
static size_t follow_counts(const dlda_csv *self, const dlda_record *row, size_t number, int *first)
{
    dlda_fields fields = dlda_csv_fields(self, row);
    dlda_field field;
    size_t left = 0;

    for (size_t i = 0; i < self->n_columns && dlda_fields_next(&fields, &field); i++) {
        float value = -1;
        unsigned marks = 0;
        if (first[i] < 0) continue;
        int good = dlda_csv_number(self, &field, &value, &marks);
        if (good && number == 0 && value == 1) first[i] = 1;
        if (!good || value != (float)number + (float)first[i]) first[i] = -1;
        left += first[i] >= 0;
    }
    return left;
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

static dlda_status check_row_numbers(const dlda_csv *self, const int *first, size_t rows)
{
    enum { LEAST_ROWS = 5 }; /* fewer may count up by chance */
    const dlda_column *columns = self->columns;

    for (size_t i = 0; i < self->n_columns; i++) {
        if (columns[i].role != DLDA_COLUMN_NUMBER || columns[i].kept) continue;
        if (rows >= LEAST_ROWS && first[i] >= 0) return refuse_row_number(self, i, "only counts the rows");
        if (i == 0 && columns[i].name && !columns[i].name[0])
            return refuse_row_number(self, i, "looks like the row names that R and pandas write");
    }
    return DLDA_OK;
}

/* ---- The pass ---- */

static dlda_status finish(dlda_csv *self)
{
    dlda_status status = DLDA_OK;

    if (self->rows == 0 && self->incomplete > 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: all %zu rows have missing values, expected some without", self->path,
                  self->incomplete);
    if (self->rows == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: a header and no rows", self->path);
    DLDA_TRY(dlda_class_list_sort(self->list));
    for (size_t i = 0; i < self->n_columns && !self->by_name; i++)
        if (self->columns[i].levels) DLDA_TRY(dlda_class_list_sort(self->columns[i].levels));
done:
    return status;
}

dlda_status dlda_csv_scan(dlda_csv *self)
{
    enum { BLOCK = 4096 };
    dlda_status status = DLDA_OK;
    int *first = NULL;
    int is_checked = !self->by_name && (self->for_lda || self->label < self->n_columns);
    size_t counting = is_checked ? self->n_columns : 0, rows = 0;

    DLDA_TRY(DLDA_TAKE(&first, self->n_columns, self->path));
    for (size_t i = 0; i < self->n_columns; i++)
        if (self->columns[i].role != DLDA_COLUMN_NUMBER) first[i] = -1;
    for (size_t n = 1; n > 0;) {
        DLDA_TRY(dlda_csv_text_gather(&self->text, BLOCK, &n));
        for (size_t i = 0; i < n; i++, rows++) {
            const dlda_record *row = &self->text.records[i];
            if (counting > 0) counting = follow_counts(self, row, rows, first);
            DLDA_TRY(add_row(self, row));
        }
    }
    if (is_checked) DLDA_TRY(check_row_numbers(self, first, rows));
    DLDA_TRY(finish(self));
done:
    dlda_release(first);
    return status;
}
