/* SPDX-License-Identifier: MIT
 *
 * json.c - reads and writes JSON; measures a text before it is printed into memory of that size.
 *
 * json_dumpb prints into the caller's memory, so that nothing can be lost there. json_parse.c has the parser.
 */
#include "base/json.h"
#include "base/file.h"
#include "base/memory.h"

#include <string.h>

static dlda_status no_memory(const char *where)
{
    return dlda_fail(DLDA_E_MEMORY, "%s: no memory for JSON", where);
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

dlda_status dlda_json_parse(const char *text, size_t size, const char *where, json_t **value,
                            dlda_json_error *error)
{
    dlda_json_error found = { .text = "too many values" };
    dlda_status status = DLDA_E_FORMAT;

    if (count_values(text, size) > DLDA_MOST_JSON_VALUES)
        dlda_set_message("%s: more than %d values in JSON", where, DLDA_MOST_JSON_VALUES);
    else if ((status = dlda_json_scan(text, size, value, &found)) == DLDA_E_MEMORY) no_memory(where);
    else if (status != DLDA_OK)
        dlda_set_message("%s: line %zu: %s; expected JSON", where, found.line, dlda_show(found.text).text);
    if (error) *error = found;
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
