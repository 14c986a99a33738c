/* SPDX-License-Identifier: MIT
 *
 * file_version.h - kind and version of a safetensors file of this library; one metadata text states both.
 */
#ifndef DLDA_MODEL_FILE_VERSION_H
#define DLDA_MODEL_FILE_VERSION_H

#include "model/safetensors.h"

#define DLDA_MODEL_KEY      "deeplda_format"
#define DLDA_LDA_KEY        "deeplda_lda"
#define DLDA_CHECKPOINT_KEY "deeplda_checkpoint"

/* DLDA_E_FORMAT unless the text of `key`, one of the above, is `expected`. The message names
 * the actual kind if known. */
dlda_status dlda_file_version_check(const dlda_safetensors *file, const char *path, const char *key,
                                    const char *expected);

#endif
