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
