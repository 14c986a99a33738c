/* SPDX-License-Identifier: MIT
 *
 * benchmark_layers.c - times the three passes of each convolution and dense layer alone.
 *
 * The arrays are as large as in a step, so they come from memory, not from caches. Operations that the network plan
 * fuses with the convolutions (batch norm, ReLU, pooling, dropout) are not included.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/benchmark.h"

#include <stdio.h>

enum { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS, PASSES };

typedef struct layer_arrays {
    const dlda_kernel_set *kernels;
    dlda_conv conv;
    dlda_exec exec;
    size_t N;
    float *X, *dX; /* [N][in]          */
    float *Y, *dY; /* [N][out]         */
    float *W, *dW; /* [depth][filters] */
    char *scratch;
} layer_arrays;

/* ---- Cost of a layer ---- */

double bench_flop(const dlda_layer *layer, size_t batch)
{
    if (layer->kind != DLDA_CONV_LAYER) return 0;
    return 2.0 * (double)batch * (double)(layer->out.height * layer->out.width) * (double)layer->weight.count;
}

/* Each pass reads two of X, Y, W (or their gradients) and writes the third. */
static double least_bytes(const dlda_layer *layer, size_t batch)
{
    double images = (double)batch * (double)(dlda_shape_size(layer->in) + dlda_shape_size(layer->out));
    return sizeof(float) * (images + (double)layer->weight.count);
}

static const char *method_name(const dlda_conv *conv)
{
    switch (conv->method) {
    case DLDA_CONV_IM2COL: return "im2col";
    case DLDA_CONV_PRODUCT: return "product";
    case DLDA_CONV_WINOGRAD: return "winograd";
    }
    return "";
}

static void name_layer(const dlda_layer *layer, bench_layer *row)
{
    const dlda_conv *conv = &layer->conv;
    int dense = layer->weight.rank == 2;

    row->kind = dense ? "dense" : "conv";
    row->method = method_name(conv);
    if (dense) snprintf(row->name, sizeof row->name, "dense %zu", conv->filters);
    else if (conv->stride == 1)
        snprintf(row->name, sizeof row->name, "conv %zu %zux%zu pad %zu", conv->filters, conv->kernel, conv->kernel,
                 conv->pad);
    else
        snprintf(row->name, sizeof row->name, "conv %zu %zux%zu pad %zu stride %zu", conv->filters, conv->kernel,
                 conv->kernel, conv->pad, conv->stride);
}

static void copy_shape(dlda_shape shape, size_t sizes[3])
{
    sizes[0] = shape.height;
    sizes[1] = shape.width;
    sizes[2] = shape.channels;
}

/* ---- Measurement ---- */

static dlda_status take_filled(size_t rows, size_t columns, float **values)
{
    dlda_status status = DLDA_OK;
    size_t count = 0;

    DLDA_TRY(dlda_multiply_sizes(rows, columns, "arrays of a layer", &count));
    DLDA_TRY(DLDA_TAKE(values, count, "arrays of a layer"));
    bench_fill(*values, count);
done:
    return status;
}

static dlda_status take_arrays(layer_arrays *self, const dlda_layer *layer, const bench_spec *spec, dlda_team *team)
{
    dlda_status status = DLDA_OK;
    size_t in = dlda_shape_size(layer->in), out = dlda_shape_size(layer->out), bytes = 0;

    self->kernels = dlda_kernels_fast();
    self->conv = layer->conv;
    self->conv.bf16 = bench_is_bf16(spec);
    dlda_conv_plan(&self->conv);
    self->N = spec->batch;
    self->exec.team = team;
    DLDA_TRY(dlda_conv_scratch(&self->conv, spec->threads, &bytes));
    DLDA_TRY(DLDA_TAKE(&self->scratch, bytes, "scratch of a layer"));
    self->exec.scratch = self->scratch;
    DLDA_TRY(take_filled(spec->batch, in, &self->X));
    DLDA_TRY(take_filled(spec->batch, in, &self->dX));
    DLDA_TRY(take_filled(spec->batch, out, &self->Y));
    DLDA_TRY(take_filled(spec->batch, out, &self->dY));
    DLDA_TRY(take_filled(1, layer->weight.count, &self->W));
    DLDA_TRY(take_filled(1, layer->weight.count, &self->dW));
done:
    return status;
}

static void release_arrays(layer_arrays *self)
{
    void *arrays[] = { self->scratch, self->X, self->dX, self->Y, self->dY, self->W, self->dW };

    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) dlda_release(arrays[i]);
}

static void run_pass(const layer_arrays *self, int pass)
{
    const dlda_kernel_set *kernels = self->kernels;

    if (pass == FORWARD)
        kernels->conv_forward(&self->conv, &self->exec, self->N, self->X, NULL, self->W, NULL, self->Y, NULL);
    else if (pass == BACKWARD_DATA)
        kernels->conv_backward_data(&self->conv, &self->exec, self->N, self->dY, self->W, self->dX, NULL);
    else kernels->conv_backward_weights(&self->conv, &self->exec, self->N, self->X, NULL, self->dY, self->dW, NULL);
}

static double seconds_of(const layer_arrays *self, int pass, size_t repeats, double *times)
{
    run_pass(self, pass); /* warm-up */
    for (size_t r = 0; r < repeats; r++) {
        double begin = dlda_seconds_now();
        run_pass(self, pass);
        times[r] = dlda_seconds_now() - begin;
    }
    return bench_median(times, repeats);
}

static dlda_status measure_layer(const dlda_layer *layer, const bench_spec *spec, dlda_team *team, double *times,
                                 bench_layer *row)
{
    dlda_status status = DLDA_OK;
    layer_arrays arrays = { 0 };
    bench_pass *passes[PASSES] = { &row->forward, &row->backward_data, &row->backward_weights };

    DLDA_TRY(take_arrays(&arrays, layer, spec, team));
    for (int p = 0; p < PASSES; p++) {
        double seconds = seconds_of(&arrays, p, spec->repeats, times);
        *passes[p] = (bench_pass){ seconds, 1e-9 * bench_flop(layer, spec->batch) / seconds,
                                   least_bytes(layer, spec->batch) };
    }
    name_layer(layer, row);
    copy_shape(layer->in, row->in);
    copy_shape(layer->out, row->out);
done:
    release_arrays(&arrays);
    return status;
}

dlda_status bench_layers(const dlda_network *network, const bench_spec *spec, dlda_team *team, size_t *count,
                         bench_layer **rows)
{
    dlda_status status = DLDA_OK;
    bench_layer *table = NULL;
    double *times = NULL;
    size_t n = 0;

    DLDA_TRY(DLDA_TAKE(&table, network->n_layers, "benchmark"));
    DLDA_TRY(DLDA_TAKE(&times, spec->repeats, "times"));
    for (size_t i = 0; i < network->n_layers; i++) {
        if (network->layers[i].kind != DLDA_CONV_LAYER) continue;
        table[n].number = i + 1;
        DLDA_TRY(measure_layer(&network->layers[i], spec, team, times, &table[n++]));
    }
    *rows = table;
    *count = n;
    table = NULL;
done:
    dlda_release(table);
    dlda_release(times);
    return status;
}
