/* SPDX-License-Identifier: MIT
 *
 * plan.h - the inside of a plan, shared by plan.c and layers.c.
 */
#ifndef DLDA_NETWORK_PLAN_H
#define DLDA_NETWORK_PLAN_H

#include "network/network.h"

/* What a layer owns in the arena. */
typedef struct dlda_layer_memory {
    float *output;        /* [batch][out]; the same as the input's where the layer works in place */
    float *mean, *inverse; /* [channels]  batch norm: statistics of the batch                     */
    uint8_t *where;       /* [batch][out] pooling: positions of the maxima                        */
} dlda_layer_memory;

struct dlda_plan {
    const dlda_network *network;
    const dlda_kernel_set *kernels;
    dlda_plan_spec spec;
    dlda_layer_memory *memory; /* [n_layers]                                        */
    float *gradients[2];       /* [batch][largest layer]: dY and dX by turns        */
    float *variance;           /* [most channels]: of the batch, on its way to the state */
    void *arena;
    size_t arena_bytes;
    dlda_run run;              /* threads and scratch */
    /* of the latest forward pass */
    const float *X;
    size_t n;
    dlda_step step;
};

/* One layer of a pass: from its input to its output, n images. */
typedef struct dlda_layer_pass {
    dlda_plan *plan;
    const dlda_layer *layer;
    dlda_layer_memory *memory;
    size_t index, n;
    const float *weights;
    float *state;
    const float *in;
    float *out;
} dlda_layer_pass;

/* A layer's functions. `backward` turns the gradient of the output into that of the input: in place (returns
 * dY) or into dX (returns dX); dX is NULL if nobody needs it. */
typedef struct dlda_layer_functions {
    void (*infer)(const dlda_layer_pass *pass);
    void (*forward)(const dlda_layer_pass *pass);
    float *(*backward)(const dlda_layer_pass *pass, float *dY, float *dX, float *gradient);
    int trains_in_place; /* the output may overwrite the input in training: no other layer needs it */
    int infers_in_place;
} dlda_layer_functions;

/* layers.c: indexed by dlda_layer_kind. */
extern const dlda_layer_functions dlda_layer_table[];

#endif
