/* SPDX-License-Identifier: MIT
 *
 * reproduce_files.c - our figures beside the printed ones, for programs: CSV and JSON with the same fields.
 */
#include "json_out.h"
#include "reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number as both files have it; "" for none. */
static char *number_text(double number)
{
    return isnan(number) ? text_format("%s", "") : text_format("%.10g", number);
}

static double or_none(double number, int is_there)
{
    return is_there ? number : NAN;
}

enum { N_NUMBERS = 11 };
static const char *const number_names[N_NUMBERS] = { "printed_table", "printed_text", "ours",   "spread",
                                                     "runs",          "seeds",        "folds",  "least_epochs",
                                                     "most_epochs",   "full_epochs",  "seconds" };

static void list_numbers(const result_row *row, double numbers[N_NUMBERS])
{
    int has_runs = row->runs > 0;
    const double values[N_NUMBERS] = { or_none(row->printed.table, row->printed.table != 0),
                                       or_none(row->printed.text, row->printed.text != 0),
                                       or_none(row->mean, has_runs),
                                       or_none(row->spread, has_runs),
                                       (double)row->runs,
                                       (double)row->seeds,
                                       (double)row->folds,
                                       or_none((double)row->least_epochs, has_runs),
                                       or_none((double)row->most_epochs, has_runs),
                                       or_none((double)row->full_epochs, has_runs),
                                       or_none(row->seconds, has_runs) };

    memcpy(numbers, values, sizeof values);
}

/* ---- CSV ---- */

static void write_field(FILE *file, const char *text)
{
    fputs(",\"", file);
    for (; *text; text++) {
        if (*text == '"') fputc('"', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void write_csv_row(FILE *file, const result_table *table, const result_row *row)
{
    double numbers[N_NUMBERS];
    char *deviations = NULL;

    list_numbers(row, numbers);
    fprintf(file, "%s,%s,%s", table->experiment->name, row->kind->name, table->experiment->measure);
    for (int i = 0; i < N_NUMBERS; i++) {
        char *text = number_text(numbers[i]);
        fprintf(file, ",%s", text);
        free(text);
    }
    write_field(file, row->train ? row->train : "");
    write_field(file, row->eval ? row->eval : "");
    for (size_t i = 0; row->runs > 0 && i < table->deviations.count; i++) {
        char *more = text_format("%s%s%s", deviations ? deviations : "", i ? "; " : "", table->deviations.at[i]);
        free(deviations);
        deviations = more;
    }
    write_field(file, deviations ? deviations : "");
    fputc('\n', file);
    free(deviations);
}

void reproduce_write_csv(FILE *file, const result_table *tables, size_t count)
{
    fputs("experiment,row,measure", file);
    for (int i = 0; i < N_NUMBERS; i++) fprintf(file, ",%s", number_names[i]);
    fputs(",train_command,eval_command,deviations\n", file);
    for (size_t i = 0; i < count; i++)
        for (cli_row r = 0; r < N_ROWS; r++)
            if (reproduce_is_shown(&tables[i], r)) write_csv_row(file, &tables[i], &tables[i].rows[r]);
}

/* ---- JSON ---- */

static void add_text(json_out *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text) json_text(json, text);
    else json_raw(json, "null");
}

static void write_json_row(json_out *json, const result_row *row)
{
    double numbers[N_NUMBERS];

    list_numbers(row, numbers);
    json_open(json, '{');
    add_text(json, "row", row->kind->name);
    add_text(json, "title", row->kind->title);
    for (int i = 0; i < N_NUMBERS; i++) {
        char *text = number_text(numbers[i]);
        json_key(json, number_names[i]);
        json_raw(json, text[0] ? text : "null");
        free(text);
    }
    add_text(json, "train_command", row->train);
    add_text(json, "eval_command", row->eval);
    json_close(json, '}');
}

static void write_json_table(json_out *json, const result_table *table)
{
    json_open(json, '{');
    add_text(json, "experiment", table->experiment->name);
    add_text(json, "title", table->experiment->title);
    add_text(json, "measure", table->experiment->measure);
    json_key(json, "deviations");
    json_open(json, '[');
    for (size_t i = 0; i < table->deviations.count; i++) json_text(json, table->deviations.at[i]);
    json_close(json, ']');
    json_key(json, "rows");
    json_open(json, '[');
    for (cli_row r = 0; r < N_ROWS; r++)
        if (reproduce_is_shown(table, r)) write_json_row(json, &table->rows[r]);
    json_close(json, ']');
    json_close(json, '}');
}

void reproduce_write_json(FILE *file, const result_table *tables, size_t count)
{
    json_out json = { .file = file };

    json_open(&json, '{');
    json_key(&json, "experiments");
    json_open(&json, '[');
    for (size_t i = 0; i < count; i++) write_json_table(&json, &tables[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', file);
}
