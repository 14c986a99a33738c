/* SPDX-License-Identifier: MIT
 *
 * stages.c - decides which layers are fused: groups the layers of a network into the stages of plan.h.
 */
#include "network/plan.h"

#include <float.h>

/* The parts of a stage, in their order. */
typedef enum part { CONV, NORM, RELU, WINDOW, DROPOUT } part;

static part part_of(const dlda_layer *layer)
{
    switch (layer->kind) {
    case DLDA_CONV_LAYER: return CONV;
    case DLDA_NORM_LAYER: return NORM;
    case DLDA_RELU_LAYER: return RELU;
    case DLDA_POOL_LAYER:
    case DLDA_GAP_LAYER: return WINDOW;
    case DLDA_DROPOUT_LAYER: break;
    }
    return DROPOUT;
}

static void set_window(dlda_activation *a, const dlda_layer *layer)
{
    a->window = layer->kind == DLDA_GAP_LAYER ? DLDA_MEAN_WINDOW : DLDA_MAX_WINDOW;
    a->size = layer->pool.size;
    a->stride = layer->pool.stride;
    a->out_height = layer->out.height;
    a->out_width = layer->out.width;
}

/* Overlapping windows, or windows with gaps, are too rare to be worth fusing. */
static int stands_apart(const dlda_layer *layer)
{
    return layer->kind == DLDA_POOL_LAYER && layer->pool.stride != layer->pool.size;
}

static void start_stage(dlda_stage *stage, const dlda_layer *layer)
{
    dlda_shape raw = part_of(layer) == CONV ? layer->out : layer->in;

    *stage = (dlda_stage){ .in = layer->in, .raw = raw, .out = raw };
    stage->activation = (dlda_activation){ .height = raw.height,
                                           .width = raw.width,
                                           .channels = raw.channels,
                                           .out_height = raw.height,
                                           .out_width = raw.width,
                                           .view = { .least = -FLT_MAX } };
}

/* Inference may have few images, for which another convolution method is faster. Training may multiply in bfloat16. */
static void set_conv(dlda_stage *stage, const dlda_layer *layer, const dlda_plan_spec *spec)
{
    stage->conv = layer;
    stage->planned = layer->conv;
    if (!spec->training) dlda_conv_plan_forward(&stage->planned, spec->batch);
    else if (spec->precision == DLDA_PRECISION_BF16) {
        stage->planned.bf16 = 1;
        dlda_conv_plan(&stage->planned);
    }
}

static void add_part(dlda_stage *stage, const dlda_layer *layer, size_t index, const dlda_plan_spec *spec)
{
    stage->out = layer->out;
    switch (part_of(layer)) {
    case CONV: set_conv(stage, layer, spec); break;
    case NORM:
        stage->norm = layer;
        stage->activation.normalises = 1;
        break;
    case RELU: stage->activation.view.least = 0; break;
    case WINDOW: set_window(&stage->activation, layer); break;
    case DROPOUT:
        stage->dropout = layer;
        stage->dropout_index = index;
        break;
    }
}

/* 1 if what follows the convolution changes no shape and is not random. */
static int is_pointwise(const dlda_stage *stage)
{
    return stage->activation.window == DLDA_NO_WINDOW && !stage->dropout;
}

static void decide_memory(dlda_stage *stage, const dlda_stage *next)
{
    int plain = !stage->norm && stage->activation.view.least < 0 && is_pointwise(stage);

    stage->is_plain = plain;
    stage->lazy = !plain && stage->conv && is_pointwise(stage) && next && next->conv &&
                  next->planned.method == DLDA_CONV_WINOGRAD;
}

void dlda_plan_group(dlda_plan *plan)
{
    const dlda_network *network = plan->network;
    dlda_stage *stage = NULL;
    part reached = DROPOUT;

    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i];
        if (!stage || part_of(layer) <= reached || stands_apart(layer)) {
            stage = &plan->stages[plan->n_stages++];
            start_stage(stage, layer);
        }
        add_part(stage, layer, i, &plan->spec);
        reached = part_of(layer);
    }
    for (size_t i = 0; i < plan->n_stages; i++)
        decide_memory(&plan->stages[i], i + 1 < plan->n_stages ? &plan->stages[i + 1] : NULL);
    while (plan->first_trained < plan->n_stages && !plan->stages[plan->first_trained].conv &&
           !plan->stages[plan->first_trained].norm)
        plan->first_trained++;
}
