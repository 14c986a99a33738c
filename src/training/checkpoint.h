/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - everything that a training needs to go on as if it had never stopped, in one file.
 */
#ifndef DLDA_TRAINING_CHECKPOINT_H
#define DLDA_TRAINING_CHECKPOINT_H

#include "training/trainer.h"

/* Saves the state between two batches into the folder of the run. */
dlda_status dlda_checkpoint_save(const dlda_trainer *trainer, const char *folder);

/* Brings a new trainer into the state of the newest whole checkpoint in a folder. DLDA_E_IO if there is none;
 * DLDA_E_OPTION if the trainer's options or data are others. The watch gets a message if the newest one is damaged. */
dlda_status dlda_checkpoint_load(dlda_trainer *trainer, const char *folder);

#endif
