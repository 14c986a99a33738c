/* SPDX-License-Identifier: MIT
 *
 * reproduce_table.c - our figures beside the printed ones, for people: on the terminal and as Markdown.
 */
#include "terminal/output.h"
#include "reproduce/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int reproduce_is_shown(const result_table *table, cli_row row)
{
    return row < N_PAPER_ROWS || table->rows[row].runs > 0;
}

/* ---- Fields ---- */

char *reproduce_printed_text(const result_row *row)
{
    if (row->printed.table == 0) return text_format("-");
    if (row->printed.text == 0) return text_format("%.2f", row->printed.table);
    return text_format("%.2f (text %.2f)", row->printed.table, row->printed.text);
}

char *reproduce_ours_text(const result_row *row)
{
    if (row->runs == 0) return text_format("-");
    if (row->runs > 1) return text_format("%.2f \u00b1 %.2f", row->summary.mean, row->summary.deviation);
    return text_format("%.2f (%.2f to %.2f)", row->summary.mean, row->interval.low, row->interval.high);
}

char *reproduce_epochs_text(const result_row *row)
{
    if (row->runs == 0) return text_format("-");
    if (row->least_epochs != row->most_epochs)
        return text_format("%zu-%zu of %zu", row->least_epochs, row->most_epochs, row->full_epochs);
    if (row->most_epochs != row->full_epochs) return text_format("%zu of %zu", row->most_epochs, row->full_epochs);
    return text_format("%zu", row->full_epochs);
}

static char *time_text(const result_row *row)
{
    return row->runs == 0 || isnan(row->seconds) ? text_format("-") : reproduce_time_text(row->seconds);
}

enum { N_FIELDS = 7 };
static const char *const heads[N_FIELDS] = { "row", "paper", "ours", "runs", "seeds", "epochs", "training" };

static void make_fields(const result_row *row, char *fields[N_FIELDS])
{
    fields[0] = text_format("%s", row->kind->title);
    fields[1] = reproduce_printed_text(row);
    fields[2] = reproduce_ours_text(row);
    fields[3] = text_format("%zu", row->runs);
    fields[4] = text_format("%zu", row->seeds);
    fields[5] = reproduce_epochs_text(row);
    fields[6] = time_text(row);
}

static void release_fields(char *fields[N_FIELDS])
{
    for (int i = 0; i < N_FIELDS; i++) free(fields[i]);
}

/* ---- On the terminal ---- */

/* Columns that a text takes: bytes of UTF-8 that begin a character. */
static int columns(const char *text)
{
    int count = 0;

    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

void reproduce_print_fields(FILE *file, char *const *fields, const int *widths, int count)
{
    for (int i = 0; i < count; i++)
        fprintf(file, "%s%s%*s", i ? "" : "  ", fields[i],
                widths[i] > columns(fields[i]) ? widths[i] - columns(fields[i]) : i + 1 < count, "");
    fputc('\n', file);
}

static void print_fields(FILE *file, char *const fields[N_FIELDS])
{
    static const int widths[N_FIELDS] = { 19, 20, 24, 6, 7, 12, 0 };
    reproduce_print_fields(file, fields, widths, N_FIELDS);
}

static void print_commands(FILE *file, const result_table *table)
{
    fputs("  commands:\n", file);
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row *row = &table->rows[r];
        int first = r == 0 || row_kinds[r].model != row_kinds[r - 1].model || table->rows[r - 1].runs == 0;
        if (row->runs == 0) continue;
        if (first) fprintf(file, "    %s\n", row->train);
        fprintf(file, "    %s\n", row->eval);
    }
}

void reproduce_print_table(FILE *file, const result_table *table)
{
    fprintf(file, "%s: %s; test %s %%\n", table->experiment->name, table->experiment->title,
            table->experiment->measure);
    print_fields(file, (char *const *)heads);
    for (cli_row r = 0; r < N_ROWS; r++) {
        char *fields[N_FIELDS];
        if (!reproduce_is_shown(table, r)) continue;
        make_fields(&table->rows[r], fields);
        print_fields(file, fields);
        release_fields(fields);
    }
    reproduce_print_pairs(file, table->pairs);
    for (size_t i = 0; i < table->deviations.count; i++)
        fprintf(file, "%s%s\n", i ? "              " : "  deviations: ", table->deviations.at[i]);
    if (table->runs > 0) print_commands(file, table);
}

/* ---- Markdown ---- */

void reproduce_write_markdown_row(FILE *file, char *const *fields, int count)
{
    for (int i = 0; i < count; i++) fprintf(file, "| %s ", fields[i]);
    fputs("|\n", file);
}

static void write_markdown_table(FILE *file, const result_table *table)
{
    fprintf(file, "\n## %s\n\n%s. Test %s in %%.\n\n", table->experiment->name, table->experiment->title,
            table->experiment->measure);
    reproduce_write_markdown_row(file, (char *const *)heads, N_FIELDS);
    fputs("|---|---|---|---|---|---|---|\n", file);
    for (cli_row r = 0; r < N_ROWS; r++) {
        char *fields[N_FIELDS];
        if (!reproduce_is_shown(table, r)) continue;
        make_fields(&table->rows[r], fields);
        reproduce_write_markdown_row(file, fields, N_FIELDS);
        release_fields(fields);
    }
    reproduce_write_markdown_pairs(file, table->pairs);
    if (table->deviations.count) fputs("\nDeviations from the paper:\n\n", file);
    for (size_t i = 0; i < table->deviations.count; i++) fprintf(file, "- %s\n", table->deviations.at[i]);
    fputs("\nCommands:\n\n", file);
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row *row = &table->rows[r];
        if (row->runs) fprintf(file, "    # %s\n    %s\n    %s\n", row->kind->title, row->train, row->eval);
    }
}

void reproduce_write_markdown(FILE *file, const result_table *tables, size_t count)
{
    fputs("# Experiments of the DeepLDA paper\n\n"
          "Dorfer, Kelz, Widmer: Deep Linear Discriminant Analysis, ICLR 2016. `paper`: as printed; `ours`: of one "
          "run "
          "with its 95 %\n"
          "interval, of several mean and standard deviation; `training`: time of one training.\n",
          file);
    for (size_t i = 0; i < count; i++) write_markdown_table(file, &tables[i]);
}

/* ---- All of it ---- */

typedef void write_tables(FILE *file, const result_table *tables, size_t count);

static int write_file(const reproduction *self, const char *name, write_tables *write, const result_table *tables,
                      size_t count)
{
    char *path = text_format("%s/%s", self->root, name);
    cli_output output;
    int code = output_open(&output, reproduce_name, path);

    if (code == EXIT_OK) {
        write(output.file, tables, count);
        code = output_close(&output);
    }
    free(path);
    return code;
}

static int is_asked_for(const reproduction *self, const cli_experiment *experiment)
{
    for (size_t i = 0; i < self->n_experiments; i++)
        if (self->experiments[i] == experiment) return 1;
    return 0;
}

int reproduce_tables(const reproduction *self)
{
    result_table tables[MOST_EXPERIMENTS] = { 0 };
    size_t count = 0;
    int code = EXIT_OK;

    for (size_t i = 0; experiment_at(i); i++) {
        int collected = reproduce_collect(self, experiment_at(i), &tables[count]);
        if (code == EXIT_OK) code = collected;
        if (tables[count].runs > 0 || is_asked_for(self, experiment_at(i))) count++;
        else reproduce_release_table(&tables[count]);
    }
    int written = write_file(self, "table.md", reproduce_write_markdown, tables, count);
    if (written == EXIT_OK) written = write_file(self, "table.csv", reproduce_write_csv, tables, count);
    if (written == EXIT_OK) written = write_file(self, "pairs.csv", reproduce_write_csv_pairs, tables, count);
    if (written == EXIT_OK) written = write_file(self, "table.json", reproduce_write_json, tables, count);
    for (size_t i = 0; i < count; i++) {
        if (is_asked_for(self, tables[i].experiment)) {
            reproduce_print_table(stdout, &tables[i]);
            putchar('\n');
        }
        reproduce_release_table(&tables[i]);
    }
    if (written == EXIT_OK) printf("tables: %s/table.md, table.csv, pairs.csv, table.json\n", self->root);
    return code == EXIT_OK ? written : code;
}
