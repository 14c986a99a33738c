/* SPDX-License-Identifier: MIT
 *
 * closest_path.h - finds the existing path that a mistyped one may stand for, for "did you mean".
 */
#ifndef DLDA_BASE_CLOSEST_PATH_H
#define DLDA_BASE_CLOSEST_PATH_H

#include "base/status.h"

/* The existing path closest to one that does not exist, or the closest of n_words names that are no paths; in new memory,
 * NULL if none is close. */
dlda_status dlda_closest_path(const char *path, const char *const *words, size_t n_words, char **closest);

#endif
