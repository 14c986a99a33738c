/* SPDX-License-Identifier: MIT
 *
 * closest_word.h - "did you mean": the nearest of some words.
 */
#ifndef DLDA_BASE_CLOSEST_WORD_H
#define DLDA_BASE_CLOSEST_WORD_H

#include <stddef.h>

/* For "did you mean": the index of the word most like `word`, -1 if none is near. */
int dlda_closest_word(const char *word, const char *const *words, size_t count);

#endif
