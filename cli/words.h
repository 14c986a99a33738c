/* SPDX-License-Identifier: MIT
 *
 * words.h - formatted strings, growing lists of words, and command lines. The program ends
 * if it runs out of memory.
 */
#ifndef DEEPLDA_CLI_WORDS_H
#define DEEPLDA_CLI_WORDS_H

#include <stddef.h>

/* Formats like printf, in new memory (free). */
char *text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The word as a shell needs it, quoted if necessary, in new memory (free). What is not safe to print becomes escapes in
 * $'...', which bash, zsh and ksh understand. */
char *text_quoted(const char *word);

/* The path from the root on without links, in new memory (free); the path itself if it leads nowhere. */
char *text_whole_path(const char *path);

/* Returns a list of `count` entries with room for one more. */
void *list_grow(void *list, size_t count, size_t size);

typedef struct cli_words {
    char **at; /* [count], then NULL; NULL if there are none */
    size_t count;
} cli_words;

void words_add(cli_words *words, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Adds the word unless it is in the list. */
void words_add_once(cli_words *words, const char *text);
void words_add_all(cli_words *words, const cli_words *more);

/* The words from `first` on as a shell command line, quoted where needed, in new memory (free). */
char *words_as_command(const cli_words *words, size_t first);

void words_release(cli_words *words);

#endif
