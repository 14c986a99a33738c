/* SPDX-License-Identifier: MIT
 *
 * read_data.c - reads the data named on the command line.
 */
#include "read_data.h"
#include "data/data.h"

static void tell_problem(void *command, const char *message)
{
    complain(command, "%s", message);
}

static void tell_note(void *command, const char *message)
{
    say_note(command, "%s", message);
}

dlda_read_spec data_spec(const char *command, const cli_options *options, const char *path, dlda_part part)
{
    dlda_read_spec spec = { .path = path, .part = part, .user = (void *)command, .problem = tell_problem };

    dlda_read_spec_use_options(&spec, options->training);
    spec.skip_bad = option_is(options, "skip-bad", "true");
    spec.most_pixels = (size_t)option_number(options, "most-pixels");
    spec.most_bytes = (size_t)option_number(options, "most-bytes");
    if (!option_is(options, "quiet", "true")) spec.note = tell_note;
    return spec;
}

dlda_status data_open(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    return known_set_explain(spec->path, dlda_dataset_open(spec, dataset));
}

dlda_status data_open_images(const dlda_read_spec *spec, dlda_dataset **dataset)
{
    return known_set_explain(spec->path, dlda_dataset_open_images(spec, dataset));
}

dlda_status data_format(const dlda_read_spec *spec, const char **format)
{
    return known_set_explain(spec->path, dlda_dataset_format(spec, format));
}

int data_divide(const char *command, const char *path, const cli_options *options, const dlda_dataset *all,
                dlda_dataset **train, dlda_dataset **validation)
{
    dlda_status status = dlda_dataset_divide(all, options->training, train, validation);

    return exit_code_at(command, status == DLDA_E_OPTION ? NULL : path,
                        status); /* an invalid option is not an error of the data */
}
