/* SPDX-License-Identifier: MIT
 *
 * plan.h - the inside of a plan: the layers of a network, fused into stages.
 *
 * A stage is [convolution] [batch norm] [ReLU] [pooling] [dropout], in that order; each part may be missing. What lies
 * between two convolutions is then one pass over memory, and none at all where the next convolution can normalise
 * while it reads (a lazy stage). Of a stage only the raw output of its convolution is kept for the backward pass; the
 * rest is computed again. On the way back the gradient of the raw output takes its place.
 */
#ifndef DLDA_NETWORK_PLAN_H
#define DLDA_NETWORK_PLAN_H

#include "network/network.h"

typedef struct dlda_stage {
    const dlda_layer *conv, *norm, *dropout; /* NULL: the stage has none                                        */
    dlda_conv planned;                       /* how the convolution is computed                                 */
    size_t dropout_index;                    /* of the layer, for its random numbers                            */
    dlda_shape in, raw, out;                 /* of an image: input; after the convolution; after all of it      */
    dlda_activation activation;
    int lazy;     /* the next convolution looks at `raw` through the activation's view */
    int is_plain; /* nothing comes after the convolution: the raw output is the output */
    /* in the arena */
    float *X;          /* [batch][in]; NULL: the images                                   */
    float *raw_values; /* [batch][raw]; the input's memory if there is no convolution     */
    float *output;     /* [batch][out]; that of raw_values if lazy or if it is plain      */
    uint8_t *where;    /* [batch][out]  positions of the maxima                           */
    float *prepared;   /* inference: prepared weights of the convolution, NULL if they have no such form */
    float *scale, *shift, *mean, *inverse; /* [channels of raw]                                               */
} dlda_stage;

struct dlda_plan {
    const dlda_network *network;
    const dlda_kernel_set *kernels;
    dlda_plan_spec spec;
    dlda_stage *stages; /* [n_stages] */
    size_t n_stages;
    size_t first_trained; /* the first stage with weights: nobody needs the gradient of its input */
    float *buffers[2];    /* training: gradients of outputs; inference: all values                */
    char *arena;
    size_t arena_bytes;
    dlda_run run;              /* threads and scratch */
    const float *prepared_for; /* the weights that dlda_plan_prepare has seen */
    /* of the latest forward pass */
    const float *images;
    size_t n;
    dlda_step step;
};

/* stages.c: groups the layers into plan->stages, which has room for one per layer. */
void dlda_plan_group(dlda_plan *plan);

#endif
