/* SPDX-License-Identifier: MIT
 *
 * display_text.c - texts of limited length for titles and labels, without control characters and invalid UTF-8.
 */
#define _GNU_SOURCE
#include "report/display_text.h"
#include "base/utf8.h"

#include <locale.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

display_text display_format(const char *format, ...)
{
    display_text result = { "" };
    va_list values;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    locale_t before = plain ? uselocale(plain) : (locale_t)0;

    va_start(values, format);
    vsnprintf(result.text, sizeof result.text, format, values);
    va_end(values);
    if (plain) uselocale(before);
    if (plain) freelocale(plain);
    return result;
}

/* Copies the first character of a text, cleaned, and returns the number of bytes it took. */
static size_t take_character(const char *text, char character[5])
{
    unsigned char first = (unsigned char)text[0];
    size_t n = dlda_safe_character(text, character);
    int control = first < ' ' || first == 127 || (first == 0xC2 && (unsigned char)text[1] < 0xA0);

    if (control) memcpy(character, " ", 2);
    return n;
}

display_text display_clean(const char *text, size_t most)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    display_text result = { "" };
    char character[5];
    size_t used = 0, last = 0; /* bytes; start of the last character that may be kept */

    for (size_t count = 0; *text && count <= most; count++) {
        size_t n = take_character(text, character);
        if (count == most || used + 2 * sizeof character > sizeof result.text) {
            memcpy(result.text + last, ellipsis, sizeof ellipsis);
            break;
        }
        last = used;
        used += (size_t)sprintf(result.text + used, "%s", character);
        text += n;
    }
    return result;
}

size_t display_letters(const char *text)
{
    size_t count = 0;

    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if ((byte & 0xC0) != 0x80) count += byte >= 0xE3 ? 2 : 1; /* from U+3000 on */
    }
    return count;
}
