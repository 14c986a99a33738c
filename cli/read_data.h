/* SPDX-License-Identifier: MIT
 *
 * read_data.h - reads what the word DATA of a command line stands for, as the options say.
 *
 * All commands read their data through this file, so an option that is added here works for each of them.
 */
#ifndef DEEPLDA_CLI_READ_DATA_H
#define DEEPLDA_CLI_READ_DATA_H

#include "cli.h"

/* What to read, as the options say. What is left out is reported on stderr in the name of the command. */
dlda_read_spec data_spec(const char *command, const dlda_options *options, const char *path, dlda_part part);

/* The functions dlda_dataset_... of the library; the message of a set that is not there says how to get it. */
dlda_status data_open(const dlda_read_spec *spec, dlda_dataset **dataset);
dlda_status data_open_images(const dlda_read_spec *spec, dlda_dataset **dataset);
dlda_status data_format(const dlda_read_spec *spec, const char **format);

/* Divides training data as the options say; returns an exit code. */
int data_divide(const char *command, const char *path, const dlda_options *options, const dlda_dataset *all,
                dlda_dataset **train, dlda_dataset **validation);

#endif
