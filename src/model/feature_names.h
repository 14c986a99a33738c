/* SPDX-License-Identifier: MIT
 *
 * feature_names.h - the names of features in files (docs/model_format.md): of an LDA, and of a model of a table.
 */
#ifndef DLDA_MODEL_FEATURE_NAMES_H
#define DLDA_MODEL_FEATURE_NAMES_H

#include "base/status.h"

/* The names of the features as a JSON array, in new memory (dlda_release). DLDA_E_ARGUMENT for invalid UTF-8. */
dlda_status dlda_feature_names_to_json(const dlda_lda *lda, const char *path, char **text);
/* Names the features; `path` is for messages. */
dlda_status dlda_feature_names_from_json(const char *path, const char *text, dlda_lda *lda);

/* Names the columns of a table for a model, one for each number of its input. */
dlda_status dlda_column_names_from_json(const char *path, const char *text, dlda_model *model);

#endif
