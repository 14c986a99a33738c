/* SPDX-License-Identifier: MIT
 *
 * figure_answers.c - the confusion matrix and the reliability diagram.
 */
#include "eval/statistics.h"
#include "report/palette.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* ---- Confusion ---- */

enum {
    MOST_SMALL = 12,    /* maximum classes for a figure of half the page width */
    MOST_NUMBERED = 20, /* maximum classes for numbers in cells                */
    MOST_NAMED = 40     /* maximum classes for names on the axes               */
};

static display_text confusion_title(const test_answers *answers)
{
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    size_t C = answers->classes, most = 0, at = 0;

    for (size_t cell = 0; cell < C * C; cell++)
        if (cell / C != cell % C && found->confusion[cell] > most) most = found->confusion[cell], at = cell;
    if (most == 0) return display_format("All %zu samples are right", found->samples);
    return display_format("%zu of %zu right; most often %s is predicted as %s (%zu)", found->correct,
                          found->samples, display_clean(test_answers_class(answers, at / C), 12).text,
                          display_clean(test_answers_class(answers, at % C), 12).text, most);
}

/* Writes column, row, count, percent of the row's class. Empty cells are omitted. Returns the
 * largest share off the diagonal. */
static dlda_status write_confusion(plot_files *plot, const test_answers *answers, double *largest)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    size_t C = answers->classes;

    *largest = 0;
    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# predicted class, true class (both from 0), samples, percent of the true class\n"));
    for (size_t t = 0; t < C; t++)
        for (size_t c = 0; c < C; c++) {
            size_t count = found->confusion[t * C + c];
            if (count == 0) continue;
            double percent = 100 * (double)count / (double)found->class_samples[t];
            if (t != c) *largest = fmax(*largest, percent);
            DLDA_TRY(dlda_file_writer_print(plot->data, "%zu %zu %zu %.4g\n", c, t, count, percent));
        }
done:
    return status;
}

static dlda_status write_names(plot_files *plot, const test_answers *answers, const char *axis, const char *look)
{
    dlda_status status = DLDA_OK;

    if (answers->classes > MOST_NAMED) return DLDA_OK;
    DLDA_TRY(dlda_file_writer_print(plot->script, "set %s %s (", axis, look));
    for (size_t c = 0; c < answers->classes; c++)
        DLDA_TRY(dlda_file_writer_print(plot->script, "%s%s %zu", c ? ", " : "",
                                        plot_quote_tick(test_answers_class(answers, c), CLASS_LETTERS).text, c));
    DLDA_TRY(dlda_file_writer_print(plot->script, ")\n"));
done:
    return status;
}

static size_t longest_name(const test_answers *answers)
{
    size_t longest = 1;

    for (size_t c = 0; c < answers->classes; c++) {
        size_t n = strlen(display_clean(test_answers_class(answers, c), CLASS_LETTERS).text);
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* Errors over grey cells, with numbers, white on dark cells. */
static dlda_status plot_cells(plot_files *plot, int mistakes, int numbered)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "plot data using 1:2:(0.5):(0.5) with boxxyerror linecolor rgb '#DCDCDC'"));
    if (mistakes)
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            ", \\\n    data using ($1 == $2 ? NaN : $1):2:(0.5):(0.5):4 with boxxyerror linecolor palette"));
    if (numbered)
        DLDA_TRY(dlda_file_writer_print(plot->script, ", \\\n    data using 1:2:3:($1 != $2 && $4 > 0.55 * largest "
                                                      "? 0xFFFFFF : 0x111111) with labels textcolor rgb variable"));
    DLDA_TRY(dlda_file_writer_print(plot->script, "\n"));
done:
    return status;
}

static dlda_status draw_confusion(plot_files *plot, const test_answers *answers)
{
    dlda_status status = DLDA_OK;
    double largest = 0;
    const char *x_look = answers->classes > MOST_SMALL ? "scale 0 rotate by 90 right"
                         : longest_name(answers) > 4   ? "scale 0 rotate by 45 right"
                                                       : "scale 0";

    DLDA_TRY(write_confusion(plot, answers, &largest));
    DLDA_TRY(palette_write_scale(plot->script));
    DLDA_TRY(write_names(plot, answers, "xtics", x_look));
    DLDA_TRY(write_names(plot, answers, "ytics", "scale 0"));
    DLDA_TRY(
        dlda_file_writer_print(plot->script,
                               "largest = %.6g; last = %zu\n"
                               "set xlabel 'predicted class'; set ylabel 'true class'\n"
                               "set xrange [-0.5:last + 0.5]; set yrange [last + 0.5:-0.5]\n"
                               "set cbrange [0:largest]; set cblabel 'mistakes: share of the true class (%%)'\n"
                               "set border 15; unset grid; unset key; set style fill solid noborder\n",
                               largest > 0 ? largest : 1, answers->classes - 1));
    DLDA_TRY(plot_cells(plot, largest > 0, answers->classes <= MOST_NUMBERED));
done:
    return status;
}

dlda_status figure_confusion(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "confusion", "Confusion");
    figure->caption = display_format(
        "Rows are true classes, columns predicted classes. Numbers are samples; the darker a cell, the larger the "
        "share "
        "of the true class that is mistaken for the predicted one. The grey diagonal is right.");
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    figure->title = confusion_title(item->answers);
    figure->wide = item->answers->classes > MOST_SMALL;
    DLDA_TRY(plot_open(report->figures_folder, figure, figure->wide ? 900 : 540, figure->wide ? 820 : 470, &plot));
    DLDA_TRY(draw_confusion(&plot, item->answers));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}

/* ---- Reliability ---- */

static const char *const kinds[PROBABILITY_KINDS] = { "paper", "bayes" };

static dlda_status write_calibration(plot_files *plot, const test_answers *answers, int kind)
{
    dlda_status status = DLDA_OK;
    const dlda_evaluation *found = answers->evaluation[kind];

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# %s: mean probability of a bin, share of right answers, its 95 %% interval, samples\n",
        kinds[kind]));
    for (size_t bin = 0; bin < found->bins; bin++) {
        size_t count = found->bin_samples[bin];
        double share = found->bin_accuracy[bin];
        if (count == 0) continue;
        stat_interval interval = stat_share_interval((size_t)lround(share * (double)count), count);
        DLDA_TRY(dlda_file_writer_print(plot->data, "%.6g %.6g %.6g %.6g %zu\n", found->bin_confidence[bin], share,
                                        interval.low, interval.high, count));
    }
    DLDA_TRY(plot_next_block(plot));
done:
    return status;
}

dlda_status figure_reliability(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "reliability", "Reliability of the probabilities");
    figure->caption = display_format("Samples are sorted into 15 bins by the probability of their predicted class; "
                                     "larger marks hold more samples, "
                                     "bars are 95 %% intervals. On the diagonal, probabilities are perfectly "
                                     "calibrated; above it the model is right "
                                     "more often than they say. Both kinds of --proba are shown; they predict the "
                                     "same classes unless the classes have different priors.");
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    figure->title = display_format("Probabilities are off by %.1f points (bayes), %.1f (paper)",
                                   100 * item->answers->evaluation[DLDA_PROBABILITY_BAYES]->calibration_error,
                                   100 * item->answers->evaluation[DLDA_PROBABILITY_PAPER]->calibration_error);
    DLDA_TRY(plot_open(report->figures_folder, figure, 540, 470, &plot));
    for (int kind = 0; kind < PROBABILITY_KINDS; kind++) DLDA_TRY(write_calibration(&plot, item->answers, kind));
    DLDA_TRY(dlda_file_writer_print(
        plot.script,
        "all = %zu.0\n"
        "set xlabel 'probability of the predicted class (%%)'; set ylabel 'right (%%)'\n"
        "set xrange [0:102]; set yrange [0:102]\n"
        "set bmargin 6.5; set key at screen 0.48, screen 0.06 center maxrows 1 Left reverse samplen 2 width -9\n"
        "size(n) = 0.5 + 2.2 * sqrt(n / all)\n"
        "plot [0:100] x with lines linecolor rgb '#888888' dashtype 2 notitle, \\\n"
        "    for [k=1:2] data index k-1 using (100*$1):(100*$2):(100*$3):(100*$4) \\\n"
        "        with yerrorbars linetype 3-k linewidth 1 pointtype -1 notitle, \\\n"
        "    for [k=1:2] data index k-1 using (100*$1):(100*$2):(size($5)) \\\n"
        "        with points linetype 3-k pointsize variable title (k == 1 ? 'paper' : 'bayes'), \\\n"
        "    keyentry with lines linecolor rgb '#888888' dashtype 2 title 'perfectly calibrated'\n",
        item->answers->count));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}
