/* SPDX-License-Identifier: MIT
 *
 * data.c - summarises a data set, an array or a table.
 */
#include "base/file.h"
#include "base/status.h"
#include "info/info.h"
#include "read_data.h"
#include "terminal/print.h"
#include "terminal/table.h"

#include <stdio.h>

static const char *const name = "info";

enum { PARTS = 2, MOST_NAMES = 20 };

static const char *const part_names[PARTS] = { "training", "test" };

/* ---- Text ---- */

static void print_part(const dlda_dataset *data, const char *part)
{
    size_t classes = dlda_dataset_classes(data), shown = classes < MOST_NAMES ? classes : MOST_NAMES;

    print("%-12s%zu ", part, dlda_dataset_count(data));
    if (dlda_dataset_height(data) * dlda_dataset_width(data) == 1)
        print("rows of %zu numbers\n", dlda_dataset_channels(data));
    else
        print("images of %zu x %zu x %zu (height, width, channels)\n", dlda_dataset_height(data),
              dlda_dataset_width(data), dlda_dataset_channels(data));
    if (dlda_dataset_label(data, 0) < 0) return;
    print("%-12s%zu:", "classes", classes);
    for (size_t c = 0; c < shown; c++) {
        fputc(' ', stdout);
        table_name(stdout, dlda_dataset_class_name(data, c));
    }
    print("%s\n", shown < classes ? " ..." : "");
}

static void write_text(const char *path, dlda_dataset *const parts[PARTS], int labelled)
{
    print("%s: %s\n", path, labelled ? "a data set" : "data without labels");
    for (int part = 0; part < PARTS; part++)
        if (parts[part]) print_part(parts[part], labelled ? part_names[part] : "samples");
}

/* ---- JSON ---- */

static void write_part(json_out *json, const dlda_dataset *data, const char *part)
{
    json_open(json, '{');
    json_key(json, "part");
    json_text(json, part);
    json_key(json, "samples");
    json_count(json, dlda_dataset_count(data));
    info_write_shape(json, "size", dlda_dataset_height(data), dlda_dataset_width(data),
                     dlda_dataset_channels(data));
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; dlda_dataset_label(data, 0) >= 0 && c < dlda_dataset_classes(data); c++)
        json_text(json, dlda_dataset_class_name(data, c));
    json_close(json, ']');
    json_close(json, '}');
}

static void write_json(const char *path, dlda_dataset *const parts[PARTS], int labelled)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "data");
    json_key(&json, "path");
    json_text(&json, path);
    json_key(&json, "parts");
    json_open(&json, '[');
    for (int part = 0; part < PARTS; part++)
        if (parts[part]) write_part(&json, parts[part], labelled ? part_names[part] : "samples");
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

/* ---- Reading ---- */

/* Opens the parts that exist; a set in one file has a training part only. */
static dlda_status open_parts(const char *path, const cli_options *options, dlda_dataset *parts[PARTS])
{
    const dlda_read_spec train = data_spec(name, options, path, DLDA_PART_TRAIN);
    dlda_read_spec test = data_spec(name, options, path, DLDA_PART_TEST);
    int has_test = dlda_dataset_has_part(&test);
    dlda_status status = DLDA_OK;

    if (dlda_dataset_has_part(&train) || !has_test) status = dlda_dataset_open(&train, &parts[DLDA_PART_TRAIN]);
    if (parts[DLDA_PART_TRAIN]) dlda_read_spec_use_dataset(&test, parts[DLDA_PART_TRAIN]);
    if (status == DLDA_OK && has_test) status = dlda_dataset_open(&test, &parts[DLDA_PART_TEST]);
    return status;
}

/* Data without labels. A folder that is not even that is reported as the labelled set that it should have been. */
static dlda_status open_images(const char *path, const cli_options *options, dlda_status labelled,
                               dlda_dataset **images)
{
    const dlda_read_spec spec = data_spec(name, options, path, DLDA_PART_TRAIN);
    char message[1024];

    snprintf(message, sizeof message, "%s", dlda_last_error());
    dlda_status status = dlda_dataset_open_images(&spec, images);
    return status != DLDA_OK && dlda_path_is_folder(path) ? dlda_fail(labelled, "%s", message) : status;
}

dlda_status info_show_data(const char *path, const cli_options *options)
{
    dlda_dataset *parts[PARTS] = { NULL };
    dlda_status status = open_parts(path, options, parts);
    int labelled = status == DLDA_OK;

    if (!labelled && !parts[DLDA_PART_TRAIN]) status = open_images(path, options, status, &parts[DLDA_PART_TRAIN]);
    if (status == DLDA_OK && info_is_json(options)) write_json(path, parts, labelled);
    else if (status == DLDA_OK) write_text(path, parts, labelled);
    for (int part = 0; part < PARTS; part++) dlda_dataset_destroy(parts[part]);
    return status;
}
