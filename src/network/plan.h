/* SPDX-License-Identifier: MIT
 *
 * plan.h - internals of a plan: the layers of a network, fused into stages.
 *
 * A stage is [convolution] [batch norm] [ReLU] [pooling] [dropout] in that order; each part is optional. All
 * operations between two convolutions are then one pass over memory, or none if the next convolution can normalise
 * while it reads (a lazy stage). Only the raw output of the convolution is kept for the backward pass; the rest is
 * recomputed. In the backward pass, the gradient of the raw output overwrites it.
 */
#ifndef DLDA_NETWORK_PLAN_H
#define DLDA_NETWORK_PLAN_H

#include "network/network.h"

typedef struct dlda_stage {
    const dlda_layer *conv, *norm, *dropout; /* NULL: the stage has none                                       */
    dlda_conv planned;                       /* how the convolution is computed                                */
    size_t dropout_index;                    /* layer index, selects the random stream                         */
    dlda_shape in, raw, out;                 /* per image: input, after the convolution, after the whole stage */
    dlda_activation activation;
    int lazy;     /* the next convolution reads `raw` through the activation's view */
    int is_plain; /* nothing follows the convolution: the raw output is the output */
    /* in the arena */
    float *X;          /* [batch][in]; NULL: the caller's images                                         */
    float *raw_values; /* [batch][raw]; the memory of the input if there is no convolution               */
    float *output;     /* [batch][out]; the same as raw_values if lazy or plain                          */
    uint8_t *where;    /* [batch][out]  positions of the maxima                                          */
    float *prepared;   /* inference: transformed weights of the convolution, NULL if it has no such form */
    float *scale, *shift, *mean, *inverse; /* [channels of raw]                                               */
} dlda_stage;

struct dlda_plan {
    const dlda_network *network;
    const dlda_kernel_set *kernels;
    dlda_plan_spec spec;
    dlda_stage *stages; /* [n_stages] */
    size_t n_stages;
    size_t first_trained; /* the first stage with weights; the gradient of its input is not needed */
    float *buffers[2];    /* training: gradients of outputs; inference: all values                 */
    double *tally; /* training: [1 + 2 channels] of the widest stage with batch norm: rows, and sums over them */
    char *arena;
    size_t arena_bytes;
    dlda_exec exec;            /* threads and scratch memory */
    const float *prepared_for; /* the weights passed to dlda_plan_prepare */
    /* batch norm over ranks; comm NULL: the rows of this plan are normalised by themselves */
    const dlda_comm *comm;
    size_t groups, group; /* groups of all ranks; the one of this rank                */
    double *sums;         /* [groups][1 + 2 channels] */
    /* arguments of the latest forward pass */
    const float *images;
    size_t n;
    dlda_step step;
};

/* execute.c: the weight of the statistics of a pass in the running ones, after so many passes. */
double dlda_running_weight(size_t passes);

/* plan.c: channels of the widest stage with batch norm, 0 if there is none. */
size_t dlda_plan_most_normed(const dlda_plan *plan);

/* stages.c: groups the layers into plan->stages, which has room for one stage per layer. */
void dlda_plan_group(dlda_plan *plan);

#endif
