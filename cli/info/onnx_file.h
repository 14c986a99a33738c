/* SPDX-License-Identifier: MIT
 *
 * onnx_file.h - reads the description in an ONNX file.
 */
#ifndef DEEPLDA_CLI_ONNX_FILE_H
#define DEEPLDA_CLI_ONNX_FILE_H

#include "base/status.h"

/* An input or output of an ONNX file. */
typedef struct onnx_value {
    const char *name, *type, *help; /* type: "float32", "int64", ...; help may be "" */
    size_t rank;
    const char *const *dims; /* [rank]: numbers, or names of variable ones: "N", "1", "28", "28" */
} onnx_value;

typedef struct onnx_text {
    const char *key, *value;
} onnx_text;

/* The description in an ONNX file, exported by deeplda or another program. */
typedef struct onnx_info {
    int64_t ir_version, opset;               /* opset 0: no operators of ONNX itself */
    const char *producer, *producer_version; /* "" if unknown                        */
    size_t bytes;                            /* of the file                          */
    size_t n_operations, n_constants;        /* of the graph                         */
    size_t n_weights;                        /* values of all constants              */
    size_t n_inputs, n_outputs, n_texts;
    const onnx_value *inputs, *outputs;
    const onnx_text *texts; /* exported by deeplda: task, classes, preparation, proba, network, options, ... */
} onnx_info;

dlda_status onnx_info_read(const char *path, onnx_info **info);
void onnx_info_destroy(onnx_info *info);

#endif
