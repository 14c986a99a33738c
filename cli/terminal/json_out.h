/* SPDX-License-Identifier: MIT
 *
 * json_out.h - writes JSON value by value and inserts the commas.
 */
#ifndef DEEPLDA_CLI_JSON_OUT_H
#define DEEPLDA_CLI_JSON_OUT_H

#include <stddef.h>
#include <stdio.h>

typedef struct json_out {
    FILE *file;
    int needs_comma;
} json_out;

void json_open(json_out *json, char bracket);  /* '{' or '[' */
void json_close(json_out *json, char bracket); /* '}' or ']' */
void json_key(json_out *json, const char *key);

/* Text in UTF-8; invalid bytes become U+FFFD. */
void json_text(json_out *json, const char *text);
/* The shortest decimal form that reads back as the same number; null for NaN and infinities. */
void json_number(json_out *json, double number);
void json_float(json_out *json, float number);
void json_count(json_out *json, size_t count);
/* Text that is already JSON. */
void json_raw(json_out *json, const char *text);

/* A key with its value. */
void json_add_text(json_out *json, const char *key, const char *text); /* null for NULL */
void json_add_number(json_out *json, const char *key, double number);
void json_add_count(json_out *json, const char *key, size_t count);

/* The shortest decimal form of a float, for CSV too. `text` has room for 32 characters. */
void shortest_float(float number, char *text);

#endif
