/* SPDX-License-Identifier: MIT
 *
 * words.c - formatted strings, growing lists, and command lines for a shell.
 */
#define _GNU_SOURCE
#include "words.h"
#include "base/utf8.h"
#include "cli.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void end_without_memory(void)
{
    complain(NULL, "no memory for a text");
    exit(EXIT_FAILED);
}

static char *format_values(const char *format, va_list values)
{
    char *text = NULL;

    if (vasprintf(&text, format, values) < 0) end_without_memory();
    return text;
}

char *text_format(const char *format, ...)
{
    va_list values;

    va_start(values, format);
    char *text = format_values(format, values);
    va_end(values);
    return text;
}

void *list_grow(void *list, size_t count, size_t size)
{
    void *more = reallocarray(list, count + 1, size);

    if (!more) end_without_memory();
    return more;
}

void words_add(cli_words *words, const char *format, ...)
{
    va_list values;

    words->at = list_grow(words->at, words->count + 1, sizeof *words->at);
    va_start(values, format);
    words->at[words->count++] = format_values(format, values);
    va_end(values);
    words->at[words->count] = NULL;
}

void words_add_once(cli_words *words, const char *text)
{
    for (size_t i = 0; i < words->count; i++)
        if (strcmp(words->at[i], text) == 0) return;
    words_add(words, "%s", text);
}

void words_add_all(cli_words *words, const cli_words *more)
{
    for (size_t i = 0; i < more->count; i++) words_add(words, "%s", more->at[i]);
}

void words_release(cli_words *words)
{
    for (size_t i = 0; i < words->count; i++) free(words->at[i]);
    free(words->at);
    *words = (cli_words){ 0 };
}

/* ---- For a shell ---- */

static int needs_quotes(const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./,:@%";

    return !word[0] || word[strspn(word, plain)] != '\0';
}

/* Length of the character at `text` if a terminal must not see it, else 0. */
static size_t hidden_length(const char *text)
{
    char character[5];
    size_t n = dlda_safe_character(text, character);

    return character[0] == '?' && text[0] != '?' ? n : 0;
}

static int has_hidden(const char *word)
{
    char character[5];

    for (size_t n = 0; (n = dlda_safe_character(word, character)) > 0; word += n)
        if (hidden_length(word)) return 1;
    return 0;
}

/* $'...' with octal escapes: safe to print, and a shell makes the same name of it. */
static void write_escaped(FILE *file, const char *word)
{
    fputs("$'", file);
    while (*word) {
        char character[5];
        size_t hidden = hidden_length(word), n = dlda_safe_character(word, character);
        for (size_t i = 0; i < hidden; i++) fprintf(file, "\\%03o", (unsigned)(unsigned char)word[i]);
        if (!hidden && (word[0] == '\'' || word[0] == '\\')) fputc('\\', file);
        if (!hidden) fputs(character, file);
        word += n;
    }
    fputc('\'', file);
}

static void write_word(FILE *file, const char *word)
{
    if (!needs_quotes(word)) {
        fputs(word, file);
        return;
    }
    if (has_hidden(word)) {
        write_escaped(file, word);
        return;
    }
    fputc('\'', file);
    for (; *word; word++) {
        if (*word == '\'') fputs("'\\''", file);
        else fputc(*word, file);
    }
    fputc('\'', file);
}

char *text_quoted(const char *word)
{
    return words_as_command(&(cli_words){ .at = (char *[]){ (char *)word, NULL }, .count = 1 }, 0);
}

char *words_as_command(const cli_words *words, size_t first)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);

    if (!file) end_without_memory();
    for (size_t i = first; i < words->count; i++) {
        if (i > first) fputc(' ', file);
        write_word(file, words->at[i]);
    }
    int lost = ferror(file); /* closing may succeed although a part did not fit in memory */
    if (fclose(file) != 0 || lost || !text) end_without_memory();
    return text;
}

char *text_whole_path(const char *path)
{
    char *whole = realpath(path, NULL);

    if (!whole && errno == ENOMEM) end_without_memory();
    return whole ? whole : text_format("%s", path);
}
