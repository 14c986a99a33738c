/* SPDX-License-Identifier: MIT
 *
 * network.c - parameters of a network: their offsets, names and initial values.
 */
#include "network/network.h"
#include "base/memory.h"
#include "base/random.h"

#include <math.h>

void dlda_network_destroy(dlda_network *self)
{
    if (!self) return;
    dlda_release(self->text);
    dlda_release(self->layers);
    dlda_release(self);
}

dlda_status dlda_network_visit(const dlda_network *self, dlda_parameter_visitor *visit, void *context)
{
    dlda_status status = DLDA_OK;

    for (size_t i = 0; i < self->n_layers; i++) {
        const dlda_layer *layer = &self->layers[i];
        const dlda_parameter *parameters[] = { &layer->weight, &layer->bias, &layer->scale,
                                               &layer->shift,  &layer->mean, &layer->variance };
        for (int j = 0; j < 6; j++)
            if (parameters[j]->count) DLDA_TRY(visit(context, parameters[j], j >= 4));
    }
done:
    return status;
}

static void fill(float *block, const dlda_parameter *parameter, float value)
{
    for (size_t i = 0; i < parameter->count; i++) block[parameter->offset + i] = value;
}

void dlda_network_initialise(const dlda_network *self, uint64_t seed, float *weights, float *state)
{
    for (size_t i = 0; i < self->n_layers; i++) {
        const dlda_layer *layer = &self->layers[i];
        if (layer->kind == DLDA_CONV_LAYER) {
            dlda_random random = dlda_random_stream(seed, DLDA_RANDOM_WEIGHTS, (uint32_t)i, 0);
            double deviation = sqrt(2 / (double)layer->conv.depth); /* He et al. 2015 */
            dlda_random_normal(&random, layer->weight.count, deviation, weights + layer->weight.offset);
        }
        fill(weights, &layer->bias, 0);
        fill(weights, &layer->scale, 1);
        fill(weights, &layer->shift, 0);
        fill(state, &layer->mean, 0);
        fill(state, &layer->variance, 1);
    }
}
