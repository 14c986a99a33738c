/* SPDX-License-Identifier: MIT
 *
 * figure_histograms.c - histograms of the classes on each direction: a panel for each
 * direction, a row for each class.
 */
#include "base/memory.h"
#include "report/judge.h"
#include "report/palette.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { LEAST_BINS = 8, MOST_BINS = 120, MOST_ROWS = PALETTE_STYLES, MOST_COLUMNS = 5 };

typedef struct histogram {
    int bins;
    double low, step;
    double shares[MOST_ROWS][MOST_BINS];
} histogram;

static double place_on(const test_answers *answers, size_t i, size_t direction)
{
    return answers->Z[i * answers->directions + direction];
}

/* The Freedman-Diaconis rule for normal samples with standard deviation 1, to which directions are scaled: the bin
 * width is 2.7 / cube root of the number of samples. */
static int bins_for(const test_answers *answers, double range)
{
    double bins = range / 2.7 * cbrt((double)answers->count / (double)answers->classes);

    return (int)fmin(fmax(bins, LEAST_BINS), MOST_BINS);
}

static void count_samples(const test_answers *answers, size_t direction, histogram *result)
{
    double low = INFINITY, high = -INFINITY, counts[MOST_ROWS] = { 0 };

    memset(result, 0, sizeof *result);
    for (size_t i = 0; i < answers->count; i++) {
        double place = place_on(answers, i, direction);
        if (!isfinite(place)) continue; /* input far outside the training data */
        low = fmin(low, place);
        high = fmax(high, place);
    }
    if (!(low <= high)) low = high = 0;
    result->bins = bins_for(answers, high - low);
    result->low = low;
    result->step = high > low ? (high - low) / result->bins : 1;
    for (size_t i = 0; i < answers->count; i++) {
        double place = place_on(answers, i, direction);
        if (answers->truth[i] >= MOST_ROWS || !isfinite(place)) continue;
        int bin = (int)((place - low) / result->step);
        result->shares[answers->truth[i]][bin < result->bins ? bin : result->bins - 1]++;
        counts[answers->truth[i]]++;
    }
    for (size_t c = 0; c < MOST_ROWS; c++)
        for (size_t bin = 0; bin < MOST_BINS; bin++) result->shares[c][bin] /= fmax(counts[c], 1);
}

/* The largest share, to which heights are scaled. */
static double tallest(const histogram *result)
{
    double most = 0;

    for (size_t c = 0; c < MOST_ROWS; c++)
        for (size_t bin = 0; bin < MOST_BINS; bin++) most = fmax(most, result->shares[c][bin]);
    return most;
}

/* A block for each direction; an empty bin at either end closes the areas. */
static dlda_status write_histogram(plot_files *plot, const histogram *result, size_t direction, size_t rows)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        plot->data, "# direction %zu: middle of a bin, share of each class's samples in it\n", direction + 1));
    for (int bin = -1; bin <= result->bins; bin++) {
        DLDA_TRY(plot_number(plot, "", result->low + (bin + 0.5) * result->step));
        for (size_t c = 0; c < rows; c++)
            DLDA_TRY(plot_number(plot, " ", bin < 0 || bin == result->bins ? 0 : result->shares[c][bin]));
        DLDA_TRY(dlda_file_writer_print(plot->data, "\n"));
    }
    DLDA_TRY(plot_next_block(plot));
done:
    return status;
}

static dlda_status draw_rows(plot_files *plot, const report_item *item, size_t directions, size_t rows)
{
    dlda_status status = DLDA_OK;
    histogram *result = NULL;

    DLDA_TRY(DLDA_TAKE(&result, 1, "histogram"));
    DLDA_TRY(dlda_file_writer_print(plot->script, "array scale[%zu]\narray value[%zu]\narray step[%zu]\n",
                                    directions, directions, directions));
    for (size_t k = 0; k < directions; k++) {
        count_samples(item->answers, k, result);
        DLDA_TRY(write_histogram(plot, result, k, rows));
        DLDA_TRY(dlda_file_writer_print(plot->script, "scale[%zu] = %.6g; value[%zu] = %.6g; step[%zu] = %g\n",
                                        k + 1, 1.5 / fmax(tallest(result), 1e-9), k + 1, item->eigenvalues[k],
                                        k + 1, plot_tick_step(result->step * result->bins)));
    }
    DLDA_TRY(dlda_file_writer_print(plot->script, "rows = %zu; n = %zu\n", rows, directions));
done:
    dlda_release(result);
    return status;
}

static dlda_status write_names(plot_files *plot, const test_answers *answers, size_t rows)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script, "        set ytics format '%%g' ("));
    for (size_t c = 0; c < rows; c++)
        DLDA_TRY(dlda_file_writer_print(plot->script, "%s%s %zu", c ? ", " : "",
                                        plot_quote_tick(test_answers_class(answers, c), CLASS_LETTERS).text,
                                        rows - 1 - c));
    DLDA_TRY(dlda_file_writer_print(plot->script, ")\n"));
done:
    return status;
}

/* Up to MOST_COLUMNS panels side by side; `band` is the height of such a row in pixels. */
static dlda_status draw_panels(plot_files *plot, const test_answers *answers, size_t rows, size_t columns,
                               double left, int band)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "columns = %zu; left = %.3f; band = %d.0; width = (0.985 - left) / columns; gap = 0.012\n"
        "head = kind eq 'png' ? pixels_y - band * ceil(n * 1.0 / columns) : 0; small = kind eq 'svg' ? '11' : '8'\n"
        "if (kind eq 'png') { set multiplot title finding font 'sans-serif:Bold' } else { set multiplot }\n"
        "unset key; set border 1; set grid noxtics ytics; set style fill solid 0.75 noborder\n"
        "set autoscale xfix; set yrange [-0.2:rows + 0.7]; set xtics font ',' . small\n"
        "do for [d=1:n] {\n"
        "    at = (d - 1) %% columns; above = head + (d - 1) / columns * band\n"
        "    set lmargin at screen left + at * width + gap; set rmargin at screen left + (at + 1) * width - gap\n"
        "    set tmargin at screen 1 - (above + 42) / pixels_y; set bmargin at screen 1 - (above + band - 34) / "
        "pixels_y\n"
        "    set title sprintf(\"direction %%d\\nv = %%.3g\", d, value[d]) font ',' . small offset 0,-0.7\n"
        "    set xtics step[d]\n"
        "    if (at == 0) {\n"
        "        set ylabel 'true class'\n",
        columns, left, band));
    DLDA_TRY(write_names(plot, answers, rows));
    DLDA_TRY(dlda_file_writer_print(
        plot->script,
        "    } else { unset ylabel; set ytics format '' ; set for [r=0:rows-1] ytics add ('' r) }\n"
        "    plot for [c=1:rows] data index d-1 using 1:(rows - c + column(c + 1) * scale[d]):(rows - c) \\\n"
        "        with filledcurves linetype c\n"
        "}\n"
        "unset multiplot\n"));
done:
    return status;
}

static size_t shown_directions(const training_report *report, const test_answers *answers)
{
    return answers->directions < report->directions ? answers->directions : report->directions;
}

static dlda_status draw(const training_report *report, const report_figure *figure, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    const test_answers *answers = item->answers;
    size_t directions = shown_directions(report, answers),
           columns = directions < MOST_COLUMNS ? directions : MOST_COLUMNS;
    size_t rows = answers->classes < MOST_ROWS ? answers->classes : MOST_ROWS, longest = 1;

    for (size_t c = 0; c < rows; c++) {
        size_t letters = display_letters(display_clean(test_answers_class(answers, c), CLASS_LETTERS).text);
        longest = letters > longest ? letters : longest;
    }
    int width = figure->wide ? PLOT_WIDE : PLOT_WIDTH;
    int band = 84 + (rows > 12 ? 17 : rows > 4 ? 24 : 36) * (int)rows;
    DLDA_TRY(
        plot_open(report->figures_folder, figure, width, band * (int)((directions + columns - 1) / columns), plot));
    DLDA_TRY(draw_rows(plot, item, directions, rows));
    DLDA_TRY(draw_panels(plot, answers, rows, columns, (50 + 7.5 * (double)longest) / width, band));
    DLDA_TRY(plot_finish(report->figures_folder, figure, plot));
done:
    return status;
}

dlda_status figure_histograms(const training_report *report, report_figure *figure)
{
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "histograms", "Samples on each direction");
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    size_t directions = shown_directions(report, item->answers);
    figure->panels = 1;
    figure->wide = directions > 2;
    figure->title = display_format("Where the %s samples of each class lie on each direction", item->answers->part);
    figure->caption = display_format(
        "%.330s A class whose hill stands alone is set apart by that direction; v is the "
        "eigenvalue.%s",
        judge_ends_text(item->answers, directions).text,
        item->answers->classes > MOST_ROWS ? " The first 20 classes are shown." : "");
    dlda_status status = draw(report, figure, &plot);
    plot_release(&plot);
    return status;
}
