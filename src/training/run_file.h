/* SPDX-License-Identifier: MIT
 *
 * run_file.h - run.json in the folder of a run: how far it is, where its data came from, and what it runs on.
 *
 * Unlike the other files of a run, it is not the same for the same seed: it has times and the machine.
 */
#ifndef DLDA_TRAINING_RUN_FILE_H
#define DLDA_TRAINING_RUN_FILE_H

#include "training/trainer.h"

#include <jansson.h>

/* Brings it up to date; `message` says why a run has failed, and may be NULL. Nothing is done if there is no record. */
dlda_status dlda_run_file_write(const dlda_trainer *trainer, dlda_run_state state, const char *message);

/* The state of a run from the content of its run.json. */
dlda_run_state dlda_run_state_of(const json_t *facts);

#endif
