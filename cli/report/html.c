/* SPDX-License-Identifier: MIT
 *
 * html.c - escaping, base64, and embedding of SVG files in a page, where CSS variables replace their colours.
 */
#include "report/html.h"
#include "base/memory.h"
#include "report/display_text.h"
#include "report/palette.h"

#include <stdio.h>
#include <string.h>

/* ---- Texts ---- */

static const char *escape_of(char c)
{
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    default: return NULL;
    }
}

dlda_status html_text(dlda_file_writer *page, const char *text)
{
    dlda_status status = DLDA_OK;
    display_text clean = display_clean(text, sizeof clean.text);

    for (const char *c = clean.text; *c; c++) {
        const char *escape = escape_of(*c);
        DLDA_TRY(dlda_file_writer_add(page, escape ? escape : c, escape ? strlen(escape) : 1));
    }
done:
    return status;
}

dlda_status html_element(dlda_file_writer *page, const char *tag, const char *text)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_file_writer_print(page, "<%s>", tag));
    DLDA_TRY(html_text(page, text));
    DLDA_TRY(dlda_file_writer_print(page, "</%.*s>", (int)strcspn(tag, " "), tag));
done:
    return status;
}

/* ---- Pictures ---- */

static dlda_status add_base64(dlda_file_writer *page, const uint8_t *bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < size; i += 3) {
        size_t n = size - i < 3 ? size - i : 3;
        unsigned bits = (unsigned)bytes[i] << 16 | (n > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                        (n > 2 ? bytes[i + 2] : 0);
        char four[4] = { letters[bits >> 18 & 63], letters[bits >> 12 & 63], n > 1 ? letters[bits >> 6 & 63] : '=',
                         n > 2 ? letters[bits & 63] : '=' };
        DLDA_TRY(dlda_file_writer_add(page, four, sizeof four));
    }
done:
    return status;
}

dlda_status html_picture(dlda_file_writer *page, const dlda_pixels *picture, const char *description)
{
    dlda_status status = DLDA_OK;
    uint8_t *bytes = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_png_encode("picture", picture, &bytes, &size));
    DLDA_TRY(
        dlda_file_writer_print(page, "<img width=\"%zu\" height=\"%zu\" alt=\"", picture->width, picture->height));
    DLDA_TRY(html_text(page, description));
    DLDA_TRY(dlda_file_writer_print(page, "\" src=\"data:image/png;base64,"));
    DLDA_TRY(add_base64(page, bytes, size));
    DLDA_TRY(dlda_file_writer_print(page, "\">"));
done:
    dlda_release(bytes);
    return status;
}

/* ---- Drawings ---- */

/* If an unwanted element begins at `at`, returns its end; else `at`. Titles are removed
 * since they are gnuplot's. */
static const char *skip_element(const char *at)
{
    static const char *const begins[] = { "<title>", "<desc>" }, *const ends[] = { "</title>", "</desc>" };

    for (int i = 0; i < 2; i++) {
        const char *end = strncmp(at, begins[i], strlen(begins[i])) == 0 ? strstr(at, ends[i]) : NULL;
        if (end) return end + strlen(ends[i]);
    }
    return at;
}

/* Length of the text at `at` if an id follows it; else 0. */
static size_t before_id(const char *at)
{
    static const char *const before[] = { " id='", " id=\"", "href='#", "href=\"#", "url(#", "url('#" };

    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++)
        if (strncmp(at, before[i], strlen(before[i])) == 0) return strlen(before[i]);
    return 0;
}

/* If a colour of the palette begins at `at`, its length, and the variable that replaces it; else 0. Black and white,
 * gnuplot's defaults, become the colours of the text and the card around the drawing. */
static size_t find_colour(const char *at, char variable[32])
{
    unsigned r = 0, g = 0, b = 0;
    int n = 0, black = strncmp(at, "\"black\"", 7) == 0;
    char colour[24]; /* a copy, since sscanf measures the whole text */

    if (black || strncmp(at, "\"white\"", 7) == 0) {
        snprintf(variable, 32, "%s", black ? "\"currentColor\"" : "\"var(--card)\"");
        return 7;
    }
    if (strncmp(at, "rgb(", 4) != 0) return 0;
    snprintf(colour, sizeof colour, "%.*s", (int)sizeof colour - 1, at);
    /* NOLINTNEXTLINE(cert-err34-c): three digits fit */
    if (sscanf(colour, "rgb(%3u,%3u,%3u)%n", &r, &g, &b, &n) != 3 || n == 0) return 0;
    int found = palette_find(r << 16 | g << 8 | b);
    if (found < 0) return 0;
    snprintf(variable, 32, "var(--f%d)", found);
    return (size_t)n;
}

/* Copies a drawing without titles, with prefixed ids and the page's colours. Texts between tags stay as they are. */
static dlda_status add_content(dlda_file_writer *page, const char *at, const char *prefix)
{
    dlda_status status = DLDA_OK;
    char variable[32];

    for (int in_tag = 0; *at;) {
        size_t n = 1 + strcspn(at + 1, "<> hu\"r"); /* ends of tags; first letters of titles, ids and colours */
        const char *end = skip_element(at);
        if (end != at) {
            at = end;
            continue;
        }
        in_tag = *at == '<' || (in_tag && *at != '>');
        size_t id = in_tag ? before_id(at) : 0, colour = in_tag ? find_colour(at, variable) : 0;
        if (colour) DLDA_TRY(dlda_file_writer_add(page, variable, strlen(variable)));
        else DLDA_TRY(dlda_file_writer_add(page, at, id ? id : n));
        if (id) DLDA_TRY(dlda_file_writer_add(page, prefix, strlen(prefix)));
        at += colour ? colour : id ? id : n;
    }
done:
    return status;
}

dlda_status html_drawing(dlda_file_writer *page, const char *path, const char *prefix, const char *description)
{
    dlda_status status = DLDA_OK;
    enum { MOST_BYTES = 1 << 28 };
    char *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &text, &size));
    const char *svg = strstr(text, "<svg"), *box = svg ? strstr(svg, "viewBox=\"") : NULL;
    const char *content = svg ? strchr(svg, '>') : NULL;
    if (!box || !content || box > content) DLDA_FAIL(DLDA_E_FORMAT, "%s: not an SVG drawing with a viewBox", path);
    box += strlen("viewBox=\"");
    DLDA_TRY(dlda_file_writer_print(page, "<svg viewBox=\"%.*s\" role=\"img\" aria-label=\"",
                                    (int)strcspn(box, "\""), box));
    DLDA_TRY(html_text(page, description));
    DLDA_TRY(dlda_file_writer_print(page, "\">"));
    DLDA_TRY(add_content(page, content + 1, prefix));
done:
    dlda_release(text);
    return status;
}
