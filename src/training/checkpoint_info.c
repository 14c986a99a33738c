/* SPDX-License-Identifier: MIT
 *
 * checkpoint_info.c - what kind of file something is, and how far a training was when its checkpoint was saved.
 */
#define _GNU_SOURCE
#include "base/file.h"
#include "base/memory.h"
#include "training/checkpoint.h"

#include <math.h>
#include <string.h>

/* ---- Kinds of files ---- */

/* Safetensors have the length of their header in 8 bytes, then the header, which is JSON. Quotes inside of its texts are
 * escaped, so a key cannot be found in one. */
static dlda_file_kind kind_of_safetensors(const uint8_t *start, size_t n)
{
    static const char checkpoint[] = "\"" DLDA_CHECKPOINT_KEY "\"", lda[] = "\"" DLDA_LDA_KEY "\"";

    if (memmem(start, n, checkpoint, sizeof checkpoint - 1)) return DLDA_FILE_CHECKPOINT;
    return memmem(start, n, lda, sizeof lda - 1) ? DLDA_FILE_LDA : DLDA_FILE_MODEL;
}

dlda_file_kind dlda_file_kind_of(const char *path)
{
    enum { MOST = 1 << 20 };
    dlda_file_kind kind = DLDA_FILE_OTHER;
    uint8_t *start = NULL;
    size_t n = 0;

    if (!path || DLDA_TAKE(&start, MOST, "start of a file") != DLDA_OK) return kind;
    if (dlda_file_read_start(path, MOST, start, &n) == DLDA_OK) {
        if (n > 8 && start[8] == '{') kind = kind_of_safetensors(start, n);
        /* the field ir_version, a small number, and then producer_name */
        else if (dlda_path_ends(path, ".onnx") || (n > 2 && start[0] == 0x08 && start[1] < 32 && start[2] == 0x12))
            kind = DLDA_FILE_ONNX;
    }
    dlda_release(start);
    return kind;
}

/* ---- Checkpoints ---- */

/* The public part comes first, so that a pointer to it is one to all. */
typedef struct info_file {
    dlda_checkpoint_info info;
    dlda_safetensors *file; /* that the texts belong to */
} info_file;

static dlda_status show_counters(info_file *self)
{
    dlda_status status = DLDA_OK;
    const size_t shape[] = { 1, sizeof(dlda_checkpoint_counters) / sizeof(double) };
    dlda_checkpoint_counters counters;
    const dlda_tensor *tensor = NULL;

    DLDA_TRY(dlda_safetensors_require(self->file, "counters", DLDA_F64, 2, shape, &tensor));
    memcpy(&counters, tensor->data, sizeof counters);
    self->info.epochs_done = (size_t)fmax(counters.epochs_done, 0);
    self->info.batches_done = (size_t)fmax(counters.batches_done, 0);
    self->info.steps_done = (size_t)fmax(counters.steps_done, 0);
    self->info.best_epoch = (size_t)fmax(counters.best_epoch, 0);
    self->info.best_accuracy = counters.best_accuracy < 0 ? NAN : counters.best_accuracy;
done:
    return status;
}

dlda_status dlda_checkpoint_info_read(const char *path, dlda_checkpoint_info **info)
{
    DLDA_NEED(path, info);
    dlda_status status = DLDA_OK;
    info_file *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "checkpoint"));
    DLDA_TRY(dlda_checkpoint_open(path, &self->file));
    self->info.network = dlda_safetensors_metadata(self->file, "network");
    self->info.options = dlda_safetensors_metadata(self->file, "options");
    self->info.data = dlda_safetensors_metadata(self->file, "source");
    if (!self->info.network || !self->info.options || !self->info.data)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: metadata is missing", path);
    DLDA_TRY(show_counters(self));
    *info = &self->info;
    self = NULL;
done:
    if (self) dlda_checkpoint_info_destroy(&self->info);
    return status;
}

void dlda_checkpoint_info_destroy(dlda_checkpoint_info *info)
{
    info_file *self = (info_file *)info;

    if (!self) return;
    dlda_safetensors_destroy(self->file);
    dlda_release(self);
}
