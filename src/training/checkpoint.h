/* SPDX-License-Identifier: MIT
 *
 * checkpoint.h - everything that a training needs to go on as if it had never stopped, in one file.
 *
 * The newest is RUN/checkpoint.safetensors; the one before it stays as checkpoint-previous.safetensors, for the case
 * that the newest is damaged. docs/model_format.md has the fields.
 */
#ifndef DLDA_TRAINING_CHECKPOINT_H
#define DLDA_TRAINING_CHECKPOINT_H

#include "model/file_version.h"
#include "training/trainer.h"

/* Counters, as exact numbers: the array of that name. */
typedef struct dlda_checkpoint_counters {
    double epochs_done, batches_done, steps_done, loss_sum, best_accuracy, best_epoch, eigenvalues;
} dlda_checkpoint_counters;

/* Saves the state between two batches into the folder of the run. */
dlda_status dlda_checkpoint_save(const dlda_trainer *trainer, const char *folder);

/* Brings a new trainer into the state of the newest whole checkpoint in a folder. DLDA_E_IO if there is none;
 * DLDA_E_OPTION if the trainer's options or data are others. The watch is told if the newest one is damaged. */
dlda_status dlda_checkpoint_load(dlda_trainer *trainer, const char *folder);

/* Reads a checkpoint, and compares its checksum. */
dlda_status dlda_checkpoint_open(const char *path, dlda_safetensors **file);

#endif
