/* SPDX-License-Identifier: MIT
 *
 * json.c - parses every text twice and compares; measures a text before it is printed into memory of that size.
 *
 * A parser that lost a character because an allocation failed gives another value, or an error, the second time.
 * json_dumpb prints into the caller's memory, so that nothing can be lost there.
 */
#include "base/json.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

static dlda_status no_memory(const char *where)
{
    return dlda_fail(DLDA_E_MEMORY, "%s: no memory for JSON", where);
}

/* 1 if jansson found something wrong with the text itself; it sets no message for some failing allocations. */
static int is_invalid(const json_error_t *error)
{
    return error->text[0] && json_error_code(error) != json_error_out_of_memory;
}

/* The number of values, or more: the signs that separate them. */
static size_t count_values(const char *text, size_t size)
{
    size_t count = 1;
    int in_text = 0;

    for (size_t i = 0; i < size; i++) {
        if (text[i] == '"') in_text = !in_text;
        else if (in_text && text[i] == '\\') i++;
        else if (!in_text && (text[i] == ',' || text[i] == '[' || text[i] == '{')) count++;
    }
    return count;
}

dlda_status dlda_json_parse(const char *text, size_t size, const char *where, json_t **value, json_error_t *error)
{
    const size_t flags = JSON_REJECT_DUPLICATES | JSON_DECODE_ANY;
    dlda_status status = DLDA_OK;
    json_error_t first_error = { .text = "" }, second_error = { .text = "" };
    json_t *first = NULL, *second = NULL;

    if (count_values(text, size) > DLDA_MOST_JSON_VALUES) {
        if (error) *error = (json_error_t){ .text = "too many values" };
        DLDA_FAIL(DLDA_E_FORMAT, "%s: more than %d values in JSON", where, DLDA_MOST_JSON_VALUES);
    }
    first = json_loadb(text, size, flags, &first_error);
    second = json_loadb(text, size, flags, &second_error);
    if (!first && !second && is_invalid(&first_error) && is_invalid(&second_error)) {
        if (error) *error = first_error;
        DLDA_FAIL(DLDA_E_FORMAT, "%s: line %d: %s; expected JSON", where, first_error.line,
                  dlda_show(first_error.text).text);
    }
    if (!first || !second || !json_equal(first, second)) DLDA_TRY(no_memory(where));
    *value = first;
    first = NULL;
done:
    json_decref(first);
    json_decref(second);
    return status;
}

dlda_status dlda_json_parse_text(const char *text, const char *where, json_t **value)
{
    size_t size = strlen(text);
    dlda_status status = dlda_json_parse(text, size, where, value, NULL);

    if (status != DLDA_E_FORMAT || count_values(text, size) > DLDA_MOST_JSON_VALUES) return status;
    *value = NULL;
    return DLDA_OK;
}

dlda_status dlda_json_read(const char *path, size_t most, json_t **value)
{
    dlda_status status = DLDA_OK;
    char *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_file_read(path, most, &text, &size));
    DLDA_TRY(dlda_json_parse(text, size, path, value, NULL));
done:
    dlda_release(text);
    return status;
}

dlda_status dlda_json_print(const json_t *value, size_t flags, const char *where, char **text)
{
    dlda_status status = DLDA_OK;
    char *made = NULL;
    size_t size = json_dumpb(value, NULL, 0, flags);

    if (size == 0) DLDA_TRY(no_memory(where));
    DLDA_TRY(DLDA_TAKE(&made, size + 1, where));
    if (json_dumpb(value, made, size, flags) != size) DLDA_TRY(no_memory(where));
    *text = made;
    made = NULL;
done:
    dlda_release(made);
    return status;
}

dlda_status dlda_json_set(json_t *object, const char *key, json_t *value, const char *where)
{
    return value && json_object_set_new(object, key, value) == 0 ? DLDA_OK : no_memory(where);
}
