/* SPDX-License-Identifier: MIT
 *
 * network.h - a network (layers and shapes, parsed from text), and a plan to execute it.
 *
 * A network is const and holds no weights. All trainable weights lie in one block, all batch norm statistics (the
 * state) in another; a layer knows its offsets in them. A plan owns the memory to execute a network on batches up
 * to a fixed size; executing it allocates nothing. A network never sees a label.
 */
#ifndef DLDA_NETWORK_NETWORK_H
#define DLDA_NETWORK_NETWORK_H

#include "base/comm.h"
#include "base/options.h"
#include "kernels/kernels.h"

/* Added to the variance in batch norm. */
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

/* A part of the weights or of the state, with its name and shape in model files. */
typedef struct dlda_parameter {
    char name[48];
    size_t rank, shape[4];
    size_t offset, count; /* in floats; count 0: the layer has no such parameter */
} dlda_parameter;

typedef struct dlda_layer {
    dlda_layer_kind kind;
    size_t line;                   /* line number in the network text */
    dlda_shape in, out;            /* for one image                   */
    dlda_conv conv;                /* convolution                     */
    dlda_pool pool;                /* maximum pooling                 */
    double rate;                   /* dropout                         */
    dlda_parameter weight, bias;   /* convolution, in the weights     */
    dlda_parameter scale, shift;   /* batch norm, in the weights      */
    dlda_parameter mean, variance; /* batch norm, in the state        */
} dlda_layer;

typedef struct dlda_network {
    char *text; /* network text, with an input line, without `classes` and `from` */
    dlda_shape input, output;
    size_t n_layers;
    dlda_layer *layers;
    size_t n_weights, n_state; /* floats */
    size_t features;           /* output values per image */
} dlda_network;

/* The number of classes for which a network is described or timed without data. */
enum { DLDA_EXAMPLE_CLASSES = 10 };

/* net_text.c: parses a network; `where` names the text in errors. `input` is the shape of the data; all zero: taken
 * from the text's input line. `classes` is what the word `classes` stands for; 0: not known, so that it is an error.
 * Grammar: docs/network_format.md. */
dlda_status dlda_network_parse(const char *text, const char *where, dlda_shape input, size_t classes,
                               dlda_network **network);
void dlda_network_destroy(dlda_network *network);

size_t dlda_shape_size(dlda_shape shape);

/* builtin.c: the text of a built-in network, NULL if there is none of that name. */
/* For messages: the name itself, or "network" if it is a literal text. */
const char *dlda_network_text_name(const char *name);
const char *dlda_network_builtin(const char *name);

/* Initialises weights He-normal, biases zero, batch norm as identity. */
void dlda_network_initialise(const dlda_network *network, uint64_t seed, float *weights, float *state);

/* Calls visit for each parameter of the weights (in_state 0) and of the state (1), in layer order. */
typedef dlda_status dlda_parameter_visitor(void *context, const dlda_parameter *parameter, int in_state);
dlda_status dlda_network_visit(const dlda_network *network, dlda_parameter_visitor *visit, void *context);

/* ---- Execution ---- */

typedef struct dlda_plan_spec {
    size_t batch;    /* maximum number of images                      */
    dlda_team *team; /* threads to use; NULL: the calling thread only */
    int training;    /* 0: inference only, which needs less memory    */
    dlda_kernels kernels;
    dlda_precision precision; /* of the products of training */
} dlda_plan_spec;

typedef struct dlda_plan dlda_plan;

/* The network and the team must outlive the plan. */
dlda_status dlda_plan_create(const dlda_network *network, const dlda_plan_spec *spec, dlda_plan **plan);
void dlda_plan_destroy(dlda_plan *plan);
/* Bytes that a plan would allocate. */
dlda_status dlda_plan_measure(const dlda_network *network, const dlda_plan_spec *spec, size_t *bytes);

/* Transforms weights for an inference plan. dlda_plan_infer is then faster if called with the same unchanged
 * weights, mostly for few images. */
void dlda_plan_prepare(dlda_plan *plan, const float *weights);

/* Features [n][features] of images X [n][input], n <= batch, using the stored batch norm statistics. The result is
 * valid until the next call with this plan. */
const float *dlda_plan_infer(dlda_plan *plan, const float *weights, const float *state, const float *X, size_t n);

/* Identifies the random numbers of a training step. */
typedef struct dlda_step {
    uint64_t seed;
    size_t epoch, step;    /* step: number of steps done before, over all epochs */
    const size_t *samples; /* [n] sample numbers of the images                   */
} dlda_step;

/* The forward pass in training: batch norm uses the statistics of the batch and updates the running ones in the
 * state (NULL: does not, for a pass that repeats an earlier one); dropout is active. */
const float *dlda_plan_forward(dlda_plan *plan, const float *weights, float *state, const float *X, size_t n,
                               const dlda_step *step);
/* Called for each part of the gradient, from the last to the first, as soon as it is complete. */
typedef struct dlda_gradient_sink {
    void (*ready)(void *context, size_t first, size_t count);
    void *context;
} dlda_gradient_sink;

/* Gradient [n_weights] of the weights, given dH [n][features], the gradient of the output of the latest
 * dlda_plan_forward. X, weights and step must be unchanged since that call. `sink` may be NULL. */
void dlda_plan_backward(dlda_plan *plan, const float *weights, const float *dH, float *gradient,
                        const dlda_gradient_sink *sink);

/* Batch norm of training passes includes the rows of all ranks whose plan has the same `group` of `groups`; n may be 0
 * then. A failure of the comm is found by dlda_comm_check. */
dlda_status dlda_plan_share_norm(dlda_plan *plan, const dlda_comm *comm, size_t groups, size_t group);

/* ---- Whole batches ---- */

/* Makes the images of n samples of an epoch, in training; the same ones in each call. */
typedef void dlda_image_maker(void *source, size_t epoch, const size_t *samples, size_t n, float *images);

typedef struct dlda_passes_spec {
    size_t batch;    /* maximum number of images                                                              */
    size_t group;    /* images that batch norm normalises together, approximately; 0: the whole batch         */
    size_t micro;    /* images whose values are in memory at once, at least one group; 0: the whole batch     */
    dlda_team *team; /* threads to use; NULL: the calling thread only                                         */
    dlda_kernels kernels;
    dlda_precision precision;
    const dlda_comm *comm; /* ranks among which the rows of a batch are divided; NULL: there is one           */
    dlda_image_maker
        *make;    /* makes the images of a group where dlda_passes_images says so; NULL: the caller does */
    void *source; /* argument of make                                                               */
} dlda_passes_spec;

/* passes.c: training passes over a batch in groups. */
typedef struct dlda_passes dlda_passes;

dlda_status dlda_passes_create(const dlda_network *network, const dlda_passes_spec *spec, dlda_passes **passes);
void dlda_passes_destroy(dlda_passes *passes);
dlda_status dlda_passes_measure(const dlda_network *network, const dlda_passes_spec *spec, size_t *bytes);
/* A plan for inference on up to *most images, between training steps. `most` may be NULL. */
dlda_plan *dlda_passes_plan(const dlda_passes *passes, size_t *most);
/* Number of images that the passes have in memory if they make them: those of the groups whose values are there. They make
 * the images of a group each time it passes forward, and X of dlda_passes_forward is not used. 0: the values of all groups
 * are in memory at once, so that images are not made but given as X. */
size_t dlda_passes_images(const dlda_passes_spec *spec);
/* The rows of a batch of n that this rank has, at most dlda_passes_most of them. */
dlda_rows dlda_passes_rows(const dlda_passes *passes, size_t n);
size_t dlda_passes_most(const dlda_passes *passes);
size_t dlda_passes_groups(const dlda_passes *passes); /* of all ranks */
/* As dlda_plan_forward and dlda_plan_backward. The result does not depend on `micro`. `n` is the number of rows of the
 * whole batch; X, the samples, the features and dH are those of this rank, the gradient and the state those of all. The
 * state is complete when the backward pass has returned. */
const float *dlda_passes_forward(dlda_passes *passes, const float *weights, float *state, const float *X, size_t n,
                                 const dlda_step *step);
dlda_status dlda_passes_backward(dlda_passes *passes, const float *weights, const float *dH, float *gradient);

#endif
