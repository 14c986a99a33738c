/* SPDX-License-Identifier: MIT
 *
 * export.h - the three parts of an exported model: preparation, network, head. Each goes on from a value of the graph.
 *
 * ONNX has images as [N][channels][height][width], deeplda as [N][height][width][channels]. Constants are brought into
 * ONNX's order when they are written, so that no value has to be turned around when the graph runs.
 */
#ifndef DLDA_ONNX_EXPORT_H
#define DLDA_ONNX_EXPORT_H

#include "model/model.h"
#include "onnx/graph.h"

/* Place in ONNX's order of value i of an image in deeplda's. */
static inline size_t dlda_onnx_place(dlda_shape shape, size_t i)
{
    size_t channel = i % shape.channels, pixel = i / shape.channels;

    return channel * shape.height * shape.width + pixel;
}

/* export_preparation.c: *value becomes the prepared images. */
dlda_status dlda_onnx_add_preparation(dlda_onnx_graph *graph, const dlda_model *model, const char **value);

/* export_network.c: *value becomes the features [N][D], in deeplda's order. */
dlda_status dlda_onnx_add_network(dlda_onnx_graph *graph, const dlda_model *model, const char **value);

/* export_head.c: from the features to the outputs "projection", "label" and "probabilities"; of a network trained with
 * cross entropy also "softmax". */
dlda_status dlda_onnx_add_head(dlda_onnx_graph *graph, const dlda_model *model, dlda_probability kind,
                               const char *features);

#endif
