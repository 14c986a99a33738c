/* SPDX-License-Identifier: MIT
 *
 * run_file.h - run.json in the run folder: progress, source of the data, and the machine.
 *
 * Unlike the other files of a run it contains times and the machine, so it differs between runs with the same seed.
 */
#ifndef DLDA_TRAINING_RUN_FILE_H
#define DLDA_TRAINING_RUN_FILE_H

#include "training/trainer.h"

#include <jansson.h>

/* Updates the file; does nothing if the run is not recorded. `message` is the reason of a failure, or NULL. */
dlda_status dlda_run_file_write(const dlda_trainer *trainer, dlda_run_state state, const char *message);

/* The state of a run, given the content of its run.json. */
dlda_run_state dlda_run_state_of(const json_t *facts);

#endif
