/* SPDX-License-Identifier: MIT
 *
 * page_results.c - the top of the page: what has come of the runs. Also how each class fares.
 */
#include "report/page.h"

#include <math.h>
#include <string.h>

/* ---- One run: the figures that count, in large letters ---- */

static dlda_status write_tile(dlda_file_writer *page, const char *value, const char *words)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<li>"));
    DLDA_TRY(dlda_html_element(page, "b", value));
    DLDA_TRY(dlda_html_element(page, "span", words));
    DLDA_TRY(dlda_file_writer_print(page, "</li>\n"));
done:
    return status;
}

static dlda_words percent(double share)
{
    return isnan(share) ? dlda_words_of("\xE2\x80\x93") : dlda_words_of("%.2f %%", 100 * share);
}

static dlda_words duration(double seconds)
{
    if (isnan(seconds)) return dlda_words_of("\xE2\x80\x93");
    if (seconds < 120) return dlda_words_of("%.1f s", seconds);
    if (seconds < 7200) return dlda_words_of("%.1f min", seconds / 60);
    return dlda_words_of("%.1f h", seconds / 3600);
}

/* Wilson's interval, in which the true share lies with 95 %. */
static void interval(const dlda_evaluation *found, double *low, double *high)
{
    double z = 1.959964, n = (double)found->samples, p = found->accuracy;
    double middle = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n);

    *low = middle - half;
    *high = middle + half;
}

static dlda_status write_test_tiles(dlda_file_writer *page, const dlda_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PAPER];
    double low = 0, high = 0;

    interval(found, &low, &high);
    DLDA_TRY(write_tile(
        page, percent(found->accuracy).text,
        dlda_words_of("%s accuracy; 95 %% interval %.1f to %.1f", answers->part, 100 * low, 100 * high).text));
    DLDA_TRY(write_tile(page, dlda_words_of("%zu of %zu", found->samples - found->correct, found->samples).text,
                        dlda_words_of("%s samples wrong", answers->part).text));
done:
    return status;
}

static dlda_status write_tiles(dlda_file_writer *page, const dlda_report_item *item)
{
    dlda_status status = DLDA_OK;
    const dlda_run_folder *run = &item->folder;
    double kept = dlda_run_folder_at(run, run->kept, "epoch");
    double validation = dlda_run_folder_at(run, run->kept, "validation_accuracy");

    DLDA_TRY(dlda_file_writer_print(page, "<ul class=\"tiles\">\n"));
    if (item->answers) DLDA_TRY(write_test_tiles(page, item->answers));
    if (!isnan(validation))
        DLDA_TRY(write_tile(page, percent(validation).text, "validation accuracy of the epoch that was kept"));
    if (!isnan(kept))
        DLDA_TRY(
            write_tile(page, dlda_words_of("%.0f of %zu", kept, run->history.rows).text, "epoch that was kept"));
    if (item->n_eigenvalues)
        DLDA_TRY(write_tile(
            page,
            dlda_words_of("%.3g to %.3g", item->eigenvalues[item->n_eigenvalues - 1], item->eigenvalues[0]).text,
            dlda_words_of("%zu eigenvalues", item->n_eigenvalues).text));
    if (!isnan(dlda_json_number(run->facts, "seconds")))
        DLDA_TRY(write_tile(page, duration(dlda_json_number(run->facts, "seconds")).text, "training"));
    DLDA_TRY(dlda_file_writer_print(page, "</ul>\n"));
done:
    return status;
}

/* ---- All runs: a table ---- */

static dlda_status write_number_cell(dlda_file_writer *page, double value, const char *text)
{
    return isnan(value) ? dlda_file_writer_print(page, "<td class=\"n\">&ndash;</td>")
                        : dlda_html_element(page, "td class=\"n\"", text);
}

static dlda_status write_answers_cells(dlda_file_writer *page, const dlda_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *paper = answers ? answers->evaluation[DLDA_PAPER] : NULL;
    const dlda_evaluation *bayes = answers ? answers->evaluation[DLDA_BAYES] : NULL;
    double accuracy = paper ? paper->accuracy : NAN;

    DLDA_TRY(write_number_cell(page, accuracy, percent(accuracy).text));
    DLDA_TRY(write_number_cell(page, accuracy,
                               paper ? dlda_words_of("%zu %s", paper->samples, answers->part).text : ""));
    DLDA_TRY(write_number_cell(page, accuracy, paper ? dlda_words_of("%.4f", paper->log_loss).text : ""));
    DLDA_TRY(write_number_cell(page, accuracy, bayes ? dlda_words_of("%.4f", bayes->log_loss).text : ""));
done:
    return status;
}

static dlda_status write_run(dlda_file_writer *page, const dlda_report_item *item)
{
    dlda_status status = DLDA_OK;
    const dlda_run_folder *run = &item->folder;
    double validation = dlda_run_folder_at(run, run->kept, "validation_accuracy");
    double kept = dlda_run_folder_at(run, run->kept, "epoch");
    dlda_words message = dlda_json_words(run->facts, "message");

    DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
    DLDA_TRY(dlda_html_element(page, "td", item->name.text));
    DLDA_TRY(dlda_html_element(page, "td",
                               dlda_words_of("%s%s%s", dlda_run_end_words(run->end),
                                             run->end == DLDA_END_FAILED ? ": " : "",
                                             run->end == DLDA_END_FAILED ? message.text : "")
                                   .text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->options, "objective").text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->options, "net").text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->facts, "data").text));
    DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", run->history.rows));
    DLDA_TRY(write_number_cell(page, kept, dlda_words_of("%.0f", kept).text));
    DLDA_TRY(write_number_cell(page, validation, percent(validation).text));
    DLDA_TRY(write_answers_cells(page, item->answers));
    DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
done:
    return status;
}

dlda_status dlda_page_results(dlda_file_writer *page, const dlda_report *report)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<section>\n"));
    if (report->n_runs == 1) DLDA_TRY(write_tiles(page, &report->runs[0]));
    DLDA_TRY(dlda_file_writer_print(page, "<div "
                                          "class=\"scroll\"><table>\n<thead><tr><th>run</th><th>state</"
                                          "th><th>objective</th><th>network</th><th>data</th>"
                                          "<th class=\"n\">epochs</th><th class=\"n\">kept</th><th "
                                          "class=\"n\">validation</th><th class=\"n\">accuracy</th>"
                                          "<th class=\"n\">samples</th><th class=\"n\">log loss</th><th "
                                          "class=\"n\">with bayes</th></tr></thead>\n<tbody>\n"));
    for (size_t r = 0; r < report->n_runs; r++) DLDA_TRY(write_run(page, &report->runs[r]));
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div>\n</section>\n"));
done:
    return status;
}

/* ---- Classes ---- */

dlda_status dlda_page_classes(dlda_file_writer *page, const dlda_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PAPER];

    DLDA_TRY(dlda_file_writer_print(page, "<section class=\"classes\">\n<details open><summary>Each "
                                          "class</summary>\n<div class=\"scroll\"><table>\n<thead><tr>"
                                          "<th>class</th><th class=\"n\">samples</th><th class=\"n\">recall</th>"
                                          "<th class=\"n\">precision</th></tr></thead>\n<tbody>\n"));
    for (size_t c = 0; c < answers->classes; c++) {
        DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
        DLDA_TRY(dlda_html_element(page, "td", dlda_clean_words(dlda_answers_class(answers, c), 60).text));
        DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", found->class_samples[c]));
        DLDA_TRY(write_number_cell(page, found->recall[c], percent(found->recall[c]).text));
        DLDA_TRY(write_number_cell(page, found->precision[c], percent(found->precision[c]).text));
        DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
    }
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div></details>\n</section>\n"));
done:
    return status;
}
