/* SPDX-License-Identifier: MIT
 *
 * page_tables.c - options and environment of the runs, a column for each run. Rows in which runs differ are marked.
 */
#include "report/page.h"

#include <string.h>

/* One row of a table of JSON objects. */
typedef struct table_row {
    const char *key, *label;
} table_row;

typedef const json_t *pick_object(const report_item *item);

static const json_t *options_of(const report_item *item)
{
    return item->folder.options;
}

static const json_t *facts_of(const report_item *item)
{
    return item->folder.facts;
}

static int row_differs(const training_report *report, pick_object *pick, const char *key)
{
    for (size_t r = 1; r < report->n_runs; r++)
        if (strcmp(entry_text(pick(&report->runs[r]), key).text, entry_text(pick(&report->runs[0]), key).text) != 0)
            return 1;
    return 0;
}

int page_option_differs(const training_report *report, const char *name)
{
    return row_differs(report, options_of, name);
}

static dlda_status write_row(dlda_file_writer *page, const training_report *report, pick_object *pick,
                             const table_row *row)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(
        dlda_file_writer_print(page, "<tr%s>", row_differs(report, pick, row->key) ? " class=\"differs\"" : ""));
    DLDA_TRY(html_element(page, "th", row->label));
    for (size_t r = 0; r < report->n_runs; r++)
        DLDA_TRY(html_element(page, "td", entry_text(pick(&report->runs[r]), row->key).text));
    DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
done:
    return status;
}

static dlda_status begin_table(dlda_file_writer *page, const training_report *report, const char *heading)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<section>\n"));
    DLDA_TRY(html_element(page, "h2", heading));
    if (report->n_runs > 1)
        DLDA_TRY(
            dlda_file_writer_print(page, "\n<p class=\"caption\">Rows in which the runs differ are marked.</p>"));
    /* The entries of a single run are short, so several of them are in a line. */
    DLDA_TRY(dlda_file_writer_print(page, "\n<div class=\"scroll\"><table%s>\n",
                                    report->n_runs == 1 ? " class=\"facts\"" : ""));
    if (report->n_runs > 1) {
        DLDA_TRY(dlda_file_writer_print(page, "<thead><tr><th></th>"));
        for (size_t r = 0; r < report->n_runs; r++) DLDA_TRY(html_element(page, "th", report->runs[r].name.text));
        DLDA_TRY(dlda_file_writer_print(page, "</tr></thead>\n"));
    }
    DLDA_TRY(dlda_file_writer_print(page, "<tbody>\n"));
done:
    return status;
}

static dlda_status end_table(dlda_file_writer *page)
{
    return dlda_file_writer_print(page, "</tbody>\n</table></div>\n</section>\n");
}

/* All keys of all runs, each once: those of the first run in its order, then those of later ones. */
static dlda_status write_all_keys(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;

    for (size_t r = 0; r < report->n_runs; r++) {
        json_t *options = report->runs[r].folder.options;
        const char *key = NULL;
        json_t *value = NULL;
        if (!options) continue;
        json_object_foreach(options, key, value)
        {
            int seen = 0;
            for (size_t before = 0; before < r; before++)
                seen |= report->runs[before].folder.options &&
                        json_object_get(report->runs[before].folder.options, key);
            if (!seen) DLDA_TRY(write_row(page, report, options_of, &(table_row){ key, key }));
        }
    }
done:
    return status;
}

dlda_status page_options(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(begin_table(page, report, "Options"));
    DLDA_TRY(write_all_keys(page, report));
    DLDA_TRY(end_table(page));
done:
    return status;
}

/* 1 for height and width if all runs are of tables, whose rows have neither. */
static int is_size_of_tables(const training_report *report, const char *key)
{
    if (strcmp(key, "height") != 0 && strcmp(key, "width") != 0) return 0;
    for (size_t r = 0; r < report->n_runs; r++)
        if (entry_number(report->runs[r].folder.facts, key) != 1) return 0;
    return 1;
}

dlda_status page_environment(dlda_file_writer *page, const training_report *report)
{
    static const table_row rows[] = {
        { "data", "data" },
        { "training_samples", "training samples" },
        { "validation_samples", "validation samples" },
        { "height", "height of images" },
        { "width", "width of images" },
        { "channels", "channels, or columns of a table" },
        { "classes", "classes" },
        { "parameters", "weights of the network" },
        { "seconds", "seconds of training" },
        { "images_per_second", "images per second" },
        { "version", "version of deeplda" },
        { "processor", "processor" },
        { "kernels", "instruction set" },
        { "threads", "threads" },
        { "system", "system" },
    };
    dlda_status status = DLDA_OK;

    DLDA_TRY(begin_table(page, report, "Data and environment"));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!is_size_of_tables(report, rows[i].key)) DLDA_TRY(write_row(page, report, facts_of, &rows[i]));
    DLDA_TRY(end_table(page));
done:
    return status;
}
