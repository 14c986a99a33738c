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

static dlda_status write_test_tiles(dlda_file_writer *page, const dlda_test_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PAPER];
    double low = 0, high = 0;

    dlda_share_interval((double)found->correct, (double)found->samples, &low, &high);
    DLDA_TRY(write_tile(
        page, percent(found->accuracy).text,
        dlda_words_of("%s accuracy; 95 %% interval %.1f to %.1f", answers->part, 100 * low, 100 * high).text));
    if (!isnan(answers->softmax_accuracy))
        DLDA_TRY(write_tile(
            page, percent(answers->softmax_accuracy).text,
            dlda_words_of("%s accuracy by the softmax; all else here is by the LDA", answers->part).text));
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

/* Accuracies and on how many samples. */
static dlda_status write_accuracy(dlda_file_writer *page, const dlda_test_answers *answers, int with_softmax)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers ? answers->evaluation[DLDA_PAPER] : NULL;
    double accuracy = found ? found->accuracy : NAN, softmax = answers ? answers->softmax_accuracy : NAN;

    DLDA_TRY(write_number_cell(page, accuracy, percent(accuracy).text));
    if (with_softmax) DLDA_TRY(write_number_cell(page, softmax, percent(softmax).text));
    DLDA_TRY(write_number_cell(page, accuracy,
                               found ? dlda_words_of("%zu %s", found->samples, answers->part).text : ""));
done:
    return status;
}

static dlda_status write_log_losses(dlda_file_writer *page, const dlda_test_answers *answers)
{
    dlda_status status = DLDA_OK;

    for (int kind = 0; kind < DLDA_KINDS; kind++) {
        double loss = answers ? answers->evaluation[kind]->log_loss : NAN;
        DLDA_TRY(write_number_cell(page, loss, dlda_words_of("%.4f", loss).text));
    }
done:
    return status;
}

static dlda_words state_of(const dlda_run_folder *run)
{
    dlda_words message = dlda_json_words(run->facts, "message");
    int failed = run->end == DLDA_END_FAILED;

    return dlda_words_of("%s%s%.300s", dlda_run_end_words(run->end), failed ? ": " : "",
                         failed ? message.text : "");
}

static dlda_status write_run(dlda_file_writer *page, const dlda_report_item *item, int with_softmax)
{
    dlda_status status = DLDA_OK;
    const dlda_run_folder *run = &item->folder;
    double validation = dlda_run_folder_at(run, run->kept, "validation_accuracy");
    double kept = dlda_run_folder_at(run, run->kept, "epoch");

    DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
    DLDA_TRY(dlda_html_element(page, "td", item->name.text));
    DLDA_TRY(write_accuracy(page, item->answers, with_softmax));
    DLDA_TRY(write_number_cell(page, validation, percent(validation).text));
    DLDA_TRY(dlda_html_element(page, "td", state_of(run).text));
    DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", run->history.rows));
    DLDA_TRY(write_number_cell(page, kept, dlda_words_of("%.0f", kept).text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->options, "objective").text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->options, "net").text));
    DLDA_TRY(dlda_html_element(page, "td", dlda_json_words(run->facts, "data").text));
    DLDA_TRY(write_log_losses(page, item->answers));
    DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
done:
    return status;
}

static const char results_head[] =
    "<div class=\"scroll\"><table>\n<thead><tr><th>run</th><th class=\"n\">accuracy%s</th>%s"
    "<th class=\"n\">samples</th><th class=\"n\">validation</th><th>state</th><th class=\"n\">epochs</th>"
    "<th class=\"n\">kept</th><th>objective</th><th>network</th><th>data</th><th class=\"n\">log loss</th>"
    "<th class=\"n\">with bayes</th></tr></thead>\n<tbody>\n";

static int one_has_softmax(const dlda_report *report)
{
    for (size_t r = 0; r < report->n_runs; r++)
        if (report->runs[r].answers && !isnan(report->runs[r].answers->softmax_accuracy)) return 1;
    return 0;
}

dlda_status dlda_page_results(dlda_file_writer *page, const dlda_report *report)
{
    dlda_status status = DLDA_OK;
    int with_softmax = one_has_softmax(report);

    DLDA_TRY(dlda_file_writer_print(page, "<section>\n"));
    if (report->n_runs == 1) DLDA_TRY(write_tiles(page, &report->runs[0]));
    DLDA_TRY(dlda_file_writer_print(page, results_head, with_softmax ? " by LDA" : "",
                                    with_softmax ? "<th class=\"n\">by softmax</th>" : ""));
    for (size_t r = 0; r < report->n_runs; r++) DLDA_TRY(write_run(page, &report->runs[r], with_softmax));
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div>\n</section>\n"));
done:
    return status;
}

/* ---- Classes ---- */

static const char classes_head[] =
    "<section class=\"classes\">\n<details open><summary>Each class</summary>\n<div class=\"scroll\"><table>\n"
    "<thead><tr><th>class</th><th class=\"n\">samples</th><th class=\"n\">recall</th>"
    "<th class=\"n\">precision</th></tr></thead>\n<tbody>\n";

dlda_status dlda_page_classes(dlda_file_writer *page, const dlda_test_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PAPER];

    DLDA_TRY(dlda_file_writer_print(page, "%s", classes_head));
    for (size_t c = 0; c < answers->classes; c++) {
        DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
        DLDA_TRY(dlda_html_element(page, "td", dlda_clean_words(dlda_test_answers_class(answers, c), 60).text));
        DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", found->class_samples[c]));
        DLDA_TRY(write_number_cell(page, found->recall[c], percent(found->recall[c]).text));
        DLDA_TRY(write_number_cell(page, found->precision[c], percent(found->precision[c]).text));
        DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
    }
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div></details>\n</section>\n"));
done:
    return status;
}
