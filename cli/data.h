/* SPDX-License-Identifier: MIT
 *
 * data.h - what the word DATA of a command line and the options that go with it stand for.
 *
 * All commands read their data by this one door, so an option that is added here works for each of them.
 */
#ifndef DEEPLDA_CLI_DATA_H
#define DEEPLDA_CLI_DATA_H

#include "cli.h"

/* What to read, as the options say. Whatever is left out is told on stderr in the name of the command. */
dlda_read_spec data_spec(const char *command, const dlda_options *options, const char *path, dlda_part part);

/* Divides training data as the options say; returns an exit code. */
int data_divide(const char *command, const char *path, const dlda_options *options, const dlda_dataset *all,
                dlda_dataset **train, dlda_dataset **validation);

#endif
