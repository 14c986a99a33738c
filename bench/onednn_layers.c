/* SPDX-License-Identifier: MIT
 *
 * onednn_layers.c - the 3x3 convolutions of a network, by our kernels and by oneDNN, in turns.
 *
 *     onednn_layers NET BATCH THREADS REPEATS
 *
 * One line of CSV for each layer and pass. oneDNN may choose the layouts that suit it best, and bringing the arrays
 * into these layouts is not timed: the comparison favours it. `error` is the largest difference between the two
 * results, as a share of the largest value: both must have computed the same thing.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "bench/benchmark.h"

#include <dnnl.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS, PASSES };
enum { X, W, Y, ARRAYS }; /* or their gradients, which have the same shapes */

/* What a pass reads (two arrays) and writes (the last one), in oneDNN's words. */
typedef struct role {
    int argument;
    dnnl_query_t query;
    int array;
} role;

static const char *const pass_names[PASSES] = { "forward", "backward data", "backward weights" };
static const role roles[PASSES][3] = {
    { { DNNL_ARG_SRC, dnnl_query_src_md, X },
      { DNNL_ARG_WEIGHTS, dnnl_query_weights_md, W },
      { DNNL_ARG_DST, dnnl_query_dst_md, Y } },
    { { DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, Y },
      { DNNL_ARG_WEIGHTS, dnnl_query_weights_md, W },
      { DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md, X } },
    { { DNNL_ARG_SRC, dnnl_query_src_md, X },
      { DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md, Y },
      { DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md, W } },
};

typedef struct comparison {
    const dlda_conv *conv;
    dlda_exec exec;
    size_t N;
    size_t sizes[ARRAYS]; /* floats                              */
    float *input[ARRAYS], *ours[ARRAYS], *theirs[ARRAYS];
    char *scratch;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    dnnl_dims_t dims[ARRAYS];                      /* NCHW, OIHW, NCHW                    */
    dnnl_memory_desc_t any[ARRAYS], plain[ARRAYS]; /* oneDNN's choice; our NHWC and HWIO  */
    dnnl_primitive_desc_t description;             /* of the pass that is measured now    */
    dnnl_primitive_t primitive;
    dnnl_exec_arg_t arguments[3];
} comparison;

static void must(int good, const char *what)
{
    if (good) return;
    fprintf(stderr, "onednn_layers: %s failed\n", what);
    exit(1);
}

static void done(dnnl_status_t status, const char *what)
{
    must(status == dnnl_success, what);
}

static void well(dlda_status status)
{
    if (status == DLDA_OK) return;
    fprintf(stderr, "onednn_layers: %s\n", dlda_last_error());
    exit(1);
}

/* ---- Setting up a layer ---- */

static void describe_arrays(comparison *self)
{
    static const dnnl_format_tag_t ours[ARRAYS] = { dnnl_nhwc, dnnl_hwio, dnnl_nhwc };
    const dlda_conv *c = self->conv;
    const dnnl_dim_t dims[ARRAYS][4] = {
        { (dnnl_dim_t)self->N, (dnnl_dim_t)c->channels, (dnnl_dim_t)c->height, (dnnl_dim_t)c->width },
        { (dnnl_dim_t)c->filters, (dnnl_dim_t)c->channels, (dnnl_dim_t)c->kernel, (dnnl_dim_t)c->kernel },
        { (dnnl_dim_t)self->N, (dnnl_dim_t)c->filters, (dnnl_dim_t)c->out_height, (dnnl_dim_t)c->out_width },
    };

    for (int a = 0; a < ARRAYS; a++) {
        memcpy(self->dims[a], dims[a], sizeof dims[a]);
        self->sizes[a] = (size_t)(dims[a][0] * dims[a][1] * dims[a][2] * dims[a][3]);
        done(dnnl_memory_desc_init_by_tag(&self->any[a], 4, self->dims[a], dnnl_f32, dnnl_format_tag_any),
             "describing");
        done(dnnl_memory_desc_init_by_tag(&self->plain[a], 4, self->dims[a], dnnl_f32, ours[a]), "describing");
    }
}

static void begin_layer(comparison *self, const dlda_conv *conv, size_t batch, size_t threads)
{
    size_t bytes = 0;

    *self = (comparison){ .conv = conv, .N = batch };
    well(dlda_team_create(threads, &self->exec.team));
    done(dnnl_engine_create(&self->engine, dnnl_cpu, 0), "making an engine");
    done(dnnl_stream_create(&self->stream, self->engine, dnnl_stream_default_flags), "making a stream");
    describe_arrays(self);
    well(dlda_conv_scratch(conv, threads, &bytes));
    well(DLDA_TAKE(&self->scratch, bytes, "scratch"));
    self->exec.scratch = self->scratch;
    for (int a = 0; a < ARRAYS; a++) {
        well(DLDA_TAKE(&self->input[a], self->sizes[a], "arrays"));
        well(DLDA_TAKE(&self->ours[a], self->sizes[a], "arrays"));
        well(DLDA_TAKE(&self->theirs[a], self->sizes[a], "arrays"));
        bench_fill(self->input[a], self->sizes[a]);
    }
}

static void end_layer(comparison *self)
{
    dlda_team_destroy(self->exec.team);
    for (int a = 0; a < ARRAYS; a++) {
        dlda_release(self->input[a]);
        dlda_release(self->ours[a]);
        dlda_release(self->theirs[a]);
    }
    dlda_release(self->scratch);
    dnnl_stream_destroy(self->stream);
    dnnl_engine_destroy(self->engine);
}

/* ---- One pass by oneDNN ---- */

static dnnl_primitive_desc_t describe_pass(const comparison *self, int pass, dnnl_primitive_desc_t hint)
{
    const dnnl_dim_t stride = (dnnl_dim_t)self->conv->stride, edge = (dnnl_dim_t)self->conv->pad;
    const dnnl_dims_t strides = { stride, stride }, pad = { edge, edge };
    const dnnl_memory_desc_t *any = self->any;
    dnnl_convolution_desc_t operation;
    dnnl_primitive_desc_t description = NULL;
    dnnl_status_t status;

    if (pass == FORWARD)
        status = dnnl_convolution_forward_desc_init(&operation, dnnl_forward_training, dnnl_convolution_auto,
                                                    &any[X], &any[W], NULL, &any[Y], strides, pad, pad);
    else if (pass == BACKWARD_DATA)
        status = dnnl_convolution_backward_data_desc_init(&operation, dnnl_convolution_auto, &any[X], &any[W],
                                                          &any[Y], strides, pad, pad);
    else
        status = dnnl_convolution_backward_weights_desc_init(&operation, dnnl_convolution_auto, &any[X], &any[W],
                                                             NULL, &any[Y], strides, pad, pad);
    done(status, "describing a convolution");
    done(dnnl_primitive_desc_create(&description, &operation, NULL, self->engine, hint), "planning a convolution");
    return description;
}

/* Copies an array from our layout into oneDNN's, or back. */
static void reorder(const comparison *self, dnnl_memory_t from, dnnl_memory_t to)
{
    const dnnl_memory_desc_t *from_layout = NULL, *to_layout = NULL;
    dnnl_primitive_desc_t description = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_exec_arg_t arguments[2] = { { DNNL_ARG_FROM, from }, { DNNL_ARG_TO, to } };

    done(dnnl_memory_get_memory_desc(from, &from_layout), "asking for a layout");
    done(dnnl_memory_get_memory_desc(to, &to_layout), "asking for a layout");
    done(dnnl_reorder_primitive_desc_create(&description, from_layout, self->engine, to_layout, self->engine, NULL),
         "planning a copy");
    done(dnnl_primitive_create(&primitive, description), "planning a copy");
    done(dnnl_primitive_execute(primitive, self->stream, 2, arguments), "copying");
    done(dnnl_stream_wait(self->stream), "copying");
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(description);
}

static dnnl_memory_t in_our_layout(const comparison *self, int array, float *values)
{
    dnnl_memory_t memory = NULL;

    done(dnnl_memory_create(&memory, &self->plain[array], self->engine, values), "wrapping an array");
    return memory;
}

static void begin_pass(comparison *self, int pass)
{
    dnnl_primitive_desc_t hint = pass == FORWARD ? NULL : describe_pass(self, FORWARD, NULL);

    self->description = describe_pass(self, pass, hint);
    if (hint) dnnl_primitive_desc_destroy(hint);
    done(dnnl_primitive_create(&self->primitive, self->description), "making a convolution");
    for (int i = 0; i < 3; i++) {
        const role *r = &roles[pass][i];
        const dnnl_memory_desc_t *layout = dnnl_primitive_desc_query_md(self->description, r->query, 0);
        self->arguments[i].arg = r->argument;
        done(dnnl_memory_create(&self->arguments[i].memory, layout, self->engine, DNNL_MEMORY_ALLOCATE),
             "taking memory");
        if (i == 2) break;
        dnnl_memory_t plain = in_our_layout(self, r->array, self->input[r->array]);
        reorder(self, plain, self->arguments[i].memory);
        dnnl_memory_destroy(plain);
    }
}

/* Leaves the result in our layout. */
static void end_pass(comparison *self, int pass)
{
    int array = roles[pass][2].array;
    dnnl_memory_t plain = in_our_layout(self, array, self->theirs[array]);

    reorder(self, self->arguments[2].memory, plain);
    dnnl_memory_destroy(plain);
    for (int i = 0; i < 3; i++) dnnl_memory_destroy(self->arguments[i].memory);
    dnnl_primitive_destroy(self->primitive);
    dnnl_primitive_desc_destroy(self->description);
}

/* ---- Measuring ---- */

static double time_theirs(comparison *self)
{
    double begin = dlda_seconds_now();

    done(dnnl_primitive_execute(self->primitive, self->stream, 3, self->arguments), "a convolution");
    done(dnnl_stream_wait(self->stream), "a convolution");
    return dlda_seconds_now() - begin;
}

static double time_ours(comparison *self, int pass)
{
    const dlda_kernel_set *kernels = dlda_kernels_fast();
    float *const *in = self->input, *const *out = self->ours;
    double begin = dlda_seconds_now();

    if (pass == FORWARD) kernels->conv_forward(self->conv, &self->exec, self->N, in[X], NULL, in[W], NULL, out[Y], NULL);
    else if (pass == BACKWARD_DATA)
        kernels->conv_backward_data(self->conv, &self->exec, self->N, in[Y], in[W], out[X], NULL);
    else kernels->conv_backward_weights(self->conv, &self->exec, self->N, in[X], NULL, in[Y], out[W], NULL);
    return dlda_seconds_now() - begin;
}

static double relative_error(const comparison *self, int array)
{
    double largest = 0, error = 0;

    for (size_t i = 0; i < self->sizes[array]; i++) {
        largest = fmax(largest, fabs((double)self->theirs[array][i]));
        error = fmax(error, fabs((double)self->ours[array][i] - (double)self->theirs[array][i]));
    }
    return error / largest;
}

static void compare_pass(comparison *self, int pass, size_t repeats, double medians[2])
{
    double *times[2] = { NULL, NULL };

    for (int i = 0; i < 2; i++) well(DLDA_TAKE(&times[i], repeats, "times"));
    begin_pass(self, pass);
    time_ours(self, pass); /* warms up */
    time_theirs(self);
    for (size_t r = 0; r < repeats; r++) {
        times[0][r] = time_ours(self, pass);
        times[1][r] = time_theirs(self);
    }
    end_pass(self, pass);
    for (int i = 0; i < 2; i++) {
        medians[i] = bench_median(times[i], repeats);
        dlda_release(times[i]);
    }
}

static void compare_layer(const char *net, size_t number, const dlda_layer *layer, size_t batch, size_t threads,
                          size_t repeats)
{
    const dlda_conv *c = &layer->conv;
    comparison self;
    double medians[2];

    begin_layer(&self, c, batch, threads);
    for (int pass = 0; pass < PASSES; pass++) {
        compare_pass(&self, pass, repeats, medians);
        printf("%s,%zu,%zu,%zux%zu,%zu,%zu,%zu,%s,%.6g,%.6g,%.6g,%.2g\n", net, number, batch, c->height, c->width,
               c->channels, c->filters, c->pad, pass_names[pass], 1e-9 * bench_flop(layer, batch),
               medians[0], medians[1], relative_error(&self, roles[pass][2].array));
        fflush(stdout);
    }
    end_layer(&self);
}

static int same_shape(const dlda_layer *a, const dlda_layer *b)
{
    return a->kind == b->kind && memcmp(&a->in, &b->in, sizeof a->in) == 0 &&
           memcmp(&a->out, &b->out, sizeof a->out) == 0 && a->conv.kernel == b->conv.kernel;
}

/* 3x3, and not like one before. */
static int is_wanted(const dlda_network *network, size_t i)
{
    const dlda_layer *layers = network->layers;

    if (layers[i].kind != DLDA_CONV_LAYER || layers[i].conv.kernel != 3) return 0;
    for (size_t j = 0; j < i; j++)
        if (same_shape(&layers[j], &layers[i])) return 0;
    return 1;
}

int main(int argc, char **argv)
{
    dlda_network *network = NULL;
    char *text = NULL;

    must(argc == 5, "usage: onednn_layers NET BATCH THREADS REPEATS;");
    size_t batch = strtoul(argv[2], NULL, 10), threads = strtoul(argv[3], NULL, 10),
           repeats = strtoul(argv[4], NULL, 10);
    must(batch > 0 && threads > 0 && repeats > 0, "reading BATCH THREADS REPEATS");
    omp_set_num_threads((int)threads);
    well(dlda_network_text_read(argv[1], &text));
    well(dlda_network_parse(text, argv[1], (dlda_shape){ 0, 0, 0 }, 10, &network));
    printf("net,number,batch,image,channels,filters,pad,pass,gflop,ours_seconds,onednn_seconds,error\n");
    for (size_t i = 0; i < network->n_layers; i++)
        if (is_wanted(network, i)) compare_layer(argv[1], i + 1, &network->layers[i], batch, threads, repeats);
    dlda_network_destroy(network);
    dlda_release(text);
    return 0;
}
