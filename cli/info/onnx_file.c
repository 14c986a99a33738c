/* SPDX-License-Identifier: MIT
 *
 * onnx_file.c - reads an ONNX file with protobuf-c, which refuses truncated and invalid files.
 */
#include "info/onnx_file.h"
#include "base/file.h"
#include "base/memory.h"
#include "onnx.pb-c.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The public struct is the first member, so that a pointer to it converts to the whole. */
typedef struct info_file {
    onnx_info info;
    DldaOnnx__ModelProto *model; /* owns the texts */
    onnx_value *inputs, *outputs;
    onnx_text *texts;
    const char **dims; /* of all inputs and outputs */
    char (*numbers)[24];
    size_t n_dims;
} info_file;

/* ---- Reading ---- */

/* A node takes two bytes in a file and a hundred times as much in memory, so the parts of a file are counted. A model of
 * deeplda has some hundred, networks of others have some ten thousand. Numbers and unknown fields are no parts, but a
 * byte of them may take 40 bytes: a model takes as much memory as its file, which is mostly weights, and a little more. */
enum { MOST_PARTS = 1 << 18, MOST_BEYOND_FILE = 1 << 26 };

typedef struct parts {
    size_t count;
    size_t room; /* bytes that may still be taken */
    int no_memory, too_large;
} parts;

static void *take_for_protobuf(void *context, size_t size)
{
    parts *self = context;

    if (++self->count > MOST_PARTS || size > self->room) {
        self->too_large = 1;
        return NULL;
    }
    self->room -= size;
    void *memory = dlda_take_bytes(1, size, "ONNX file");
    if (!memory) self->no_memory = 1;
    return memory;
}

static void release_of_protobuf(void *context, void *memory)
{
    (void)context;
    dlda_release(memory);
}

static dlda_status unpack(const char *path, DldaOnnx__ModelProto **model, size_t *bytes)
{
    dlda_status status = DLDA_OK;
    parts taken = { 0 };
    ProtobufCAllocator allocator = { take_for_protobuf, release_of_protobuf, &taken };
    char *content = NULL;

    DLDA_TRY(dlda_file_read(path, INT32_MAX, &content, bytes)); /* protobuf's own limit */
    taken.room = *bytes + MOST_BEYOND_FILE;
    *model = dlda_onnx__model_proto__unpack(&allocator, *bytes, (const uint8_t *)content);
    if (taken.no_memory) DLDA_TRY(DLDA_E_MEMORY);
    if (taken.count > MOST_PARTS)
        DLDA_FAIL(DLDA_E_FORMAT, "%s: an ONNX file of more than %d parts, expected a model", path, MOST_PARTS);
    if (taken.too_large)
        DLDA_FAIL(DLDA_E_FORMAT,
                  "%s: an ONNX file that takes more than %zu bytes of memory, expected a model, mostly weights",
                  path, *bytes + MOST_BEYOND_FILE);
    if (!*model) DLDA_FAIL(DLDA_E_FORMAT, "%s: not an ONNX file, or a damaged one", path);
    const char *lack = !(*model)->has_ir_version   ? "version"
                       : !(*model)->graph          ? "graph"
                       : !(*model)->n_opset_import ? "operator set"
                                                   : NULL;
    if (lack) DLDA_FAIL(DLDA_E_FORMAT, "%s: not an ONNX file, or a damaged one: it has no %s", path, lack);
done:
    dlda_release(content);
    return status;
}

/* ---- Inputs and outputs ---- */

static const char *type_name(int32_t type)
{
    static const char *const names[] = { "undefined", "float32", "uint8",  "int8",    "uint16",  "int16",
                                         "int32",     "int64",   "string", "boolean", "float16", "float64" };

    return type >= 0 && (size_t)type < sizeof names / sizeof names[0] ? names[type] : "other";
}

static const char *text_or_nothing(const char *text)
{
    return text ? text : "";
}

static const DldaOnnx__TypeProto__Tensor *tensor_of(const DldaOnnx__ValueInfoProto *value)
{
    int is_tensor = value->type && value->type->value_case == DLDA_ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;

    return is_tensor ? value->type->tensor_type : NULL;
}

static size_t count_dims(DldaOnnx__ValueInfoProto *const *values, size_t count)
{
    size_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        const DldaOnnx__TypeProto__Tensor *tensor = tensor_of(values[i]);
        if (tensor && tensor->shape) sum += tensor->shape->n_dim;
    }
    return sum;
}

/* A dimension as text: its number, its name, or "?". */
static const char *show_dim(const DldaOnnx__TensorShapeProto__Dimension *dim, char number[24])
{
    snprintf(number, 24, "?");
    if (dim->value_case == DLDA_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM) return dim->dim_param;
    if (dim->value_case == DLDA_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
        snprintf(number, 24, "%" PRId64, dim->dim_value);
    return number;
}

static void show_values(info_file *self, DldaOnnx__ValueInfoProto *const *from, size_t count, onnx_value *to)
{
    for (size_t i = 0; i < count; i++) {
        const DldaOnnx__TypeProto__Tensor *tensor = tensor_of(from[i]);
        to[i] = (onnx_value){ .name = text_or_nothing(from[i]->name),
                              .type = tensor ? type_name(tensor->elem_type) : "other",
                              .help = text_or_nothing(from[i]->doc_string),
                              .rank = tensor && tensor->shape ? tensor->shape->n_dim : 0,
                              .dims = self->dims + self->n_dims };
        for (size_t j = 0; j < to[i].rank; j++, self->n_dims++)
            self->dims[self->n_dims] = show_dim(tensor->shape->dim[j], self->numbers[self->n_dims]);
    }
}

/* ---- The whole file ---- */

static dlda_status take_lists(info_file *self)
{
    dlda_status status = DLDA_OK;
    const DldaOnnx__GraphProto *graph = self->model->graph;
    size_t dims = count_dims(graph->input, graph->n_input) + count_dims(graph->output, graph->n_output);

    DLDA_TRY(DLDA_TAKE(&self->inputs, graph->n_input, "ONNX file"));
    DLDA_TRY(DLDA_TAKE(&self->outputs, graph->n_output, "ONNX file"));
    DLDA_TRY(DLDA_TAKE(&self->texts, self->model->n_metadata_props, "ONNX file"));
    DLDA_TRY(DLDA_TAKE(&self->dims, dims, "ONNX file"));
    DLDA_TRY(DLDA_TAKE(&self->numbers, dims, "ONNX file"));
done:
    return status;
}

/* ONNX's own operators have the domain "", which may be omitted. */
static int64_t find_opset(const DldaOnnx__ModelProto *model)
{
    for (size_t i = 0; i < model->n_opset_import; i++)
        if (!text_or_nothing(model->opset_import[i]->domain)[0]) return model->opset_import[i]->version;
    return 0;
}

static size_t count_weights(const DldaOnnx__GraphProto *graph)
{
    size_t sum = 0;

    for (size_t i = 0; i < graph->n_initializer; i++) {
        const DldaOnnx__TensorProto *tensor = graph->initializer[i];
        size_t product = 1;
        for (size_t j = 0; j < tensor->n_dims; j++) product *= tensor->dims[j] > 0 ? (size_t)tensor->dims[j] : 0;
        sum += product;
    }
    return sum;
}

static void show_model(info_file *self, size_t bytes)
{
    const DldaOnnx__ModelProto *model = self->model;
    const DldaOnnx__GraphProto *graph = model->graph;

    show_values(self, graph->input, graph->n_input, self->inputs);
    show_values(self, graph->output, graph->n_output, self->outputs);
    for (size_t i = 0; i < model->n_metadata_props; i++)
        self->texts[i] = (onnx_text){ text_or_nothing(model->metadata_props[i]->key),
                                      text_or_nothing(model->metadata_props[i]->value) };
    self->info = (onnx_info){ .ir_version = model->ir_version,
                              .opset = find_opset(model),
                              .producer = text_or_nothing(model->producer_name),
                              .producer_version = text_or_nothing(model->producer_version),
                              .bytes = bytes,
                              .n_operations = graph->n_node,
                              .n_constants = graph->n_initializer,
                              .n_weights = count_weights(graph),
                              .n_inputs = graph->n_input,
                              .n_outputs = graph->n_output,
                              .n_texts = model->n_metadata_props,
                              .inputs = self->inputs,
                              .outputs = self->outputs,
                              .texts = self->texts };
}

dlda_status onnx_info_read(const char *path, onnx_info **info)
{
    DLDA_NEED(path, info);
    dlda_status status = DLDA_OK;
    info_file *self = NULL;
    size_t bytes = 0;

    DLDA_TRY(DLDA_TAKE(&self, 1, "ONNX file"));
    DLDA_TRY(unpack(path, &self->model, &bytes));
    DLDA_TRY(take_lists(self));
    show_model(self, bytes);
    *info = &self->info;
    self = NULL;
done:
    if (self) onnx_info_destroy(&self->info);
    return status;
}

void onnx_info_destroy(onnx_info *info)
{
    info_file *self = (info_file *)info;
    parts taken = { 0 };
    ProtobufCAllocator allocator = { take_for_protobuf, release_of_protobuf, &taken };

    if (!self) return;
    if (self->model) dlda_onnx__model_proto__free_unpacked(self->model, &allocator);
    dlda_release(self->inputs);
    dlda_release(self->outputs);
    dlda_release(self->texts);
    dlda_release(self->dims);
    dlda_release(self->numbers);
    dlda_release(self);
}
