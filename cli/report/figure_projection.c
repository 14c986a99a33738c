/* SPDX-License-Identifier: MIT
 *
 * figure_projection.c - test samples on the discriminant directions, with a panel for each pair of directions: the
 * upper triangle of a square, with the legend below its diagonal.
 */
#include "base/by_class.h"
#include "base/memory.h"
#include "report/judge.h"
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

/* Pixels of the legend below a single panel. */
static size_t legend_height(const test_answers *answers)
{
    enum { IN_A_ROW = 2, LINE = 17 };
    size_t entries = answers->classes < PALETTE_STYLES ? answers->classes : PALETTE_STYLES + 1;

    return 12 + LINE * ((entries + IN_A_ROW - 1) / IN_A_ROW);
}

static dlda_status draw_panels(plot_files *plot, const test_answers *answers, size_t directions)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(write_ranges(plot, answers, directions));
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "n = %zu; small = kind eq 'svg' ? '11' : '8'\n"
        "left = (n > 2 ? 30 : 64) / pixels_x; right = 0.985; top = 1 - (kind eq 'png' ? 44 : 8) / pixels_y; gap = "
        "n > 2 ? 0.012 : 0\n"
        "bottom = (n > 2 ? 28 : %zu) / pixels_y\n"
        "width = (right - left) / (n - 1); height = (top - bottom) / (n - 1)\n"
        "if (kind eq 'png') { set multiplot title finding font 'sans-serif:Bold' } else { set multiplot }\n"
        "unset key; unset title; set border 15; set xtics font ',' . small; set ytics font ',' . small\n"
        "do for [i=1:n-1] { do for [j=i+1:n] {\n"
        "    set lmargin at screen left + (j - 2) * width + gap; set rmargin at screen left + (j - 1) * width - "
        "gap\n"
        "    set tmargin at screen top - (i - 1) * height - gap; set bmargin at screen top - i * height + gap\n"
        "    set xrange [low[j]:high[j]]; set yrange [low[i]:high[i]]; set xtics step[j]; set ytics step[i]\n"
        "    if (j == i + 1) {\n"
        "        set xlabel sprintf('direction %%d', j) offset 0,n > 2 ? (kind eq 'svg' ? 1.2 : 0.9) : 0.5\n"
        "        set ylabel sprintf('direction %%d', i) offset n > 2 ? (kind eq 'svg' ? 2.3 : 1.2) : 0.5,0\n"
        "    } else { unset xlabel; unset ylabel }\n"
        "    if (n > 2) { set xtics format ''; set ytics format '' }\n"
        "    plot for [k=1:words(styles)] data index k-1 using (column(j+1)):(column(i+1)) \\\n"
        "        with points linetype int(word(styles, k)) pointsize 0.35\n"
        "} }\n",
        directions, 44 + legend_height(answers)));
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
        "set lmargin at screen %s; set rmargin at screen %s; set bmargin at screen 0.01; set tmargin at screen %s\n"
        "set key inside %s Left reverse samplen 1 %s\n"
        "plot -1 notitle",
        directions > 2 ? "0.01" : "left", directions > 2 ? "left + 0.45 * (right - left)" : "right",
        directions > 2 ? "bottom + 0.45 * (top - bottom)" : "bottom - 40 / pixels_y",
        directions > 2 ? "bottom left vertical" : "top center vertical maxcols 2",
        directions > 2 ? "maxrows 11 title 'true class' left" : ""));
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
        return display_format("The %s samples on all %zu directions", item->answers->part, directions);
    return display_format("The %s samples on the first %zu of %zu directions: %.0f %% of the sum of eigenvalues",
                          item->answers->part, directions, item->n_eigenvalues, all > 0 ? 100 * shown / all : 0);
}

static dlda_status draw(const training_report *report, report_figure *figure, size_t directions, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const test_answers *answers = report->runs[figure->run].answers;
    groups by = { 0 };

    DLDA_TRY(make_groups(answers, &by));
    int width = directions > 6 ? 60 + 90 * (int)(directions - 1) : figure->wide ? PLOT_WIDE : PLOT_WIDTH;
    DLDA_TRY(plot_open(report->figures_folder, figure, width,
                       directions > 2 ? width - 20 : 320 + (int)legend_height(answers), plot));
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
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    figure->omitted = item->answers->directions < 2; /* no pairs */
    if (figure->omitted) return DLDA_OK;
    size_t directions = item->answers->directions < report->directions ? item->answers->directions
                                                                       : report->directions;
    figure->panels = 1;
    figure->wide = directions > 3;
    figure->title = projection_title(item, directions);
    figure->caption = display_format("%.300s %s%d samples are drawn, by their true class.",
                                     judge_closest_text(item->answers).text,
                                     item->answers->count > MOST_POINTS ? "At most " : "All ",
                                     item->answers->count > MOST_POINTS ? MOST_POINTS : (int)item->answers->count);
    dlda_status status = draw(report, figure, directions, &plot);
    plot_release(&plot);
    return status;
}
