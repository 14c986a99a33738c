/* SPDX-License-Identifier: MIT
 *
 * words.h - texts that are put together: lists of words, command lines. If there is no memory for them, the program ends.
 */
#ifndef DEEPLDA_CLI_WORDS_H
#define DEEPLDA_CLI_WORDS_H

#include <stddef.h>

/* As printf would print it, in new memory (free). */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A list of `count` entries with room for one more. */
void *list_grow(void *list, size_t count, size_t size);

typedef struct cli_words {
    char **at; /* [count], and NULL behind the last; NULL if there are none */
    size_t count;
} cli_words;

void words_add(cli_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds it unless it is there already. */
void words_add_once(cli_words *words, const char *text);
void words_add_all(cli_words *words, const cli_words *more);

/* The words from `first` on as a line for a shell, quoted where they must be, in new memory (free). */
char *words_as_command(const cli_words *words, size_t first);

void words_release(cli_words *words);

#endif
