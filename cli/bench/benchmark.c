/* SPDX-License-Identifier: MIT
 *
 * benchmark.c - measures inference and the machine, and combines all measurements. benchmark_step.c times training
 * steps, benchmark_layers.c single layers. docs/performance.md explains the figures.
 */
#include "bench/benchmark.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/peak.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SINGLES = 20 };

/* ---- Helpers ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int bench_is_bf16(const bench_spec *spec)
{
    return spec->precision && strcmp(spec->precision, "bf16") == 0;
}

double bench_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void bench_fill(float *values, size_t n)
{
    enum { PERIOD = 100003 }; /* a prime, so that images and rows do not repeat with it */
    dlda_random random = dlda_random_stream(1, DLDA_RANDOM_TEST, 0, 0);
    size_t drawn = n < PERIOD ? n : PERIOD;

    dlda_random_normal(&random, drawn, 1, values);
    for (size_t i = drawn; i < n; i++) values[i] = values[i - PERIOD];
}

size_t bench_resident_bytes(const char *key)
{
    char line[256];
    unsigned long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "re");

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kilobytes = strtoul(line + strlen(key) + 1, NULL, 10);
    if (file) fclose(file);
    return (size_t)kilobytes * 1024;
}

int bench_next(const bench_spec *spec, const bench_result *measured)
{
    return spec->turn ? spec->turn(spec->user, measured) : !measured;
}

static int wants(const bench_spec *spec, bench_part part)
{
    return spec->part == BENCH_ALL || spec->part == part;
}

/* ---- The network ---- */

/* A network without an input line gets the size of the digits. If that fails too, the first error is reported. */
static dlda_status read_network(const char *net, dlda_network **network)
{
    dlda_status status = DLDA_OK;
    char *text = NULL, *message = NULL;

    DLDA_TRY(dlda_network_text_read(net, &text));
    status = dlda_network_parse(text, net, (dlda_shape){ 0, 0, 0 }, DLDA_EXAMPLE_CLASSES, network);
    if (status != DLDA_E_FORMAT) goto done;
    DLDA_TRY(dlda_take_text(dlda_last_error(), &message));
    status = dlda_network_parse(text, net, (dlda_shape){ 28, 28, 1 }, DLDA_EXAMPLE_CLASSES, network);
    if (status == DLDA_E_FORMAT || status == DLDA_E_SHAPE) status = dlda_fail(DLDA_E_FORMAT, "%s", message);
done:
    dlda_release(message);
    dlda_release(text);
    return status;
}

/* ---- Inference ---- */

typedef struct inference {
    dlda_plan *plan;
    float *weights, *state; /* [n_weights], [n_state] */
    float *X;               /* [batch][input]         */
    double *times;          /* [repeats]              */
} inference;

static dlda_status prepare_inference(inference *self, const dlda_network *network, size_t batch, dlda_team *team,
                                     size_t repeats)
{
    dlda_status status = DLDA_OK;
    const dlda_plan_spec plan = { batch, team, 0, DLDA_KERNELS_FAST, DLDA_PRECISION_FLOAT };
    size_t size = 0;

    DLDA_TRY(dlda_multiply_sizes(batch, dlda_shape_size(network->input), "images of a batch", &size));
    DLDA_TRY(dlda_plan_create(network, &plan, &self->plan));
    DLDA_TRY(DLDA_TAKE(&self->weights, network->n_weights, "weights"));
    DLDA_TRY(DLDA_TAKE(&self->state, network->n_state, "batch norm statistics"));
    DLDA_TRY(DLDA_TAKE(&self->X, size, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->times, repeats, "times"));
    dlda_network_initialise(network, 1, self->weights, self->state);
    dlda_plan_prepare(self->plan, self->weights);
    bench_fill(self->X, size);
done:
    return status;
}

static double time_inference(inference *self, size_t batch, size_t repeats)
{
    for (size_t r = 0; r < repeats; r++) {
        double begin = dlda_seconds_now();
        dlda_plan_infer(self->plan, self->weights, self->state, self->X, batch);
        self->times[r] = dlda_seconds_now() - begin;
    }
    return bench_median(self->times, repeats);
}

/* `images_per_second` is the field of `out` for this batch. */
static dlda_status measure_inference(const dlda_network *network, const bench_spec *spec, size_t batch,
                                     dlda_team *team, size_t repeats, bench_result *out, double *images_per_second)
{
    dlda_status status = DLDA_OK;
    inference self = { 0 };

    DLDA_TRY(prepare_inference(&self, network, batch, team, repeats));
    dlda_plan_infer(self.plan, self.weights, self.state, self.X, batch); /* warm-up */
    for (const bench_result *measured = NULL; bench_next(spec, measured); measured = out)
        *images_per_second = (double)batch / time_inference(&self, batch, repeats);
done:
    dlda_plan_destroy(self.plan);
    dlda_release(self.weights);
    dlda_release(self.state);
    dlda_release(self.X);
    dlda_release(self.times);
    return status;
}

/* ---- All measurements ---- */

static dlda_status check_spec(const bench_spec *spec)
{
    if (!spec->net) return dlda_fail(DLDA_E_ARGUMENT, "benchmark: no network is named");
    if (spec->batch < 1 || spec->repeats < 1)
        return dlda_fail(DLDA_E_ARGUMENT, "benchmark: batch %zu, repeats %zu; expected at least 1", spec->batch,
                         spec->repeats);
    const dlda_objective_info *objective = dlda_objective_find(spec->objective ? spec->objective : "");
    if (!objective)
        return dlda_fail(DLDA_E_ARGUMENT, "benchmark: unknown objective '%s'",
                         spec->objective ? spec->objective : "");
    if (spec->turn && (spec->part == BENCH_ALL || spec->part == BENCH_LAYERS))
        return dlda_fail(DLDA_E_ARGUMENT, "benchmark: in turns, expected the part step, inference or single");
    if (wants(spec, BENCH_STEP) && !objective->softmax && spec->batch < 4)
        return dlda_fail(DLDA_E_ARGUMENT,
                         "benchmark: batch %zu; an lda objective needs two classes with two images "
                         "each, so expected at least 4",
                         spec->batch);
    return DLDA_OK;
}

static bench_result nothing_measured(const bench_spec *spec)
{
    return (bench_result){ .batch = spec->batch,
                           .threads = spec->threads,
                           .repeats = spec->repeats,
                           .kernels = dlda_kernels_fast()->name,
                           .machine_peak_gflops = NAN,
                           .machine_gigabytes_per_second = NAN,
                           .step_seconds = NAN,
                           .images_per_second = NAN,
                           .step_gflop = NAN,
                           .phase_seconds = { NAN, NAN, NAN, NAN, NAN },
                           .loader_seconds = NAN,
                           .base_bytes = bench_resident_bytes("VmRSS"),
                           .inference_images_per_second = NAN,
                           .single_images_per_second = NAN };
}

static dlda_status measure_machine(dlda_team *team, bench_result *out)
{
    enum { FLOATS = 1 << 25 }; /* 128 MB: larger than the caches */
    float *values = NULL;
    dlda_status status = DLDA_TAKE(&values, FLOATS, "values to copy");

    if (status != DLDA_OK) return status;
    out->machine_peak_gflops = peak_gflops(team);
    out->machine_gigabytes_per_second = peak_bandwidth(team, values, FLOATS);
    dlda_release(values);
    return DLDA_OK;
}

/* Steps come first, so that the peak memory of the process is theirs. */
static dlda_status measure(const dlda_network *network, const bench_spec *spec, dlda_team *team, bench_result *out)
{
    dlda_status status = DLDA_OK;
    size_t singles = spec->repeats > LEAST_SINGLES || spec->turn ? spec->repeats : LEAST_SINGLES;
    bench_layer *layers = NULL;

    if (wants(spec, BENCH_STEP)) DLDA_TRY(bench_step(network, spec, team, out));
    if (wants(spec, BENCH_LAYERS)) {
        DLDA_TRY(bench_layers(network, spec, team, &out->n_layers, &layers));
        out->layers = layers;
    }
    if (wants(spec, BENCH_INFERENCE))
        DLDA_TRY(measure_inference(network, spec, spec->batch, team, spec->repeats, out,
                                   &out->inference_images_per_second));
    if (wants(spec, BENCH_SINGLE) || (wants(spec, BENCH_INFERENCE) && !spec->turn))
        DLDA_TRY(measure_inference(network, spec, 1, team, singles, out, &out->single_images_per_second));
    if (!spec->turn) DLDA_TRY(measure_machine(team, out));
done:
    return status;
}

dlda_status bench_run(const bench_spec *spec, bench_result **benchmark)
{
    dlda_status status = DLDA_OK;
    bench_spec complete = *spec;
    dlda_network *network = NULL;
    dlda_team *team = NULL;
    bench_result *self = NULL;

    DLDA_TRY(dlda_team_create(spec->threads, &team));
    complete.threads = dlda_team_threads(team);
    DLDA_TRY(check_spec(&complete));
    DLDA_TRY(DLDA_TAKE(&self, 1, "benchmark"));
    *self = nothing_measured(&complete);
    DLDA_TRY(read_network(spec->net, &network));
    DLDA_TRY(measure(network, &complete, team, self));
    *benchmark = self;
    self = NULL;
done:
    dlda_team_destroy(team);
    bench_destroy(self);
    dlda_network_destroy(network);
    return status;
}

void bench_destroy(bench_result *benchmark)
{
    if (!benchmark) return;
    dlda_release((void *)benchmark->layers);
    dlda_release(benchmark);
}
