/* SPDX-License-Identifier: MIT
 *
 * table_files.c - writes our results beside the published ones as CSV and JSON with the same fields.
 */
#include "eval/compare_out.h"
#include "reproduce/results.h"
#include "terminal/csv_out.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A number with its name in both files; NaN: none. */
typedef struct named_number {
    const char *name;
    double value;
} named_number;

static char *number_text(double number)
{
    return isnan(number) ? text_format("%s", "") : text_format("%.10g", number);
}

static double or_none(double number, int is_there)
{
    return is_there ? number : NAN;
}

enum { N_NUMBERS = 13, N_PAIR_NUMBERS = 10 };

static void list_numbers(const result_row *row, named_number numbers[N_NUMBERS])
{
    int has_runs = row->runs > 0;
    const named_number values[N_NUMBERS] = {
        { "printed_table", or_none(row->printed.table, row->printed.table != 0) },
        { "printed_text", or_none(row->printed.text, row->printed.text != 0) },
        { "ours", row->summary.mean },
        { "spread", row->summary.deviation },
        { "low", row->interval.low },
        { "high", row->interval.high },
        { "runs", (double)row->runs },
        { "seeds", (double)row->seeds },
        { "folds", (double)row->folds },
        { "least_epochs", or_none((double)row->least_epochs, has_runs) },
        { "most_epochs", or_none((double)row->most_epochs, has_runs) },
        { "full_epochs", or_none((double)row->full_epochs, has_runs) },
        { "seconds", or_none(row->seconds, has_runs) },
    };

    memcpy(numbers, values, sizeof values);
}

/* Images that only one of the two gets right: mean over the runs, whose test images are the same. */
static double mean_of(const result_pair *pair, int second)
{
    double sum = 0;

    for (size_t i = 0; i < pair->n_runs; i++)
        sum += (double)(second ? pair->runs[i].counts.only_second : pair->runs[i].counts.only_first);
    return sum / (double)pair->n_runs;
}

static void list_pair_numbers(const result_pair *pair, named_number numbers[N_PAIR_NUMBERS])
{
    const named_number values[N_PAIR_NUMBERS] = {
        { "difference", pair->differences.mean },
        { "spread", pair->differences.deviation },
        { "low", pair->interval.low },
        { "high", pair->interval.high },
        { "p_value", pair->p },
        { "runs", (double)pair->n_runs },
        { "only_first", mean_of(pair, 0) },
        { "only_second", mean_of(pair, 1) },
        { "first_better", (double)pair->first_better },
        { "second_better", (double)pair->second_better },
    };

    memcpy(numbers, values, sizeof values);
}

/* ---- CSV ---- */

static void write_field(FILE *file, const char *text)
{
    fputc(',', file);
    csv_text(file, text);
}

static void write_csv_head(FILE *file, const char *first, const named_number *numbers, int count, const char *last)
{
    print_to(file, "%s", first);
    for (int i = 0; i < count; i++) print_to(file, ",%s", numbers[i].name);
    print_to(file, "%s\n", last);
}

static void write_csv_numbers(FILE *file, const named_number *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char *text = number_text(numbers[i].value);
        print_to(file, ",%s", text);
        free(text);
    }
}

static void write_csv_row(FILE *file, const result_table *table, const result_row *row)
{
    named_number numbers[N_NUMBERS];
    char *deviations = NULL;

    list_numbers(row, numbers);
    print_to(file, "%s,%s,%s", table->experiment->name, row->kind->name, measure_names[table->experiment->measure]);
    write_csv_numbers(file, numbers, N_NUMBERS);
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

static void write_csv_pair(FILE *file, const result_table *table, const result_pair *pair)
{
    named_number numbers[N_PAIR_NUMBERS];

    if (pair->n_runs == 0) return;
    list_pair_numbers(pair, numbers);
    print_to(file, "%s,%s,%s,%s", table->experiment->name, row_kinds[pair->rows->first].name,
             row_kinds[pair->rows->second].name, pair_test(pair));
    write_csv_numbers(file, numbers, N_PAIR_NUMBERS);
    fputc('\n', file);
}

void table_write_csv_pairs(FILE *file, const result_table *tables, size_t count)
{
    named_number numbers[N_PAIR_NUMBERS];

    list_pair_numbers(&(result_pair){ 0 }, numbers);
    write_csv_head(file, "experiment,first,second,test", numbers, N_PAIR_NUMBERS, "");
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < N_PAIRS; k++) write_csv_pair(file, &tables[i], &tables[i].pairs[k]);
}

void table_write_csv(FILE *file, const result_table *tables, size_t count)
{
    named_number numbers[N_NUMBERS];

    list_numbers(&(result_row){ 0 }, numbers);
    write_csv_head(file, "experiment,row,measure", numbers, N_NUMBERS, ",train_command,eval_command,deviations");
    for (size_t i = 0; i < count; i++)
        for (cli_row r = 0; r < N_ROWS; r++)
            if (result_is_shown(&tables[i], r)) write_csv_row(file, &tables[i], &tables[i].rows[r]);
}

/* ---- JSON ---- */

static void add_numbers(json_out *json, const named_number *numbers, int count)
{
    for (int i = 0; i < count; i++) {
        char *text = number_text(numbers[i].value);
        json_key(json, numbers[i].name);
        json_raw(json, text[0] ? text : "null");
        free(text);
    }
}

static void write_json_run(json_out *json, const pair_run *run)
{
    json_open(json, '{');
    json_add_count(json, "fold", run->fold);
    json_add_count(json, "seed", run->seed);
    compare_add_pairs(json, &run->counts);
    json_close(json, '}');
}

static void write_json_pair(json_out *json, const result_pair *pair)
{
    named_number numbers[N_PAIR_NUMBERS];

    if (pair->n_runs == 0) return;
    list_pair_numbers(pair, numbers);
    json_open(json, '{');
    json_add_text(json, "first", row_kinds[pair->rows->first].name);
    json_add_text(json, "second", row_kinds[pair->rows->second].name);
    json_add_text(json, "test", pair_test(pair));
    add_numbers(json, numbers, N_PAIR_NUMBERS);
    json_key(json, "each_run");
    json_open(json, '[');
    for (size_t i = 0; i < pair->n_runs; i++) write_json_run(json, &pair->runs[i]);
    json_close(json, ']');
    json_close(json, '}');
}

static void write_json_row(json_out *json, const result_row *row)
{
    named_number numbers[N_NUMBERS];

    list_numbers(row, numbers);
    json_open(json, '{');
    json_add_text(json, "row", row->kind->name);
    json_add_text(json, "title", row->kind->title);
    add_numbers(json, numbers, N_NUMBERS);
    json_add_text(json, "train_command", row->train);
    json_add_text(json, "eval_command", row->eval);
    json_close(json, '}');
}

static void write_json_table(json_out *json, const result_table *table)
{
    json_open(json, '{');
    json_add_text(json, "experiment", table->experiment->name);
    json_add_text(json, "title", table->experiment->title);
    json_add_text(json, "measure", measure_names[table->experiment->measure]);
    json_key(json, "deviations");
    json_open(json, '[');
    for (size_t i = 0; i < table->deviations.count; i++) json_text(json, table->deviations.at[i]);
    json_close(json, ']');
    json_key(json, "rows");
    json_open(json, '[');
    for (cli_row r = 0; r < N_ROWS; r++)
        if (result_is_shown(table, r)) write_json_row(json, &table->rows[r]);
    json_close(json, ']');
    json_key(json, "pairs");
    json_open(json, '[');
    for (int i = 0; i < N_PAIRS; i++) write_json_pair(json, &table->pairs[i]);
    json_close(json, ']');
    json_close(json, '}');
}

void table_write_json(FILE *file, const result_table *tables, size_t count)
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
