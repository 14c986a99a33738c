/* SPDX-License-Identifier: MIT
 *
 * class_names.c - converts class names to and from JSON.
 */
#include "model/class_names.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"

dlda_status dlda_names_check(const char *const *names, size_t count, const char *where, const char *what,
                             dlda_status failure)
{
    dlda_status status = DLDA_OK;
    json_t *seen = json_object();

    if (!seen) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for JSON", where);
    for (size_t c = 0; c < count; c++) {
        const json_t *twin = json_object_get(seen, names[c]);
        if (twin)
            DLDA_FAIL(failure, "%s: %s: numbers %lld and %zu are both '%s', expected different names", where, what,
                      (long long)json_integer_value(twin), c, dlda_show(names[c]).text);
        if (!dlda_is_utf8(names[c])) continue; /* is reported when the names are saved */
        DLDA_TRY(dlda_json_set(seen, names[c], json_integer((json_int_t)c), where));
    }
done:
    json_decref(seen);
    return status;
}

dlda_status dlda_names_to_json(const char *const *names, size_t count, const char *path, char **text)
{
    dlda_status status = DLDA_OK;
    json_t *array = json_array();

    if (count > DLDA_MOST_CLASSES)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: %zu names, expected at most %d", path, count, DLDA_MOST_CLASSES);
    for (size_t c = 0; c < count; c++) {
        if (!dlda_is_utf8(names[c]))
            DLDA_FAIL(DLDA_E_ARGUMENT, "%s: the name '%s' is not valid UTF-8", path, dlda_show(names[c]).text);
        if (!array || json_array_append_new(array, json_string(names[c])) != 0)
            DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for JSON", path);
    }
    DLDA_TRY(dlda_json_print(array, JSON_COMPACT, path, text));
done:
    json_decref(array);
    return status;
}

dlda_status dlda_class_names_from_json(const char *path, const char *text, json_t **array, const char ***names,
                                       size_t *count)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_json_parse_text(text, path, array));
    if (!json_is_array(*array)) DLDA_FAIL(DLDA_E_FORMAT, "%s: 'classes' is not a JSON array", path);
    *count = json_array_size(*array);
    if (*count < 2 || *count > DLDA_MOST_CLASSES)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: %zu classes, expected 2 to %d", path, *count, DLDA_MOST_CLASSES);
    DLDA_TRY(DLDA_TAKE(names, *count, "class names"));
    for (size_t c = 0; c < *count; c++) {
        (*names)[c] = json_string_value(json_array_get(*array, c));
        if (!(*names)[c]) DLDA_FAIL(DLDA_E_FORMAT, "%s: class name %zu is not a string", path, c);
    }
    DLDA_TRY(dlda_names_check(*names, *count, path, "classes", DLDA_E_FORMAT));
done:
    return status;
}
