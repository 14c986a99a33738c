/* SPDX-License-Identifier: MIT
 *
 * page.c - writes the HTML page of a report: a single file without external resources.
 *
 * Its Content-Security-Policy forbids loading anything, and it has no scripts.
 */
#include "report/page.h"
#include "base/memory.h"

#include <string.h>

/* ---- Head ---- */

static dlda_status write_head(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;
    int live = report->refresh && report_is_running(report);

    DLDA_TRY(dlda_file_writer_print(
        page, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src "
              "'unsafe-inline'\">\n"
              "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
              "<meta name=\"color-scheme\" content=\"light dark\">\n"));
    if (live)
        DLDA_TRY(dlda_file_writer_print(page, "<meta http-equiv=\"refresh\" content=\"%zu\">\n", report->refresh));
    DLDA_TRY(html_element(page, "title", report->title.text));
    DLDA_TRY(dlda_file_writer_print(page, "\n<link rel=\"icon\" href=\"data:,\">\n<style>\n"));
    DLDA_TRY(page_style(page));
    DLDA_TRY(dlda_file_writer_print(page, "</style>\n</head>\n<body>\n<main>\n"));
    DLDA_TRY(html_element(page, "h1", report->title.text));
    if (live)
        DLDA_TRY(dlda_file_writer_print(
            page, "\n<p class=\"live\">Still running: this page reloads itself every %zu seconds.</p>",
            report->refresh));
    DLDA_TRY(dlda_file_writer_print(page, "\n"));
done:
    return status;
}

/* Files of all runs that could not be read. */
static dlda_status write_problems(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;
    size_t count = 0;

    for (size_t r = 0; r < report->n_runs; r++) count += report->runs[r].folder.problems.count;
    if (count == 0) return DLDA_OK;
    DLDA_TRY(
        dlda_file_writer_print(page, "<section class=\"problems\">\n<h2>What is missing or damaged</h2>\n<ul>\n"));
    for (size_t r = 0; r < report->n_runs; r++)
        for (size_t i = 0; i < report->runs[r].folder.problems.count; i++) {
            DLDA_TRY(html_element(page, "li", dlda_name_list_at(&report->runs[r].folder.problems, i)));
            DLDA_TRY(dlda_file_writer_print(page, "\n"));
        }
    DLDA_TRY(dlda_file_writer_print(page, "</ul>\n</section>\n"));
done:
    return status;
}

/* ---- Figures ---- */

dlda_status page_files(dlda_file_writer *page, const training_report *report, const char *name)
{
    static const char *const endings[] = { "svg", "png", "gp", "dat", "csv" };
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_file_writer_print(page, " <span class=\"files\">"));
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        DLDA_TRY(dlda_path_join(report->figures_folder, display_format("%s.%s", name, endings[i]).text, &path));
        if (dlda_path_exists(path))
            DLDA_TRY(
                dlda_file_writer_print(page, "<a href=\"figures/%s.%s\">%s</a> ", name, endings[i], endings[i]));
        dlda_release(path);
        path = NULL;
    }
    DLDA_TRY(dlda_file_writer_print(page, "</span>"));
done:
    dlda_release(path);
    return status;
}

/* The drawing, or the reason why there is none. */
static dlda_status write_drawing(dlda_file_writer *page, const training_report *report, const report_figure *figure)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;

    DLDA_TRY(dlda_path_join(report->figures_folder, display_format("%s.svg", figure->name).text, &path));
    if (figure->missing.text[0]) DLDA_TRY(html_element(page, "p class=\"missing\"", figure->missing.text));
    else DLDA_TRY(html_element(page, "p class=\"finding\"", figure->title.text));
    if (!figure->missing.text[0] && !dlda_path_exists(path)) {
        DLDA_TRY(dlda_file_writer_print(page,
                                        "<p class=\"missing\">Not drawn: that takes gnuplot, which is missing or "
                                        "failed. Data and script are in figures/%s.dat and "
                                        "%s.gp.</p>",
                                        figure->name, figure->name));
    } else if (!figure->missing.text[0]) {
        DLDA_TRY(dlda_file_writer_print(page, "<div class=\"card%s\">", figure->wide ? " wide" : ""));
        DLDA_TRY(html_drawing(page, path, display_format("%s-", figure->name).text,
                              display_format("%s: %s", figure->subject, figure->title.text).text));
        DLDA_TRY(dlda_file_writer_print(page, "</div>"));
    }
done:
    dlda_release(path);
    return status;
}

static dlda_status write_figure(dlda_file_writer *page, const training_report *report, const report_figure *figure)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<figure id=\"%s\"%s>\n", figure->name,
                                    figure->wide ? " class=\"wide\"" : ""));
    DLDA_TRY(html_element(page, "h3", figure->subject));
    DLDA_TRY(write_drawing(page, report, figure));
    DLDA_TRY(dlda_file_writer_print(page, "\n<figcaption>"));
    DLDA_TRY(html_text(page, figure->caption.text));
    if (!figure->missing.text[0]) DLDA_TRY(page_files(page, report, figure->name));
    DLDA_TRY(dlda_file_writer_print(page, "</figcaption>\n</figure>\n"));
done:
    return status;
}

static dlda_status write_figures(dlda_file_writer *page, const training_report *report, int run)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<div class=\"grid\">\n"));
    for (size_t i = 0; i < report->n_figures; i++)
        if (report->figures[i].run == run && !report->figures[i].omitted)
            DLDA_TRY(write_figure(page, report, &report->figures[i]));
    DLDA_TRY(dlda_file_writer_print(page, "</div>\n"));
done:
    return status;
}

/* ---- The page ---- */

static dlda_status write_run(dlda_file_writer *page, const training_report *report, size_t r)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<section>\n"));
    if (report->n_runs > 1)
        DLDA_TRY(html_element(page, "h2", display_format("Run %zu: %s", r + 1, report->runs[r].name.text).text));
    DLDA_TRY(write_figures(page, report, (int)r));
    DLDA_TRY(page_hardest(page, report, r));
    if (report->runs[r].answers) DLDA_TRY(page_classes(page, report->runs[r].answers));
    DLDA_TRY(dlda_file_writer_print(page, "</section>\n"));
done:
    return status;
}

dlda_status report_write_html(const training_report *report, const char *path)
{
    dlda_status status = DLDA_OK;
    dlda_file_writer *page = NULL;

    DLDA_TRY(dlda_file_writer_open(path, &page));
    DLDA_TRY(write_head(page, report));
    DLDA_TRY(page_results(page, report));
    DLDA_TRY(write_problems(page, report));
    DLDA_TRY(dlda_file_writer_print(page, "<section>\n<h2>%s</h2>\n",
                                    report->n_runs > 1 ? "All runs" : "Training and test"));
    DLDA_TRY(write_figures(page, report, ALL_RUNS));
    DLDA_TRY(dlda_file_writer_print(page, "</section>\n"));
    for (size_t r = 0; r < report->n_runs; r++) DLDA_TRY(write_run(page, report, r));
    DLDA_TRY(page_options(page, report));
    DLDA_TRY(page_environment(page, report));
    DLDA_TRY(dlda_file_writer_print(
        page,
        "</main>\n<footer>Written by deeplda %s. To restyle a figure: change its script in figures/, then "
        "gnuplot NAME.gp in that folder.</footer>\n</body>\n</html>\n",
        dlda_version()));
    DLDA_TRY(dlda_file_writer_finish(page));
done:
    dlda_file_writer_destroy(page);
    return status;
}
