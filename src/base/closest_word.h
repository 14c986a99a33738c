/* SPDX-License-Identifier: MIT
 *
 * closest_word.h - finds the word nearest to a mistyped one, for "did you mean".
 */
#ifndef DLDA_BASE_CLOSEST_WORD_H
#define DLDA_BASE_CLOSEST_WORD_H

#include <stddef.h>

/* Index of the word most similar to `word`, -1 if none is close. */
int dlda_closest_word(const char *word, const char *const *words, size_t count);

#endif
