/* SPDX-License-Identifier: MIT
 *
 * priors.h - the option --priors.
 */
#ifndef DEEPLDA_CLI_PRIORS_H
#define DEEPLDA_CLI_PRIORS_H

#include "cli.h"

/* Sets the priors of a model according to the option: "uniform", "data", or a number for each
 * class. Returns an exit code. */
int priors_apply(const char *command, const char *text, const dlda_model *model, dlda_model **adapted);

/* Parses the option for `classes` classes: *priors is new memory (free), NULL for the frequencies in the data. */
int priors_read(const char *command, const char *text, size_t classes, double **priors);

#endif
