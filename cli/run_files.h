/* SPDX-License-Identifier: MIT
 *
 * run_files.h - the files of a run folder.
 */
#ifndef DEEPLDA_CLI_RUN_FILES_H
#define DEEPLDA_CLI_RUN_FILES_H

#include <stddef.h>

/* Name i of the files that a training writes into its folder, from 0, the model; NULL after the last. */
const char *run_file_at(size_t i);
int run_file_is(const char *name);

#endif
