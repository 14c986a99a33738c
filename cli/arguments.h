/* SPDX-License-Identifier: MIT
 *
 * arguments.h - parses the command line, using the tables of options.c.
 */
#ifndef DEEPLDA_CLI_ARGUMENTS_H
#define DEEPLDA_CLI_ARGUMENTS_H

#include "cli.h"

/* Parses argv[0 .. argc-1], the words after the name of the command. Returns an exit code; on EXIT_OK the arguments
 * must be released. The words point into argv. */
int arguments_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments);
void arguments_release(cli_arguments *arguments);

#endif
