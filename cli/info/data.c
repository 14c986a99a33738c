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
#include <string.h>

static const char *const name = "info";

enum { PARTS = 2, MOST_NAMES = 20 };

static const char *const part_names[PARTS] = { "training", "test" };

/* What is said of one part. */
typedef struct summary {
    const char *part;
    size_t count, height, width, channels;
    const dlda_dataset *labels; /* NULL: it has none */
} summary;

static summary summary_of(const dlda_dataset *data, const char *part)
{
    return (summary){ .part = part,
                      .count = dlda_dataset_count(data),
                      .height = dlda_dataset_height(data),
                      .width = dlda_dataset_width(data),
                      .channels = dlda_dataset_channels(data),
                      .labels = dlda_dataset_label(data, 0) >= 0 ? data : NULL };
}

/* ---- Text ---- */

static void print_classes(const dlda_dataset *data)
{
    size_t classes = dlda_dataset_classes(data), shown = classes < MOST_NAMES ? classes : MOST_NAMES;

    print("%-12s%zu:", "classes", classes);
    for (size_t c = 0; c < shown; c++) {
        fputc(' ', stdout);
        table_name(stdout, dlda_dataset_class_name(data, c));
    }
    print("%s\n", shown < classes ? " ..." : "");
}

static void print_part(const summary *self)
{
    print("%-12s%zu ", self->part, self->count);
    if (self->height * self->width == 1) print("rows of %zu numbers\n", self->channels);
    else print("images of %zu x %zu x %zu (height, width, channels)\n", self->height, self->width, self->channels);
    if (self->labels) print_classes(self->labels);
}

static void write_text(const char *path, const summary *parts, size_t n, int labelled)
{
    print("%s: %s\n", path, labelled ? "a data set" : "data without labels");
    for (size_t i = 0; i < n; i++) print_part(&parts[i]);
}

/* ---- JSON ---- */

static void write_part(json_out *json, const summary *self)
{
    json_open(json, '{');
    json_key(json, "part");
    json_text(json, self->part);
    json_key(json, "samples");
    json_count(json, self->count);
    info_write_shape(json, "size", self->height, self->width, self->channels);
    json_key(json, "classes");
    json_open(json, '[');
    for (size_t c = 0; self->labels && c < dlda_dataset_classes(self->labels); c++)
        json_text(json, dlda_dataset_class_name(self->labels, c));
    json_close(json, ']');
    json_close(json, '}');
}

static void write_json(const char *path, const summary *parts, size_t n)
{
    json_out json = { .file = stdout };

    json_open(&json, '{');
    json_key(&json, "kind");
    json_text(&json, "data");
    json_key(&json, "path");
    json_text(&json, path);
    json_key(&json, "parts");
    json_open(&json, '[');
    for (size_t i = 0; i < n; i++) write_part(&json, &parts[i]);
    json_close(&json, ']');
    json_close(&json, '}');
    fputc('\n', stdout);
}

static void write_parts(const char *path, const cli_options *options, const summary *parts, size_t n, int labelled)
{
    if (info_is_json(options)) write_json(path, parts, n);
    else write_text(path, parts, n, labelled);
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

/* Data without labels. Where there are labels, or in a folder that is not even that, the failure of the labelled set is
 * reported. */
static dlda_status open_images(const char *path, const cli_options *options, dlda_status labelled,
                               dlda_dataset **images)
{
    const dlda_read_spec spec = data_spec(name, options, path, DLDA_PART_TRAIN);
    char message[1024];

    snprintf(message, sizeof message, "%s", dlda_last_error());
    if (labelled == DLDA_E_FORMAT && dlda_dataset_has_labels(&spec)) return dlda_fail(labelled, "%s", message);
    dlda_status status = dlda_dataset_open_images(&spec, images);
    return status != DLDA_OK && dlda_path_is_folder(path) ? dlda_fail(labelled, "%s", message) : status;
}

static int is_picture(const dlda_read_spec *spec)
{
    const char *format = NULL;

    return dlda_dataset_format(spec, &format) == DLDA_OK && strcmp(format, "picture") == 0;
}

/* A picture may be large, and its header says all. */
static dlda_status show_picture(const dlda_read_spec *spec, const cli_options *options)
{
    summary picture = { .part = "samples", .count = 1 };
    dlda_status status = dlda_picture_size(spec, &picture.height, &picture.width, &picture.channels);

    if (status == DLDA_OK) write_parts(spec->path, options, &picture, 1, 0);
    return status;
}

dlda_status info_show_data(const char *path, const cli_options *options)
{
    const dlda_read_spec spec = data_spec(name, options, path, DLDA_PART_TRAIN);
    dlda_dataset *parts[PARTS] = { NULL };
    summary found[PARTS];
    size_t n = 0;

    if (is_picture(&spec)) return show_picture(&spec, options);
    dlda_status status = open_parts(path, options, parts);
    int labelled = status == DLDA_OK;
    if (!labelled && !parts[DLDA_PART_TRAIN]) status = open_images(path, options, status, &parts[DLDA_PART_TRAIN]);
    for (int part = 0; part < PARTS; part++)
        if (parts[part]) found[n++] = summary_of(parts[part], labelled ? part_names[part] : "samples");
    if (status == DLDA_OK) write_parts(path, options, found, n, labelled);
    for (int part = 0; part < PARTS; part++) dlda_dataset_destroy(parts[part]);
    return status;
}
