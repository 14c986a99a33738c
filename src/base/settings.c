/* SPDX-License-Identifier: MIT
 *
 * settings.c - parses, checks and stores the values of a table of options.
 *
 * Messages refer to an option as "option NAME". A program can translate that to its own spelling.
 */
#include "base/settings.h"
#include "base/closest_word.h"
#include "base/memory.h"
#include "base/number.h"

#include <stdio.h>
#include <string.h>

/* ---- Parsing: each function sets its field, or fails and leaves it unchanged ---- */

static dlda_status bad_value(const dlda_option_info *info, const char *value, const char *expected)
{
    return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected %s", info->name, value, expected);
}

static dlda_status out_of_range(const dlda_option_info *info, const char *value)
{
    return dlda_fail(DLDA_E_OPTION, "option %s: found %s, expected %.16g to %.16g", info->name, value, info->least,
                     info->most);
}

static dlda_status parse_whole(const dlda_option_info *info, const char *value, int64_t *field)
{
    int64_t number = 0;

    if (!dlda_parse_whole(value, &number)) return bad_value(info, value, "a whole number");
    if ((double)number < info->least || number > (int64_t)info->most) return out_of_range(info, value);
    *field = number;
    return DLDA_OK;
}

static dlda_status parse_real(const dlda_option_info *info, const char *value, double *field)
{
    double number = 0;

    if (!dlda_parse_real(value, &number)) return bad_value(info, value, "a number");
    if (number < info->least || number > info->most) return out_of_range(info, value);
    *field = number;
    return DLDA_OK;
}

static dlda_status parse_choice(const dlda_option_info *info, const char *value, int64_t *field)
{
    enum { MOST = 16, LENGTH = 256 };
    char copy[LENGTH], *rest = NULL;
    const char *words[MOST];
    int count = 0;

    snprintf(copy, sizeof copy, "%s", info->choices);
    for (char *word = strtok_r(copy, "|", &rest); word && count < MOST; word = strtok_r(NULL, "|", &rest)) {
        if (strcmp(word, value) == 0) {
            *field = count;
            return DLDA_OK;
        }
        words[count++] = word;
    }
    int near = dlda_closest_word(value, words, (size_t)count);
    return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected one of %s%s%s%s", info->name, value,
                     info->choices, near < 0 ? "" : "; did you mean '", near < 0 ? "" : words[near],
                     near < 0 ? "" : "'?");
}

static dlda_status parse_flag(const dlda_option_info *info, const char *value, int64_t *field)
{
    if (strcmp(value, "true") != 0 && strcmp(value, "false") != 0) return bad_value(info, value, "true or false");
    *field = strcmp(value, "true") == 0;
    return DLDA_OK;
}

/* Parses a whole number from 1 to DLDA_MOST_SIDE that ends at `end`; 0 if there is none. */
static size_t read_side(const char *text, const char *end)
{
    size_t side = 0;

    for (const char *c = text; c < end; c++) {
        if (*c < '0' || *c > '9' || side > DLDA_MOST_SIDE) return 0;
        side = 10 * side + (size_t)(*c - '0');
    }
    return side <= DLDA_MOST_SIDE ? side : 0;
}

/* "HxW", "N" for NxN, or "". */
static dlda_status parse_size(const dlda_option_info *info, const char *value, dlda_size *field)
{
    const char *end = value + strlen(value), *x = strchr(value, 'x');
    dlda_size size = { read_side(value, x ? x : end), read_side(x ? x + 1 : value, end) };

    if (value[0] && (!size.height || !size.width))
        return dlda_fail(DLDA_E_OPTION, "option %s: found '%s', expected a size as 32 or 32x48, from 1 to %d",
                         info->name, value, DLDA_MOST_SIDE);
    *field = size;
    return DLDA_OK;
}

/* ---- Values ---- */

/* Holds a value of any type, also that of an option without a field. */
typedef union parsed_value {
    int64_t whole;
    double real;
    dlda_size size;
    const char *text;
} parsed_value;

static void *field_of(dlda_settings *self, const dlda_option_row *row, parsed_value *none)
{
    return row->offset ? (char *)self + row->offset : (char *)none;
}

static dlda_status parse(const dlda_option_info *info, const char *value, void *field)
{
    switch (info->type) {
    case DLDA_OPTION_WHOLE: return parse_whole(info, value, field);
    case DLDA_OPTION_REAL: return parse_real(info, value, field);
    case DLDA_OPTION_CHOICE: return parse_choice(info, value, field);
    case DLDA_OPTION_FLAG: return parse_flag(info, value, field);
    case DLDA_OPTION_SIZE: return parse_size(info, value, field);
    case DLDA_OPTION_TEXT: *(const char **)field = value; break;
    }
    return DLDA_OK;
}

static dlda_status set_value(dlda_settings *self, size_t i, const char *value)
{
    dlda_status status = DLDA_OK;
    const dlda_option_row *row = self->table->at(i);
    parsed_value none;
    char *text = NULL;

    if (strlen(value) >= DLDA_OPTION_LENGTH)
        DLDA_FAIL(DLDA_E_OPTION, "option %s: %zu characters, expected at most %d", row->info.name, strlen(value),
                  DLDA_OPTION_LENGTH - 1);
    DLDA_TRY(dlda_take_text(value, &text));
    DLDA_TRY(parse(&row->info, text, field_of(self, row, &none)));
    dlda_release(self->values[i].text);
    self->values[i].text = text;
    text = NULL;
done:
    dlda_release(text);
    return status;
}

/* ---- Structs of options ---- */

static size_t count_rows(const dlda_option_table *table)
{
    size_t count = 0;

    while (table->at(count)) count++;
    return count;
}

/* Allocates the struct of options, without strings. */
static dlda_status take_struct(const dlda_option_table *table, dlda_settings **settings)
{
    dlda_status status = DLDA_OK;
    dlda_settings *self = dlda_take_bytes(1, table->size, "options");

    if (!self) return DLDA_E_MEMORY;
    self->table = table;
    self->count = count_rows(table);
    DLDA_TRY(DLDA_TAKE(&self->values, self->count, "options"));
    *settings = self;
    self = NULL;
done:
    dlda_release(self);
    return status;
}

dlda_status dlda_settings_create(const dlda_option_table *table, dlda_settings **settings)
{
    dlda_status status = DLDA_OK;
    dlda_settings *self = NULL;

    DLDA_TRY(take_struct(table, &self));
    for (size_t i = 0; i < self->count; i++) DLDA_TRY(set_value(self, i, table->at(i)->info.initial));
    *settings = self;
    self = NULL;
done:
    dlda_settings_destroy(self);
    return status;
}

/* Copies the parsed fields that follow the settings. Pointers to strings are replaced
 * when the strings are copied. */
static void copy_fields(const dlda_settings *from, dlda_settings *to)
{
    memcpy((char *)to + sizeof *to, (const char *)from + sizeof *from, from->table->size - sizeof *from);
}

dlda_status dlda_settings_copy(const dlda_settings *settings, dlda_settings **copy)
{
    dlda_status status = DLDA_OK;
    dlda_settings *self = NULL;
    parsed_value none;

    DLDA_TRY(take_struct(settings->table, &self));
    copy_fields(settings, self);
    for (size_t i = 0; i < self->count; i++) {
        const dlda_option_row *row = self->table->at(i);
        DLDA_TRY(dlda_take_text(settings->values[i].text, &self->values[i].text));
        self->values[i].given = settings->values[i].given;
        if (row->info.type == DLDA_OPTION_TEXT) *(const char **)field_of(self, row, &none) = self->values[i].text;
    }
    *copy = self;
    self = NULL;
done:
    dlda_settings_destroy(self);
    return status;
}

void dlda_settings_destroy(dlda_settings *self)
{
    if (!self) return;
    for (size_t i = 0; i < self->count; i++) dlda_release(self->values[i].text);
    dlda_release(self->values);
    dlda_release(self);
}

/* ---- Access by name ---- */

int dlda_option_index(const dlda_option_table *table, const char *name)
{
    for (size_t i = 0; table->at(i); i++)
        if (strcmp(table->at(i)->info.name, name) == 0) return (int)i;
    return -1;
}

static dlda_status fail_unknown(const dlda_option_table *table, const char *name)
{
    enum { MOST = 128 };
    const char *names[MOST];
    size_t count = 0;

    for (; count < MOST && table->at(count); count++) names[count] = table->at(count)->info.name;
    int near = dlda_closest_word(name, names, count);
    if (near < 0) return dlda_fail(DLDA_E_OPTION, "unknown option '%s'", name);
    return dlda_fail(DLDA_E_OPTION, "unknown option '%s'; did you mean '%s'?", name, names[near]);
}

dlda_status dlda_settings_set(dlda_settings *self, const char *name, const char *value)
{
    int i = dlda_option_index(self->table, name);

    if (i < 0) return fail_unknown(self->table, name);
    dlda_status status = set_value(self, (size_t)i, value);
    if (status == DLDA_OK) self->values[i].given = 1;
    return status;
}

dlda_status dlda_settings_suggest(dlda_settings *self, const char *name, const char *value)
{
    int i = dlda_option_index(self->table, name);

    if (i < 0) return fail_unknown(self->table, name);
    return self->values[i].given ? DLDA_OK : set_value(self, (size_t)i, value);
}

const char *dlda_settings_get(const dlda_settings *self, const char *name)
{
    int i = dlda_option_index(self->table, name);

    return i < 0 ? NULL : self->values[i].text;
}

int dlda_settings_is_given(const dlda_settings *self, const char *name)
{
    int i = dlda_option_index(self->table, name);

    return i >= 0 && self->values[i].given;
}
