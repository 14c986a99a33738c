/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - the state of a training in one file, from which it resumes as if it had never stopped.
 */
#ifndef DLDA_TRAINING_CHECKPOINT_H
#define DLDA_TRAINING_CHECKPOINT_H

#include "training/trainer.h"

/* Saves the state between two batches into the run folder. The first one replaces the files of an earlier training. */
dlda_status dlda_checkpoint_save(const dlda_trainer *trainer);

/* The renames that end a save; also to be done for a checkpoint that was restored before they were. */
dlda_status dlda_checkpoint_settle(const dlda_trainer *trainer);

/* Restores the newest undamaged checkpoint of a folder into a trainer that has done no step. DLDA_E_IO if there is
 * none; DLDA_E_OPTION if options or data differ from the trainer's. If the newest checkpoint is damaged, the
 * watch's log function receives a message. */
dlda_status dlda_checkpoint_load(dlda_trainer *trainer, const char *folder);

#endif
