/* SPDX-License-Identifier: MIT
 *
 * options_json.c - the options that decide a result, as JSON for options.json and model files.
 */
#include "base/memory.h"
#include "base/number.h"
#include "base/options.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whole numbers stay whole. 15 digits show 0.1 as 0.1; a number that needs more makes them 17. */
static json_t *number_to_json(double number, size_t *digits)
{
    char text[40];

    if (number == floor(number)) return json_integer((json_int_t)number);
    snprintf(text, sizeof text, "%.15g", number); /* written and read in the same locale, whichever it is */
    if (strtod(text, NULL) != number) *digits = 17;
    return json_real(number);
}

static double parsed(const char *value)
{
    double number = 0;

    dlda_parse_real(value, &number); /* it was checked when it was set */
    return number;
}

dlda_status dlda_options_to_json(const dlda_options *options, char **json)
{
    dlda_status status = DLDA_OK;
    char *text = NULL;
    size_t digits = 15;
    json_t *object = json_object();

    if (!object) DLDA_FAIL(DLDA_E_MEMORY, "options: no memory for JSON");
    for (size_t i = 0; dlda_option_at(i); i++) {
        const dlda_option_info *info = dlda_option_at(i);
        const char *value = options->text[i];
        if (!dlda_option_decides_result(i)) continue;
        json_t *item = !info->argument            ? json_boolean(strcmp(value, "true") == 0)
                       : info->least < info->most ? number_to_json(parsed(value), &digits)
                                                  : json_string(value);
        if (!item || json_object_set_new(object, info->name, item) != 0)
            DLDA_FAIL(DLDA_E_OPTION, "option %s: '%s' is not valid UTF-8", info->name, value);
    }
    text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    if (!text) DLDA_FAIL(DLDA_E_MEMORY, "options: no memory for JSON");
    DLDA_TRY(dlda_take_text(text, json));
done:
    free(text);
    json_decref(object);
    return status;
}
