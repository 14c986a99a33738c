/* SPDX-License-Identifier: MIT
 *
 * figure_spectrum.c - eigenvalues over the epochs of a run, and final eigenvalues of all runs side by side.
 */
#include "report/judge.h"
#include "report/palette.h"
#include "report/report.h"

#include <assert.h>
#include <math.h>

/* ---- Over the epochs ---- */

static double least_of(const number_table *table, size_t row)
{
    double least = NAN;

    for (size_t c = 1; c < table->columns; c++) least = fmin(least, number_table_at(table, row, (int)c));
    return least;
}

/* Rows of the first and the last epoch in which eigenvalues were measured. */
static void measured_rows(const number_table *table, size_t *first, size_t *last)
{
    *first = *last = table->rows;
    for (size_t row = 0; row < table->rows; row++) {
        if (isnan(least_of(table, row))) continue;
        *last = row;
        if (*first == table->rows) *first = row;
    }
}

static display_text eigenvalues_title(const number_table *table, size_t count)
{
    size_t first = 0, last = 0;

    measured_rows(table, &first, &last);
    double begin = least_of(table, first), end = least_of(table, last);
    const char *what = count > 1 ? "smallest eigenvalue" : "eigenvalue";
    if (first == last) return display_format("The %s is %.3g", what, end);
    return display_format("The %s went from %.3g to %.3g", what, begin, end);
}

static dlda_status write_eigenvalues(plot_files *plot, const report_item *item)
{
    dlda_status status = DLDA_OK;
    const number_table *table = &item->folder.eigenvalues;

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# run: %s\n# epoch, eigenvalues from the largest to the smallest\n", item->name.text));
    for (size_t row = 0; row < table->rows; row++) {
        for (size_t c = 0; c < table->columns; c++)
            DLDA_TRY(plot_number(plot, c ? " " : "", number_table_at(table, row, (int)c)));
        DLDA_TRY(dlda_file_writer_print(plot->data, "\n"));
    }
done:
    return status;
}

/* The largest and the smallest have their own colours. */
static dlda_status draw_eigenvalues(const report_item *item, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const number_table *table = &item->folder.eigenvalues;
    size_t count = run_folder_eigenvalues(&item->folder);
    plot_extent extent = { 0, NAN };
    double last = number_table_at(table, table->rows - 1, 0);

    for (size_t row = 0; row < table->rows; row++)
        for (size_t c = 1; c < table->columns; c++) plot_extend(&extent, number_table_at(table, row, (int)c));
    plot_extent range = plot_range_of(&extent, fmin(extent.low, 0), INFINITY);
    DLDA_TRY(plot_range(plot, "yrange", &range));
    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "set xlabel 'epoch'\nset ylabel 'eigenvalue'\nset xrange [%g:%g]\n%s%splot ",
                                    last > 1 ? 1.0 : 0.0, last > 1 ? last : 2, last <= 15 ? "set xtics 1\n" : "",
                                    count > 1 ? "" : "unset key\n"));
    if (count > 2)
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        "for [k=3:%zu] data using 1:k with linespoints linecolor rgb '" PALETTE_PALE
                                        "' pointtype 7 pointsize 0.3 title (k == 3 ? 'others' : ''), \\\n    ",
                                        count));
    if (count > 1)
        DLDA_TRY(
            dlda_file_writer_print(plot->script,
                                   "data using 1:%zu with linespoints linetype 2 linewidth 2 pointsize 0.5 title "
                                   "'smallest', \\\n    ",
                                   count + 1));
    DLDA_TRY(dlda_file_writer_print(
        plot->script, "data using 1:2 with linespoints linetype 1 linewidth 2 pointsize 0.5 title 'largest'\n"));
done:
    return status;
}

dlda_status figure_eigenvalues(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "eigenvalues", "Each eigenvalue over the epochs");
    if (run_folder_eigenvalues(&item->folder) == 0) {
        figure->missing = display_format("There are no eigenvalues in eigenvalues.csv.");
        return DLDA_OK;
    }
    figure->omitted = run_folder_eigenvalues(&item->folder) == 1; /* the mean is the only one */
    if (figure->omitted) return DLDA_OK;
    figure->title = eigenvalues_title(&item->folder.eigenvalues, run_folder_eigenvalues(&item->folder));
    figure->caption = display_format(
        "Each line is a direction. Its eigenvalue is the scatter of the class means along "
        "it, divided by the scatter within the classes.");
    DLDA_TRY(plot_open(report->figures_folder, figure, PLOT_WIDTH, 310, &plot));
    DLDA_TRY(write_eigenvalues(&plot, item));
    DLDA_TRY(draw_eigenvalues(item, &plot));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}

/* ---- Side by side ---- */

/* Mean of the eigenvalues, relative to the largest. */
static double mean_share(const report_item *item)
{
    double sum = 0;

    for (size_t k = 0; k < item->n_eigenvalues; k++) sum += item->eigenvalues[k];
    return sum / ((double)item->n_eigenvalues * item->eigenvalues[0]);
}

static display_text structure_title(const training_report *report)
{
    const report_item *least = NULL, *most = NULL;

    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (item->n_eigenvalues < 2) continue;
        if (!least || mean_share(item) < mean_share(least)) least = item;
        if (!most || mean_share(item) > mean_share(most)) most = item;
    }
    assert(most); /* the figure is drawn only if there is one */
    if (least == most)
        return display_format("The smallest eigenvalue is %.1f %% of the largest",
                              100 * fmax(most->eigenvalues[most->n_eigenvalues - 1] / most->eigenvalues[0], 0));
    return display_format("Mean eigenvalue: %.0f %% of the largest (%s), %.0f %% (%s)", 100 * mean_share(most),
                          display_clean(most->name.text, 16).text, 100 * mean_share(least),
                          display_clean(least->name.text, 16).text);
}

/* The axes: from the smallest share, or 0, to 1. */
static dlda_status write_structure_axes(const training_report *report, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    size_t most = 0;
    plot_extent shares = { 0, 1 };

    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (item->n_eigenvalues > most) most = item->n_eigenvalues;
        for (size_t k = 0; k < item->n_eigenvalues; k++)
            plot_extend(&shares, item->eigenvalues[k] / item->eigenvalues[0]);
    }
    DLDA_TRY(plot_range(plot, "yrange", &shares));
    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "set xlabel 'direction, sorted by its eigenvalue'\n"
                                    "set ylabel 'eigenvalue / largest'\n"
                                    "set xrange [0.7:%g]\n%s%s",
                                    (double)most + 0.3, report->n_runs == 1 ? "unset key\n" : "",
                                    most <= 15 ? "set xtics 1\n" : ""));
done:
    return status;
}

static display_text structure_name(const report_item *item)
{
    return display_format("%s (%s)", display_clean(item->name.text, NAME_LETTERS).text,
                          entry_text(item->folder.options, "objective").text);
}

static int structure_height(const training_report *report)
{
    size_t longest = 1;

    for (size_t r = 0; r < report->n_runs; r++) {
        size_t letters = display_letters(structure_name(&report->runs[r]).text);
        longest = letters > longest ? letters : longest;
    }
    return 284 + (report->n_runs > 1 ? plot_legend_height(report->n_runs, longest) : 30);
}

static dlda_status draw_structure(const training_report *report, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    int index = 0;

    DLDA_TRY(write_structure_axes(report, plot));
    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (item->n_eigenvalues < 2) continue;
        display_text name = structure_name(item);
        DLDA_TRY(dlda_file_writer_print(plot->data,
                                        "# run: %s\n# direction, eigenvalue divided by the largest, eigenvalue\n",
                                        item->name.text));
        for (size_t k = 0; k < item->n_eigenvalues; k++)
            DLDA_TRY(dlda_file_writer_print(plot->data, "%zu %.9g %.9g\n", k + 1,
                                            item->eigenvalues[k] / item->eigenvalues[0], item->eigenvalues[k]));
        DLDA_TRY(plot_next_block(plot));
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            "%sdata index %d using 1:2 with linespoints linetype %zu linewidth 2 pointsize 0.8 title %s",
            index ? ", \\\n    " : "plot ", index, r + 1, plot_quote(name.text, 40).text));
        index++;
    }
    DLDA_TRY(dlda_file_writer_print(plot->script, "\n"));
done:
    return status;
}

/* One run: its weak directions and closest classes. Several: the number of weak directions of each. */
static display_text structure_caption(const training_report *report)
{
    display_text text = { "" };

    if (report->n_runs == 1)
        return display_format(
            "%.200s %.280s", judge_directions_text(report->runs[0].eigenvalues, report->runs[0].n_eigenvalues).text,
            judge_closest_text(report->runs[0].answers).text);
    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (item->n_eigenvalues < 2) continue;
        text = display_format("%.300s%s%zu of %zu (%s)", text.text, text.text[0] ? ", " : "",
                              judge_weak_directions(item->eigenvalues, item->n_eigenvalues), item->n_eigenvalues,
                              display_clean(item->name.text, NAME_LETTERS).text);
    }
    return display_format(
        "Weak directions, with less than a tenth of the largest eigenvalue: %.340s. The flatter the line, "
        "the more equally the directions separate the classes.",
        text.text);
}

dlda_status figure_structure(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    plot_files plot = { 0 };
    size_t known = 0, several = 0;

    figure_begin(report, figure, "eigenvalue-structure", "Structure of the eigenvalues");
    for (size_t r = 0; r < report->n_runs; r++) {
        known += report->runs[r].n_eigenvalues > 0;
        several += report->runs[r].n_eigenvalues > 1;
    }
    if (known == 0) {
        figure->missing = display_format(
            "There are no eigenvalues: neither a model nor eigenvalues.csv could be read.");
        return DLDA_OK;
    }
    figure->omitted = several == 0; /* nothing to compare a single eigenvalue with */
    if (figure->omitted) return DLDA_OK;
    figure->title = structure_title(report);
    figure->caption = structure_caption(report);
    DLDA_TRY(plot_open(report->figures_folder, figure, PLOT_WIDTH, structure_height(report), &plot));
    DLDA_TRY(draw_structure(report, &plot));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}
