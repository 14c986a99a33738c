/* SPDX-License-Identifier: MIT
 *
 * data.c - from the command line to a dlda_read_spec.
 */
#include "data.h"

static void tell_problem(void *command, const char *message)
{
    complain(command, "%s", message);
}

dlda_read_spec data_spec(const char *command, const dlda_options *options, const char *path, dlda_part part)
{
    dlda_read_spec spec = { .path = path, .part = part, .user = (void *)command, .problem = tell_problem };

    dlda_read_spec_use_options(&spec, options);
    return spec;
}

int data_divide(const char *command, const char *path, const dlda_options *options, const dlda_dataset *all,
                dlda_dataset **train, dlda_dataset **validation)
{
    dlda_status status = dlda_dataset_divide(all, options, train, validation);

    return exit_code_at(command, status == DLDA_E_OPTION ? NULL : path,
                        status); /* an option is no fault of the data */
}
