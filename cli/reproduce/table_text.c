/* SPDX-License-Identifier: MIT
 *
 * table_text.c - prints our results beside the published ones on the terminal and as Markdown.
 */
#include "reproduce/results.h"
#include "terminal/print.h"

#include <math.h>
#include <stdlib.h>

/* ---- Fields ---- */

char *printed_text(const printed_figure *printed)
{
    if (printed->table == 0) return text_format("-");
    if (printed->text == 0) return text_format("%.2f", printed->table);
    return text_format("%.2f (text %.2f)", printed->table, printed->text);
}

static char *ours_text(const result_row *row)
{
    if (row->runs == 0) return text_format("-");
    if (row->runs > 1) return text_format("%.2f \u00b1 %.2f", row->summary.mean, row->summary.deviation);
    return text_format("%.2f (%.2f to %.2f)", row->summary.mean, row->interval.low, row->interval.high);
}

static char *epochs_text(const result_row *row)
{
    if (row->runs == 0) return text_format("-");
    if (row->least_epochs != row->most_epochs)
        return text_format("%zu-%zu of %zu", row->least_epochs, row->most_epochs, row->full_epochs);
    if (row->most_epochs != row->full_epochs) return text_format("%zu of %zu", row->most_epochs, row->full_epochs);
    return text_format("%zu", row->full_epochs);
}

static char *time_text(const result_row *row)
{
    return row->runs == 0 || isnan(row->seconds) ? text_format("-") : duration_text(row->seconds);
}

enum { N_FIELDS = 7 };
static const char *const heads[N_FIELDS] = { "row", "paper", "ours", "runs", "seeds", "epochs", "training" };

static void make_fields(const result_row *row, char *fields[N_FIELDS])
{
    fields[0] = text_format("%s", row->kind->title);
    fields[1] = printed_text(&row->printed);
    fields[2] = ours_text(row);
    fields[3] = text_format("%zu", row->runs);
    fields[4] = text_format("%zu", row->seeds);
    fields[5] = epochs_text(row);
    fields[6] = time_text(row);
}

/* ---- Rows as text ---- */

/* Display width of a text: the bytes of UTF-8 that begin a character. */
static int columns_of(const char *text)
{
    int count = 0;

    for (; *text; text++) count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void print_field(const text_table *table, const char *field, int i)
{
    int room = table->widths[i] - columns_of(field);

    print_to(table->file, "%s%s%*s", i ? "" : "  ", field, room > 0 ? room : i + 1 < table->columns, "");
}

static void write_fields(const text_table *table, const char *const *fields)
{
    for (int i = 0; i < table->columns; i++)
        if (table->widths) print_field(table, fields[i], i);
        else print_to(table->file, "| %s ", fields[i]);
    if (!table->widths) fputc('|', table->file);
    fputc('\n', table->file);
}

void text_table_head(const text_table *table, const char *const *names)
{
    write_fields(table, names);
    if (table->widths) return;
    for (int i = 0; i < table->columns; i++) fputs("|---", table->file);
    fputs("|\n", table->file);
}

void text_table_row(const text_table *table, char **fields)
{
    write_fields(table, (const char *const *)fields);
    for (int i = 0; i < table->columns; i++) free(fields[i]);
}

static void write_rows(FILE *file, const result_table *table, const int *widths)
{
    const text_table text = { file, widths, N_FIELDS };

    text_table_head(&text, heads);
    for (cli_row r = 0; r < N_ROWS; r++) {
        char *fields[N_FIELDS];
        if (!result_is_shown(table, r)) continue;
        make_fields(&table->rows[r], fields);
        text_table_row(&text, fields);
    }
}

/* ---- On the terminal ---- */

static void print_commands(FILE *file, const result_table *table)
{
    fputs("  commands:\n", file);
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row *row = &table->rows[r];
        int first = r == 0 || row_kinds[r].model != row_kinds[r - 1].model || table->rows[r - 1].runs == 0;
        if (row->runs == 0) continue;
        if (first) print_to(file, "    %s\n", row->train);
        print_to(file, "    %s\n", row->eval);
    }
}

void table_print(FILE *file, const result_table *table)
{
    static const int widths[N_FIELDS] = { 19, 20, 24, 6, 7, 12, 0 };

    print_to(file, "%s: %s; test %s %%\n", table->experiment->name, table->experiment->title,
             measure_names[table->experiment->measure]);
    write_rows(file, table, widths);
    pairs_print(file, table->pairs);
    for (size_t i = 0; i < table->deviations.count; i++)
        print_to(file, "%s%s\n", i ? "              " : "  deviations: ", table->deviations.at[i]);
    if (table->runs > 0) print_commands(file, table);
}

/* ---- Markdown ---- */

static void write_markdown_table(FILE *file, const result_table *table)
{
    print_to(file, "\n## %s\n\n%s. Test %s in %%.\n\n", table->experiment->name, table->experiment->title,
             measure_names[table->experiment->measure]);
    write_rows(file, table, NULL);
    pairs_write_markdown(file, table->pairs);
    if (table->deviations.count) fputs("\nDeviations from the paper:\n\n", file);
    for (size_t i = 0; i < table->deviations.count; i++) print_to(file, "- %s\n", table->deviations.at[i]);
    fputs("\nCommands:\n\n", file);
    for (cli_row r = 0; r < N_ROWS; r++) {
        const result_row *row = &table->rows[r];
        if (row->runs) print_to(file, "    # %s\n    %s\n    %s\n", row->kind->title, row->train, row->eval);
    }
}

void table_write_markdown(FILE *file, const result_table *tables, size_t count)
{
    fputs("# Experiments of the DeepLDA paper\n\n"
          "Dorfer, Kelz, Widmer: Deep Linear Discriminant Analysis, ICLR 2016. `paper`: as printed; `ours`: of one "
          "run "
          "with its 95 %\n"
          "interval, of several mean and standard deviation; `training`: time of one training.\n",
          file);
    for (size_t i = 0; i < count; i++) write_markdown_table(file, &tables[i]);
}
