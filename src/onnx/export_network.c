/* SPDX-License-Identifier: MIT
 *
 * export_network.c - the layers of a network as ONNX operations, for inference.
 *
 * Batch norm is y = s x + t per channel. After a convolution or dense layer it is folded into the weights, s (W x +
 * b) + t = (s W) x + (s b + t); elsewhere it becomes separate operations. Dropout is omitted.
 */
#include "onnx/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct walk {
    dlda_onnx_graph *graph;
    const dlda_model *model;
    const char *x; /* current value                                          */
    int flat;      /* 1: x is [N][channels]; 0: [N][channels][height][width] */
} walk;

static dlda_status flatten(walk *self)
{
    if (self->flat) return DLDA_OK;
    self->flat = 1;
    return dlda_onnx_add(self->graph, &(dlda_onnx_node){ "Flatten", { self->x }, NULL, { { "axis", 0, { 1 } } } },
                         &self->x);
}

/* Reshapes the output of a dense layer to images of one pixel. */
static dlda_status unflatten(walk *self, const dlda_layer *layer)
{
    dlda_status status = DLDA_OK;
    const int64_t dims[] = { 0, -1, 1, 1 }; /* 0: unchanged; -1: the rest */
    char name[64];
    const char *shape = NULL;

    if (!self->flat) return DLDA_OK;
    snprintf(name, sizeof name, "line.%zu.shape", layer->line);
    DLDA_TRY(dlda_onnx_list(self->graph, name, 4, dims, &shape));
    DLDA_TRY(dlda_onnx_apply(self->graph, "Reshape", self->x, shape, &self->x));
    self->flat = 0;
done:
    return status;
}

/* ---- Weights ---- */

/* s and t of a batch norm channel; 1 and 0 if there is none. */
static void norm_of(const dlda_model *model, const dlda_layer *norm, size_t c, double *s, double *t)
{
    *s = 1;
    *t = 0;
    if (!norm) return;
    double variance = model->state[norm->variance.offset + c], mean = model->state[norm->mean.offset + c];
    *s = model->weights[norm->scale.offset + c] / sqrt(variance + DLDA_NORM_EPSILON);
    *t = model->weights[norm->shift.offset + c] - mean * *s;
}

/* Name of a layer's constant: "layers.0.conv.weight" with the last component replaced. */
static void name_constant(const dlda_parameter *parameter, const char *what, char name[64])
{
    const char *point = strrchr(parameter->name, '.');

    snprintf(name, 64, "%.*s.%s", (int)(point - parameter->name), parameter->name, what);
}

/* Converts [kernel][kernel][channels][filters] to [filters][channels][kernel][kernel]. */
static dlda_status add_filters(const walk *self, const dlda_layer *layer, const dlda_layer *norm,
                               const char **value)
{
    const dlda_conv *conv = &layer->conv;
    size_t K = conv->kernel * conv->kernel, C = conv->channels, F = conv->filters;
    const float *W = self->model->weights + layer->weight.offset;
    const size_t dims[4] = { F, C, conv->kernel, conv->kernel };
    float *to = NULL;
    double s = 1, t = 0;
    dlda_status status = dlda_onnx_floats(self->graph, layer->weight.name, dims, &to, value);

    for (size_t f = 0; status == DLDA_OK && f < F; f++) {
        norm_of(self->model, norm, f, &s, &t);
        for (size_t c = 0; c < C; c++)
            for (size_t k = 0; k < K; k++) to[(f * C + c) * K + k] = (float)(s * W[(k * C + c) * F + f]);
    }
    return status;
}

/* The matrix [inputs][filters] of a dense layer, with the inputs in ONNX order. */
static dlda_status add_matrix(const walk *self, const dlda_layer *layer, const dlda_layer *norm, const char **value)
{
    size_t inputs = layer->conv.channels, F = layer->conv.filters;
    const float *W = self->model->weights + layer->weight.offset;
    float *to = NULL;
    double s = 1, t = 0;
    dlda_status status = dlda_onnx_floats(self->graph, layer->weight.name, (const size_t[4]){ inputs, F }, &to,
                                          value);

    for (size_t f = 0; status == DLDA_OK && f < F; f++) {
        norm_of(self->model, norm, f, &s, &t);
        for (size_t i = 0; i < inputs; i++) to[dlda_onnx_place(layer->in, i) * F + f] = (float)(s * W[i * F + f]);
    }
    return status;
}

/* *value is NULL if there is neither a bias nor a norm. */
static dlda_status add_bias(const walk *self, const dlda_layer *layer, const dlda_layer *norm, const char **value)
{
    size_t F = layer->conv.filters;
    const float *bias = layer->bias.count ? self->model->weights + layer->bias.offset : NULL;
    float *to = NULL;
    double s = 1, t = 0;
    char name[64];

    if (!bias && !norm) return DLDA_OK;
    name_constant(&layer->weight, "bias", name);
    dlda_status status = dlda_onnx_floats(self->graph, name, (const size_t[4]){ F }, &to, value);
    for (size_t f = 0; status == DLDA_OK && f < F; f++) {
        norm_of(self->model, norm, f, &s, &t);
        to[f] = (float)((bias ? s * bias[f] : 0) + t);
    }
    return status;
}

/* ---- Layers ---- */

static dlda_status add_dense(walk *self, const dlda_layer *layer, const dlda_layer *norm)
{
    dlda_status status = DLDA_OK;
    const char *weight = NULL, *bias = NULL;

    DLDA_TRY(flatten(self));
    DLDA_TRY(add_matrix(self, layer, norm, &weight));
    DLDA_TRY(add_bias(self, layer, norm, &bias));
    DLDA_TRY(dlda_onnx_add(self->graph, &(dlda_onnx_node){ .type = "Gemm", .inputs = { self->x, weight, bias } },
                           &self->x));
done:
    return status;
}

static dlda_status add_conv(walk *self, const dlda_layer *layer, const dlda_layer *norm)
{
    dlda_status status = DLDA_OK;
    const int64_t K = (int64_t)layer->conv.kernel, P = (int64_t)layer->conv.pad, S = (int64_t)layer->conv.stride;
    const char *weight = NULL, *bias = NULL;

    DLDA_TRY(unflatten(self, layer));
    DLDA_TRY(add_filters(self, layer, norm, &weight));
    DLDA_TRY(add_bias(self, layer, norm, &bias));
    DLDA_TRY(dlda_onnx_add(
        self->graph,
        &(dlda_onnx_node){
            "Conv",
            { self->x, weight, bias },
            NULL,
            { { "kernel_shape", 2, { K, K } }, { "pads", 4, { P, P, P, P } }, { "strides", 2, { S, S } } } },
        &self->x));
done:
    return status;
}

/* Batch norm that cannot be folded into a layer before it. */
static dlda_status add_norm(walk *self, const dlda_layer *layer)
{
    dlda_status status = DLDA_OK;
    size_t C = layer->in.channels;
    const size_t image_dims[4] = { 1, C, 1, 1 }, flat_dims[4] = { C };
    const size_t *dims = self->flat ? flat_dims : image_dims;
    const char *scale = NULL, *shift = NULL;
    float *s = NULL, *t = NULL;
    double one_s = 1, one_t = 0;

    DLDA_TRY(dlda_onnx_floats(self->graph, layer->scale.name, dims, &s, &scale));
    DLDA_TRY(dlda_onnx_floats(self->graph, layer->shift.name, dims, &t, &shift));
    for (size_t c = 0; c < C; c++) {
        norm_of(self->model, layer, c, &one_s, &one_t);
        s[c] = (float)one_s;
        t[c] = (float)one_t;
    }
    DLDA_TRY(dlda_onnx_apply(self->graph, "Mul", self->x, scale, &self->x));
    DLDA_TRY(dlda_onnx_apply(self->graph, "Add", self->x, shift, &self->x));
done:
    return status;
}

/* Incomplete windows are dropped, which is ONNX's default too. */
static dlda_status add_pool(walk *self, const dlda_layer *layer)
{
    dlda_status status = DLDA_OK;
    const int64_t K = (int64_t)layer->pool.size, S = (int64_t)layer->pool.stride;

    DLDA_TRY(unflatten(self, layer));
    DLDA_TRY(dlda_onnx_add(
        self->graph,
        &(dlda_onnx_node){
            "MaxPool", { self->x }, NULL, { { "kernel_shape", 2, { K, K } }, { "strides", 2, { S, S } } } },
        &self->x));
done:
    return status;
}

static dlda_status add_layer(walk *self, const dlda_layer *layer, const dlda_layer *norm)
{
    switch (layer->kind) {
    case DLDA_CONV_LAYER:
        return layer->weight.rank == 2 ? add_dense(self, layer, norm) : add_conv(self, layer, norm);
    case DLDA_NORM_LAYER: return add_norm(self, layer);
    case DLDA_RELU_LAYER: return dlda_onnx_apply(self->graph, "Relu", self->x, NULL, &self->x);
    case DLDA_POOL_LAYER: return add_pool(self, layer);
    case DLDA_GAP_LAYER:
        if (self->flat) return DLDA_OK; /* mean of a single pixel */
        return dlda_onnx_apply(self->graph, "GlobalAveragePool", self->x, NULL, &self->x);
    case DLDA_DROPOUT_LAYER: break;
    }
    return DLDA_OK;
}

/* Reorders features of more than one pixel to deeplda order, which the head uses. */
static dlda_status order_features(walk *self)
{
    dlda_shape out = self->model->network->output;

    if (out.height * out.width == 1 || out.channels == 1) return DLDA_OK;
    return dlda_onnx_add(self->graph,
                         &(dlda_onnx_node){ "Transpose", { self->x }, NULL, { { "perm", 4, { 0, 2, 3, 1 } } } },
                         &self->x);
}

dlda_status dlda_onnx_add_network(dlda_onnx_graph *graph, const dlda_model *model, const char **value)
{
    dlda_status status = DLDA_OK;
    const dlda_network *network = model->network;
    walk self = { .graph = graph, .model = model, .x = *value };

    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i], *next = i + 1 < network->n_layers ? layer + 1 : NULL;
        int folds = layer->kind == DLDA_CONV_LAYER && next && next->kind == DLDA_NORM_LAYER;
        DLDA_TRY(add_layer(&self, layer, folds ? next : NULL));
        i += (size_t)folds;
    }
    DLDA_TRY(order_features(&self));
    DLDA_TRY(flatten(&self));
    *value = self.x;
done:
    return status;
}
