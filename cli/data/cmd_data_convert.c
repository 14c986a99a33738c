/* SPDX-License-Identifier: MIT
 *
 * cmd_data_convert.c - `deeplda data convert`: writes a set in another format.
 */
#include "data/data.h"
#include "read_data.h"

#include <stdio.h>
#include <sys/stat.h>

static const char *const name = "data";

static dlda_data_format wanted_format(const cli_options *options)
{
    if (option_is(options, "to", "npy")) return DLDA_FORMAT_NPY;
    return option_is(options, "to", "png") ? DLDA_FORMAT_PNG : DLDA_FORMAT_IDX;
}

static int check_folder(const cli_options *options)
{
    const char *folder = option_text(options, "output");
    struct stat info;

    if (!folder[0]) return complain_usage(name, "convert needs a folder for the new files: -o FOLDER");
    if (lstat(folder, &info) != 0 || option_is(options, "force", "true")) return EXIT_OK;
    complain(name, "%s: already exists; choose another, or use --force to write into it", folder);
    return EXIT_FAILED;
}

/* Pictures of the `other` part, if it is to follow, get the size that was chosen for these. */
static int convert_part(const cli_arguments *arguments, const dlda_read_spec *spec, dlda_read_spec *other)
{
    const char *folder = option_text(arguments->options, "output");
    dlda_dataset *dataset = NULL;
    int code = exit_code_of(name, data_open(spec, &dataset));

    if (code == EXIT_OK)
        code = exit_code_at(name, spec->path,
                            dlda_dataset_write(dataset, spec->part, wanted_format(arguments->options), folder));
    if (code == EXIT_OK)
        printf("%s: %zu %s images\n", folder, dlda_dataset_count(dataset),
               spec->part == DLDA_PART_TRAIN ? "training" : "test");
    if (other) data_use_size(other, dataset);
    dlda_dataset_destroy(dataset);
    return code;
}

int data_convert(const cli_arguments *arguments)
{
    dlda_read_spec train = data_read_spec(arguments, DLDA_PART_TRAIN),
                   test = data_read_spec(arguments, DLDA_PART_TEST);
    int code = check_folder(arguments->options), has_test = dlda_dataset_has_part(&test);

    if (code == EXIT_OK && (dlda_dataset_has_part(&train) || !has_test))
        code = convert_part(arguments, &train, &test);
    if (code == EXIT_OK && has_test) code = convert_part(arguments, &test, NULL);
    return code;
}
