/* SPDX-License-Identifier: MIT
 *
 * graph.c - builds an ONNX file from operations and constants, using the structures that protoc-c
 * generates from onnx.proto.
 */
#include "onnx/graph.h"
#include "base/file.h"
#include "base/memory.h"
#include "onnx.pb-c.h"

#include <stdio.h>
#include <string.h>

/* An allocation that belongs to a graph; all are released together. */
typedef struct block {
    void *memory;
    struct block *next;
} block;

struct dlda_onnx_graph {
    DldaOnnx__ModelProto model;
    DldaOnnx__GraphProto body;
    DldaOnnx__OperatorSetIdProto opset, *opsets[1];
    block *blocks;
    size_t n_made_up; /* generated names so far */
};

/* ---- Memory ---- */

static void *take(dlda_onnx_graph *self, size_t count, size_t size)
{
    block *owner = dlda_take_bytes(1, sizeof *owner, "ONNX graph");

    if (!owner) return NULL;
    owner->next = self->blocks;
    self->blocks = owner;
    owner->memory = dlda_take_bytes(count, size, "ONNX graph");
    return owner->memory;
}

/* DLDA_TAKE for memory that belongs to a graph. */
#define TAKE(graph, pointer, count)                                                                                \
    ((*(pointer) = take((graph), (count), sizeof **(pointer))) ? DLDA_OK : DLDA_E_MEMORY)

static dlda_status copy_text(dlda_onnx_graph *self, const char *text, char **copy)
{
    size_t size = strlen(text) + 1;
    dlda_status status = TAKE(self, copy, size);

    if (status == DLDA_OK) memcpy(*copy, text, size);
    return status;
}

/* Appends `item` to a list of *count pointers, whose capacity doubles when it is full. */
static dlda_status append(dlda_onnx_graph *self, void *list, size_t *count, void *item)
{
    dlda_status status = DLDA_OK;
    void **items = NULL, **larger = NULL;

    memcpy(&items, list, sizeof items);
    if ((*count & (*count - 1)) == 0) { /* 0 or a power of two */
        DLDA_TRY(TAKE(self, &larger, *count ? 2 * *count : 1));
        if (*count) memcpy(larger, items, *count * sizeof *items);
        memcpy(list, &larger, sizeof larger);
        items = larger;
    }
    items[(*count)++] = item;
done:
    return status;
}

dlda_status dlda_onnx_graph_create(const char *name, dlda_onnx_graph **graph)
{
    dlda_status status = DLDA_OK;
    dlda_onnx_graph *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "ONNX graph"));
    dlda_onnx__model_proto__init(&self->model);
    dlda_onnx__graph_proto__init(&self->body);
    dlda_onnx__operator_set_id_proto__init(&self->opset);
    DLDA_TRY(copy_text(self, name, &self->body.name));
    DLDA_TRY(copy_text(self, "", &self->opset.domain));
    DLDA_TRY(copy_text(self, "deeplda", &self->model.producer_name));
    DLDA_TRY(copy_text(self, DLDA_VERSION, &self->model.producer_version));
    self->opset.has_version = 1;
    self->opset.version = DLDA_ONNX_OPSET;
    self->opsets[0] = &self->opset;
    self->model.has_ir_version = 1;
    self->model.ir_version = DLDA_ONNX_IR;
    self->model.n_opset_import = 1;
    self->model.opset_import = self->opsets;
    self->model.graph = &self->body;
    *graph = self;
    self = NULL;
done:
    dlda_onnx_graph_destroy(self);
    return status;
}

void dlda_onnx_graph_destroy(dlda_onnx_graph *self)
{
    if (!self) return;
    while (self->blocks) {
        block *first = self->blocks;
        self->blocks = first->next;
        dlda_release(first->memory);
        dlda_release(first);
    }
    dlda_release(self);
}

/* ---- Operations ---- */

static dlda_status add_attribute(dlda_onnx_graph *self, DldaOnnx__NodeProto *node, const dlda_onnx_attribute *from)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__AttributeProto *attribute = NULL;

    DLDA_TRY(TAKE(self, &attribute, 1));
    dlda_onnx__attribute_proto__init(attribute);
    DLDA_TRY(copy_text(self, from->name, &attribute->name));
    attribute->has_type = 1;
    attribute->type = from->count ? DLDA_ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS
                                  : DLDA_ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT;
    if (from->count) {
        DLDA_TRY(TAKE(self, &attribute->ints, from->count));
        memcpy(attribute->ints, from->values, from->count * sizeof *from->values);
    } else {
        attribute->has_i = 1;
        attribute->i = from->values[0];
    }
    attribute->n_ints = from->count;
    DLDA_TRY(append(self, &node->attribute, &node->n_attribute, attribute));
done:
    return status;
}

/* The name of a node and its output: the given one, or a generated one such as "Conv_3". */
static dlda_status name_node(dlda_onnx_graph *self, const dlda_onnx_node *from, DldaOnnx__NodeProto *node)
{
    char made_up[64];

    snprintf(made_up, sizeof made_up, "%s_%zu", from->type, ++self->n_made_up);
    return copy_text(self, from->output ? from->output : made_up, &node->name);
}

dlda_status dlda_onnx_add(dlda_onnx_graph *self, const dlda_onnx_node *from, const char **value)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__NodeProto *node = NULL;
    char *input = NULL;

    DLDA_TRY(TAKE(self, &node, 1));
    dlda_onnx__node_proto__init(node);
    DLDA_TRY(name_node(self, from, node));
    DLDA_TRY(copy_text(self, from->type, &node->op_type));
    for (size_t i = 0; i < 3 && from->inputs[i]; i++) {
        DLDA_TRY(copy_text(self, from->inputs[i], &input));
        DLDA_TRY(append(self, &node->input, &node->n_input, input));
    }
    for (size_t i = 0; i < 3 && from->attributes[i].name; i++)
        DLDA_TRY(add_attribute(self, node, &from->attributes[i]));
    DLDA_TRY(append(self, &node->output, &node->n_output, node->name));
    DLDA_TRY(append(self, &self->body.node, &self->body.n_node, node));
    *value = node->name;
done:
    return status;
}

dlda_status dlda_onnx_apply(dlda_onnx_graph *self, const char *type, const char *a, const char *b,
                            const char **value)
{
    return dlda_onnx_add(self, &(dlda_onnx_node){ .type = type, .inputs = { a, b } }, value);
}

/* ---- Constants ---- */

static dlda_status add_tensor(dlda_onnx_graph *self, const char *name, int32_t type, size_t size,
                              const size_t dims[4], DldaOnnx__TensorProto **tensor)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__TensorProto *made = NULL;
    size_t elements = 1;

    DLDA_TRY(TAKE(self, &made, 1));
    dlda_onnx__tensor_proto__init(made);
    DLDA_TRY(copy_text(self, name, &made->name));
    DLDA_TRY(TAKE(self, &made->dims, 4));
    for (; made->n_dims < 4 && dims[made->n_dims]; made->n_dims++) {
        made->dims[made->n_dims] = (int64_t)dims[made->n_dims];
        DLDA_TRY(dlda_multiply_sizes(elements, dims[made->n_dims], name, &elements));
    }
    made->has_data_type = 1;
    made->data_type = type;
    made->has_raw_data = 1;
    made->raw_data.len = elements * size;
    made->raw_data.data = take(self, elements, size);
    if (!made->raw_data.data) DLDA_TRY(DLDA_E_MEMORY);
    DLDA_TRY(append(self, &self->body.initializer, &self->body.n_initializer, made));
    *tensor = made;
done:
    return status;
}

dlda_status dlda_onnx_floats(dlda_onnx_graph *self, const char *name, const size_t dims[4], float **values,
                             const char **value)
{
    DldaOnnx__TensorProto *tensor = NULL;
    dlda_status status = add_tensor(self, name, DLDA_ONNX_FLOAT, sizeof(float), dims, &tensor);

    if (status != DLDA_OK) return status;
    *values = (float *)tensor->raw_data.data;
    *value = tensor->name;
    return DLDA_OK;
}

dlda_status dlda_onnx_number(dlda_onnx_graph *self, const char *name, double number, const char **value)
{
    float *values = NULL;
    dlda_status status = dlda_onnx_floats(self, name, (const size_t[4]){ 0 }, &values, value);

    if (status == DLDA_OK) values[0] = (float)number;
    return status;
}

dlda_status dlda_onnx_list(dlda_onnx_graph *self, const char *name, size_t count, const int64_t *values,
                           const char **value)
{
    DldaOnnx__TensorProto *tensor = NULL;
    dlda_status status = add_tensor(self, name, DLDA_ONNX_INT64, sizeof *values, (const size_t[4]){ count },
                                    &tensor);

    if (status != DLDA_OK) return status;
    memcpy(tensor->raw_data.data, values, count * sizeof *values);
    *value = tensor->name;
    return DLDA_OK;
}

/* ---- Inputs, outputs, texts ---- */

static dlda_status add_dimension(dlda_onnx_graph *self, DldaOnnx__TensorShapeProto *shape, size_t size)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__TensorShapeProto__Dimension *dimension = NULL;

    DLDA_TRY(TAKE(self, &dimension, 1));
    dlda_onnx__tensor_shape_proto__dimension__init(dimension);
    if (size) {
        dimension->value_case = DLDA_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dimension->dim_value = (int64_t)size;
    } else {
        dimension->value_case = DLDA_ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
        DLDA_TRY(copy_text(self, "N", &dimension->dim_param));
    }
    DLDA_TRY(append(self, &shape->dim, &shape->n_dim, dimension));
done:
    return status;
}

static dlda_status make_type(dlda_onnx_graph *self, dlda_onnx_type type, const size_t dims[4],
                             DldaOnnx__TypeProto **made)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__TypeProto__Tensor *tensor = NULL;

    DLDA_TRY(TAKE(self, made, 1));
    dlda_onnx__type_proto__init(*made);
    DLDA_TRY(TAKE(self, &tensor, 1));
    dlda_onnx__type_proto__tensor__init(tensor);
    (*made)->value_case = DLDA_ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    (*made)->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = type;
    DLDA_TRY(TAKE(self, &tensor->shape, 1));
    dlda_onnx__tensor_shape_proto__init(tensor->shape);
    DLDA_TRY(add_dimension(self, tensor->shape, 0));
    for (size_t i = 0; i < 4 && dims[i]; i++) DLDA_TRY(add_dimension(self, tensor->shape, dims[i]));
done:
    return status;
}

static dlda_status make_value(dlda_onnx_graph *self, const char *name, dlda_onnx_type type, const size_t dims[4],
                              const char *help, DldaOnnx__ValueInfoProto **made)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(TAKE(self, made, 1));
    dlda_onnx__value_info_proto__init(*made);
    DLDA_TRY(copy_text(self, name, &(*made)->name));
    DLDA_TRY(copy_text(self, help, &(*made)->doc_string));
    DLDA_TRY(make_type(self, type, dims, &(*made)->type));
done:
    return status;
}

dlda_status dlda_onnx_input(dlda_onnx_graph *self, const char *name, const size_t dims[4], const char *help)
{
    DldaOnnx__ValueInfoProto *made = NULL;
    dlda_status status = make_value(self, name, DLDA_ONNX_FLOAT, dims, help, &made);

    return status == DLDA_OK ? append(self, &self->body.input, &self->body.n_input, made) : status;
}

dlda_status dlda_onnx_output(dlda_onnx_graph *self, const char *name, dlda_onnx_type type, const size_t dims[4],
                             const char *help)
{
    DldaOnnx__ValueInfoProto *made = NULL;
    dlda_status status = make_value(self, name, type, dims, help, &made);

    return status == DLDA_OK ? append(self, &self->body.output, &self->body.n_output, made) : status;
}

dlda_status dlda_onnx_note(dlda_onnx_graph *self, const char *key, const char *text)
{
    dlda_status status = DLDA_OK;
    DldaOnnx__StringStringEntryProto *entry = NULL;

    DLDA_TRY(TAKE(self, &entry, 1));
    dlda_onnx__string_string_entry_proto__init(entry);
    DLDA_TRY(copy_text(self, key, &entry->key));
    DLDA_TRY(copy_text(self, text, &entry->value));
    DLDA_TRY(append(self, &self->model.metadata_props, &self->model.n_metadata_props, entry));
done:
    return status;
}

/* ---- The file ---- */

/* protobuf-c delivers the bytes piece by piece. */
typedef struct file_buffer {
    ProtobufCBuffer base;
    dlda_file_writer *writer;
    dlda_status status; /* of the first failed write */
} file_buffer;

static void add_piece(ProtobufCBuffer *base, size_t size, const uint8_t *bytes)
{
    file_buffer *buffer = (file_buffer *)base;

    if (buffer->status == DLDA_OK) buffer->status = dlda_file_writer_add(buffer->writer, bytes, size);
}

dlda_status dlda_onnx_write(const dlda_onnx_graph *self, const char *path)
{
    dlda_status status = DLDA_OK;
    file_buffer buffer = { .base.append = add_piece };
    size_t size = dlda_onnx__model_proto__get_packed_size(&self->model);

    if (size > INT32_MAX)
        DLDA_FAIL(DLDA_E_SHAPE, "%s: %zu bytes, but an ONNX file has at most %d; a smaller network is needed", path,
                  size, INT32_MAX);
    DLDA_TRY(dlda_file_writer_open(path, &buffer.writer));
    dlda_onnx__model_proto__pack_to_buffer(&self->model, &buffer.base);
    DLDA_TRY(buffer.status);
    DLDA_TRY(dlda_file_writer_finish(buffer.writer));
done:
    dlda_file_writer_destroy(buffer.writer);
    return status;
}
