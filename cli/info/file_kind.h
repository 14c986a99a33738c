/* SPDX-License-Identifier: MIT
 *
 * file_kind.h - recognises a file by its first bytes; only reading it shows whether it is intact.
 */
#ifndef DEEPLDA_CLI_FILE_KIND_H
#define DEEPLDA_CLI_FILE_KIND_H

typedef enum file_kind {
    FILE_KIND_OTHER,
    FILE_KIND_MODEL,
    FILE_KIND_LDA,
    FILE_KIND_CHECKPOINT,
    FILE_KIND_ONNX
} file_kind;

file_kind file_kind_of(const char *path);

#endif
