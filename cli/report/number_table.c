/* SPDX-License-Identifier: MIT
 *
 * number_table.c - reads a small CSV file of numbers up to the first damage.
 */
#include "report/number_table.h"
#include "base/memory.h"
#include "base/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static dlda_status read_names(number_table *self, const char *line)
{
    dlda_status status = DLDA_OK;

    for (size_t n = 0;; line += n + 1) {
        n = strcspn(line, ",");
        DLDA_TRY(dlda_name_list_add(&self->names, line, n));
        if (line[n] == '\0') break;
    }
    self->columns = self->names.count;
done:
    return status;
}

/* 1 if the line has a number, or an empty field, in each column. */
static int read_row(const char *line, size_t columns, double *values)
{
    char field[64];

    for (size_t c = 0; c < columns; c++) {
        size_t n = strcspn(line, ",");
        if (n >= sizeof field || (line[n] == '\0') != (c + 1 == columns)) return 0;
        memcpy(field, line, n);
        field[n] = '\0';
        values[c] = NAN;
        if (n > 0 && !dlda_parse_real(field, &values[c])) return 0;
        line += n + (line[n] == ',');
    }
    return 1;
}

/* A file truncated within its last number is recognised by the missing line end. */
static dlda_status check_end(const char *path, number_table *self)
{
    dlda_status status = DLDA_OK;
    FILE *file = fopen(path, "rbe");

    if (!file) DLDA_FAIL(DLDA_E_IO, "%s: cannot open: %s", path, strerror(errno));
    int last = fseek(file, -1, SEEK_END) == 0 ? fgetc(file) : EOF;
    if (last == EOF) status = dlda_fail(DLDA_E_IO, "%s: cannot read: %s", path, strerror(errno));
    else if (last != '\n' && self->rows > 0) {
        self->rows--;
        snprintf(self->damage, sizeof self->damage, "%s: line %zu has no end; the lines before it are shown", path,
                 self->rows + 2);
    }
    fclose(file);
done:
    return status;
}

dlda_status number_table_read(const char *path, number_table *self)
{
    dlda_status status = DLDA_OK;
    dlda_name_list lines = { 0 };
    size_t count = 0;

    DLDA_TRY(dlda_name_list_add_lines(&lines, path));
    if (lines.count == 0) DLDA_FAIL(DLDA_E_FORMAT, "%s: is empty, expected a line of names and numbers", path);
    DLDA_TRY(read_names(self, dlda_name_list_at(&lines, 0)));
    DLDA_TRY(dlda_multiply_sizes(lines.count, self->columns, path, &count));
    DLDA_TRY(DLDA_TAKE(&self->values, count, path));
    for (; self->rows + 1 < lines.count; self->rows++)
        if (!read_row(dlda_name_list_at(&lines, self->rows + 1), self->columns,
                      self->values + self->rows * self->columns))
            break;
    if (self->rows + 1 < lines.count)
        snprintf(self->damage, sizeof self->damage,
                 "%s: line %zu does not have %zu numbers; the lines before it are shown", path, self->rows + 2,
                 self->columns);
    else DLDA_TRY(check_end(path, self));
done:
    dlda_name_list_release(&lines);
    return status;
}

void number_table_release(number_table *self)
{
    dlda_name_list_release(&self->names);
    dlda_release(self->values);
    *self = (number_table){ 0 };
}

int number_table_column(const number_table *self, const char *name)
{
    for (size_t c = 0; c < self->columns; c++)
        if (strcmp(dlda_name_list_at(&self->names, c), name) == 0) return (int)c;
    return -1;
}

double number_table_at(const number_table *self, size_t row, int column)
{
    return column < 0 || row >= self->rows ? NAN : self->values[row * self->columns + (size_t)column];
}
