/* SPDX-License-Identifier: MIT
 *
 * options_json.c - converts the options that affect the result to and from JSON, for options.json,
 * model files and checkpoints.
 */
#include "base/json.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers are written as such. 15 digits show 0.1 as 0.1; if a number needs more, 17 are used for all. */
static json_t *number_to_json(double number, size_t *digits)
{
    char text[40];

    if (number == floor(number)) return json_integer((json_int_t)number);
    snprintf(text, sizeof text, "%.15g", number); /* written and read in the same locale */
    if (strtod(text, NULL) != number) *digits = 17;
    return json_real(number);
}

static double parsed(const char *value)
{
    double number = 0;

    dlda_parse_real(value, &number); /* was checked when it was set */
    return number;
}

static json_t *value_to_json(const dlda_option_info *info, const char *value, size_t *digits)
{
    if (info->type == DLDA_OPTION_FLAG) return json_boolean(strcmp(value, "true") == 0);
    if (info->type == DLDA_OPTION_WHOLE || info->type == DLDA_OPTION_REAL)
        return number_to_json(parsed(value), digits);
    return json_string(value);
}

dlda_status dlda_options_to_json(const dlda_options *options, char **json)
{
    dlda_status status = DLDA_OK;
    size_t digits = 15;
    json_t *object = json_object();

    if (!object) DLDA_FAIL(DLDA_E_MEMORY, "options: no memory for JSON");
    for (size_t i = 0; dlda_option_at(i); i++) {
        const dlda_option_info *info = dlda_option_at(i);
        const char *value = options->settings.values[i].text;
        if (!info->decides_result) continue;
        if (!dlda_is_utf8(value)) DLDA_FAIL(DLDA_E_OPTION, "option %s: '%s' is not valid UTF-8", info->name, value);
        DLDA_TRY(dlda_json_set(object, info->name, value_to_json(info, value, &digits), "options"));
    }
    DLDA_TRY(dlda_json_print(object, JSON_INDENT(2) | JSON_REAL_PRECISION(digits), "options", json));
done:
    json_decref(object);
    return status;
}

/* The option value for a JSON value; NULL if it is none, "" for a number that no memory could be had for. */
static const char *value_text(const json_t *value, char text[40])
{
    if (json_is_string(value)) return json_string_value(value);
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value)) return NULL;
    size_t n = json_dumpb(value, text, 39, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17)); /* with a decimal point */
    text[n < 39 ? n : 0] = '\0';
    return text;
}

/* 1 for an existing option that does not affect the result. Unknown names fail when they are set. */
static int is_refused(const char *name)
{
    for (size_t i = 0; dlda_option_at(i); i++)
        if (strcmp(dlda_option_at(i)->name, name) == 0) return !dlda_option_at(i)->decides_result;
    return 0;
}

dlda_status dlda_options_from_json(dlda_options *options, const char *json, const char *where)
{
    dlda_status status = DLDA_OK;
    json_t *object = NULL;
    const char *key = NULL;
    json_t *value = NULL;
    char number[40];

    DLDA_TRY(dlda_json_parse_text(json, where, &object));
    if (!json_is_object(object)) DLDA_FAIL(DLDA_E_FORMAT, "%s: options are not a JSON object", where);
    json_object_foreach(object, key, value)
    {
        const char *text = value_text(value, number);
        if (is_refused(key))
            DLDA_FAIL(DLDA_E_FORMAT, "%s: option %s decides no result, expected only options that do", where, key);
        if (!text) DLDA_FAIL(DLDA_E_FORMAT, "%s: option %s: neither a text nor a number", where, key);
        if (!text[0] && json_is_number(value)) DLDA_FAIL(DLDA_E_MEMORY, "%s: no memory for JSON", where);
        if ((status = dlda_options_suggest(options, key, text)) != DLDA_OK) {
            status = dlda_fail_at(status == DLDA_E_OPTION ? DLDA_E_FORMAT : status, "%s", where);
            goto done;
        }
    }
done:
    json_decref(object);
    return status;
}
