/* SPDX-License-Identifier: MIT
 *
 * print.c - reads a format, cleans its texts, and leaves its numbers to snprintf.
 */
#include "terminal/print.h"
#include "base/utf8.h"
#include "terminal/colour.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

enum { MOST_FLAGS = 5, MOST_NUMBER = 512, MOST_PIECE = 2048 };

/* One conversion of a format: %[flags][width][.precision][length]kind */
typedef struct conversion {
    char flags[MOST_FLAGS + 1];
    int width, precision; /* precision: -1 if there is none */
    char length;          /* 0, h, l, L for ll, z, j        */
    char kind;
} conversion;

/* A va_list that functions can share. */
typedef struct arguments {
    va_list list;
} arguments;

/* Where the output goes, in large pieces: stderr has no buffer, and lines of several processes must not mix. */
typedef struct sink {
    FILE *file;
    char bytes[MOST_PIECE];
    size_t used;
} sink;

static void flush(sink *out)
{
    fwrite(out->bytes, 1, out->used, out->file);
    out->used = 0;
}

static void add(sink *out, const char *bytes, size_t size)
{
    if (out->used + size > sizeof out->bytes) flush(out);
    if (size > sizeof out->bytes) {
        fwrite(bytes, 1, size, out->file);
        return;
    }
    memcpy(out->bytes + out->used, bytes, size);
    out->used += size;
}

/* ---- Reading a conversion ---- */

static const char *read_size(const char *at, arguments *values, int *size)
{
    char *end = NULL;

    if (*at == '*') {
        *size = va_arg(values->list, int);
        return at + 1;
    }
    *size = (int)strtol(at, &end, 10); /* 0 if there are no digits */
    return end;
}

static const char *read_length(const char *at, char *length)
{
    size_t n = strspn(at, "hlzj");

    *length = n == 0 ? '\0' : n == 2 && at[0] == 'l' ? 'L' : at[0];
    return at + n;
}

/* `at` is behind the percent sign. Returns where the format goes on. */
static const char *read_conversion(const char *at, arguments *values, conversion *spec)
{
    size_t n = strspn(at, "-+ #0");

    *spec = (conversion){ .precision = -1 };
    memcpy(spec->flags, at, n < MOST_FLAGS ? n : MOST_FLAGS);
    at += n;
    if (*at == '*' || (*at >= '1' && *at <= '9')) at = read_size(at, values, &spec->width);
    if (*at == '.') at = read_size(at + 1, values, &spec->precision);
    at = read_length(at, &spec->length);
    spec->kind = *at;
    return at + (*at != '\0');
}

/* ---- Texts ---- */

static void pad(sink *out, long columns)
{
    for (; columns > 0; columns--) add(out, " ", 1);
}

/* Adds a text of at most `most` bytes, or only counts its characters if `out` is NULL. */
static long add_text(sink *out, const char *text, size_t most)
{
    char character[5];
    long count = 0;

    for (size_t n = 0; (n = dlda_safe_character(text, character)) > 0 && n <= most; text += n, most -= n, count++)
        if (out) add(out, character, strlen(character));
    return count;
}

static void print_text(sink *out, const conversion *spec, const char *text)
{
    size_t most = spec->precision < 0 ? SIZE_MAX : (size_t)spec->precision;
    int is_left = spec->width < 0 || strchr(spec->flags, '-') != NULL;

    if (!text) text = "(null)";
    if (is_colour(text)) {
        add(out, text, strlen(text));
        return;
    }
    long room = labs((long)spec->width) - add_text(NULL, text, most);
    if (!is_left) pad(out, room);
    add_text(out, text, most);
    if (is_left) pad(out, room);
}

/* ---- Numbers ---- */

/* NOLINTBEGIN(bugprone-branch-clone): these types differ on other machines */
static long long signed_value(char length, arguments *values)
{
    switch (length) {
    case 'l': return va_arg(values->list, long);
    case 'L': return va_arg(values->list, long long);
    case 'z': return va_arg(values->list, ssize_t);
    case 'j': return va_arg(values->list, intmax_t);
    default: return va_arg(values->list, int);
    }
}

static unsigned long long unsigned_value(char length, arguments *values)
{
    switch (length) {
    case 'l': return va_arg(values->list, unsigned long);
    case 'L': return va_arg(values->list, unsigned long long);
    case 'z': return va_arg(values->list, size_t);
    case 'j': return va_arg(values->list, uintmax_t);
    default: return va_arg(values->list, unsigned);
    }
}
/* NOLINTEND(bugprone-branch-clone) */

/* A negative precision counts as none, so one form suits all. */
static void print_number(sink *out, const conversion *spec, arguments *values)
{
    int is_real = strchr("feg", spec->kind) != NULL;
    char format[MOST_FLAGS + 8], text[MOST_NUMBER];

    snprintf(format, sizeof format, "%%%s*.*%s%c", spec->flags, is_real ? "" : "ll", spec->kind);
    if (is_real) snprintf(text, sizeof text, format, spec->width, spec->precision, va_arg(values->list, double));
    else if (spec->kind == 'd' || spec->kind == 'i')
        snprintf(text, sizeof text, format, spec->width, spec->precision, signed_value(spec->length, values));
    else snprintf(text, sizeof text, format, spec->width, spec->precision, unsigned_value(spec->length, values));
    add(out, text, strlen(text));
}

/* ---- A format ---- */

static void print_conversion(sink *out, const conversion *spec, arguments *values)
{
    switch (spec->kind) {
    case '%': add(out, "%", 1); break;
    case 's': print_text(out, spec, va_arg(values->list, const char *)); break;
    case 'c': print_text(out, spec, (char[]){ (char)va_arg(values->list, int), '\0' }); break;
    default: assert(strchr("diuxofeg", spec->kind)); print_number(out, spec, values);
    }
}

static void print_values(FILE *file, const char *format, arguments *values)
{
    sink out;
    conversion spec;

    out.file = file; /* the bytes need no zeros */
    out.used = 0;
    while (*format) {
        size_t plain = strcspn(format, "%");
        add(&out, format, plain);
        format += plain;
        if (!*format) break;
        format = read_conversion(format + 1, values, &spec);
        print_conversion(&out, &spec, values);
    }
    flush(&out);
}

void print(const char *format, ...)
{
    arguments values;

    va_start(values.list, format);
    print_values(stdout, format, &values);
    va_end(values.list);
}

void print_to(FILE *file, const char *format, ...)
{
    arguments values;

    va_start(values.list, format);
    print_values(file, format, &values);
    va_end(values.list);
}
