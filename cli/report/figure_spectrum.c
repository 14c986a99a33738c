/* SPDX-License-Identifier: MIT
 *
 * figure_spectrum.c - eigenvalues over the epochs of a run, and final eigenvalues of all runs side by side.
 */
#include "report/report.h"

#include <math.h>

/* ---- Over the epochs ---- */

static double least_of(const number_table *table, size_t row)
{
    double least = NAN;

    for (size_t c = 1; c < table->columns; c++) least = fmin(least, number_table_at(table, row, (int)c));
    return least;
}

static display_text eigenvalues_title(const number_table *table)
{
    double first = least_of(table, 0), last = least_of(table, table->rows - 1);

    if (table->rows == 1) return display_format("The smallest eigenvalue is %.3g after one epoch", last);
    return display_format("The smallest eigenvalue goes from %.3g to %.3g", first, last);
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

/* The largest and the smallest have their own colour and label. */
static dlda_status draw_eigenvalues(const report_item *item, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const number_table *table = &item->folder.eigenvalues;
    size_t count = run_folder_eigenvalues(&item->folder);
    plot_extent extent = { NAN, NAN };
    double last = number_table_at(table, table->rows - 1, 0);
    double largest = number_table_at(table, table->rows - 1, 1);
    double smallest = number_table_at(table, table->rows - 1, (int)count);

    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "set xlabel 'epoch'\nset ylabel 'eigenvalue'\nset xrange [%g:%g]\nset rmargin 13\nunset key\n",
        last > 1 ? 1.0 : 0.0, last > 1 ? last : 2));
    for (size_t row = 0; row < table->rows; row++)
        for (size_t c = 1; c < table->columns; c++) plot_extend(&extent, number_table_at(table, row, (int)c));
    DLDA_TRY(plot_room(plot, "yrange", &extent));
    if (last <= 15) DLDA_TRY(dlda_file_writer_print(plot->script, "set xtics 1\n"));
    if (isfinite(largest))
        DLDA_TRY(dlda_file_writer_print(
            plot->script, "set label 1 'largest %.3g' at %g,%.9g left offset 0.6,0.3 textcolor linetype 1\n",
            largest, last, largest));
    if (isfinite(smallest) && count > 1)
        DLDA_TRY(dlda_file_writer_print(
            plot->script, "set label 2 'smallest %.3g' at %g,%.9g left offset 0.6,-0.3 textcolor linetype 2\n",
            smallest, last, smallest));
    DLDA_TRY(dlda_file_writer_print(plot->script, "plot "));
    if (count > 2)
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        "for [k=3:%zu] data using 1:k with linespoints linecolor rgb '#8899AA' "
                                        "pointtype 7 pointsize 0.3, \\\n    ",
                                        count));
    if (count > 1)
        DLDA_TRY(dlda_file_writer_print(
            plot->script, "data using 1:%zu with linespoints linetype 2 linewidth 2 pointsize 0.6, \\\n    ",
            count + 1));
    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "data using 1:2 with linespoints linetype 1 linewidth 2 pointsize 0.6\n"));
done:
    return status;
}

dlda_status figure_eigenvalues(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "eigenvalues", "Each eigenvalue over the epochs");
    figure->caption = display_format(
        "Each line is one direction: its eigenvalue says how far the classes lie apart on it, measured by their "
        "spread. "
        "The objective lda raises the smallest ones, so that no direction is left without use.");
    if (run_folder_eigenvalues(&item->folder) == 0) {
        figure->missing = display_format("There are no eigenvalues in eigenvalues.csv.");
        return DLDA_OK;
    }
    figure->title = eigenvalues_title(&item->folder.eigenvalues);
    DLDA_TRY(plot_open(report->figures_folder, figure, 540, 390, &plot));
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
        if (item->n_eigenvalues == 0) continue;
        if (!least || mean_share(item) < mean_share(least)) least = item;
        if (!most || mean_share(item) > mean_share(most)) most = item;
    }
    if (least == most)
        return display_format("The smallest eigenvalue is %.2g of the largest",
                              most->eigenvalues[most->n_eigenvalues - 1] / most->eigenvalues[0]);
    return display_format("Mean to largest: %.2g (%s) against %.2g (%s)", mean_share(most),
                          display_clean(most->name.text, 16).text, mean_share(least),
                          display_clean(least->name.text, 16).text);
}

static dlda_status draw_structure(const training_report *report, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    int index = 0;
    size_t most = 0;

    for (size_t r = 0; r < report->n_runs; r++)
        if (report->runs[r].n_eigenvalues > most) most = report->runs[r].n_eigenvalues;
    DLDA_TRY(dlda_file_writer_print(plot->script,
                                    "set xlabel 'direction, sorted by its eigenvalue'\n"
                                    "set ylabel 'eigenvalue / largest eigenvalue'\n"
                                    "set yrange [*<0:1.05]\n"
                                    "set xrange [0.7:%g]\n"
                                    "set key bottom left Left reverse\n%s",
                                    (double)most + 0.3, most <= 15 ? "set xtics 1\n" : ""));
    for (size_t r = 0; r < report->n_runs; r++) {
        const report_item *item = &report->runs[r];
        if (item->n_eigenvalues == 0) continue;
        display_text name = display_format("%s (%s)", display_clean(item->name.text, NAME_LETTERS).text,
                                           entry_text(item->folder.options, "objective").text);
        DLDA_TRY(dlda_file_writer_print(plot->data,
                                        "# run: %s\n# direction, eigenvalue divided by the largest, eigenvalue\n",
                                        item->name.text));
        for (size_t k = 0; k < item->n_eigenvalues; k++)
            DLDA_TRY(dlda_file_writer_print(plot->data, "%zu %.9g %.9g\n", k + 1,
                                            item->eigenvalues[k] / item->eigenvalues[0], item->eigenvalues[k]));
        DLDA_TRY(plot_next_block(plot));
        DLDA_TRY(dlda_file_writer_print(
            plot->script,
            "%sdata index %d using 1:2 with linespoints linetype %zu linewidth 2 pointsize 0.9 title %s",
            index ? ", \\\n    " : "plot ", index, r + 1, plot_quote(name.text, 60).text));
        index++;
    }
    DLDA_TRY(dlda_file_writer_print(plot->script, "\n"));
done:
    return status;
}

dlda_status figure_structure(const training_report *report, report_figure *figure)
{
    dlda_status status = DLDA_OK;
    plot_files plot = { 0 };
    size_t known = 0;

    figure_begin(report, figure, "eigenvalue-structure", "Structure of the eigenvalues");
    figure->caption = display_format(
        "Eigenvalues of the final LDA, the largest scaled to 1. A flat line means that "
        "all directions separate the classes "
        "about equally well, as DeepLDA aims at; cross entropy mostly leaves a few "
        "strong directions and many weak ones.");
    for (size_t r = 0; r < report->n_runs; r++) known += report->runs[r].n_eigenvalues > 0;
    if (known == 0) {
        figure->missing = display_format(
            "There are no eigenvalues: neither a model nor eigenvalues.csv could be read.");
        return DLDA_OK;
    }
    figure->title = structure_title(report);
    DLDA_TRY(plot_open(report->figures_folder, figure, 540, 390, &plot));
    DLDA_TRY(draw_structure(report, &plot));
    DLDA_TRY(plot_finish(report->figures_folder, figure, &plot));
done:
    plot_release(&plot);
    return status;
}
