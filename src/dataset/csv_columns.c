/* SPDX-License-Identifier: MIT
 *
 * csv_columns.c - interprets the first lines of a CSV table: separator, header, and what each column is.
 *
 * The separator is the first comma, semicolon or tab of the first line. But a semicolon or tab that divides the first
 * two lines into equally many fields, more than one, takes precedence over a comma, which is then a decimal comma.
 *
 * The label column is the requested one; else the one named label, class or target, else y, ignoring case; else the
 * last. The first line is a header if it contains the requested name, or label, class or target, or if a field
 * outside the label column is neither a number nor missing.
 */
#define _GNU_SOURCE /* strsep */
#include "dataset/csv_columns.h"
#include "base/closest_word.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- Fields ---- */

const char *dlda_csv_where(const dlda_csv *self, const dlda_record *row)
{
    return dlda_csv_text_name(&self->text, row);
}

dlda_fields dlda_csv_fields(const dlda_csv *self, const dlda_record *record)
{
    return dlda_fields_of(self->text.text + record->begin, record->end - record->begin, self->separator);
}

int dlda_csv_is_missing(const dlda_field *field)
{
    static const char *const words[] = { "", "NA", "N/A", "NaN", "null", "?" };

    if (field->length > 4) return 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (field->length == strlen(words[i]) && strncasecmp(field->at, words[i], field->length) == 0) return 1;
    return 0;
}

int dlda_csv_is_no_label(const dlda_field *field)
{
    return field->length == 0 || (field->length == 2 && memcmp(field->at, "NA", 2) == 0) ||
           (field->length == 3 && memcmp(field->at, "NaN", 3) == 0);
}

int dlda_csv_number(const dlda_csv *self, const dlda_field *field, float *value, unsigned *marks)
{
    char copy[128];

    if (self->separator == ',') return dlda_parse_float(field->at, field->length, value);
    const char *comma = memchr(field->at, ',', field->length);
    if (memchr(field->at, '.', field->length)) *marks |= DLDA_DECIMAL_POINT;
    if (!comma) return dlda_parse_float(field->at, field->length, value);
    *marks |= DLDA_DECIMAL_COMMA;
    if (field->length >= sizeof copy) return 0;
    memcpy(copy, field->at, field->length);
    copy[comma - field->at] = '.'; /* a second comma, or a point, stays an error */
    return dlda_parse_float(copy, field->length, value);
}

/* ---- Separator ---- */

static size_t count_of(char separator, const char *text, size_t n)
{
    size_t count = 0;
    int quoted = 0;

    for (size_t i = 0; i < n; i++) {
        if (text[i] == '"') quoted = !quoted;
        count += !quoted && text[i] == separator;
    }
    return count;
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

static char find_separator(const dlda_csv *self, const dlda_record *lines, size_t n)
{
    const char *text = self->text.text, others[] = { ';', '\t' };
    char first = first_separator(text + lines[0].begin, lines[0].end - lines[0].begin);

    for (size_t i = 0; first == ',' && n > 1 && i < 2; i++) {
        size_t count = count_of(others[i], text + lines[0].begin, lines[0].end - lines[0].begin);
        if (count > 0 && count == count_of(others[i], text + lines[1].begin, lines[1].end - lines[1].begin))
            return others[i];
    }
    return first;
}

/* ---- Names ---- */

/* A column takes some hundred bytes, and two in a file. Images of 295 x 295 in RGB have fewer, and no more names can be
 * saved. */
enum { MOST_COLUMNS = 1 << 18 };

static dlda_status take_names(dlda_csv *self, const dlda_record *first)
{
    dlda_status status = DLDA_OK;
    dlda_fields fields = dlda_csv_fields(self, first);
    dlda_field field;
    size_t count = 0;

    for (; dlda_fields_next(&fields, &field); count++) {}
    if (count > MOST_COLUMNS)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: line %zu has %zu columns, expected at most %d", self->path, first->line,
                  count, MOST_COLUMNS);
    DLDA_TRY(DLDA_TAKE(&self->columns, count, self->path));
    self->n_columns = count;
    fields = dlda_csv_fields(self, first);
    for (size_t i = 0; dlda_fields_next(&fields, &field); i++)
        DLDA_TRY(dlda_field_text(&field, &self->columns[i].name));
done:
    return status;
}

static void forget_names(dlda_csv *self)
{
    for (size_t i = 0; i < self->n_columns; i++) {
        dlda_release(self->columns[i].name);
        self->columns[i].name = NULL;
    }
}

void dlda_csv_release_columns(dlda_csv *self)
{
    if (self->columns) forget_names(self);
    for (size_t i = 0; self->columns && i < self->n_columns; i++) {
        dlda_class_list_destroy(self->columns[i].levels);
        dlda_release(self->columns[i].places);
    }
    dlda_release(self->columns);
    dlda_release(self->features);
}

int dlda_csv_is_header(const void *csv, const dlda_record *record)
{
    const dlda_csv *self = csv;
    dlda_fields fields = dlda_csv_fields(self, record);
    dlda_field field;
    size_t i = 0;

    if (record->file == 0) return record->line == self->header;
    for (; dlda_fields_next(&fields, &field); i++)
        if (i >= self->n_columns || field.damaged || !dlda_field_is(&field, self->columns[i].name)) return 0;
    return i == self->n_columns;
}

static int is_label_name(const char *name)
{
    return strcasecmp(name, "label") == 0 || strcasecmp(name, "class") == 0 || strcasecmp(name, "target") == 0;
}

/* The column with this name or number; n_columns if there is none. */
static size_t find_column(const dlda_csv *self, const char *text)
{
    int64_t number = 0;

    if (dlda_parse_whole(text, &number) && number >= 1 && (uint64_t)number <= self->n_columns)
        return (size_t)number - 1;
    for (size_t i = 0; i < self->n_columns; i++)
        if (self->columns[i].name && strcmp(self->columns[i].name, text) == 0) return i;
    return self->n_columns;
}

/* The last column that is used. */
static size_t last_column(const dlda_csv *self)
{
    size_t i = self->n_columns;

    while (i > 0 && self->columns[i - 1].role == DLDA_COLUMN_UNUSED) i--;
    return i > 0 ? i - 1 : self->n_columns;
}

static size_t find_label(const dlda_csv *self, const char *label)
{
    const dlda_column *columns = self->columns;

    if (label) return find_column(self, label);
    for (size_t i = 0; i < self->n_columns; i++)
        if (columns[i].role != DLDA_COLUMN_UNUSED && is_label_name(columns[i].name)) return i;
    for (size_t i = 0; i < self->n_columns; i++)
        if (columns[i].role != DLDA_COLUMN_UNUSED && strcasecmp(columns[i].name, "y") == 0) return i;
    return last_column(self);
}

static int is_number(const dlda_csv *self, const char *text)
{
    const dlda_field field = { .at = text, .length = strlen(text) };
    unsigned marks = 0;
    float value;

    return dlda_csv_number(self, &field, &value, &marks);
}

static int names_nothing(const char *text)
{
    return dlda_csv_is_missing(&(dlda_field){ .at = text, .length = strlen(text) });
}

/* 1 if the first line is a header: it has the name of the label column, or other names that are not numbers. */
static int is_header(const dlda_csv *self, const char *label)
{
    for (size_t i = 0; i < self->n_columns; i++) {
        const char *name = self->columns[i].name;
        if (label ? strcmp(name, label) == 0 && !is_number(self, label) : is_label_name(name)) return 1;
        if (i != self->label && !is_number(self, name) && !names_nothing(name)) return 1;
    }
    return 0;
}

static dlda_status no_column(const dlda_csv *self, const char *option, const char *text)
{
    const char **names = NULL;
    int near = -1;

    if (DLDA_TAKE(&names, self->n_columns, self->path) != DLDA_OK) return DLDA_E_MEMORY;
    for (size_t i = 0; i < self->n_columns; i++) names[i] = self->columns[i].name ? self->columns[i].name : "";
    if (!is_number(self, text)) near = dlda_closest_word(text, names, self->n_columns);
    dlda_status status =
        near >= 0 ? dlda_fail(DLDA_E_OPTION, "option %s: %s has no column '%s'; did you mean '%s'?", option,
                              self->path, text, dlda_show(names[near]).text)
                  : dlda_fail(DLDA_E_OPTION,
                              "option %s: %s has no column '%s', expected a name of its first line or 1 to %zu",
                              option, self->path, text, self->n_columns);
    dlda_release(names);
    return status;
}

/* ---- Lists of columns ---- */

static dlda_status mark(dlda_csv *self, const char *option, dlda_column_role role, size_t column)
{
    dlda_column *found = &self->columns[column];

    if (column == self->label && role != DLDA_COLUMN_NUMBER)
        return dlda_fail(DLDA_E_OPTION, "option %s: column %zu of %s has the labels, expected another", option,
                         column + 1, self->path);
    if (role == DLDA_COLUMN_NUMBER) found->kept = 1;
    else if (found->role != DLDA_COLUMN_UNUSED) found->role = role;
    return DLDA_OK;
}

/* Gives a role to the columns of a list; NUMBER: keeps them. A text that is the name of a column is that column, even
 * if it has commas. */
static dlda_status mark_list(dlda_csv *self, const char *option, const char *list, dlda_column_role role)
{
    dlda_status status = DLDA_OK;
    char *copy = NULL;

    if (!list || !list[0]) return DLDA_OK;
    if (find_column(self, list) < self->n_columns) return mark(self, option, role, find_column(self, list));
    DLDA_TRY(dlda_take_text(list, &copy));
    for (char *rest = copy, *item; (item = strsep(&rest, ",")) != NULL;) {
        item += strspn(item, " ");
        size_t column = find_column(self, item);
        if (column == self->n_columns) DLDA_TRY(no_column(self, option, item));
        DLDA_TRY(mark(self, option, role, column));
    }
done:
    dlda_release(copy);
    return status;
}

static size_t used_columns(const dlda_csv *self)
{
    size_t used = 0;

    for (size_t i = 0; i < self->n_columns; i++) used += self->columns[i].role != DLDA_COLUMN_UNUSED;
    return used;
}

/* ---- Features by name ---- */

/* The label is not one of the requested features. */
static size_t label_beside(dlda_csv *self, const dlda_csv_spec *spec)
{
    if (!spec->labelled) return self->n_columns;
    for (size_t i = 0; i < self->n_columns; i++)
        for (size_t j = 0; j < spec->n_features; j++)
            if (strcmp(self->columns[i].name, spec->features[j].column) == 0)
                self->columns[i].role = DLDA_COLUMN_UNUSED; /* until choose_by_name */
    return find_label(self, NULL);
}

/* Uses exactly the columns of the requested features. */
static dlda_status choose_by_name(dlda_csv *self, const dlda_csv_spec *spec)
{
    for (size_t i = 0; i < self->n_columns; i++)
        if (i != self->label) self->columns[i].role = DLDA_COLUMN_UNUSED;
    for (size_t j = 0; j < spec->n_features; j++) {
        const dlda_feature *wanted = &spec->features[j];
        size_t i = 0, found = self->n_columns;
        for (; i < self->n_columns; i++)
            if (i != self->label && strcmp(self->columns[i].name, wanted->column) == 0) {
                if (found < self->n_columns)
                    return dlda_fail(DLDA_E_FORMAT, "%s: columns %zu and %zu are both named '%s', expected one",
                                     self->path, found + 1, i + 1, dlda_show(wanted->column).text);
                found = i;
            }
        if (found == self->n_columns)
            return dlda_fail(DLDA_E_FORMAT, "%s: no column '%s', expected all %zu features of the %s", self->path,
                             dlda_show(wanted->column).text, spec->n_features, self->for_lda ? "LDA" : "model");
        self->columns[found].role = wanted->level ? DLDA_COLUMN_CATEGORY : DLDA_COLUMN_NUMBER;
    }
    self->by_name = 1;
    return DLDA_OK;
}

static dlda_status place_by_name(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;

    for (size_t j = 0; j < spec->n_features; j++) {
        const dlda_feature *wanted = &spec->features[j];
        size_t i = 0;
        while (strcmp(self->columns[i].name, wanted->column) != 0 || i == self->label) i++;
        dlda_column *column = &self->columns[i];
        self->features[j] = *wanted;
        if (!wanted->level) column->feature = j;
        else {
            int level = dlda_class_list_find(column->levels, wanted->level, strlen(wanted->level));
            column->places[level] = (long)j;
        }
    }
    return status;
}

/* The levels that the LDA knows; any other in the table is an error. */
static dlda_status take_levels(dlda_csv *self, const dlda_csv_spec *spec, dlda_column *column)
{
    dlda_status status = DLDA_OK;
    int number = 0;

    for (size_t j = 0; j < spec->n_features; j++) {
        const dlda_feature *wanted = &spec->features[j];
        if (!wanted->level || strcmp(column->name, wanted->column) != 0) continue;
        DLDA_TRY(dlda_class_list_add(column->levels, wanted->level, strlen(wanted->level), &number));
        if (wanted->reference)
            DLDA_TRY(dlda_class_list_add(column->levels, wanted->reference, strlen(wanted->reference), &number));
    }
    DLDA_TRY(dlda_class_list_sort(column->levels));
done:
    (void)self;
    return status;
}

/* ---- Placing ---- */

static dlda_status create_levels(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < self->n_columns; i++) {
        dlda_column *column = &self->columns[i];
        if (column->role != DLDA_COLUMN_CATEGORY) continue;
        self->has_categories = 1;
        DLDA_TRY(dlda_class_list_create("levels", &column->levels));
        if (self->by_name) DLDA_TRY(take_levels(self, spec, column));
    }
done:
    return status;
}

static size_t features_of(const dlda_column *column)
{
    if (column->role == DLDA_COLUMN_NUMBER) return 1;
    return column->role == DLDA_COLUMN_CATEGORY ? dlda_class_list_count(column->levels) - 1 : 0;
}

/* Every level but the first becomes a feature. */
static void place_column(dlda_csv *self, dlda_column *column, size_t first)
{
    if (column->role == DLDA_COLUMN_NUMBER) {
        column->feature = first;
        self->features[first] = (dlda_feature){ .column = column->name };
        return;
    }
    const char *const *levels = dlda_class_list_names(column->levels);
    for (size_t k = 1; k < dlda_class_list_count(column->levels); k++) {
        column->places[k] = (long)(first + k - 1);
        self->features[first + k - 1] = (dlda_feature){ column->name, levels[k], levels[0] };
    }
}

static dlda_status take_places(dlda_csv *self)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < self->n_columns; i++) {
        dlda_column *column = &self->columns[i];
        size_t levels = column->role == DLDA_COLUMN_CATEGORY ? dlda_class_list_count(column->levels) : 0;
        if (column->role != DLDA_COLUMN_CATEGORY) continue;
        if (levels < 2)
            DLDA_FAIL(DLDA_E_FORMAT,
                      "%s: column %zu has %zu level%s, expected 2 or more; option drop leaves it out", self->all,
                      i + 1, levels, levels == 1 ? "" : "s");
        DLDA_TRY(DLDA_TAKE(&column->places, levels, self->path));
        for (size_t k = 0; k < levels; k++) column->places[k] = -1;
    }
done:
    return status;
}

dlda_status dlda_csv_place_features(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;
    size_t first = 0;

    DLDA_TRY(take_places(self));
    for (size_t i = 0; i < self->n_columns; i++) self->n_features += features_of(&self->columns[i]);
    if (self->by_name) self->n_features = spec->n_features;
    if (self->n_features == 0)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: no columns of numbers are left, expected at least one", self->path);
    DLDA_TRY(DLDA_TAKE(&self->features, self->n_features, self->path));
    if (self->by_name) return place_by_name(self, spec);
    for (size_t i = 0; i < self->n_columns; i++) {
        dlda_column *column = &self->columns[i];
        if (features_of(column) > 0) place_column(self, column, first);
        first += features_of(column);
    }
done:
    return status;
}

/* ---- The first line ---- */

static dlda_status assign_roles(dlda_csv *self, const dlda_csv_spec *spec, const char *label)
{
    dlda_status status = DLDA_OK;
    size_t none = self->n_columns;

    self->label = none;
    DLDA_TRY(mark_list(self, "drop", spec->drop, DLDA_COLUMN_UNUSED));
    size_t found = find_label(self, label);
    if (label && found == none) DLDA_TRY(no_column(self, "label", label));
    if (label && self->columns[found].role == DLDA_COLUMN_UNUSED)
        DLDA_FAIL(DLDA_E_OPTION, "option drop: column %zu of %s has the labels, expected another", found + 1,
                  self->path);
    int has_labels = label || used_columns(self) != spec->unlabelled;
    if (has_labels) self->label = found;
    if (is_header(self, label)) self->header = self->text.records[0].line;
    else if (!label && has_labels) self->label = last_column(self);
    if (spec->n_features > 0 && self->header && !label) self->label = label_beside(self, spec);
    if (self->label < none) self->columns[self->label].role = DLDA_COLUMN_LABEL;
    DLDA_TRY(mark_list(self, "categories", spec->categories, DLDA_COLUMN_CATEGORY));
    DLDA_TRY(mark_list(self, "keep", spec->keep, DLDA_COLUMN_NUMBER));
done:
    return status;
}

dlda_status dlda_csv_read_columns(dlda_csv *self, const dlda_csv_spec *spec)
{
    dlda_status status = DLDA_OK;
    const char *label = spec->label && spec->label[0] ? spec->label : NULL;
    size_t n = 0;

    DLDA_TRY(dlda_csv_text_gather(&self->text, 2, &n));
    if (n == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: no lines, expected a table", self->path);
    self->separator = find_separator(self, self->text.records, n);
    DLDA_TRY(take_names(self, &self->text.records[0]));
    if (self->n_columns < 2 && (label || self->n_columns != spec->unlabelled))
        DLDA_FAIL(DLDA_E_FORMAT,
                  "%s: line %zu has 1 column, expected at least a label and a number, with a comma between",
                  self->path, self->text.records[0].line);
    DLDA_TRY(assign_roles(self, spec, label));
    if (spec->n_features > 0 && self->header) DLDA_TRY(choose_by_name(self, spec));
    DLDA_TRY(create_levels(self, spec));
    if (self->header == 0) forget_names(self);
    else self->text.is_header = dlda_csv_is_header, self->text.owner = self;
done:
    return status;
}
