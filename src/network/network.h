/* SPDX-License-Identifier: MIT
 *
 * network.h - what a network is (layers and shapes, from text), and a plan to run it.
 *
 * A network is const and holds no weights: all trainable weights lie in one block, all batch norm statistics
 * (the state) in another, and a layer knows its places in them. A plan has the memory to run a network on batches
 * up to some size; running takes none. A network never sees a label.
 */
#ifndef DLDA_NETWORK_NETWORK_H
#define DLDA_NETWORK_NETWORK_H

#include "base/options.h"
#include "kernels/kernels.h"

/* Added to the variances of batch norm. */
#define DLDA_NORM_EPSILON 1e-4

typedef struct dlda_shape {
    size_t height, width, channels;
} dlda_shape;

typedef enum dlda_layer_kind {
    DLDA_CONV_LAYER, /* also dense: a 1x1 convolution on 1x1 images */
    DLDA_NORM_LAYER,
    DLDA_RELU_LAYER,
    DLDA_POOL_LAYER,
    DLDA_DROPOUT_LAYER,
    DLDA_GAP_LAYER
} dlda_layer_kind;

typedef struct dlda_pool {
    size_t size, stride;
} dlda_pool;

/* Part of the weights or of the state, with the name and shape it has in model files. */
typedef struct dlda_parameter {
    char name[48];
    size_t rank, shape[4];
    size_t offset, count; /* in floats; count 0: the layer has none */
} dlda_parameter;

typedef struct dlda_layer {
    dlda_layer_kind kind;
    size_t line;                   /* of the text that it comes from             */
    dlda_shape in, out;            /* of one image                               */
    dlda_conv conv;                /* convolution                                */
    dlda_pool pool;                /* maximum pooling                            */
    double rate;                   /* dropout                                    */
    dlda_parameter weight, bias;   /* convolution, in the weights                */
    dlda_parameter scale, shift;   /* batch norm, in the weights                 */
    dlda_parameter mean, variance; /* batch norm, in the state                   */
} dlda_layer;

typedef struct dlda_network {
    char *text; /* that it was read from, with an input line */
    dlda_shape input, output;
    size_t n_layers;
    dlda_layer *layers;
    size_t n_weights, n_state; /* floats */
    size_t features;           /* values of the output per image */
} dlda_network;

/* net_text.c: reads a network from text; `where` names it in errors. `input` is the shape of the data; all zero:
 * as the text's input line says. docs/network_format.md has the grammar. */
dlda_status dlda_network_parse(const char *text, const char *where, dlda_shape input, dlda_network **network);
void dlda_network_destroy(dlda_network *network);

size_t dlda_shape_size(dlda_shape shape);

/* builtin.c: the text of a network that is part of the library, NULL if there is none of that name. */
/* For messages: the name itself, or "network" if it is a text. */
const char *dlda_network_text_name(const char *name);
const char *dlda_network_builtin(const char *name);

/* He-normal weights, no bias; batch norm at identity. */
void dlda_network_initialise(const dlda_network *network, uint64_t seed, float *weights, float *state);

/* Calls visit for each parameter of the weights (in_state 0) and of the state (1), in order of the layers. */
typedef dlda_status dlda_parameter_visitor(void *context, const dlda_parameter *parameter, int in_state);
dlda_status dlda_network_visit(const dlda_network *network, dlda_parameter_visitor *visit, void *context);

/* ---- Running ---- */

typedef struct dlda_plan_spec {
    size_t batch;    /* most images at once                  */
    dlda_team *team; /* that runs it; NULL: the caller alone */
    int training;    /* 0: memory for inference alone        */
    dlda_kernels kernels;
} dlda_plan_spec;

typedef struct dlda_plan dlda_plan;

/* The network and the team must outlive the plan. */
dlda_status dlda_plan_create(const dlda_network *network, const dlda_plan_spec *spec, dlda_plan **plan);
void dlda_plan_destroy(dlda_plan *plan);
/* Bytes that a plan takes, without making it. */
dlda_status dlda_plan_measure(const dlda_network *network, const dlda_plan_spec *spec, size_t *bytes);

/* Brings weights into the form that an inference plan computes with; dlda_plan_infer with these very weights, unchanged,
 * is then faster, most of all for few images. */
void dlda_plan_prepare(dlda_plan *plan, const float *weights);

/* Features [n][features] of images X [n][input], n <= batch, with the stored statistics. The result stays valid
 * until the plan runs again, in either direction. */
const float *dlda_plan_infer(dlda_plan *plan, const float *weights, const float *state, const float *X, size_t n);

/* Which random numbers a training step draws. */
typedef struct dlda_step {
    uint64_t seed;
    size_t epoch, step;    /* step: how many steps were done before, in all epochs */
    const size_t *samples; /* [n] identities of the images                         */
} dlda_step;

/* The same for training: batch norm takes the batch's own statistics and adds them to the running ones in the
 * state; dropout drops. */
const float *dlda_plan_forward(dlda_plan *plan, const float *weights, float *state, const float *X, size_t n,
                               const dlda_step *step);
/* Gradient [n_weights] of the weights, given dH [n][features], the gradient of what the latest dlda_plan_forward
 * returned; X, weights and step must still be those. */
void dlda_plan_backward(dlda_plan *plan, const float *weights, const float *dH, float *gradient);

#endif
