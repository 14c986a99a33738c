/* SPDX-License-Identifier: MIT
 *
 * csv.c - interprets the lines of a CSV table: columns of numbers and one of labels.
 *
 * The separator is the first comma, semicolon or tab of the first line. Numbers have a
 * decimal point in every locale.
 *
 * The label column is the requested one; else the one named label, class or target, else y, ignoring case; else the
 * last. The first line is a header if it contains the requested name, or label, class or target, or if a field
 * outside the label column is not a number.
 */
#define _GNU_SOURCE /* memrchr */
#include "dataset/csv.h"
#include "base/closest_word.h"
#include "base/memory.h"
#include "base/number.h"
#include "dataset/csv_text.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

struct dlda_csv {
    char *path;
    dlda_csv_text text;
    char separator;
    size_t columns, label; /* label: its column, from 0; equal to `columns`: none */
    size_t header;         /* line number of the header, 0: none                  */
    char **names;          /* [columns]: column names; NULL: none                 */
    size_t rows;
    dlda_class_list *list;
};

static dlda_fields fields_of(const dlda_csv *self, const dlda_record *from)
{
    return dlda_fields_of(self->text.text + from->begin, from->end - from->begin, self->separator);
}

/* ---- The first line ---- */

static int is_label_name(const char *name)
{
    return strcasecmp(name, "label") == 0 || strcasecmp(name, "class") == 0 || strcasecmp(name, "target") == 0;
}

static char first_separator(const char *text, size_t n)
{
    int quoted = 0;

    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') quoted = !quoted;
        if (!quoted && (text[i] == ',' || text[i] == ';' || text[i] == '\t')) return text[i];
    }
    return ',';
}

static dlda_status take_names(dlda_csv *self, const dlda_record *first)
{
    dlda_status status = DLDA_OK;
    dlda_fields fields = fields_of(self, first);
    dlda_field field;

    for (self->columns = 0; dlda_fields_next(&fields, &field); self->columns++) {}
    DLDA_TRY(DLDA_TAKE(&self->names, self->columns, self->path));
    fields = fields_of(self, first);
    for (size_t i = 0; dlda_fields_next(&fields, &field); i++) DLDA_TRY(dlda_field_text(&field, &self->names[i]));
done:
    return status;
}

/* The column that `label` names or numbers; `columns` if there is none. */
static size_t find_label(const dlda_csv *self, const char *label)
{
    int64_t number = 0;

    if (label && dlda_parse_whole(label, &number) && number >= 1 && (uint64_t)number <= self->columns)
        return (size_t)number - 1;
    for (size_t i = 0; i < self->columns; i++)
        if (label ? strcmp(self->names[i], label) == 0 : is_label_name(self->names[i])) return i;
    for (size_t i = 0; i < self->columns && !label; i++)
        if (strcasecmp(self->names[i], "y") == 0) return i;
    return label ? self->columns : self->columns - 1;
}

static int is_number(const char *text)
{
    float value;

    return dlda_parse_float(text, strlen(text), &value);
}

static dlda_status no_label(const dlda_csv *self, const char *label)
{
    int near = dlda_closest_word(label, (const char *const *)self->names, self->columns);

    if (near >= 0 && !is_number(label))
        return dlda_fail(DLDA_E_OPTION, "option label: %s has no column '%s'; did you mean '%s'?", self->path,
                         label, dlda_show(self->names[near]).text);
    return dlda_fail(DLDA_E_OPTION,
                     "option label: %s has no column '%s', expected a name of its first line or 1 to %zu",
                     self->path, label, self->columns);
}

/* 1 if the first line is a header: it has the name of the label column, or other names that are not numbers. */
static int is_header(const dlda_csv *self, const char *label)
{
    for (size_t i = 0; i < self->columns; i++) {
        const char *name = self->names[i];
        if (label ? strcmp(name, label) == 0 && !is_number(label) : is_label_name(name)) return 1;
        if (i != self->label && !is_number(name)) return 1;
    }
    return 0;
}

static void forget_names(dlda_csv *self)
{
    for (size_t i = 0; self->names && i < self->columns; i++) dlda_release(self->names[i]);
    dlda_release(self->names);
    self->names = NULL;
}

static dlda_status read_first_line(dlda_csv *self, const char *label, size_t unlabelled)
{
    dlda_status status = DLDA_OK;
    const dlda_record *first = self->text.records;
    size_t n = 0;

    DLDA_TRY(dlda_csv_text_gather(&self->text, 1, &n));
    if (n == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: no lines, expected a table", self->path);
    self->separator = first_separator(self->text.text + first->begin, first->end - first->begin);
    DLDA_TRY(take_names(self, first));
    int has_labels = label || self->columns != unlabelled;
    if (self->columns < 2 && has_labels)
        DLDA_FAIL(DLDA_E_FORMAT,
                  "%s: line %zu has 1 column, expected at least a label and a number, with a comma between",
                  self->path, first->line);
    self->label = has_labels ? find_label(self, label) : self->columns;
    if (self->label == self->columns && has_labels) DLDA_TRY(no_label(self, label));
    if (is_header(self, label)) self->header = first->line;
    else if (!label && has_labels) self->label = self->columns - 1;
    if (self->header == 0) forget_names(self);
done:
    return status;
}

/* ---- Rows ---- */

/* Finds the label field. If it is the last and there are no quotes, it is searched from the end. */
static int label_field(const dlda_csv *self, const dlda_record *row, dlda_field *field)
{
    const char *begin = self->text.text + row->begin;
    size_t length = row->end - row->begin;
    dlda_fields fields = fields_of(self, row);

    if (self->label == self->columns - 1 && !memchr(begin, '"', length)) {
        const char *last = memrchr(begin, self->separator, length);
        if (last) fields = dlda_fields_of(last + 1, (size_t)(begin + length - last - 1), self->separator);
        return last && dlda_fields_next(&fields, field);
    }
    for (size_t i = 0; i <= self->label; i++)
        if (!dlda_fields_next(&fields, field)) return 0;
    return 1;
}

static dlda_status bad_cell(const dlda_csv *self, const dlda_record *row, size_t column, const dlda_field *field)
{
    char copy[DLDA_SHOWN + 2] = "", name[DLDA_SHOWN + 8] = "";
    size_t shown = field->length < sizeof copy - 1 ? field->length : sizeof copy - 1;

    memcpy(copy, field->at, shown);
    if (self->names) snprintf(name, sizeof name, " (%.64s)", dlda_show(self->names[column]).text);
    if (field->damaged)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu, column %zu%s: found %s, expected '%c'", self->path,
                         row->line, column + 1, name,
                         field->damaged == DLDA_UNCLOSED ? "a quote that is never closed" : "text behind a quote",
                         self->separator);
    return dlda_fail(DLDA_E_FORMAT, "%s: line %zu, column %zu%s: found '%s', expected a number%s", self->path,
                     row->line, column + 1, name, dlda_show(copy).text,
                     row->line <= self->header + 1 ? "; use option label to name the label column" : "");
}

/* Reports what is wrong with a row that could not be decoded. */
static dlda_status explain(const dlda_csv *self, const dlda_record *row)
{
    dlda_fields fields = fields_of(self, row);
    dlda_field field;
    size_t column = 0;
    float value;

    for (; dlda_fields_next(&fields, &field); column++) {
        if (column < self->columns && field.damaged) return bad_cell(self, row, column, &field);
        if (column < self->columns && column != self->label && !dlda_parse_float(field.at, field.length, &value))
            return bad_cell(self, row, column, &field);
    }
    if (column != self->columns)
        return dlda_fail(DLDA_E_FORMAT, "%s: line %zu has %zu columns, expected %zu as in the first line",
                         self->path, row->line, column, self->columns);
    return dlda_fail(DLDA_E_IO, "%s: line %zu: changed while it was read", self->path, row->line);
}

static dlda_status add_label(dlda_csv *self, const dlda_record *row)
{
    dlda_status status = DLDA_OK;
    dlda_field field;
    char *text = NULL;
    int number = 0;

    if (!label_field(self, row, &field)) return explain(self, row);
    if (field.doubled) {
        DLDA_TRY(dlda_field_text(&field, &text));
        field.at = text;
        field.length = strlen(text);
    }
    status = dlda_class_list_add(self->list, field.at, field.length, &number);
    if (status != DLDA_OK)
        status = dlda_fail_at(status, "%s: line %zu, column %zu", self->path, row->line, self->label + 1);
done:
    dlda_release(text);
    return status;
}

/* Counts the rows and collects the classes. */
static dlda_status scan(dlda_csv *self)
{
    enum { BLOCK = 4096 };
    dlda_status status = DLDA_OK;

    for (size_t n = 1; n > 0; self->rows += n) {
        DLDA_TRY(dlda_csv_text_gather(&self->text, BLOCK, &n));
        for (size_t i = 0; i < n && self->label < self->columns; i++)
            DLDA_TRY(add_label(self, &self->text.records[i]));
    }
    if (self->rows == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: a header and no rows", self->path);
    DLDA_TRY(dlda_class_list_sort(self->list));
done:
    return status;
}

/* Called by threads, which cannot report lack of memory, so it allocates none. */
static int class_of(const dlda_csv *self, const dlda_field *field)
{
    char text[DLDA_MOST_CLASS_NAME];

    if (!field->doubled) return dlda_class_list_find(self->list, field->at, field->length);
    size_t length = dlda_field_copy(field, sizeof text, text);
    return length <= sizeof text ? dlda_class_list_find(self->list, text, length) : -1;
}

/* Returns 1 if the row is valid. Otherwise X and `class` are only partly written. */
static int decode(const dlda_csv *self, const dlda_record *row, float *X, int *class)
{
    dlda_fields fields = fields_of(self, row);
    dlda_field field;
    size_t column = 0;

    *class = -1;
    for (; dlda_fields_next(&fields, &field); column++) {
        if (column == self->columns || field.damaged) return 0;
        if (column == self->label) {
            if ((*class = class_of(self, &field)) < 0) return 0;
        } else if (!dlda_parse_float(field.at, field.length, X++)) return 0;
    }
    return column == self->columns;
}

typedef struct decoding {
    const dlda_csv *csv;
    float *X;
    int *classes;
    atomic_size_t first_bad; /* row */
} decoding;

static void decode_rows(void *context, const dlda_chunk *chunk)
{
    decoding *job = context;
    size_t features = dlda_csv_features(job->csv);

    for (size_t i = chunk->begin; i < chunk->end; i++) {
        if (decode(job->csv, &job->csv->text.records[i], job->X + i * features, &job->classes[i])) continue;
        size_t least = atomic_load(&job->first_bad);
        while (i < least && !atomic_compare_exchange_weak(&job->first_bad, &least, i)) {}
        return;
    }
}

dlda_status dlda_csv_next(dlda_csv *self, dlda_team *team, size_t most, float *X, int *classes, size_t *n)
{
    enum { GRAIN = 64 };
    dlda_status status = DLDA_OK;
    decoding job = { .csv = self, .X = X, .classes = classes };

    atomic_init(&job.first_bad, SIZE_MAX);
    DLDA_TRY(dlda_csv_text_gather(&self->text, most, n));
    dlda_parallel_for(team, *n, GRAIN, decode_rows, &job);
    size_t bad = atomic_load(&job.first_bad);
    if (bad < *n) DLDA_TRY(explain(self, &self->text.records[bad]));
done:
    return status;
}

/* ---- Opening ---- */

dlda_status dlda_csv_rewind(dlda_csv *self)
{
    dlda_status status = DLDA_OK;
    size_t n = 0;

    DLDA_TRY(dlda_csv_text_rewind(&self->text));
    if (self->header > 0) DLDA_TRY(dlda_csv_text_gather(&self->text, 1, &n));
done:
    return status;
}

dlda_status dlda_csv_open(const char *path, const char *label, size_t unlabelled, dlda_csv **csv)
{
    dlda_status status = DLDA_OK;
    dlda_csv *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, path));
    DLDA_TRY(dlda_take_text(path, &self->path));
    DLDA_TRY(dlda_csv_text_open(self->path, &self->text));
    DLDA_TRY(dlda_class_list_create("labels", &self->list));
    DLDA_TRY(read_first_line(self, label && label[0] ? label : NULL, unlabelled));
    DLDA_TRY(dlda_csv_rewind(self));
    DLDA_TRY(scan(self));
    DLDA_TRY(dlda_csv_rewind(self));
    *csv = self;
    self = NULL;
done:
    dlda_csv_destroy(self);
    return status;
}

void dlda_csv_destroy(dlda_csv *self)
{
    if (!self) return;
    forget_names(self);
    dlda_csv_text_close(&self->text);
    dlda_class_list_destroy(self->list);
    dlda_release(self->path);
    dlda_release(self);
}

size_t dlda_csv_rows(const dlda_csv *self)
{
    return self->rows;
}

size_t dlda_csv_features(const dlda_csv *self)
{
    return self->columns - (self->label < self->columns);
}

const dlda_class_list *dlda_csv_classes(const dlda_csv *self)
{
    return self->list;
}
