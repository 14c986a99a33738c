/* SPDX-License-Identifier: MIT
 *
 * figure_training.c - learning curves of all runs; mean eigenvalue and validation accuracy of a run.
 */
#include "report/judge.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

void figure_begin(const training_report *report, report_figure *figure, const char *name, const char *subject)
{
    if (report->n_runs > 1 && figure->run != ALL_RUNS)
        snprintf(figure->name, sizeof figure->name, "run%d-%s", figure->run + 1, name);
    else snprintf(figure->name, sizeof figure->name, "%s", name);
    snprintf(figure->subject, sizeof figure->subject, "%s", subject);
}

size_t history_row(const run_folder *run, double epoch)
{
    for (size_t row = 0; row < run->history.rows; row++)
        if (run_folder_at(run, row, "epoch") == epoch) return row;
    return run->history.rows;
}

/* ---- Learning curves ---- */

static int has_values(const report_item *item, const char *column)
{
    for (size_t row = 0; row < item->folder.history.rows; row++)
        if (!isnan(run_folder_at(&item->folder, row, column))) return 1;
    return 0;
}

static double last_epoch(const training_report *report)
{
    double last = 0;

    for (size_t r = 0; r < report->n_runs; r++) {
        const run_folder *run = &report->runs[r].folder;
        if (run->history.rows > 0) last = fmax(last, run_folder_at(run, run->history.rows - 1, "epoch"));
    }
    return last;
}

/* Range of all accuracies after epoch `after`; NaN if there are none. */
static plot_extent accuracy_extent(const training_report *report, double after)
{
    plot_extent extent = { NAN, NAN };

    for (size_t r = 0; r < report->n_runs; r++)
        for (size_t row = 0; row < report->runs[r].folder.history.rows; row++) {
            const run_folder *run = &report->runs[r].folder;
            if (run_folder_at(run, row, "epoch") <= after) continue;
            plot_extend(&extent, run_folder_at(run, row, "train_accuracy"));
            plot_extend(&extent, run_folder_at(run, row, "validation_accuracy"));
        }
    return extent;
}

/* The accuracy axis in %, never above 100. In long trainings, the first tenth of the epochs would take most of the
 * range, so it starts at the lowest accuracy after them. */
static plot_extent accuracy_range(const training_report *report)
{
    enum { LONG = 20 };
    double last = last_epoch(report);
    plot_extent all = accuracy_extent(report, 0), late = accuracy_extent(report, last / 10);
    int cut = last > LONG && 1 - all.low > 2 * (1 - late.low) && 1 - late.low > 0.01;
    double low = 100 * (cut ? late.low : all.low), high = 100 * all.high;
    double room = fmax(0.06 * (100 - low), 1);

    return (plot_extent){ fmax(floor(low - room), 0), high > 60 ? 100 : fmin(ceil(high + room), 100) };
}

/* The run with the best validation accuracy; -1 if there is none. */
static int best_run(const training_report *report)
{
    int best = -1;
    double most = -1;

    for (size_t r = 0; r < report->n_runs; r++) {
        const run_folder *run = &report->runs[r].folder;
        double accuracy = run_folder_at(run, run->kept, "validation_accuracy");
        if (accuracy > most) best = (int)r, most = accuracy;
    }
    return best;
}

static display_text curves_title(const training_report *report)
{
    int best = best_run(report);
    double last = last_epoch(report);

    if (best < 0) return display_format("Training accuracy over %.0f epochs; nothing was held out", last);
    const report_item *item = &report->runs[best];
    double accuracy = 100 * run_folder_at(&item->folder, item->folder.kept, "validation_accuracy");
    double epoch = run_folder_at(&item->folder, item->folder.kept, "epoch");
    if (report->n_runs == 1)
        return display_format("Validation accuracy: %.2f %% in the selected epoch, %.0f of %.0f", accuracy, epoch,
                              last);
    return display_format("Best on validation: %s, %.2f %% in epoch %.0f",
                          display_clean(item->name.text, NAME_LETTERS).text, accuracy, epoch);
}

static dlda_status write_curve(plot_files *plot, const report_item *item)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# run: %s\n# epoch, training accuracy, validation accuracy, 1 if kept\n", item->name.text));
    for (size_t row = 0; row < run->history.rows; row++) {
        DLDA_TRY(plot_number(plot, "", run_folder_at(run, row, "epoch")));
        DLDA_TRY(plot_number(plot, " ", run_folder_at(run, row, "train_accuracy")));
        DLDA_TRY(plot_number(plot, " ", run_folder_at(run, row, "validation_accuracy")));
        DLDA_TRY(dlda_file_writer_print(plot->data, " %d\n", row == run->kept));
    }
    DLDA_TRY(plot_next_block(plot));
done:
    return status;
}

/* The lines of one run: data block `index` in style `style`. */
static dlda_status plot_curve(plot_files *plot, const report_item *item, int index, size_t style, int several)
{
    dlda_status status = DLDA_OK;
    size_t marks = 1 + item->folder.history.rows / 25; /* interval of the markers, in epochs */
    display_text name = display_clean(item->name.text, NAME_LETTERS);
    display_text held = several ? name : display_format("validation");
    double kept = run_folder_at(&item->folder, item->folder.kept, "validation_accuracy");

    if (has_values(item, "validation_accuracy"))
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        "    data index %d using 1:(100*$3) with linespoints linetype %zu "
                                        "linewidth 2 pointsize 0.5 pointinterval %zu title %s, \\\n",
                                        index, style, marks, plot_quote(held.text, 40).text));
    if (!isnan(kept))
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            "    data index %d using 1:($4 == 1 ? 100*$3 : NaN) with points linetype %zu pointtype 6 pointsize 1.3 "
            "linewidth 1.5 notitle, \\\n",
            index, style));
    if (has_values(item, "train_accuracy"))
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        "    data index %d using 1:(100*$2) with linespoints linetype %zu "
                                        "dashtype 2 linewidth 1.3 pointsize 0.4 pointinterval %zu notitle, \\\n",
                                        index, style, marks));
done:
    return status;
}

/* The epoch axis: whole numbers, and a margin for a single point. */
static dlda_status write_epochs_axis(plot_files *plot, double last)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script, "set xlabel 'epoch' offset 0,0.6\nset xrange [%g:%g]\n",
                                    last > 1 ? 1.0 : 0.0, last > 1 ? last : 2));
    if (last <= 15) DLDA_TRY(dlda_file_writer_print(plot->script, "set xtics 1\n"));
done:
    return status;
}

static dlda_status draw_curves(const training_report *report, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    plot_extent range = accuracy_range(report);
    int index = 0;

    DLDA_TRY(write_epochs_axis(plot, last_epoch(report)));
    DLDA_TRY(plot_range(plot, "yrange", &range));
    DLDA_TRY(dlda_file_writer_print(plot->script, "set ylabel 'accuracy (%%)'\nplot \\\n"));
    for (size_t r = 0; r < report->n_runs; r++) {
        if (report->runs[r].folder.history.rows == 0) continue;
        DLDA_TRY(write_curve(plot, &report->runs[r]));
        DLDA_TRY(plot_curve(plot, &report->runs[r], index++, r + 1, report->n_runs > 1));
    }
    /* What the dashes and the ring mean is the same for all runs. */
    if (best_run(report) >= 0)
        DLDA_TRY(dlda_file_writer_print(plot->script, "    keyentry with points linetype 7 pointtype 6 pointsize "
                                                      "1.3 linewidth 1.5 title 'selected epoch', \\\n"));
    DLDA_TRY(dlda_file_writer_print(
        plot->script, "    keyentry with lines linetype %d dashtype 2 linewidth 1.3 title 'training'\n",
        report->n_runs > 1 ? 7 : 1));
done:
    return status;
}

static curve_verdict verdict_of(const report_item *item)
{
    return judge_curve(&item->folder, entry_number(item->folder.facts, "validation_samples"));
}

static int curves_height(const training_report *report)
{
    size_t longest = strlen("selected epoch");

    for (size_t r = 0; r < report->n_runs; r++) {
        size_t letters = display_letters(display_clean(report->runs[r].name.text, NAME_LETTERS).text);
        longest = letters > longest ? letters : longest;
    }
    return 284 + plot_legend_height(report->n_runs + 2, longest);
}

/* The names of the runs whose curves have a trend, or that overfit (trend -1): "Still rising in the last epochs: a, b. " */
static display_text name_runs(const training_report *report, int trend, const char *words)
{
    display_text names = { "" };

    for (size_t r = 0; r < report->n_runs; r++) {
        curve_verdict verdict = verdict_of(&report->runs[r]);
        if (trend < 0 ? !verdict.overfits : (int)verdict.trend != trend) continue;
        names = display_format("%.120s%s%s", names.text, names.text[0] ? ", " : "",
                               display_clean(report->runs[r].name.text, NAME_LETTERS).text);
    }
    return names.text[0] ? display_format("%s: %s. ", words, names.text) : names;
}

static display_text curves_caption(const training_report *report)
{
    const report_item *first = &report->runs[0];
    int below = accuracy_range(report).low > 100 * accuracy_extent(report, 0).low;
    const char *rest = below ? " Some of the first epochs lie below the figure." : "";

    if (report->n_runs == 1) {
        curve_verdict verdict = verdict_of(first);
        display_text text = judge_curve_text(&verdict, first->folder.path, last_epoch(report));
        return display_format("%.450s%s", text.text, rest);
    }
    return display_format(
        "%s%s%sSolid lines are validation accuracy.%s",
        name_runs(report, CURVE_RISING, "Still rising in the last epochs, so more may help").text,
        name_runs(report, CURVE_FALLING, "Falling after their best epoch").text,
        name_runs(report, -1, "Training samples are fitted much better than others (overfitting)").text, rest);
}

dlda_status figure_learning_curves(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    plot_files plot = { 0 };

    figure_begin(report, figure, "learning-curves", "Learning curves");
    if (last_epoch(report) < 1 || isnan(accuracy_extent(report, 0).low)) {
        figure->missing = display_format("There is no complete epoch in history.csv yet.");
        return DLDA_OK;
    }
    figure->title = curves_title(report);
    figure->caption = curves_caption(report);
    DLDA_TRY(plot_open(report->figures_folder, figure, PLOT_WIDTH, curves_height(report), &plot));
    DLDA_TRY(draw_curves(report, &plot));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}

/* ---- Mean eigenvalue and accuracy ---- */

static double mean_eigenvalue(const number_table *table, size_t row)
{
    double sum = 0, count = 0;

    for (size_t c = 1; c < table->columns; c++) {
        double value = number_table_at(table, row, (int)c);
        if (!isnan(value)) sum += value, count++;
    }
    return count > 0 ? sum / count : NAN;
}

static double accuracy_at(const run_folder *run, size_t row)
{
    double epoch = number_table_at(&run->eigenvalues, row, 0);
    return run_folder_at(run, history_row(run, epoch), "validation_accuracy");
}

/* Pearson correlation of both over the epochs; NaN with fewer than 3, or if one of them is constant. */
static double correlation(const run_folder *run)
{
    double n = 0, x = 0, y = 0, xx = 0, yy = 0, xy = 0;

    for (size_t row = 0; row < run->eigenvalues.rows; row++) {
        double a = mean_eigenvalue(&run->eigenvalues, row), b = accuracy_at(run, row);
        if (isnan(a) || isnan(b)) continue;
        n++, x += a, y += b, xx += a * a, yy += b * b, xy += a * b;
    }
    double spread = (xx - x * x / n) * (yy - y * y / n);
    return n >= 3 && spread > 0 ? (xy - x * y / n) / sqrt(spread) : NAN;
}

static display_text mean_title(const run_folder *run)
{
    double r = correlation(run), last = NAN;

    for (size_t row = 0; row < run->eigenvalues.rows; row++) { /* the last one that was measured */
        double mean = mean_eigenvalue(&run->eigenvalues, row);
        last = isnan(mean) ? last : mean;
    }
    if (isnan(r)) return display_format("Mean eigenvalue: %.3g after the last epoch", last);
    return display_format("Mean eigenvalue and validation accuracy: correlation %.2f", r);
}

static dlda_status draw_mean(const report_item *item, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const run_folder *run = &item->folder;
    int held_out = has_values(item, "validation_accuracy");
    plot_extent means = { NAN, NAN }, shares = { NAN, NAN };

    DLDA_TRY(dlda_file_writer_print(plot->data, "# run: %s\n# epoch, mean eigenvalue, validation accuracy\n",
                                    item->name.text));
    for (size_t row = 0; row < run->eigenvalues.rows; row++) {
        DLDA_TRY(plot_number(plot, "", number_table_at(&run->eigenvalues, row, 0)));
        DLDA_TRY(plot_number(plot, " ", mean_eigenvalue(&run->eigenvalues, row)));
        DLDA_TRY(plot_number(plot, " ", accuracy_at(run, row)));
        plot_extend(&means, mean_eigenvalue(&run->eigenvalues, row));
        plot_extend(&shares, 100 * accuracy_at(run, row));
        DLDA_TRY(dlda_file_writer_print(plot->data, "\n"));
    }
    DLDA_TRY(write_epochs_axis(plot, number_table_at(&run->eigenvalues, run->eigenvalues.rows - 1, 0)));
    DLDA_TRY(dlda_file_writer_print(plot->script, "set ylabel 'mean eigenvalue' textcolor linetype 1\n"
                                                  "set ytics textcolor linetype 1\n"));
    means = plot_range_of(&means, -INFINITY, INFINITY);
    shares = plot_range_of(&shares, 0, 100);
    DLDA_TRY(plot_range(plot, "yrange", &means));
    DLDA_TRY(plot_range(plot, "y2range", &shares));
    if (held_out)
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        "set border 11\n"
                                        "set y2label 'validation accuracy (%%)' textcolor linetype 2\n"
                                        "set y2tics textcolor linetype 2\n"));
    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "plot data using 1:2 with linespoints linetype 1 linewidth 2 pointsize 0.6 "
                                    "title 'mean eigenvalue'"));
    if (held_out)
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        ", \\\n    data using 1:(100*$3) axes x1y2 with linespoints linetype 2 "
                                        "linewidth 2 dashtype 2 pointsize 0.6 title 'validation accuracy'"));
    DLDA_TRY(dlda_file_writer_print(plot->script, "\n"));
done:
    return status;
}

/* What the objective of the run has to do with eigenvalues. */
static display_text objective_note(const run_folder *run)
{
    display_text objective = entry_text(run->options, "objective");

    if (!objective.text[0]) return objective;
    const dlda_objective_info *info = dlda_objective_find(objective.text);
    if (info && info->kind == DLDA_OBJECTIVE_LDA_CCE)
        return display_format(" The objective of this run, %s, raises them and minimises a log loss.",
                              objective.text);
    if (info && !info->separates)
        return display_format(
            " The objective of this run, %s, minimises a log loss; eigenvalues are only measured.", objective.text);
    return display_format(" The objective of this run, %s, raises them.", objective.text);
}

dlda_status figure_mean_eigenvalue(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "mean-eigenvalue", "Mean eigenvalue and accuracy");
    if (run_folder_eigenvalues(&item->folder) == 0) {
        figure->missing = display_format("There are no eigenvalues in eigenvalues.csv.");
        return DLDA_OK;
    }
    figure->title = mean_title(&item->folder);
    figure->caption = display_format("%sThe eigenvalues are those of an LDA on the network's features.%s",
                                     judge_correlation_text(correlation(&item->folder)).text,
                                     objective_note(&item->folder).text);
    DLDA_TRY(plot_open(report->figures_folder, figure, PLOT_WIDTH, 310, &plot));
    DLDA_TRY(draw_mean(item, &plot));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}
