/* SPDX-License-Identifier: MIT
 *
 * read_data.h - reads the data that the operand DATA of a command names, according to the options.
 *
 * All commands read their data through this file, so an option added here works for all of them.
 */
#ifndef DEEPLDA_CLI_READ_DATA_H
#define DEEPLDA_CLI_READ_DATA_H

#include "cli.h"

/* What to read, according to the options. Skipped files and, without --quiet, what was decided about the data are reported
 * on stderr in the name of the command; who sets another `user` sets the callbacks too. */
dlda_read_spec data_spec(const char *command, const cli_options *options, const char *path, dlda_part part);

/* Like the library's dlda_dataset_... functions; if a known set is missing, the message says how to get it. */
dlda_status data_open(const dlda_read_spec *spec, dlda_dataset **dataset);
dlda_status data_open_images(const dlda_read_spec *spec, dlda_dataset **dataset);
dlda_status data_format(const dlda_read_spec *spec, const char **format);

/* Divides training data according to the options; returns an exit code. */
int data_divide(const char *command, const char *path, const cli_options *options, const dlda_dataset *all,
                dlda_dataset **train, dlda_dataset **validation);

#endif
