/* SPDX-License-Identifier: MIT
 *
 * arguments.h - the command line, read by the tables of options.c.
 */
#ifndef DEEPLDA_CLI_ARGUMENTS_H
#define DEEPLDA_CLI_ARGUMENTS_H

#include "cli.h"

/* Reads argv[0 .. argc-1], what follows the name of the command. Returns an exit code; on EXIT_OK the
 * arguments are to be released. The words point into argv. */
int arguments_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void arguments_release(cli_arguments *arguments);

#endif
