/* SPDX-License-Identifier: MIT
 *
 * utf8.c - validates UTF-8: no stray bytes, no overlong forms, no surrogates, nothing beyond U+10FFFF; and replaces
 * what must not reach a terminal.
 */
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Number of continuation bytes after a first byte, and the least code point that needs
 * them; -1 if it is invalid. */
static int follow_count(uint8_t first, uint32_t *code, uint32_t *least)
{
    if (first < 0x80) return *code = first, *least = 0, 0;
    if (first >= 0xC2 && first < 0xE0) return *code = first & 0x1F, *least = 0x80, 1;
    if (first >= 0xE0 && first < 0xF0) return *code = first & 0x0F, *least = 0x800, 2;
    if (first >= 0xF0 && first < 0xF5) return *code = first & 0x07, *least = 0x10000, 3;
    return -1;
}

/* The code point of the first character, and its bytes; 0 bytes if it is invalid. */
static size_t decode(const uint8_t *at, uint32_t *code)
{
    uint32_t least = 0;
    int follow = follow_count(at[0], code, &least);

    if (follow < 0) return 0;
    for (int i = 1; i <= follow; i++) {
        if ((at[i] & 0xC0) != 0x80) return 0;
        *code = *code << 6 | (at[i] & 0x3F);
    }
    if (*code < least || (*code >= 0xD800 && *code < 0xE000) || *code > 0x10FFFF) return 0;
    return (size_t)follow + 1;
}

int dlda_is_utf8(const char *text)
{
    uint32_t code = 0;

    while (*text) {
        size_t n = decode((const uint8_t *)text, &code);
        if (n == 0) return 0;
        text += n;
    }
    return 1;
}

/* ---- Safe texts ---- */

static int is_unsafe(uint32_t code)
{
    int is_control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    int is_direction = code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                       (code >= 0x2066 && code <= 0x2069);
    int ends_line = code == 0x2028 || code == 0x2029;
    int is_hidden = (code >= 0xFFF9 && code <= 0xFFFB) || (code >= 0xE0000 && code <= 0xE007F);

    return is_control || is_direction || ends_line || is_hidden;
}

size_t dlda_safe_character(const char *text, char character[5])
{
    uint32_t code = 0;
    size_t n = text[0] ? decode((const uint8_t *)text, &code) : 0;

    memset(character, 0, 5);
    if (!text[0]) return 0;
    if (n == 0 || is_unsafe(code)) character[0] = '?';
    else memcpy(character, text, n);
    return n ? n : 1;
}

void dlda_make_safe(char *text)
{
    while (*text >= ' ' && *text <= '~') text++; /* most texts are ASCII */
    char character[5], *to = text;

    for (size_t n = 0; (n = dlda_safe_character(text, character)) > 0; text += n) {
        size_t length = strlen(character); /* at most n */
        memcpy(to, character, length);
        to += length;
    }
    *to = '\0';
}

dlda_safe_text dlda_safe(const char *text)
{
    dlda_safe_text safe;
    size_t used = 0, n = 0;
    char character[5];

    while (used + sizeof character < sizeof safe.text && (n = dlda_safe_character(text, character)) > 0) {
        size_t length = strlen(character);
        memcpy(safe.text + used, character, length);
        used += length;
        text += n;
    }
    safe.text[used] = '\0';
    return safe;
}
