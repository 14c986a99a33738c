/* SPDX-License-Identifier: MIT
 *
 * apply_lda.h - classifies the rows of a table by a saved LDA.
 */
#ifndef DEEPLDA_CLI_APPLY_LDA_H
#define DEEPLDA_CLI_APPLY_LDA_H

#include "cli.h"

/* Opens the table `spec`, whose labels are optional and ignored, and writes a line for each row to stdout; or its
 * projections to the .npy file of option output. Returns an exit code. */
int apply_lda(const char *command, const cli_options *options, const char *file, dlda_table_spec spec);

#endif
