/* SPDX-License-Identifier: MIT
 *
 * help.h - help texts, made from the commands and the tables of options.
 */
#ifndef DEEPLDA_CLI_HELP_H
#define DEEPLDA_CLI_HELP_H

#include "cli.h"

#include <stdio.h>

void help_program(FILE *file);
void help_command(FILE *file, const cli_command *command);

/* docs/options.md, and the options in docs/deeplda.1: tools/update-docs writes both. */
void help_options_markdown(FILE *file);
void help_options_man(FILE *file);

#endif
