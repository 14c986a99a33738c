/* SPDX-License-Identifier: MIT
 *
 * cmd_data.h - the verbs of `deeplda data`, each in a file of its own, and what they share.
 */
#ifndef DEEPLDA_CLI_CMD_DATA_H
#define DEEPLDA_CLI_CMD_DATA_H

#include "cli.h"

/* words[0] is the verb. Each gives an exit code. */
int data_list(const cli_arguments *arguments);
int data_fetch(const cli_arguments *arguments);
int data_check(const cli_arguments *arguments);
int data_convert(const cli_arguments *arguments);
int data_show(const cli_arguments *arguments);

/* What --skip-bad and the like say, for one part of words[1]. */
dlda_read_spec data_read_spec(const cli_arguments *arguments, dlda_part part);

/* The known set of that name, NULL if there is none. */
const dlda_known_set *data_known(const char *name);

/* "55 MB", "184 MB", "12 kB". */
void data_format_bytes(size_t bytes, char text[32]);

#endif
