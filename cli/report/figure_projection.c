/* SPDX-License-Identifier: MIT
 *
 * figure_projection.c - test samples on the discriminant directions, with a panel for each pair of directions: the
 * upper triangle of a square, with the legend below its diagonal.
 */
#include "base/by_class.h"
#include "base/memory.h"
#include "report/palette.h"
#include "report/report.h"

#include <math.h>

enum { MOST_POINTS = 500 };

/* Samples by class; classes from PALETTE_STYLES on form one group. */
typedef struct groups {
    size_t count, *start, *order;
    size_t total[PALETTE_STYLES + 1]; /* points of each group */
} groups;

static dlda_status make_groups(const test_answers *answers, groups *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->start, answers->classes + 1, "classes"));
    DLDA_TRY(DLDA_TAKE(&self->order, answers->count, "classes"));
    dlda_group_by_class(answers->truth, answers->count, answers->classes, self->start, self->order);
    self->count = answers->classes < PALETTE_STYLES ? answers->classes : PALETTE_STYLES + 1;
done:
    return status;
}

static void release_groups(groups *self)
{
    dlda_release(self->start);
    dlda_release(self->order);
}

static dlda_status write_sample(plot_files *plot, const test_answers *answers, size_t i, size_t directions)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->data, "%zu", i));
    for (size_t k = 0; k < directions; k++)
        DLDA_TRY(plot_number(plot, " ", answers->Z[i * answers->directions + k]));
    DLDA_TRY(dlda_file_writer_print(plot->data, "\n"));
done:
    return status;
}

/* Draws every n-th sample of each class, which keeps the class proportions. */
static dlda_status write_points(plot_files *plot, const test_answers *answers, size_t directions, groups *by)
{
    dlda_status status = DLDA_OK;
    size_t step = (answers->count + MOST_POINTS - 1) / MOST_POINTS;

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# a block for each class: sample, its place on directions 1 to %zu\n", directions));
    for (size_t c = 0; c < answers->classes; c++) {
        size_t group = c < PALETTE_STYLES ? c : PALETTE_STYLES, before = by->total[group];
        if (by->start[c] == by->start[c + 1]) continue;
        if (before == 0)
            DLDA_TRY(dlda_file_writer_print(plot->data, "# class: %s\n",
                                            display_clean(test_answers_class(answers, c), 100).text));
        for (size_t i = by->start[c]; i < by->start[c + 1]; i += step, by->total[group]++)
            DLDA_TRY(write_sample(plot, answers, by->order[i], directions));
        if (c < PALETTE_STYLES) DLDA_TRY(plot_next_block(plot));
    }
done:
    return status;
}

/* The range of each direction with a margin, and its tick step, as gnuplot arrays. */
static dlda_status write_ranges(plot_files *plot, const test_answers *answers, size_t directions)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script, "array low[%zu]\narray high[%zu]\narray step[%zu]\n", directions,
                                    directions, directions));
    for (size_t k = 0; k < directions; k++) {
        double low = INFINITY, high = -INFINITY;
        for (size_t i = 0; i < answers->count; i++) {
            double place = answers->Z[i * answers->directions + k];
            if (!isfinite(place)) continue; /* input far outside the training data */
            low = fmin(low, place);
            high = fmax(high, place);
        }
        if (!(low <= high)) low = high = 0;
        double room = high > low ? 0.04 * (high - low) : 1;
        DLDA_TRY(dlda_file_writer_print(plot->script, "low[%zu] = %.6g; high[%zu] = %.6g; step[%zu] = %g\n", k + 1,
                                        low - room, k + 1, high + room, k + 1,
                                        plot_tick_step(high - low + 2 * room)));
    }
done:
    return status;
}

/* gnuplot's `styles`: the line type of each data block. */
static dlda_status write_styles(plot_files *plot, const groups *by)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script, "styles = '"));
    for (size_t g = 0; g < by->count; g++)
        if (by->total[g] > 0) DLDA_TRY(dlda_file_writer_print(plot->script, "%zu ", g + 1));
    DLDA_TRY(dlda_file_writer_print(plot->script, "'\n"));
done:
    return status;
}

static dlda_status draw_panels(plot_files *plot, const test_answers *answers, size_t directions)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(write_ranges(plot, answers, directions));
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "n = %zu\n"
        "left = 0.08; bottom = 0.08; right = n > 2 ? 0.99 : 0.76; top = 0.94; gap = 0.012\n"
        "width = (right - left) / (n - 1); height = (top - bottom) / (n - 1)\n"
        "set multiplot title finding font heading\n"
        "unset key; unset title; set border 15\n"
        "do for [i=1:n-1] { do for [j=i+1:n] {\n"
        "    set lmargin at screen left + (j - 2) * width + gap; set rmargin at screen left + (j - 1) * width - "
        "gap\n"
        "    set tmargin at screen top - (i - 1) * height - gap; set bmargin at screen top - i * height + gap\n"
        "    set xrange [low[j]:high[j]]; set yrange [low[i]:high[i]]; set xtics step[j]; set ytics step[i]\n"
        "    if (j == i + 1) {\n"
        "        set xlabel sprintf('direction %%d', j) offset 0,0.5; set ylabel sprintf('direction %%d', i) "
        "offset 0.8,0\n"
        "        set xtics format '%%g'; set ytics format '%%g'\n"
        "    } else { unset xlabel; unset ylabel; set xtics format ''; set ytics format '' }\n"
        "    plot for [k=1:words(styles)] data index k-1 using (column(j+1)):(column(i+1)) \\\n"
        "        with points linetype int(word(styles, k)) pointsize 0.35\n"
        "} }\n",
        directions));
done:
    return status;
}

/* The legend is a plot without axes that shows only its key. */
static dlda_status draw_legend(plot_files *plot, const test_answers *answers, const groups *by, size_t directions)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "unset border; unset tics; unset grid; unset xlabel; unset ylabel\n"
        "set xrange [0:1]; set yrange [0:1]\n"
        "set lmargin at screen %s; set rmargin at screen %s; set bmargin at screen 0.02; set tmargin at screen %s\n"
        "set key %s Left reverse samplen 1 maxrows %d title 'true class' left\n"
        "plot -1 notitle",
        directions > 2 ? "0.02" : "0.78", directions > 2 ? "left + 0.45 * (right - left)" : "0.99",
        directions > 2 ? "bottom + 0.4 * (top - bottom)" : "top", directions > 2 ? "bottom left" : "top left",
        directions > 3 ? 11 : 6));
    for (size_t g = 0; g < by->count; g++) {
        if (by->total[g] == 0) continue;
        const char *name = g < PALETTE_STYLES ? test_answers_class(answers, g) : "all others";
        DLDA_TRY(dlda_file_writer_print(plot->script,
                                        ", \\\n    keyentry with points linetype %zu pointsize 0.9 title %s", g + 1,
                                        plot_quote(name, CLASS_LETTERS).text));
    }
    DLDA_TRY(dlda_file_writer_print(plot->script, "\nunset multiplot\n"));
done:
    return status;
}

static display_text projection_title(const report_item *item, size_t directions)
{
    double shown = 0, all = 0;

    for (size_t k = 0; k < item->n_eigenvalues; k++) {
        all += item->eigenvalues[k];
        if (k < directions) shown += item->eigenvalues[k];
    }
    if (directions == item->n_eigenvalues)
        return display_format("All %zu directions, with the %s samples", directions, item->answers->part);
    return display_format(
        "The first %zu of %zu directions, which have %.0f %% of the separation, with the %s samples", directions,
        item->n_eigenvalues, all > 0 ? 100 * shown / all : 0, item->answers->part);
}

static dlda_status draw(const training_report *report, report_figure *figure, size_t directions, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const test_answers *answers = report->runs[figure->run].answers;
    groups by = { 0 };

    DLDA_TRY(make_groups(answers, &by));
    DLDA_TRY(plot_open(report->figures_folder, figure, directions > 3 ? 900 : 640,
                       directions > 3   ? 880
                       : directions > 2 ? 620
                                        : 460,
                       plot));
    DLDA_TRY(write_points(plot, answers, directions, &by));
    DLDA_TRY(write_styles(plot, &by));
    DLDA_TRY(draw_panels(plot, answers, directions));
    DLDA_TRY(draw_legend(plot, answers, &by, directions));
    DLDA_TRY(plot_finish(report->figures_folder, figure, plot));
done:
    release_groups(&by);
    return status;
}

dlda_status figure_projection(const training_report *report, report_figure *figure)
{
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "projection", "Samples on pairs of directions");
    figure->caption = display_format(
        "Each panel shows samples on two discriminant directions, coloured by their true class; at most %d "
        "samples, class "
        "shares kept. Clouds that lie apart are classes that a straight line can separate.",
        MOST_POINTS);
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    if (item->answers->directions < 2) {
        figure->missing = display_format("Two classes have one direction, which has no pair: see the histograms.");
        return DLDA_OK;
    }
    size_t directions = item->answers->directions < report->directions ? item->answers->directions
                                                                       : report->directions;
    figure->wide = 1;
    figure->title = projection_title(item, directions);
    dlda_status status = draw(report, figure, directions, &plot);
    plot_release(&plot);
    return status;
}
