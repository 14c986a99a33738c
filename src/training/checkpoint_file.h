/* SPDX-License-Identifier: MIT
 *
 * checkpoint_file.h - the files of checkpoints: names, metadata, counters and checksum. docs/model_format.md has the fields.
 *
 * The newest is RUN/checkpoint.safetensors; the one before it stays as checkpoint-previous.safetensors, for the case
 * that the newest is damaged.
 */
#ifndef DLDA_TRAINING_CHECKPOINT_FILE_H
#define DLDA_TRAINING_CHECKPOINT_FILE_H

#include "model/safetensors.h"

#define DLDA_CHECKPOINT_NEWEST   "checkpoint.safetensors"
#define DLDA_CHECKPOINT_PREVIOUS "checkpoint-previous.safetensors"

enum {
    DLDA_CHECKPOINT_TENSORS = 15, /* at most                                                         */
    DLDA_EPOCH_FIELDS = 8,        /* columns of the array history                                    */
    DLDA_EPOCH_SECONDS = 6        /* the one with the seconds                                        */
};

typedef struct dlda_checkpoint_texts {
    const char *network, *options;
    const char *data;   /* fingerprint of the data                             */
    const char *source; /* where they came from; "" in files of early versions */
} dlda_checkpoint_texts;

/* The array of that name. */
typedef struct dlda_checkpoint_counters {
    double epochs_done, batches_done, steps_done, loss_sum, best_accuracy, best_epoch, eigenvalues;
} dlda_checkpoint_counters;

enum { DLDA_CHECKPOINT_COUNTERS = sizeof(dlda_checkpoint_counters) / sizeof(double) };

dlda_status dlda_checkpoint_write(const char *path, const dlda_tensor *tensors, size_t count,
                                  const dlda_checkpoint_texts *texts);

/* Reads a checkpoint, and compares its checksum. */
dlda_status dlda_checkpoint_open(const char *path, dlda_safetensors **file);
/* The newest whole one of a folder, and its path, in new memory. `damage` gets what is wrong with a newer one, or "".
 * DLDA_E_IO if there is none. */
dlda_status dlda_checkpoint_open_newest(const char *folder, dlda_safetensors **file, char **path,
                                        char damage[1024]);

/* The texts belong to the file. */
dlda_status dlda_checkpoint_read_texts(const dlda_safetensors *file, const char *path,
                                       dlda_checkpoint_texts *texts);
/* Those that count are whole numbers from 0 to 2^52, and the best epoch is one of those done; else DLDA_E_FORMAT. */
dlda_status dlda_checkpoint_read_counters(const dlda_safetensors *file, const char *path,
                                          dlda_checkpoint_counters *counters);
/* Seconds of the epoch under way; 0 in files of early versions. */
double dlda_checkpoint_epoch_seconds(const dlda_safetensors *file);

#endif
