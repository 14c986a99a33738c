/* SPDX-License-Identifier: MIT
 *
 * utf8.c - validates UTF-8: no stray bytes, no overlong forms, no surrogates, nothing beyond U+10FFFF.
 */
#include "base/utf8.h"

#include <stddef.h>
#include <stdint.h>

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

int dlda_is_utf8(const char *text)
{
    const uint8_t *at = (const uint8_t *)text;

    while (*at) {
        uint32_t code = 0, least = 0;
        int follow = follow_count(*at++, &code, &least);
        if (follow < 0) return 0;
        for (; follow > 0; follow--, at++) {
            if ((*at & 0xC0) != 0x80) return 0;
            code = code << 6 | (*at & 0x3F);
        }
        if (code < least || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) return 0;
    }
    return 1;
}
