/* SPDX-License-Identifier: MIT
 *
 * figure_answers.c - the confusion matrix and the reliability diagram.
 */
#include "eval/statistics.h"
#include "report/judge.h"
#include "report/palette.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

/* ---- Confusion ---- */

enum {
    MOST_SMALL = 12,     /* maximum classes for a figure of half the page width */
    MOST_NUMBERED = 20,  /* maximum classes for numbers in cells                */
    MOST_NAMED = 60,     /* maximum classes for names on the axes               */
    CONFUSION_ROWS = 460 /* pixels of all rows together in a wide figure        */
};

static display_text confusion_title(const test_answers *answers)
{
    const dlda_evaluation *found = answers->evaluation[DLDA_PROBABILITY_BAYES];
    size_t C = answers->classes, most = 0, at = 0;

    for (size_t cell = 0; cell < C * C; cell++)
        if (cell / C != cell % C && found->confusion[cell] > most) most = found->confusion[cell], at = cell;
    if (most == 0) return display_format("All %zu %s samples are right", found->samples, answers->part);
    return display_format("%zu of %zu right; most often %s is predicted as %s (%zu)", found->correct,
                          found->samples, display_clean(test_answers_class(answers, at / C), CLASS_LETTERS).text,
                          display_clean(test_answers_class(answers, at % C), CLASS_LETTERS).text, most);
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
        size_t n = display_letters(display_clean(test_answers_class(answers, c), CLASS_LETTERS).text);
        longest = n > longest ? n : longest;
    }
    return longest;
}

/* Errors over grey cells, with numbers, white on dark cells. */
static dlda_status plot_cells(plot_files *plot, int mistakes, int numbered)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        plot->script, "plot data using 1:2:(0.5):(0.5) with boxxyerror linecolor rgb '" PALETTE_CELL "'"));
    if (mistakes)
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            ", \\\n    data using ($1 == $2 ? NaN : $1):2:(0.5):(0.5):4 with boxxyerror linecolor palette"));
    if (numbered)
        DLDA_TRY(dlda_file_writer_print(
            plot->script, ", \\\n    data using 1:2:3:($1 != $2 && $4 > 0.556 * largest "
                          "? 0xFFFFFF : 0x111111) with labels font ',' . small textcolor rgb variable"));
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
    /* The letters of a row must fit into it. */
    double letters = fmin(12, 1.1 * CONFUSION_ROWS / (double)answers->classes);
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "largest = %.6g; last = %zu; small = sprintf('%%g', %.3g * (kind eq 'svg' ? 1 : 0.75))\n"
        "set xlabel 'predicted class'; set ylabel 'true class'\n"
        "set xtics font ',' . small; set ytics font ',' . small\n"
        "set xrange [-0.5:last + 0.5]; set yrange [last + 0.5:-0.5]\n"
        "set cbrange [0:largest]; set cblabel 'mistakes: share of the true class (%%)'\n"
        "set border 15; unset grid; unset key; set style fill solid noborder\n",
        largest > 0 ? largest : 1, answers->classes - 1, answers->classes > MOST_SMALL ? letters : 12));
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
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    figure->title = confusion_title(item->answers);
    figure->caption = display_format(
        "%.330s Rows are true classes; the stronger a colour, the larger the share of the "
        "true class.%s",
        judge_confusion_text(item->answers).text,
        item->answers->classes <= MOST_NUMBERED ? " Numbers are samples." : "");
    figure->wide = item->answers->classes > MOST_SMALL;
    DLDA_TRY(plot_open(report->figures_folder, figure, figure->wide ? PLOT_WIDE : PLOT_WIDTH,
                       figure->wide ? 560 : 360, &plot));
    DLDA_TRY(draw_confusion(&plot, item->answers));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}

/* ---- Reliability ---- */

enum {
    LEAST_IN_BIN = 5
}; /* samples: bins with fewer are drawn without an interval, which would be most of the axis */

static dlda_status write_calibration(plot_files *plot, const dlda_evaluation *found)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# mean probability of a bin, share of right predictions, its 95 %% interval, samples\n"));
    for (size_t bin = 0; bin < found->bins; bin++) {
        size_t count = found->bin_samples[bin];
        double share = found->bin_accuracy[bin];
        if (count == 0) continue;
        stat_interval interval = stat_share_interval((size_t)lround(share * (double)count), count);
        DLDA_TRY(dlda_file_writer_print(plot->data, "%.6g %.6g %.6g %.6g %zu\n", found->bin_confidence[bin], share,
                                        interval.low, interval.high, count));
    }
done:
    return status;
}

/* A predicted class has at least the probability 1 / classes. */
static dlda_status draw_calibration(plot_files *plot, const dlda_evaluation *found)
{
    dlda_status status = DLDA_OK;
    int small = 0;

    for (size_t bin = 0; bin < found->bins; bin++)
        small |= found->bin_samples[bin] > 0 && found->bin_samples[bin] < LEAST_IN_BIN;
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "all = %zu.0; enough(n) = n >= %d; least = %.4g\n"
        "set xlabel 'probability of the predicted class (%%)'; set ylabel 'right (%%)'\n"
        "set xrange [least:100]; set yrange [0:100]\n"
        "size(n) = 0.6 + 1.8 * sqrt(n / all)\n"
        "plot [least:100] x with lines linecolor rgb '" PALETTE_GUIDE
        "' dashtype 2 title 'perfectly calibrated', \\\n"
        "    data using (100*$1):(enough($5) ? 100*$2 : NaN):(100*$3):(100*$4) with yerrorbars linetype 1 "
        "linewidth 1 \\\n"
        "        pointtype -1 notitle, \\\n",
        found->samples, LEAST_IN_BIN, found->classes > 1 ? floor(100 / (double)found->classes) : 0));
    if (small)
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            "    data using (100*$1):(enough($5) ? NaN : 100*$2) with points linecolor rgb "
            "'" PALETTE_PALE "' pointtype 7 pointsize 0.5 title 'fewer than %d samples', \\\n",
            LEAST_IN_BIN));
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "    data using (100*$1):(enough($5) ? 100*$2 : NaN):(size($5)) with points linetype 1 pointsize "
        "variable notitle\n"));
done:
    return status;
}

dlda_status figure_reliability(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "reliability", "Reliability of the probabilities");
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    const dlda_evaluation *found = item->answers->evaluation[DLDA_PROBABILITY_BAYES];
    int optimistic = strcmp(item->answers->part, "validation") == 0 && item->answers->calibration_samples;
    figure->title = judge_calibration_title(found);
    figure->caption = display_format(
        "%.330s%s Larger marks hold more samples; bars are 95 %% intervals.",
        judge_calibration_text(item->answers).text,
        optimistic ? " The temperature was fitted on these samples, so this is slightly optimistic." : "");
    DLDA_TRY(plot_open(report->figures_folder, figure, PLOT_WIDTH, 360, &plot));
    DLDA_TRY(write_calibration(&plot, found));
    DLDA_TRY(draw_calibration(&plot, found));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}
