/* SPDX-License-Identifier: MIT
 *
 * help.h - help texts, generated from the commands and the tables of options.
 */
#ifndef DEEPLDA_CLI_HELP_H
#define DEEPLDA_CLI_HELP_H

#include "cli.h"

#include <stdio.h>

void help_program(FILE *file);
void help_command(FILE *file, const cli_command *command);

/* Parts of docs/options.md and docs/deeplda.1, which tools/update-docs writes. */
void help_options_markdown(FILE *file);
void help_options_man(FILE *file);

#endif
