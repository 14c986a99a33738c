/* SPDX-License-Identifier: MIT
 *
 * graph.h - builds an ONNX graph: operations, constants, outputs, texts; then writes it as one file.
 *
 * Values are identified by name. An operation takes names and returns the name of its output. All names and arrays
 * belong to the graph. docs/onnx.md describes deeplda's graphs.
 */
#ifndef DLDA_ONNX_GRAPH_H
#define DLDA_ONNX_GRAPH_H

#include "base/status.h"

/* Opset 13 is the first with all operations used here in their current form; IR version 7 is its file format. */
enum { DLDA_ONNX_OPSET = 13, DLDA_ONNX_IR = 7 };

typedef struct dlda_onnx_graph dlda_onnx_graph;

dlda_status dlda_onnx_graph_create(const char *name, dlda_onnx_graph **graph);
void dlda_onnx_graph_destroy(dlda_onnx_graph *graph);

/* ---- Operations ---- */

/* A whole number, or a list of `count` of them. */
typedef struct dlda_onnx_attribute {
    const char *name; /* NULL: none        */
    size_t count;     /* 0: a single value */
    int64_t values[4];
} dlda_onnx_attribute;

typedef struct dlda_onnx_node {
    const char *type;      /* operation type: "Conv"               */
    const char *inputs[3]; /* names of values; NULL after the last */
    const char *output;    /* its name; NULL: generated            */
    dlda_onnx_attribute attributes[3];
} dlda_onnx_node;

/* Adds an operation and returns the name of its output. */
dlda_status dlda_onnx_add(dlda_onnx_graph *graph, const dlda_onnx_node *node, const char **value);
/* The same for an operation on one or two values without attributes; b may be NULL. */
dlda_status dlda_onnx_apply(dlda_onnx_graph *graph, const char *type, const char *a, const char *b,
                            const char **value);

/* ---- Constants ---- */

/* Adds an array [dims] of floats, zero until the caller fills it. `dims` ends with 0; if
 * empty, the array is a scalar. */
dlda_status dlda_onnx_floats(dlda_onnx_graph *graph, const char *name, const size_t dims[4], float **values,
                             const char **value);
dlda_status dlda_onnx_number(dlda_onnx_graph *graph, const char *name, double number, const char **value);
/* Adds a list of whole numbers. */
dlda_status dlda_onnx_list(dlda_onnx_graph *graph, const char *name, size_t count, const int64_t *values,
                           const char **value);

/* ---- Inputs, outputs, texts ---- */

typedef enum dlda_onnx_type { DLDA_ONNX_FLOAT = 1, DLDA_ONNX_INT64 = 7 } dlda_onnx_type;

/* Shape [N][dims], with variable N; `dims` ends with 0. */
dlda_status dlda_onnx_input(dlda_onnx_graph *graph, const char *name, const size_t dims[4], const char *help);
dlda_status dlda_onnx_output(dlda_onnx_graph *graph, const char *name, dlda_onnx_type type, const size_t dims[4],
                             const char *help);
dlda_status dlda_onnx_note(dlda_onnx_graph *graph, const char *key, const char *text);

/* Writes the file atomically. DLDA_E_SHAPE if it would exceed the size limit of the format. */
dlda_status dlda_onnx_write(const dlda_onnx_graph *graph, const char *path);

#endif
