/* SPDX-License-Identifier: MIT
 *
 * figure_histograms.c - histograms of the classes on each direction: a panel for each
 * direction, a row for each class.
 */
#include "base/memory.h"
#include "report/palette.h"
#include "report/report.h"

#include <math.h>
#include <string.h>

enum { LEAST_BINS = 8, MOST_BINS = 120, MOST_ROWS = PALETTE_STYLES };

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
    DLDA_TRY(dlda_file_writer_print(plot->script, "rows = %zu; n = %zu\nset ytics (", rows, directions));
    for (size_t c = 0; c < rows; c++)
        DLDA_TRY(dlda_file_writer_print(plot->script, "%s%s %zu", c ? ", " : "",
                                        plot_quote_tick(test_answers_class(item->answers, c), CLASS_LETTERS).text,
                                        rows - 1 - c));
    DLDA_TRY(dlda_file_writer_print(plot->script, ")\n"));
done:
    dlda_release(result);
    return status;
}

static dlda_status draw_panels(plot_files *plot, double left, int height)
{
    return dlda_file_writer_print(
        plot->script,
        "left = %.3f; height = %d; width = (0.99 - left) / n; gap = 0.012; small = kind eq 'svg' ? '11' : '8'\n"
        "set multiplot title finding font heading\n"
        "unset key; set border 1; set grid noxtics ytics; set style fill solid 0.75 noborder\n"
        "set autoscale xfix; set yrange [-0.2:rows + 0.7]\n"
        "set tmargin at screen 1 - 62.0 / height; set bmargin at screen 58.0 / height\n"
        "do for [d=1:n] {\n"
        "    set lmargin at screen left + (d - 1) * width + gap; set rmargin at screen left + d * width - gap\n"
        "    set title sprintf('direction %%d (v = %%.3g)', d, value[d]) font ',' . small offset 0,-0.6\n"
        "    set xlabel 'projection' offset 0,0.5; set xtics step[d]; if (d == 1) { set ylabel 'true class' } else "
        "{ unset "
        "ylabel }\n"
        "    if (d > 1) { set ytics format '' ; set for [r=0:rows-1] ytics add ('' r) }\n"
        "    plot for [c=1:rows] data index d-1 using 1:(rows - c + column(c + 1) * scale[d]):(rows - c) \\\n"
        "        with filledcurves linetype c\n"
        "}\n"
        "unset multiplot\n",
        left, height);
}

static dlda_status draw(const training_report *report, const report_figure *figure, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    const report_item *item = &report->runs[figure->run];
    const test_answers *answers = item->answers;
    size_t directions = answers->directions < report->directions ? answers->directions : report->directions;
    size_t rows = answers->classes < MOST_ROWS ? answers->classes : MOST_ROWS, longest = 1;

    for (size_t c = 0; c < rows; c++) {
        size_t letters = strlen(display_clean(test_answers_class(answers, c), CLASS_LETTERS).text);
        longest = letters > longest ? letters : longest;
    }
    int width = directions > 2 ? 900 : 620, height = 140 + 28 * (int)rows;
    DLDA_TRY(plot_open(report->figures_folder, figure, width, height, plot));
    DLDA_TRY(draw_rows(plot, item, directions, rows));
    DLDA_TRY(draw_panels(plot, (44 + 8.0 * (double)longest) / width, height));
    DLDA_TRY(plot_finish(report->figures_folder, figure, plot));
done:
    return status;
}

dlda_status figure_histograms(const training_report *report, report_figure *figure)
{
    const report_item *item = &report->runs[figure->run];
    plot_files plot = { 0 };

    figure_begin(report, figure, "histograms", "Samples on each direction");
    figure->caption = display_format(
        "How the samples of each class spread on each direction, whose eigenvalue is v. A class whose hill stands "
        "alone is set apart by "
        "that "
        "direction; hills above each other need another direction.%s",
        item->answers && item->answers->classes > MOST_ROWS ? " The first 20 classes are shown." : "");
    figure->missing = item->no_answers;
    if (!item->answers) return DLDA_OK;
    figure->wide = 1;
    figure->title = display_format("Where the %s samples of each class lie on each direction", item->answers->part);
    dlda_status status = draw(report, figure, &plot);
    plot_release(&plot);
    return status;
}
