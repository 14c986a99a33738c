/* SPDX-License-Identifier: MIT
 *
 * onnx_file.h - what an ONNX file says of itself.
 */
#ifndef DEEPLDA_CLI_ONNX_FILE_H
#define DEEPLDA_CLI_ONNX_FILE_H

#include "base/status.h"

/* An input or output of an ONNX file. */
typedef struct onnx_value {
    const char *name, *type, *help; /* type: "float32", "int64", ...; help may be "" */
    size_t rank;
    const char *const *dims; /* [rank]: numbers, or names of free ones: "N", "1", "28", "28" */
} onnx_value;

typedef struct onnx_text {
    const char *key, *value;
} onnx_text;

/* What an ONNX file says of itself, ours or another's. */
typedef struct onnx_info {
    int64_t ir_version, opset;               /* opset 0: none of ONNX's own operators          */
    const char *producer, *producer_version; /* "" if unknown                                   */
    size_t bytes;                            /* of the file                                    */
    size_t n_operations, n_constants;        /* of the graph                                   */
    size_t n_weights;                        /* values of all constants                        */
    size_t n_inputs, n_outputs, n_texts;
    const onnx_value *inputs, *outputs;
    const onnx_text *texts; /* ours: task, classes, preparation, proba, network, options, ... */
} onnx_info;

dlda_status onnx_info_read(const char *path, onnx_info **info);
void onnx_info_destroy(onnx_info *info);

#endif
