/* SPDX-License-Identifier: MIT
 *
 * run_file.h - run.json in the folder of a run: how far it is, where its data came from, and what it runs on.
 *
 * Unlike the other files of a run, it is not the same for the same seed: it has times and the machine.
 */
#ifndef DLDA_TRAINING_RUN_FILE_H
#define DLDA_TRAINING_RUN_FILE_H

#include "training/trainer.h"

typedef enum dlda_run_state {
    DLDA_RUN_RUNNING,
    DLDA_RUN_COMPLETE,
    DLDA_RUN_STOPPED,
    DLDA_RUN_FAILED
} dlda_run_state;

/* "running", "complete", "stopped", "failed". */
const char *dlda_run_state_word(dlda_run_state state);

/* Brings it up to date; `message` says why a run has failed, and may be NULL. Nothing is done if there is no record. */
dlda_status dlda_run_file_write(const dlda_trainer *trainer, dlda_run_state state, const char *message);

/* 1 if process `id`, which began at `start` on `host`, may still run: it does, or it is on another machine. */
int dlda_run_is_alive(const char *host, long id, double start);

#endif
