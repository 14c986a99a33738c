/* SPDX-License-Identifier: MIT
 *
 * run_options.c - what the folder of a run says of its options and of its data.
 */
#include "base/file.h"
#include "base/memory.h"
#include "base/options.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static dlda_status read_options(dlda_options *options, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL, *text = NULL;
    size_t size = 0;

    DLDA_TRY(dlda_path_join(folder, "options.json", &path));
    DLDA_TRY(dlda_file_read(path, MOST_BYTES, &text, &size));
    DLDA_TRY(dlda_options_from_json(options, text, path));
done:
    dlda_release(text);
    dlda_release(path);
    return status;
}

static dlda_status suggest_text(dlda_options *options, const char *name, const json_t *value)
{
    return json_is_string(value) ? dlda_options_suggest(options, name, json_string_value(value)) : DLDA_OK;
}

/* The whole path, if the data are still there: a path as given is right in one working folder only. */
static const json_t *data_of(const json_t *object)
{
    const json_t *path = json_object_get(object, "data_path");

    return json_is_string(path) && dlda_path_exists(json_string_value(path)) ? path
                                                                             : json_object_get(object, "data");
}

static dlda_status read_data(dlda_options *options, const char *folder)
{
    dlda_status status = DLDA_OK;
    char *path = NULL;
    json_t *object = NULL;
    json_error_t error;

    DLDA_TRY(dlda_path_join(folder, "run.json", &path));
    object = json_load_file(path, 0, &error);
    if (!json_is_object(object)) DLDA_FAIL(DLDA_E_FORMAT, "%s: %s", path, error.text);
    if (!json_is_string(data_of(object)))
        DLDA_FAIL(DLDA_E_FORMAT, "%s: does not say where the data came from", path);
    DLDA_TRY(suggest_text(options, "data", data_of(object)));
    DLDA_TRY(suggest_text(options, "format", json_object_get(object, "format")));
    DLDA_TRY(suggest_text(options, "label", json_object_get(object, "label")));
done:
    json_decref(object);
    dlda_release(path);
    return status;
}

dlda_status dlda_options_read_run(dlda_options *options, const char *folder)
{
    DLDA_NEED(options, folder);
    dlda_status found = read_data(options, folder), status = DLDA_OK;
    char message[1024];

    /* A run of an earlier version: its checkpoint knows both. */
    if (found != DLDA_OK) snprintf(message, sizeof message, "%s", dlda_last_error());
    if (found != DLDA_OK && dlda_options_resume(options, folder) == DLDA_OK) return DLDA_OK;
    if (found != DLDA_OK) dlda_options_suggest(options, "data", "");
    status = read_options(options, folder);
    if (status != DLDA_OK || found == DLDA_OK) return status;
    return dlda_fail(found, "%s", message);
}
