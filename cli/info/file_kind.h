/* SPDX-License-Identifier: MIT
 *
 * file_kind.h - what a file looks like, from its first bytes; reading it tells whether it is whole.
 */
#ifndef DEEPLDA_CLI_FILE_KIND_H
#define DEEPLDA_CLI_FILE_KIND_H

typedef enum file_kind { FILE_KIND_OTHER, FILE_KIND_MODEL, FILE_KIND_CHECKPOINT, FILE_KIND_ONNX } file_kind;

file_kind file_kind_of(const char *path);

#endif
