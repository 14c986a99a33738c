/* SPDX-License-Identifier: MIT
 *
 * apply_lda.h - the rows of a table, classified by an LDA that was fitted before.
 */
#ifndef DEEPLDA_CLI_APPLY_LDA_H
#define DEEPLDA_CLI_APPLY_LDA_H

#include "cli.h"

/* Opens the table `spec` with or without labels, which are not used, and writes to stdout a line for each row; or its
 * projections to the .npy file of option output. Returns an exit code. */
int apply_lda(const char *command, const cli_options *options, const char *file, dlda_table_spec spec);

#endif
