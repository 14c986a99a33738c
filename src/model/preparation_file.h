/* SPDX-License-Identifier: MIT
 *
 * preparation_file.h - the preparation of images in a model file: a text and some tensors (docs/model_format.md).
 */
#ifndef DLDA_MODEL_PREPARATION_FILE_H
#define DLDA_MODEL_PREPARATION_FILE_H

#include "dataset/preparation.h"
#include "model/safetensors.h"
#include "network/network.h"

#define DLDA_PREPARATION_KEY "preparation" /* in the metadata */

enum { DLDA_PREPARATION_TENSORS = 4 }; /* at most */

/* The text, in new memory (dlda_release). */
dlda_status dlda_preparation_to_json(const dlda_preparation *preparation, char **json);

/* Lists its tensors; returns how many. */
size_t dlda_preparation_tensors(const dlda_preparation *preparation, dlda_tensor tensors[DLDA_PREPARATION_TENSORS]);

/* Looks whether all is there for images of that shape, before memory is taken for it; *used: how many tensors. */
dlda_status dlda_preparation_check(const dlda_safetensors *file, const char *path, dlda_shape input, size_t *used);

/* The preparation of a file; one without the text has scale alone. */
dlda_status dlda_preparation_load(const dlda_safetensors *file, const char *path, dlda_shape input,
                                  dlda_preparation **preparation);

#endif
