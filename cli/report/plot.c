/* SPDX-License-Identifier: MIT
 *
 * plot.c - the common part of all gnuplot scripts: terminals, fonts and line styles.
 */
#include "report/plot.h"
#include "base/memory.h"
#include "report/palette.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TITLE_HEIGHT = 36 }; /* added to a PNG, whose title is inside */

/* ---- Texts ---- */

/* In single quotes. Apostrophes become typographic: gnuplot does not accept doubled quotes everywhere. */
static display_text quoted(const char *text, char doubled)
{
    static const char apostrophe[] = "\xE2\x80\x99";
    display_text result = { "'" };
    size_t used = 1;

    for (const char *c = text; *c && used + 6 < sizeof result.text; c++) {
        if (*c == '\'') used += (size_t)sprintf(result.text + used, "%s", apostrophe);
        else result.text[used++] = *c;
        if (*c == doubled) result.text[used++] = *c;
    }
    memcpy(result.text + used, "'", 2);
    return result;
}

/* Whether a UTF-8 lead byte begins a character that all fonts have: Latin, Greek and Cyrillic (up to U+053F), and
 * punctuation and symbols (U+1000 to U+2FFF). */
static int is_common(unsigned char lead)
{
    return lead < 0xD5 || lead == 0xE1 || lead == 0xE2;
}

/* Replaces other characters by '?'. */
static display_text common_only(const char *text)
{
    display_text result = { "" };
    size_t used = 0;

    for (int hidden = 0; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if ((c & 0xC0) != 0x80) {
            hidden = !is_common(c);
            if (hidden) result.text[used++] = '?';
        }
        if (!hidden) result.text[used++] = *text;
    }
    return result;
}

/* The terminal pngcairo draws missing characters larger than the picture; an SVG is shown
 * with the reader's fonts. */
static display_text quoted_for_both(const char *text, size_t most, char doubled)
{
    enum { MOST_BYTES = 220 }; /* of each of the two texts, with quotes */
    display_text clean = display_clean(text, most), common = common_only(clean.text);
    display_text whole = quoted(clean.text, doubled);

    if (strcmp(clean.text, common.text) == 0) return whole;
    if (strlen(whole.text) > MOST_BYTES) return quoted_for_both(text, most - 1, doubled);
    /* `common` is the shorter one. */
    return display_format("(kind eq 'svg' ? %.*s : %.*s)", MOST_BYTES, whole.text, MOST_BYTES,
                          quoted(common.text, doubled).text);
}

display_text plot_quote(const char *text, size_t most)
{
    return quoted_for_both(text, most, '\0');
}

display_text plot_quote_tick(const char *text, size_t most)
{
    return quoted_for_both(text, most, '%');
}

/* ---- Scripts ---- */

/* The title of the PNG, in two lines of about the same length if it is long. */
static dlda_status write_title(const report_figure *figure, dlda_file_writer *script)
{
    size_t most = figure->wide ? 72 : 48; /* letters of a line */
    display_text first = display_clean(figure->title.text, 2 * most - 8);
    size_t length = strlen(first.text), at = length / 2;

    while (first.text[at] && first.text[at] != ' ') at++;
    if (length <= most || !first.text[at])
        return dlda_file_writer_print(script, "finding = %s\n", plot_quote(first.text, 90).text);
    first.text[at] = '\0';
    return dlda_file_writer_print(script, "finding = %s.\"\\n\".%s\n", plot_quote(first.text, 90).text,
                                  plot_quote(first.text + at + 1, 90).text);
}

/* In the page, the title is text above the drawing, so that it fits any screen; only the PNG has it inside. */
static dlda_status write_head(const report_figure *figure, int width, int height, dlda_file_writer *script)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(script,
                                    "# %s: gnuplot %s.gp draws %s.dat as %s.svg and %s.png.\n"
                                    "if (!exists('out')) out = '%s'\n"
                                    "data = '%s.dat'\n"
                                    "set encoding utf8\n",
                                    figure->subject, figure->name, figure->name, figure->name, figure->name,
                                    figure->name, figure->name));
    DLDA_TRY(palette_write_styles(script));
    DLDA_TRY(dlda_file_writer_print(
        script,
        "do for [kind in 'svg png'] {\n"
        "reset\n"
        "pixels_x = %d.0; pixels_y = kind eq 'svg' ? %d.0 : %d.0\n"
        "if (kind eq 'svg') {\n"
        "    set terminal svg size pixels_x,pixels_y dynamic noenhanced font 'sans-serif,12' linewidth 1.2\n"
        "} else {\n"
        "    set terminal pngcairo size 2*pixels_x,2*pixels_y noenhanced font 'sans-serif,9' fontscale 2 linewidth "
        "2.4 "
        "pointscale 2\n"
        "}\n"
        "set output out.'.'.kind\n"
        "set datafile missing 'NaN'\n"
        "set border 3 linecolor rgb '" PALETTE_AXIS "'\n"
        "set tics nomirror out scale 0.6 textcolor rgb '" PALETTE_TEXT "'\n"
        "set grid linetype 1 linecolor rgb '" PALETTE_GRID "' linewidth 0.7\n"
        "set key above center horizontal Left reverse samplen 2\n",
        width, height, height + TITLE_HEIGHT));
    DLDA_TRY(write_title(figure, script));
    if (!figure->panels) /* a layout of one panel leaves room for the title above the legend */
        DLDA_TRY(dlda_file_writer_print(
            script, "if (kind eq 'png') { set multiplot layout 1,1 title finding font 'sans-serif:Bold' }\n\n"));
done:
    return status;
}

static dlda_status file_path(const char *folder, const report_figure *figure, const char *ending, char **path)
{
    return dlda_path_join(folder, display_format("%s.%s", figure->name, ending).text, path);
}

dlda_status plot_open(const char *folder, const report_figure *figure, int width, int height, plot_files *plot)
{
    dlda_status status = DLDA_OK;
    char *data = NULL, *script = NULL;

    DLDA_TRY(file_path(folder, figure, "dat", &data));
    DLDA_TRY(file_path(folder, figure, "gp", &script));
    DLDA_TRY(dlda_file_writer_open(data, &plot->data));
    DLDA_TRY(dlda_file_writer_open(script, &plot->script));
    DLDA_TRY(write_head(figure, width, height, plot->script));
done:
    dlda_release(data);
    dlda_release(script);
    return status;
}

static dlda_status remove_pictures(const char *folder, const report_figure *figure)
{
    static const char *const endings[] = { "svg", "png" };
    dlda_status status = DLDA_OK;
    char *path = NULL;

    for (int i = 0; i < 2; i++) {
        DLDA_TRY(file_path(folder, figure, endings[i], &path));
        unlink(path); /* usually there is none */
        dlda_release(path);
        path = NULL;
    }
done:
    return status;
}

dlda_status plot_finish(const char *folder, const report_figure *figure, plot_files *plot)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(plot->script, "%s}\nset output\n",
                                    figure->panels ? "" : "if (kind eq 'png') { unset multiplot }\n"));
    DLDA_TRY(remove_pictures(folder, figure));
    DLDA_TRY(dlda_file_writer_finish(plot->data));
    DLDA_TRY(dlda_file_writer_finish(plot->script));
done:
    return status;
}

int plot_legend_height(size_t entries, size_t letters)
{
    enum { LEGEND_WIDTH = 350, SAMPLE = 46, LETTER = 7, LINE = 17 }; /* in pixels */
    size_t columns = LEGEND_WIDTH / (SAMPLE + LETTER * letters);

    if (columns == 0) columns = 1;
    return LINE * (int)((entries + columns - 1) / columns);
}

void plot_release(plot_files *plot)
{
    dlda_file_writer_destroy(plot->data);
    dlda_file_writer_destroy(plot->script);
    *plot = (plot_files){ 0 };
}

/* ---- Data ---- */

dlda_status plot_number(plot_files *plot, const char *before, double value)
{
    return isnan(value) ? dlda_file_writer_print(plot->data, "%sNaN", before)
                        : dlda_file_writer_print(plot->data, "%s%.9g", before, value);
}

dlda_status plot_next_block(plot_files *plot)
{
    return dlda_file_writer_print(plot->data, "\n\n");
}

/* ---- Axes ---- */

void plot_extend(plot_extent *extent, double value)
{
    extent->low = fmin(extent->low, value);
    extent->high = fmax(extent->high, value);
}

plot_extent plot_range_of(const plot_extent *extent, double lowest, double highest)
{
    double spread = extent->high - extent->low;
    double room = spread > 0 ? 0.04 * spread : 0.1 * fmax(fabs(extent->low), 1);

    if (!isfinite(spread)) return (plot_extent){ fmax(lowest, 0), fmin(highest, fmax(lowest, 0) + 1) };
    return (plot_extent){ fmax(extent->low - room, lowest), fmin(extent->high + room, highest) };
}

dlda_status plot_range(plot_files *plot, const char *axis, const plot_extent *range)
{
    return dlda_file_writer_print(plot->script, "set %s [%.9g:%.9g]\n", axis, range->low, range->high);
}

double plot_tick_step(double range)
{
    double least = range / 4, power = pow(10, floor(log10(least)));

    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}
