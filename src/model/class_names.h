/* SPDX-License-Identifier: MIT
 *
 * class_names.h - the names of classes in files: a JSON array of different strings.
 */
#ifndef DLDA_MODEL_CLASS_NAMES_H
#define DLDA_MODEL_CLASS_NAMES_H

#include "base/status.h"

#include <jansson.h>

enum { DLDA_MOST_CLASSES = 1 << 20 };

/* `failure` if two classes have the same name: labels go by the names. */
dlda_status dlda_class_names_check(const char *const *names, size_t count, const char *where, dlda_status failure);

/* To be released with free; NULL if one of them is not valid UTF-8. */
char *dlda_class_names_to_json(const char *const *names, size_t count);

/* 2 or more different names. *names [count] is released with dlda_release, *array, which the strings belong to, with
 * json_decref, both also after a failure; `path` is for messages. */
dlda_status dlda_class_names_from_json(const char *path, const char *text, json_t **array, const char ***names,
                                       size_t *count);

#endif
