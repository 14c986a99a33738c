/* SPDX-License-Identifier: MIT
 *
 * json_out.c - a small JSON writer.
 */
#include "terminal/json_out.h"
#include "base/utf8.h"

#include <math.h>
#include <stdlib.h>

enum { NUMBER_SIZE = 32 };

static void begin_value(json_out *json)
{
    if (json->needs_comma) fputs(", ", json->file);
    json->needs_comma = 1;
}

void json_open(json_out *json, char bracket)
{
    begin_value(json);
    fputc(bracket, json->file);
    json->needs_comma = 0;
}

void json_close(json_out *json, char bracket)
{
    fputc(bracket, json->file);
    json->needs_comma = 1;
}

/* ---- Text ---- */

static int is_continuation(unsigned char byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Bytes of the UTF-8 character at `text`; 0 if it is invalid: a stray byte, an overlong form, a surrogate. */
static size_t character_length(const unsigned char *text)
{
    unsigned char first = text[0], second = first ? text[1] : 0;

    if (first < 0x80) return 1;
    if (first < 0xC2 || first > 0xF4 || !is_continuation(second)) return 0;
    if (first < 0xE0) return 2;
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F)) return 0;
    if (!is_continuation(text[2])) return 0;
    if (first < 0xF0) return 3;
    if ((first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) return 0;
    return is_continuation(text[3]) ? 4 : 0;
}

static void write_ascii(FILE *file, unsigned char byte)
{
    if (byte == '"' || byte == '\\') fprintf(file, "\\%c", byte);
    else if (byte < 32 || byte == 127) fprintf(file, "\\u%04x", byte);
    else fputc(byte, file);
}

/* 0 for characters that must not reach a terminal. */
static int is_safe(const unsigned char *at)
{
    char character[5];

    dlda_safe_character((const char *)at, character);
    return character[0] != '?';
}

static unsigned code_of(const unsigned char *at, size_t length)
{
    unsigned code = at[0] & (0xFFu >> (length + 1));

    for (size_t i = 1; i < length; i++) code = code << 6 | (at[i] & 0x3Fu);
    return code;
}

/* JSON has escapes of 16 bits, so a character beyond U+FFFF takes two. */
static void write_escape(FILE *file, unsigned code)
{
    if (code <= 0xFFFF) fprintf(file, "\\u%04x", code);
    else fprintf(file, "\\u%04x\\u%04x", 0xD7C0 + (code >> 10), 0xDC00 + (code & 0x3FF));
}

static void write_string(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    fputc('"', file);
    while (*at) {
        size_t length = character_length(at);
        if (length == 1) write_ascii(file, *at);
        else if (length == 0) fputs("\\ufffd", file);
        else if (!is_safe(at)) write_escape(file, code_of(at, length));
        else fwrite(at, 1, length, file);
        at += length ? length : 1;
    }
    fputc('"', file);
}

void json_key(json_out *json, const char *key)
{
    begin_value(json);
    write_string(json->file, key);
    fputs(": ", json->file);
    json->needs_comma = 0;
}

void json_text(json_out *json, const char *text)
{
    begin_value(json);
    write_string(json->file, text);
}

/* ---- Numbers ---- */

void json_number(json_out *json, double number)
{
    char text[NUMBER_SIZE] = "null";

    for (int digits = 15; isfinite(number) && digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    json_raw(json, text);
}

void shortest_float(float number, char *text)
{
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, NUMBER_SIZE, "%.*g", digits, (double)number);
        if (strtof(text, NULL) == number) break;
    }
}

void json_float(json_out *json, float number)
{
    char text[NUMBER_SIZE] = "null";

    if (isfinite(number)) shortest_float(number, text);
    json_raw(json, text);
}

void json_count(json_out *json, size_t count)
{
    begin_value(json);
    fprintf(json->file, "%zu", count);
}

void json_raw(json_out *json, const char *text)
{
    begin_value(json);
    fputs(text, json->file);
}

/* ---- Keys with values ---- */

void json_add_text(json_out *json, const char *key, const char *text)
{
    json_key(json, key);
    if (text) json_text(json, text);
    else json_raw(json, "null");
}

void json_add_number(json_out *json, const char *key, double number)
{
    json_key(json, key);
    json_number(json, number);
}

void json_add_count(json_out *json, const char *key, size_t count)
{
    json_key(json, key);
    json_count(json, count);
}
