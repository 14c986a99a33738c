/* SPDX-License-Identifier: MIT
 *
 * page_hardest.c - the hardest samples of a run: pictures with their classes, or a table of rows.
 */
#include "report/page.h"

#include <string.h>

/* The file without its folders, which mostly repeat the class and are in the title; or the index in the data. */
static display_text name_of(const report_item *item, size_t i)
{
    const char *file = hardest_file(&item->hardest, i);

    return file ? display_clean(dlda_path_name(file), 60) : display_format("no. %zu", item->hardest.place[i]);
}

static dlda_status write_picture(dlda_file_writer *page, const report_item *item, size_t i)
{
    dlda_status status = DLDA_OK;
    const test_answers *answers = item->answers;
    size_t sample = item->hardest.sample[i];
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    int right = found->predicted[sample] == answers->truth[sample];
    dlda_pixels picture = hardest_picture(&item->hardest, i);
    display_text name = name_of(item, i);
    const char *file = hardest_file(&item->hardest, i);

    DLDA_TRY(dlda_file_writer_print(page, "<li>"));
    DLDA_TRY(html_picture(page, &picture, file ? display_clean(file, 200).text : name.text));
    DLDA_TRY(dlda_file_writer_print(page, "<span>is "));
    DLDA_TRY(html_element(page, "b", display_clean(test_answers_true_class(answers, sample), 40).text));
    DLDA_TRY(dlda_file_writer_print(page, "</span><span>predicted "));
    if (right) DLDA_TRY(dlda_file_writer_print(page, "right"));
    else DLDA_TRY(html_element(page, "b", display_clean(test_answers_predicted_class(answers, sample), 40).text));
    DLDA_TRY(dlda_file_writer_print(page, ", %.0f %%</span>", 100 * (double)found->confidence[sample]));
    DLDA_TRY(dlda_file_writer_print(page, "<small title=\""));
    DLDA_TRY(html_text(page, file ? display_clean(file, 200).text : ""));
    DLDA_TRY(dlda_file_writer_print(page, "\">"));
    DLDA_TRY(html_text(page, name.text));
    DLDA_TRY(dlda_file_writer_print(page, "</small></li>\n"));
done:
    return status;
}

static dlda_status write_row(dlda_file_writer *page, const report_item *item, size_t i)
{
    dlda_status status = DLDA_OK;
    size_t sample = item->hardest.sample[i];
    const dlda_evaluation *found = item->answers->evaluation[DLDA_PROBABILITY_BAYES];

    DLDA_TRY(dlda_file_writer_print(page, "<tr>"));
    DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%zu</td>", item->hardest.place[i]));
    DLDA_TRY(html_element(page, "td", display_clean(test_answers_true_class(item->answers, sample), 40).text));
    DLDA_TRY(html_element(page, "td", display_clean(test_answers_predicted_class(item->answers, sample), 40).text));
    DLDA_TRY(dlda_file_writer_print(page, "<td class=\"n\">%.1f %%</td><td class=\"n\">%.1f %%</td></tr>\n",
                                    100 * (double)found->confidence[sample], 100 * (double)found->p_truth[sample]));
done:
    return status;
}

static dlda_status write_samples(dlda_file_writer *page, const report_item *item)
{
    dlda_status status = DLDA_OK;
    int pictures = item->hardest.pictures != NULL;

    DLDA_TRY(dlda_file_writer_print(
        page,
        pictures ? "<ul class=\"samples\">\n"
                 : "<div class=\"scroll\"><table>\n<thead><tr><th>row, from 0</th><th>is</th><th>predicted</th><th "
                   "class=\"n\">probability</th><th class=\"n\">of the true class</th></tr></thead>\n<tbody>\n"));
    for (size_t i = 0; i < item->hardest.count; i++)
        DLDA_TRY(pictures ? write_picture(page, item, i) : write_row(page, item, i));
    DLDA_TRY(dlda_file_writer_print(page, pictures ? "</ul>\n" : "</tbody>\n</table></div>\n"));
done:
    return status;
}

dlda_status page_hardest(dlda_file_writer *page, const training_report *report, size_t run)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[run];
    display_text name = report->n_runs > 1 ? display_format("run%zu-hardest", run + 1) : display_format("hardest");

    DLDA_TRY(dlda_file_writer_print(page, "<section class=\"hardest\">\n<h3>The hardest samples</h3>\n"));
    if (!item->answers) DLDA_TRY(html_element(page, "p class=\"missing\"", item->no_answers.text));
    else {
        DLDA_TRY(write_samples(page, item));
        DLDA_TRY(dlda_file_writer_print(page,
                                        "<p class=\"caption\">The %s samples whose true class has the lowest "
                                        "probability, the hardest first, with "
                                        "the probability of the predicted class. ",
                                        item->answers->part));
        DLDA_TRY(page_files(page, report, name.text));
        DLDA_TRY(dlda_file_writer_print(page, "</p>\n"));
    }
    DLDA_TRY(dlda_file_writer_print(page, "</section>\n"));
done:
    return status;
}
