/* SPDX-License-Identifier: MIT
 *
 * preparation_file.h - the image preparation in a model file: a text and some tensors (docs/model_format.md).
 */
#ifndef DLDA_MODEL_PREPARATION_FILE_H
#define DLDA_MODEL_PREPARATION_FILE_H

#include "dataset/preparation.h"
#include "model/safetensors.h"
#include "network/network.h"

#define DLDA_PREPARATION_KEY "preparation" /* metadata key */

enum { DLDA_PREPARATION_TENSORS = 4 }; /* upper limit */

/* The text, in new memory (dlda_release). */
dlda_status dlda_preparation_to_json(const dlda_preparation *preparation, char **json);

/* Lists the tensors and returns their number. */
size_t dlda_preparation_tensors(const dlda_preparation *preparation, dlda_tensor tensors[DLDA_PREPARATION_TENSORS]);

/* Checks presence and shapes for images of that shape before anything is allocated; *used: number of tensors. */
dlda_status dlda_preparation_check(const dlda_safetensors *file, const char *path, dlda_shape input, size_t *used);

/* The preparation of a file; scaling only if the file has no such text. */
dlda_status dlda_preparation_load(const dlda_safetensors *file, const char *path, dlda_shape input,
                                  dlda_preparation **preparation);

#endif
