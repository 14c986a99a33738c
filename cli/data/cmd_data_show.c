/* SPDX-License-Identifier: MIT
 *
 * cmd_data_show.c - `deeplda data show`: writes a contact sheet.
 */
#include "data/data.h"
#include "read_data.h"
#include "report/sheet.h"

#include <stdio.h>

static const char *const name = "data";

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
    if (code == EXIT_OK)
        printf("%s: the first images of %zu classes of the %s part\n", path, dlda_dataset_classes(dataset),
               spec.part == DLDA_PART_TRAIN ? "training" : "test");
    dlda_dataset_destroy(dataset);
    return code;
}
