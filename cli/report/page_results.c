/* SPDX-License-Identifier: MIT
 *
 * page_results.c - the top of the page: the results of the runs; and the table of classes.
 */
#include "eval/statistics.h"
#include "report/page.h"

#include <math.h>
#include <string.h>

/* ---- One run: the main results, in large type ---- */

static dlda_status write_tile(dlda_file_writer *page, const char *value, const char *label)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<li>"));
    DLDA_TRY(html_element(page, "b", value));
    DLDA_TRY(html_element(page, "span", label));
    DLDA_TRY(dlda_file_writer_print(page, "</li>\n"));
done:
    return status;
}

static display_text percent(double share)
{
    return isnan(share) ? display_format("\xE2\x80\x93") : display_format("%.2f %%", 100 * share);
}

static display_text duration(double seconds)
{
    if (isnan(seconds)) return display_format("\xE2\x80\x93");
    if (seconds < 120) return display_format("%.1f s", seconds);
    if (seconds < 7200) return display_format("%.1f min", seconds / 60);
    return display_format("%.1f h", seconds / 3600);
}

static dlda_status write_test_tiles(dlda_file_writer *page, const test_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    stat_interval interval = stat_share_interval(found->correct, found->samples);

    DLDA_TRY(write_tile(page, percent(found->accuracy).text,
                        display_format("%s accuracy; 95 %% interval %.1f to %.1f", answers->part,
                                       100 * interval.low, 100 * interval.high)
                            .text));
    if (!isnan(answers->softmax_accuracy))
        DLDA_TRY(write_tile(
            page, percent(answers->softmax_accuracy).text,
            display_format("%s accuracy by the softmax; all else here is by the LDA", answers->part).text));
    DLDA_TRY(write_tile(page, display_format("%zu of %zu", found->samples - found->correct, found->samples).text,
                        display_format("%s samples wrong", answers->part).text));
done:
    return status;
}

static dlda_status write_tiles(dlda_file_writer *page, const report_item *item)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;
    double kept = run_folder_at(run, run->kept, "epoch");
    double validation = run_folder_at(run, run->kept, "validation_accuracy");

    DLDA_TRY(dlda_file_writer_print(page, "<ul class=\"tiles\">\n"));
    if (item->answers) DLDA_TRY(write_test_tiles(page, item->answers));
    if (!isnan(validation))
        DLDA_TRY(write_tile(page, percent(validation).text, "validation accuracy of the epoch that was kept"));
    if (!isnan(kept))
        DLDA_TRY(
            write_tile(page, display_format("%.0f of %zu", kept, run->history.rows).text, "epoch that was kept"));
    if (item->n_eigenvalues)
        DLDA_TRY(write_tile(
            page,
            display_format("%.3g to %.3g", item->eigenvalues[item->n_eigenvalues - 1], item->eigenvalues[0]).text,
            display_format("%zu eigenvalues", item->n_eigenvalues).text));
    if (!isnan(entry_number(run->facts, "seconds")))
        DLDA_TRY(write_tile(page, duration(entry_number(run->facts, "seconds")).text, "training"));
    DLDA_TRY(dlda_file_writer_print(page, "</ul>\n"));
done:
    return status;
}

/* ---- All runs: a table ---- */

static dlda_status write_number_cell(dlda_file_writer *page, double value, const char *text)
{
    return isnan(value) ? dlda_file_writer_print(page, "<td class=\"n\">&ndash;</td>")
                        : html_element(page, "td class=\"n\"", text);
}

/* Accuracies and numbers of samples. */
static dlda_status write_accuracy(dlda_file_writer *page, const test_answers *answers, int with_softmax)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers ? answers->evaluation[DLDA_PROBABILITY_BAYES] : NULL;
    double accuracy = found ? found->accuracy : NAN, softmax = answers ? answers->softmax_accuracy : NAN;

    DLDA_TRY(write_number_cell(page, accuracy, percent(accuracy).text));
    if (with_softmax) DLDA_TRY(write_number_cell(page, softmax, percent(softmax).text));
    DLDA_TRY(write_number_cell(page, accuracy,
                               found ? display_format("%zu %s", found->samples, answers->part).text : ""));
done:
    return status;
}

static dlda_status write_log_losses(dlda_file_writer *page, const test_answers *answers)
{
    dlda_status status = DLDA_OK;
    static const int kinds[PROBABILITY_KINDS] = { DLDA_PROBABILITY_BAYES, DLDA_PROBABILITY_PAPER };

    for (int k = 0; k < PROBABILITY_KINDS; k++) {
        double loss = answers ? answers->evaluation[kinds[k]]->log_loss : NAN;
        DLDA_TRY(write_number_cell(page, loss, display_format("%.4f", loss).text));
    }
done:
    return status;
}

static display_text state_of(const run_folder *run)
{
    display_text message = entry_text(run->facts, "message");
    int failed = run->end == RUN_END_FAILED;

    return display_format("%s%s%.300s", run_end_text(run->end), failed ? ": " : "", failed ? message.text : "");
}

static dlda_status write_run(dlda_file_writer *page, const report_item *item, int with_softmax)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;
    double validation = run_folder_at(run, run->kept, "validation_accuracy");
    double kept = run_folder_at(run, run->kept, "epoch");

    DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
    DLDA_TRY(html_element(page, "td", item->name.text));
    DLDA_TRY(write_accuracy(page, item->answers, with_softmax));
    DLDA_TRY(write_number_cell(page, validation, percent(validation).text));
    DLDA_TRY(html_element(page, "td", state_of(run).text));
    DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", run->history.rows));
    DLDA_TRY(write_number_cell(page, kept, display_format("%.0f", kept).text));
    DLDA_TRY(html_element(page, "td", entry_text(run->options, "objective").text));
    DLDA_TRY(html_element(page, "td", entry_text(run->options, "net").text));
    DLDA_TRY(html_element(page, "td", entry_text(run->facts, "data").text));
    DLDA_TRY(write_log_losses(page, item->answers));
    DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
done:
    return status;
}

static const char results_head[] =
    "<div class=\"scroll\"><table>\n<thead><tr><th>run</th><th class=\"n\">accuracy%s</th>%s"
    "<th class=\"n\">samples</th><th class=\"n\">validation</th><th>state</th><th class=\"n\">epochs</th>"
    "<th class=\"n\">kept</th><th>objective</th><th>network</th><th>data</th><th class=\"n\">log loss</th>"
    "<th class=\"n\">with --proba paper</th></tr></thead>\n<tbody>\n";

static int one_has_softmax(const training_report *report)
{
    for (size_t r = 0; r < report->n_runs; r++)
        if (report->runs[r].answers && !isnan(report->runs[r].answers->softmax_accuracy)) return 1;
    return 0;
}

dlda_status page_results(dlda_file_writer *page, const training_report *report)
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

dlda_status page_classes(dlda_file_writer *page, const test_answers *answers)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];

    DLDA_TRY(dlda_file_writer_print(page, "%s", classes_head));
    for (size_t c = 0; c < answers->classes; c++) {
        DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
        DLDA_TRY(html_element(page, "td", display_clean(test_answers_class(answers, c), 60).text));
        DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", found->class_samples[c]));
        DLDA_TRY(write_number_cell(page, found->recall[c], percent(found->recall[c]).text));
        DLDA_TRY(write_number_cell(page, found->precision[c], percent(found->precision[c]).text));
        DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
    }
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div></details>\n</section>\n"));
done:
    return status;
}
