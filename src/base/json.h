/* SPDX-License-Identifier: MIT
 *
 * json.h - JSON texts as values of jansson, safe against failing allocations.
 *
 * If memory is short, jansson 2.14 may drop characters without an error, or crash: its parser ignores that a token could not
 * grow, its writer that a key could not be appended. So neither is used.
 */
#ifndef DLDA_BASE_JSON_H
#define DLDA_BASE_JSON_H

#include "base/status.h"

#include <jansson.h>

/* A value takes about 100 bytes in memory, and 2 in a text; a key with its value 300. Names of classes or columns are the
 * most that is written: up to 2^18. */
enum { DLDA_MOST_JSON_VALUES = (1 << 18) + (1 << 16) };

/* What is wrong with a text. */
typedef struct dlda_json_error {
    char text[96];
    size_t line, position; /* from 1; bytes up to the end of the token */
} dlda_json_error;

/* Parses a text without duplicate keys and with at most DLDA_MOST_JSON_VALUES values. DLDA_E_FORMAT, with a message and *error
 * unless that is NULL, if it is not JSON; `where` names it in messages. */
dlda_status dlda_json_parse(const char *text, size_t size, const char *where, json_t **value,
                            dlda_json_error *error);
/* The parser itself: without the limit of values, and without messages. */
dlda_status dlda_json_scan(const char *text, size_t size, json_t **value, dlda_json_error *error);
/* The same for a string; *value is NULL if it is not JSON, and the status is DLDA_OK. */
dlda_status dlda_json_parse_text(const char *text, const char *where, json_t **value);

/* The same for a file of at most `most` bytes. */
dlda_status dlda_json_read(const char *path, size_t most, json_t **value);

/* The value as a text in new memory (dlda_release); `flags` are jansson's. */
dlda_status dlda_json_print(const json_t *value, size_t flags, const char *where, char **text);

/* json_object_set_new with a status: DLDA_E_MEMORY, also if `value` is NULL. The key must be UTF-8. */
dlda_status dlda_json_set(json_t *object, const char *key, json_t *value, const char *where);

#endif
