/* SPDX-License-Identifier: MIT
 *
 * outputs.h - checks the outputs of a command before any work is done, as far as its command line tells.
 */
#ifndef DEEPLDA_CLI_OUTPUTS_H
#define DEEPLDA_CLI_OUTPUTS_H

#include "cli.h"

/* Refuses outputs that are operands, files of a run folder that is an operand, the standard input, or one another.
 * Returns an exit code. */
int outputs_check(const cli_command *command, const cli_arguments *arguments);

#endif
