/* SPDX-License-Identifier: MIT
 *
 * describe.c - prints a network as a table: layers, shapes, parameters, operations.
 */
#include "base/memory.h"
#include "base/number.h"
#include "network/network.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { ROW_BYTES = 160 };

/* Appends to a text with room for `size` characters; longer output is truncated. */
static void append(char *text, size_t size, const char *format, ...)
{
    size_t length = strlen(text);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text + length, size - length, format, arguments);
    va_end(arguments);
}

static void describe_layer(const dlda_layer *layer, char *name, size_t size)
{
    const dlda_conv *conv = &layer->conv;
    char rate[40];

    switch (layer->kind) {
    case DLDA_CONV_LAYER:
        if (layer->weight.rank == 2) snprintf(name, size, "dense %zu", conv->filters);
        else
            snprintf(name, size, "conv %zu %zux%zu pad %zu stride %zu", conv->filters, conv->kernel, conv->kernel,
                     conv->pad, conv->stride);
        return;
    case DLDA_NORM_LAYER: snprintf(name, size, "batch norm"); return;
    case DLDA_RELU_LAYER: snprintf(name, size, "relu"); return;
    case DLDA_POOL_LAYER:
        snprintf(name, size, "maxpool %zu stride %zu", layer->pool.size, layer->pool.stride);
        return;
    case DLDA_DROPOUT_LAYER:
        snprintf(name, size, "dropout %s", dlda_print_real(layer->rate, 6, rate) ? rate : "");
        return;
    case DLDA_GAP_LAYER: snprintf(name, size, "global average pooling"); return;
    }
}

static size_t weights_of(const dlda_layer *layer)
{
    return layer->weight.count + layer->bias.count + layer->scale.count + layer->shift.count;
}

/* Floating-point operations of the forward pass of one image; only convolutions are counted. */
static double flops_of(const dlda_layer *layer)
{
    if (layer->kind != DLDA_CONV_LAYER) return 0;
    return 2.0 * (double)(layer->out.height * layer->out.width) * (double)layer->weight.count;
}

static void describe_network(const dlda_network *network, char *text, size_t size)
{
    size_t weights = 0;
    double flops = 0;
    char name[64] = "", shape[64];

    append(text, size, "%-34s %-16s %12s %10s\n", "layer", "output", "weights", "MFLOP");
    snprintf(shape, sizeof shape, "%zu x %zu x %zu", network->input.height, network->input.width,
             network->input.channels);
    append(text, size, "%-34s %-16s\n", "input", shape);
    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i];
        describe_layer(layer, name, sizeof name);
        snprintf(shape, sizeof shape, "%zu x %zu x %zu", layer->out.height, layer->out.width, layer->out.channels);
        append(text, size, "%-34s %-16s %12zu %10.3f\n", name, shape, weights_of(layer), flops_of(layer) / 1e6);
        weights += weights_of(layer);
        flops += flops_of(layer);
    }
    append(text, size, "%-34s %-16zu %12zu %10.3f\n", "features", network->features, weights, flops / 1e6);
}

dlda_status dlda_network_text_describe(const char *text, const char *where, size_t height, size_t width,
                                       size_t channels, char **description)
{
    DLDA_NEED(text, where, description);
    dlda_status status = DLDA_OK;
    dlda_network *network = NULL;
    char *table = NULL;

    DLDA_TRY(
        dlda_network_parse(text, where, (dlda_shape){ height, width, channels }, DLDA_EXAMPLE_CLASSES, &network));
    size_t size = (network->n_layers + 3) * ROW_BYTES;
    DLDA_TRY(DLDA_TAKE(&table, size, "network table"));
    describe_network(network, table, size);
    *description = table;
    table = NULL;
done:
    dlda_release(table);
    dlda_network_destroy(network);
    return status;
}
