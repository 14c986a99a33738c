/* SPDX-License-Identifier: MIT
 *
 * split.h - which of the training data are trained on, and which are held out.
 */
#ifndef DEEPLDA_CLI_SPLIT_H
#define DEEPLDA_CLI_SPLIT_H

#include "cli.h"

/* Does what --fold, --folds, --subset and --validation say, in this order. *train stays NULL if it is all of it,
 * *validation if nothing is held out. `path` is where the data came from. Returns an exit code. */
int split_training_data(const char *command, const char *path, const dlda_options *options, const dlda_dataset *all,
                        dlda_dataset **train, dlda_dataset **validation);

#endif
