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
        "if (kind eq 'svg') {\n"
        "    set terminal svg size %d,%d dynamic noenhanced font 'sans-serif,13' linewidth 1.3\n"
        "} else {\n"
        "    set terminal pngcairo size %d,%d noenhanced font 'sans-serif,10' fontscale 2 linewidth 2.6 pointscale "
        "2\n"
        "}\n"
        "set output out.'.'.kind\n"
        "set datafile missing 'NaN'\n"
        "set border 3 linecolor rgb '#666666'\n"
        "set tics nomirror out scale 0.6 textcolor rgb '#333333'\n"
        "set grid linetype 1 linecolor rgb '#DDDDDD' linewidth 0.7\n"
        "heading = kind eq 'svg' ? 'sans-serif,14' : 'sans-serif:Bold'\n"
        "finding = %s\n"
        "set title finding font heading textcolor rgb '#111111'\n\n",
        width, height, 2 * width, 2 * height, plot_quote(figure->title.text, 90).text));
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

    DLDA_TRY(dlda_file_writer_print(plot->script, "}\nset output\n"));
    DLDA_TRY(remove_pictures(folder, figure));
    DLDA_TRY(dlda_file_writer_finish(plot->data));
    DLDA_TRY(dlda_file_writer_finish(plot->script));
done:
    return status;
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

dlda_status plot_room(plot_files *plot, const char *axis, const plot_extent *extent)
{
    double room = 0.1 * fmax(fabs(extent->low), 1);

    if (extent->high > extent->low || isnan(extent->low)) return DLDA_OK;
    return dlda_file_writer_print(plot->script, "set %s [%.9g:%.9g]\n", axis, extent->low - room,
                                  extent->high + room);
}

double plot_tick_step(double range)
{
    double least = range / 4, power = pow(10, floor(log10(least)));

    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}
