/* SPDX-License-Identifier: MIT
 *
 * cmd_data_show.c - `deeplda data show`: writes a contact sheet.
 */
#include "data/data.h"
#include "read_data.h"
#include "report/sheet.h"
#include "terminal/json_out.h"
#include "terminal/print.h"

#include <stdio.h>

static const char *const name = "data";

static void show_result(const cli_options *options, const char *path, const dlda_dataset *dataset, dlda_part part)
{
    json_out json = { .file = stdout };

    if (!option_is(options, "json", "true")) {
        print("%s: the first images of %zu classes of the %s part\n", path, dlda_dataset_classes(dataset),
              part == DLDA_PART_TRAIN ? "training" : "test");
        return;
    }
    json_open(&json, '{');
    json_add_text(&json, "file", path);
    json_add_text(&json, "part", part == DLDA_PART_TRAIN ? "train" : "test");
    json_add_count(&json, "classes", dlda_dataset_classes(dataset));
    json_add_count(&json, "images_per_class", (size_t)option_number(options, "count"));
    json_close(&json, '}');
    fputc('\n', stdout);
}

int data_show(const cli_arguments *arguments)
{
    const char *output = option_text(arguments->options, "output"), *path = output[0] ? output : "sheet.png";
    dlda_read_spec spec = data_read_spec(arguments, DLDA_PART_TEST);
    size_t count = (size_t)option_number(arguments->options, "count");
    dlda_dataset *dataset = NULL;

    /* A set that has only a test part can be shown too. */
    int only_test = dlda_dataset_has_part(&spec);
    spec.part = DLDA_PART_TRAIN;
    if (only_test && !dlda_dataset_has_part(&spec)) spec.part = DLDA_PART_TEST;
    int code = exit_code_of(name, data_open(&spec, &dataset));
    if (code == EXIT_OK) code = exit_code_at(name, spec.path, sheet_write(dataset, count, path));
    if (code == EXIT_OK) show_result(arguments->options, path, dataset, spec.part);
    dlda_dataset_destroy(dataset);
    return code;
}
