/* SPDX-License-Identifier: MIT
 *
 * export.c - exports a model as an ONNX file (docs/onnx.md): images in, classes and probabilities out.
 */
#include "onnx/export.h"
#include "base/memory.h"
#include "model/class_names.h"

#include <stdlib.h>

static dlda_status add_notes(dlda_onnx_graph *graph, const dlda_model *model, dlda_probability kind,
                             const char *names)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(dlda_onnx_note(graph, "task", "image classification"));
    DLDA_TRY(dlda_onnx_note(graph, "classes", names));
    DLDA_TRY(dlda_onnx_note(graph, "layout", "NCHW"));
    DLDA_TRY(dlda_onnx_note(graph, "input", "bytes / 255, or the values that the model was trained with"));
    DLDA_TRY(dlda_onnx_note(graph, "preparation", dlda_model_preparation(model)));
    DLDA_TRY(dlda_onnx_note(graph, "head", kind == DLDA_PROBABILITY_SOFTMAX ? "softmax" : "lda"));
    DLDA_TRY(dlda_onnx_note(graph, "proba",
                            kind == DLDA_PROBABILITY_SOFTMAX ? "softmax"
                            : kind == DLDA_PROBABILITY_BAYES ? "bayes"
                                                             : "paper"));
    DLDA_TRY(dlda_onnx_note(graph, "network", model->network->text));
    DLDA_TRY(dlda_onnx_note(graph, "options", model->options));
done:
    return status;
}

static dlda_status add_input(dlda_onnx_graph *graph, const dlda_model *model)
{
    dlda_shape in = model->network->input;

    return dlda_onnx_input(graph, "images", (const size_t[4]){ in.channels, in.height, in.width },
                           "images as channels, height, width; bytes are divided by 255 beforehand");
}

dlda_status dlda_model_export_onnx(const dlda_model *model, dlda_probability kind, const char *path)
{
    DLDA_NEED(model, path);
    dlda_status status = DLDA_OK;
    dlda_onnx_graph *graph = NULL;
    const char *value = "images";
    char *names = NULL;

    if (!model->lda) DLDA_FAIL(DLDA_E_ARGUMENT, "%s: the model has no head yet", path);
    if (kind == DLDA_PROBABILITY_SOFTMAX) DLDA_TRY(dlda_model_require_softmax(model));
    else if (kind != DLDA_PROBABILITY_PAPER && kind != DLDA_PROBABILITY_BAYES)
        DLDA_FAIL(DLDA_E_ARGUMENT, "%s: unknown kind of probability %d", path, (int)kind);
    DLDA_TRY(dlda_names_to_json((const char *const *)model->class_names, model->classes, path, &names));
    DLDA_TRY(dlda_onnx_graph_create("deeplda", &graph));
    DLDA_TRY(add_input(graph, model));
    DLDA_TRY(dlda_onnx_add_preparation(graph, model, &value));
    DLDA_TRY(dlda_onnx_add_network(graph, model, &value));
    DLDA_TRY(dlda_onnx_add_head(graph, model, kind, value));
    DLDA_TRY(add_notes(graph, model, kind, names));
    DLDA_TRY(dlda_onnx_write(graph, path));
done:
    dlda_release(names);
    dlda_onnx_graph_destroy(graph);
    return status;
}
