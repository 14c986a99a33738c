/* SPDX-License-Identifier: MIT
 *
 * head_file.h - the LDA head in a model file: its tensors (docs/model_format.md).
 */
#ifndef DLDA_MODEL_HEAD_FILE_H
#define DLDA_MODEL_HEAD_FILE_H

#include "classify/lda_head.h"
#include "model/safetensors.h"

enum { DLDA_HEAD_TENSORS = 7 }; /* at most */

/* Lists its tensors; returns how many. */
size_t dlda_head_tensors(const dlda_lda *lda, dlda_tensor tensors[DLDA_HEAD_TENSORS]);

/* Looks whether all is there for C classes and D features, before memory is taken for it; *used: how many tensors. */
dlda_status dlda_head_check(const dlda_safetensors *file, const char *path, size_t C, size_t D, size_t *used);

dlda_status dlda_head_load(const dlda_safetensors *file, const char *path, size_t C, size_t D, dlda_lda **lda);

#endif
