/* SPDX-License-Identifier: MIT
 *
 * export.h - the three parts of an exported model: preparation, network, head. Each continues
 * from a value of the graph.
 *
 * ONNX images are [N][channels][height][width], deeplda's are [N][height][width][channels]. Constants are reordered
 * when they are written, so that the graph needs no transposition.
 */
#ifndef DLDA_ONNX_EXPORT_H
#define DLDA_ONNX_EXPORT_H

#include "model/model.h"
#include "onnx/graph.h"

/* Index in ONNX order of value i of an image in deeplda order. */
static inline size_t dlda_onnx_place(dlda_shape shape, size_t i)
{
    size_t channel = i % shape.channels, pixel = i / shape.channels;

    return channel * shape.height * shape.width + pixel;
}

/* export_preparation.c: *value becomes the prepared images. */
dlda_status dlda_onnx_add_preparation(dlda_onnx_graph *graph, const dlda_model *model, const char **value);

/* export_network.c: *value becomes the features [N][D], in deeplda order. */
dlda_status dlda_onnx_add_network(dlda_onnx_graph *graph, const dlda_model *model, const char **value);

/* export_head.c: adds the outputs "projection", "label" and "probabilities"; for a network trained with
 * cross entropy also "softmax". */
dlda_status dlda_onnx_add_head(dlda_onnx_graph *graph, const dlda_model *model, dlda_probability kind,
                               const char *features);

#endif
