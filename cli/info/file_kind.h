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
    FILE_KIND_ONNX,
    FILE_KIND_PICTURE, /* PNG, JPEG; GIF, BMP, TIFF and WebP, which cannot be read */
    FILE_KIND_ARRAY,   /* .npy, .npz, IDX                                          */
    FILE_KIND_TABLE,   /* .csv, by its name                                        */
    FILE_KIND_NETWORK  /* .net, by its name                                        */
} file_kind;

file_kind file_kind_of(const char *path);

#endif
