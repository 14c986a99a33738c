/* SPDX-License-Identifier: MIT
 *
 * page_results.c - the top of the page: the results of the runs; and the table of classes.
 */
#include "eval/statistics.h"
#include "report/judge.h"
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
                        display_format("%s accuracy; 95 %% interval %.1f to %.1f %%", answers->part,
                                       100 * interval.low, 100 * interval.high)
                            .text));
    DLDA_TRY(write_tile(page, display_format("%.4f", found->log_loss).text, "log loss of the probabilities"));
    DLDA_TRY(write_tile(page, display_format("%.3f", found->calibration_error).text,
                        answers->calibration_samples ? "expected calibration error"
                                                     : "expected calibration error; the model is not calibrated"));
    if (!isnan(answers->softmax_accuracy))
        DLDA_TRY(write_tile(
            page, percent(answers->softmax_accuracy).text,
            display_format("%s accuracy by the softmax; all else here is by the LDA", answers->part).text));
done:
    return status;
}

static dlda_status write_tiles(dlda_file_writer *page, const report_item *item)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;
    double kept = run_folder_at(run, run->kept, "epoch");
    double validation = run_folder_at(run, run->kept, "validation_accuracy");
    int is_tested = item->answers && strcmp(item->answers->part, "validation") == 0; /* the same samples */

    DLDA_TRY(dlda_file_writer_print(page, "<ul class=\"tiles\">\n"));
    if (item->answers) DLDA_TRY(write_test_tiles(page, item->answers));
    if (!isnan(validation) && !is_tested)
        DLDA_TRY(write_tile(page, percent(validation).text, "validation accuracy of the selected epoch"));
    if (!isnan(kept))
        DLDA_TRY(write_tile(page, display_format("%.0f of %zu", kept, run->history.rows).text, "selected epoch"));
    if (!isnan(entry_number(run->facts, "seconds")))
        DLDA_TRY(write_tile(page, duration(entry_number(run->facts, "seconds")).text, "training"));
    DLDA_TRY(dlda_file_writer_print(page, "</ul>\n"));
done:
    return status;
}

static display_text state_of(const run_folder *run)
{
    display_text message = entry_text(run->facts, "message");
    int failed = run->end == RUN_END_FAILED;

    return display_format("%s%s%.300s", run_end_text(run->end), failed ? ": " : "", failed ? message.text : "");
}

/* A line about the run: what was trained on what, and its state. Unknown parts are omitted. */
static dlda_status write_summary(dlda_file_writer *page, const report_item *item)
{
    const json_t *options = item->folder.options, *facts = item->folder.facts;
    display_text net = entry_text(options, "net"), data = entry_text(facts, "data");
    display_text text = display_format("%s%s", state_of(&item->folder).text, net.text[0] ? "; " : "");

    if (net.text[0])
        text = display_format("%.300s%s network, objective %s", text.text, display_clean(net.text, 40).text,
                              entry_text(options, "objective").text);
    if (data.text[0])
        text = display_format("%.360s; %s: %s training, %s validation", text.text,
                              display_clean(data.text, 60).text, entry_text(facts, "training_samples").text,
                              entry_text(facts, "validation_samples").text);
    if (item->answers && strcmp(item->answers->part, "validation") != 0)
        text = display_format("%.450s, %zu %s", text.text, item->answers->count, item->answers->part);
    return html_element(page, "p class=\"summary\"", display_format("Run %.480s samples.", text.text).text);
}

/* ---- All runs: a table ---- */

/* A cell with the name of its column, which a narrow screen shows beside it. */
static dlda_status write_cell(dlda_file_writer *page, const char *column, const char *text)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<td data-column=\""));
    DLDA_TRY(html_text(page, column));
    DLDA_TRY(dlda_file_writer_print(page, "\">"));
    DLDA_TRY(html_text(page, text));
    DLDA_TRY(dlda_file_writer_print(page, "</td>"));
done:
    return status;
}

static dlda_status write_value(dlda_file_writer *page, const char *column, double value, display_text text)
{
    return write_cell(page, column, isnan(value) ? "\xE2\x80\x93" : text.text);
}

/* A column for each option in which the runs differ. */
enum { MOST_DIFFERENT = 12 };

typedef struct different_options {
    size_t count;
    const char *names[MOST_DIFFERENT];
} different_options;

static int is_listed(const different_options *different, const char *name)
{
    for (size_t i = 0; i < different->count; i++)
        if (strcmp(different->names[i], name) == 0) return 1;
    return 0;
}

static different_options find_different(const training_report *report)
{
    different_options different = { 0 };

    for (size_t r = 0; r < report->n_runs; r++) {
        const char *name = NULL;
        json_t *value = NULL;
        if (!report->runs[r].folder.options) continue;
        json_object_foreach(report->runs[r].folder.options, name, value)
        {
            if (different.count < MOST_DIFFERENT && !is_listed(&different, name) &&
                page_option_differs(report, name))
                different.names[different.count++] = name;
        }
    }
    return different;
}

static dlda_status write_tested(dlda_file_writer *page, const test_answers *answers, int with_softmax)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers ? answers->evaluation[DLDA_PROBABILITY_BAYES] : NULL;
    stat_interval interval = found ? stat_share_interval(found->correct, found->samples)
                                   : (stat_interval){ NAN, NAN };
    double accuracy = found ? found->accuracy : NAN, softmax = answers ? answers->softmax_accuracy : NAN;
    double loss = found ? found->log_loss : NAN, error = found ? found->calibration_error : NAN;

    DLDA_TRY(write_value(page, with_softmax ? "accuracy by LDA" : "accuracy", accuracy, percent(accuracy)));
    DLDA_TRY(write_cell(page, "95 % interval",
                        found ? display_format("%.2f to %.2f %%", 100 * interval.low, 100 * interval.high).text
                              : "\xE2\x80\x93"));
    if (with_softmax) DLDA_TRY(write_value(page, "by softmax", softmax, percent(softmax)));
    DLDA_TRY(write_value(page, "log loss", loss, display_format("%.4f", loss)));
    DLDA_TRY(write_value(page, "calibration error", error, display_format("%.3f", error)));
    DLDA_TRY(write_cell(page, "samples",
                        found ? display_format("%zu %s", found->samples, answers->part).text : "\xE2\x80\x93"));
done:
    return status;
}

static dlda_status write_run(dlda_file_writer *page, const report_item *item, const different_options *different,
                             int with_softmax)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;
    double kept = run_folder_at(run, run->kept, "epoch");

    DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
    DLDA_TRY(html_element(page, "th", display_clean(item->name.text, 60).text));
    DLDA_TRY(write_tested(page, item->answers, with_softmax));
    DLDA_TRY(write_cell(page, "validation", percent(run_folder_at(run, run->kept, "validation_accuracy")).text));
    DLDA_TRY(write_cell(page, "training", duration(entry_number(run->facts, "seconds")).text));
    DLDA_TRY(
        write_cell(page, "selected epoch",
                   isnan(kept) ? "\xE2\x80\x93" : display_format("%.0f of %zu", kept, run->history.rows).text));
    DLDA_TRY(write_cell(page, "state", state_of(run).text));
    for (size_t i = 0; i < different->count; i++)
        DLDA_TRY(write_cell(page, different->names[i], entry_text(run->options, different->names[i]).text));
    DLDA_TRY(dlda_file_writer_print(page, "</tr>\n"));
done:
    return status;
}

static int one_has_softmax(const training_report *report)
{
    for (size_t r = 0; r < report->n_runs; r++)
        if (report->runs[r].answers && !isnan(report->runs[r].answers->softmax_accuracy)) return 1;
    return 0;
}

/* The best run against the second best. */
static dlda_status write_comparison(dlda_file_writer *page, const training_report *report)
{
    const report_item *best = NULL, *second = NULL;

    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (!item->answers) continue;
        double accuracy = item->answers->evaluation[DLDA_PROBABILITY_BAYES]->accuracy;
        if (!best || accuracy > best->answers->evaluation[DLDA_PROBABILITY_BAYES]->accuracy)
            second = best, best = item;
        else if (!second || accuracy > second->answers->evaluation[DLDA_PROBABILITY_BAYES]->accuracy) second = item;
    }
    if (!second) return DLDA_OK;
    return html_element(
        page, "p class=\"finding\"",
        judge_two_runs_text(best->name.text, best->answers, second->name.text, second->answers).text);
}

static dlda_status write_table(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;
    int with_softmax = one_has_softmax(report);
    different_options different = find_different(report);

    DLDA_TRY(dlda_file_writer_print(
        page,
        "<div class=\"scroll\"><table class=\"runs\">\n<thead><tr><th>run</th><th>accuracy%s</th><th>95 %% "
        "interval</th>%s"
        "<th>log loss</th><th>calibration error</th><th>samples</th><th>validation</th><th>training</th>"
        "<th>selected epoch</th><th>state</th>",
        with_softmax ? " by LDA" : "", with_softmax ? "<th>by softmax</th>" : ""));
    for (size_t i = 0; i < different.count; i++)
        DLDA_TRY(html_element(page, "th class=\"option\"", different.names[i]));
    DLDA_TRY(dlda_file_writer_print(page, "</tr></thead>\n<tbody>\n"));
    for (size_t r = 0; r < report->n_runs; r++)
        DLDA_TRY(write_run(page, &report->runs[r], &different, with_softmax));
    DLDA_TRY(dlda_file_writer_print(page, "</tbody>\n</table></div>\n"));
done:
    return status;
}

dlda_status page_results(dlda_file_writer *page, const training_report *report)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<section>\n"));
    if (report->n_runs == 1) {
        DLDA_TRY(write_summary(page, &report->runs[0]));
        DLDA_TRY(write_tiles(page, &report->runs[0]));
    } else {
        DLDA_TRY(write_comparison(page, report));
        DLDA_TRY(write_table(page, report));
    }
    DLDA_TRY(dlda_file_writer_print(page, "</section>\n"));
done:
    return status;
}

/* ---- Classes ---- */

static dlda_status write_number_cell(dlda_file_writer *page, double value, const char *text)
{
    return isnan(value) ? dlda_file_writer_print(page, "<td class=\"n\">&ndash;</td>")
                        : html_element(page, "td class=\"n\"", text);
}

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
