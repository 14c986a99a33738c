/* SPDX-License-Identifier: MIT
 *
 * checkpoint_file.h - checkpoint files: names, metadata, counters and checksum.
 * docs/model_format.md lists the fields.
 *
 * The newest is RUN/checkpoint.safetensors. Its predecessor is kept as checkpoint-previous.safetensors, in
 * case the newest is damaged. A save writes checkpoint-next.safetensors, which appears when it is complete, and then
 * renames. So if there is one, the process ended between these steps, and it is the newest.
 */
#ifndef DLDA_TRAINING_CHECKPOINT_FILE_H
#define DLDA_TRAINING_CHECKPOINT_FILE_H

#include "model/safetensors.h"

#define DLDA_CHECKPOINT_NEWEST   "checkpoint.safetensors"
#define DLDA_CHECKPOINT_PREVIOUS "checkpoint-previous.safetensors"
#define DLDA_CHECKPOINT_NEXT     "checkpoint-next.safetensors"

enum {
    DLDA_CHECKPOINT_TENSORS = 15, /* upper limit                  */
    DLDA_EPOCH_FIELDS = 8,        /* columns of the array history */
    DLDA_EPOCH_SECONDS = 6        /* index of the seconds column  */
};

typedef struct dlda_checkpoint_texts {
    const char *network, *options;
    const char *data;           /* fingerprint of the data                                 */
    const char *source;         /* path or name of the data; "" in files of early versions */
    const char *format, *label; /* options of these names, for reading the data; NULL: not given */
} dlda_checkpoint_texts;

/* The array "counters". */
typedef struct dlda_checkpoint_counters {
    double epochs_done, batches_done, steps_done, loss_sum, best_accuracy, best_epoch, eigenvalues;
} dlda_checkpoint_counters;

enum { DLDA_CHECKPOINT_COUNTERS = sizeof(dlda_checkpoint_counters) / sizeof(double) };

dlda_status dlda_checkpoint_write(const char *path, const dlda_tensor *tensors, size_t count,
                                  const dlda_checkpoint_texts *texts);

/* Reads a checkpoint and verifies its checksum. */
dlda_status dlda_checkpoint_open(const char *path, dlda_safetensors **file);
/* 1 if this is the path of a checkpoint whose renames are still to be done. */
int dlda_checkpoint_is_next(const char *path);
/* Opens the newest undamaged checkpoint of a folder and returns its path in new memory. `damage` receives what is
 * wrong with a newer one, or "". DLDA_E_IO if there is none. */
dlda_status dlda_checkpoint_open_newest(const char *folder, dlda_safetensors **file, char **path,
                                        char damage[1024]);

/* The texts belong to the file. */
dlda_status dlda_checkpoint_read_texts(const dlda_safetensors *file, const char *path,
                                       dlda_checkpoint_texts *texts);
/* DLDA_E_FORMAT unless all counts are whole numbers from 0 to 2^52 and the best epoch is one of those done. */
dlda_status dlda_checkpoint_read_counters(const dlda_safetensors *file, const char *path,
                                          dlda_checkpoint_counters *counters);
/* Seconds spent in the current epoch; 0 in files of early versions. */
double dlda_checkpoint_epoch_seconds(const dlda_safetensors *file);

#endif
