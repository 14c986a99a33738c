/* SPDX-License-Identifier: MIT
 *
 * apply_lda.h - classifies the rows of tables by an LDA without a network.
 */
#ifndef DEEPLDA_CLI_APPLY_LDA_H
#define DEEPLDA_CLI_APPLY_LDA_H

#include "cli.h"

/* `deeplda lda TABLE --apply FILE`: a line on stdout for each row, with posteriors; or with -o the projected rows. */
int apply_lda(const cli_arguments *arguments, const char *file);

/* `deeplda predict FILE TABLE...`: the same for several tables; -o is the file for the lines. */
int apply_lda_to_tables(const cli_arguments *arguments, const char *file);

#endif
