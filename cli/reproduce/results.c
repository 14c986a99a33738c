/* SPDX-License-Identifier: MIT
 *
 * results.c - collects the results of all experiments, and prints them.
 */
#include "reproduce/results.h"
#include "terminal/output.h"
#include "terminal/print.h"

#include <stdlib.h>

typedef void write_tables(FILE *file, const result_table *tables, size_t count);

static int write_file(const char *root, const char *name, write_tables *write, const result_table *tables,
                      size_t count)
{
    char *path = text_format("%s/%s", root, name);
    cli_output output;
    int code = output_open_inside(&output, reproduce_name, path);

    if (code == EXIT_OK) {
        write(output.file, tables, count);
        code = output_close(&output);
    }
    free(path);
    return code;
}

static int write_files(const char *root, const result_table *tables, size_t count)
{
    int code = write_file(root, "table.md", table_write_markdown, tables, count);

    if (code == EXIT_OK) code = write_file(root, "table.csv", table_write_csv, tables, count);
    if (code == EXIT_OK) code = write_file(root, "pairs.csv", table_write_csv_pairs, tables, count);
    if (code == EXIT_OK) code = write_file(root, "table.json", table_write_json, tables, count);
    return code;
}

/* For each experiment that is requested or has results. */
static int collect_all(reproduce_plan *plan, result_table tables[MOST_EXPERIMENTS], size_t *count)
{
    int code = EXIT_OK;

    for (size_t i = 0; experiment_at(i); i++) {
        result_table *table = &tables[*count];
        int collected = result_collect(plan, experiment_at(i), table);
        if (code == EXIT_OK) code = collected;
        if (table->runs > 0 || request_has(plan->request, experiment_at(i))) ++*count;
        else result_release(table);
    }
    return code;
}

/* Prints the requested experiments. */
static void print_tables(const reproduce_request *request, const result_table *tables, size_t count)
{
    result_table requested[MOST_EXPERIMENTS];
    size_t n = 0;

    for (size_t i = 0; i < count; i++)
        if (request_has(request, tables[i].experiment)) requested[n++] = tables[i];
    if (request->is_json) table_write_json(stdout, requested, n);
    for (size_t i = 0; i < n && !request->is_json; i++) {
        table_print(stdout, &requested[i]);
        putchar('\n');
    }
}

int results_show(reproduce_plan *plan)
{
    const reproduce_request *request = plan->request;
    result_table tables[MOST_EXPERIMENTS] = { 0 };
    size_t count = 0;
    int code = collect_all(plan, tables, &count), written = write_files(request->root, tables, count);

    print_tables(request, tables, count);
    for (size_t i = 0; i < count; i++) result_release(&tables[i]);
    if (written == EXIT_OK && !request->is_json)
        print("tables: %s/table.md, table.csv, pairs.csv, table.json\n", request->root);
    return code == EXIT_OK ? written : code;
}
