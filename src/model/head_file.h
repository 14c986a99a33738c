/* SPDX-License-Identifier: MIT
 *
 * head_file.h - the tensors of the LDA head in a model file (docs/model_format.md).
 */
#ifndef DLDA_MODEL_HEAD_FILE_H
#define DLDA_MODEL_HEAD_FILE_H

#include "classify/lda_head.h"
#include "model/safetensors.h"

enum { DLDA_HEAD_TENSORS = 7 }; /* upper limit */

/* Lists the tensors and returns their number. */
size_t dlda_head_tensors(const dlda_lda *lda, dlda_tensor tensors[DLDA_HEAD_TENSORS]);

/* Checks presence and shapes for C classes and D features before anything is allocated;
 * *used: number of tensors. */
dlda_status dlda_head_check(const dlda_safetensors *file, const char *path, size_t C, size_t D, size_t *used);

dlda_status dlda_head_load(const dlda_safetensors *file, const char *path, size_t C, size_t D, dlda_lda **lda);

#endif
