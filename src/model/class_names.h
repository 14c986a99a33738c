/* SPDX-License-Identifier: MIT
 *
 * class_names.h - class names in files: a JSON array of distinct strings.
 */
#ifndef DLDA_MODEL_CLASS_NAMES_H
#define DLDA_MODEL_CLASS_NAMES_H

#include "base/status.h"

#include <jansson.h>

enum { DLDA_MOST_CLASSES = 1 << 18 }; /* also of the names of columns */

/* Returns `failure` if two names are the same: labels and columns are matched by name. `what` has these names. */
dlda_status dlda_names_check(const char *const *names, size_t count, const char *where, const char *what,
                             dlda_status failure);

/* Names as a JSON array, in new memory (dlda_release). DLDA_E_ARGUMENT for invalid UTF-8, or for
 * more than DLDA_MOST_CLASSES names, which could not be read. */
dlda_status dlda_names_to_json(const char *const *names, size_t count, const char *path, char **text);

/* Reads 2 or more distinct names. Also after a failure, release *names [count] with dlda_release, and *array, which
 * owns the strings, with json_decref. `path` is for messages. */
dlda_status dlda_class_names_from_json(const char *path, const char *text, json_t **array, const char ***names,
                                       size_t *count);

#endif
