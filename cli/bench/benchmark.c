/* SPDX-License-Identifier: MIT
 *
 * benchmark.c - how fast a network trains and infers here, and how much memory that takes.
 *
 * The steps are those of a real trainer on random images, so nothing is left out: a batch of bytes,
 * forward, objective, backward, optimiser. docs/performance.md says what the figures mean.
 */
#include "bench/benchmark.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "bench/peak.h"
#include "base/random.h"
#include "objective/objective.h"
#include "optimiser/nesterov.h"
#include "optimiser/schedule.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 10, LEAST_SINGLES = 20 };

/* ---- Small parts ---- */

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double dlda_median(double *values, size_t n)
{
    qsort(values, n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

void dlda_benchmark_fill(float *values, size_t n)
{
    enum { PERIOD = 100003 }; /* a prime: images and rows do not repeat with it */
    dlda_random random = dlda_random_stream(1, DLDA_RANDOM_TEST, 0, 0);
    size_t drawn = n < PERIOD ? n : PERIOD;

    dlda_random_normal(&random, drawn, 1, values);
    for (size_t i = drawn; i < n; i++) values[i] = values[i - PERIOD];
}

/* "VmHWM" (most so far) or "VmRSS" (now) of this process in bytes, 0 where the system does not tell. */
static size_t resident_bytes(const char *key)
{
    char line[256];
    unsigned long kilobytes = 0;
    FILE *file = fopen("/proc/self/status", "re");

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, strlen(key)) == 0) kilobytes = strtoul(line + strlen(key) + 1, NULL, 10);
    if (file) fclose(file);
    return (size_t)kilobytes * 1024;
}

static int wants(const dlda_benchmark_spec *spec, dlda_benchmark_part part)
{
    return spec->part == DLDA_BENCHMARK_ALL || spec->part == part;
}

/* ---- The network ---- */

/* A network without an input line has no size of its own; it gets that of the digits. If that is no network either,
 * the first message is the true one. */
static dlda_status read_network(const char *net, dlda_network **network)
{
    dlda_status status = DLDA_OK;
    char *text = NULL, *message = NULL;

    DLDA_TRY(dlda_network_text_read(net, &text));
    status = dlda_network_parse(text, net, (dlda_shape){ 0, 0, 0 }, network);
    if (status != DLDA_E_FORMAT) goto done;
    DLDA_TRY(dlda_take_text(dlda_last_error(), &message));
    status = dlda_network_parse(text, net, (dlda_shape){ 28, 28, 1 }, network);
    if (status == DLDA_E_FORMAT || status == DLDA_E_SHAPE) status = dlda_fail(DLDA_E_FORMAT, "%s", message);
done:
    dlda_release(message);
    dlda_release(text);
    return status;
}

/* ---- Training steps ---- */

/* Two rows per class at least, as an lda objective demands; cross entropy wants a class for each feature. */
static size_t class_count(const dlda_network *network, const dlda_benchmark_spec *spec)
{
    if (dlda_objective_row_of(spec->objective)->feature_per_class) return network->features;
    return spec->batch / 2 < CLASSES ? spec->batch / 2 : CLASSES;
}

/* One batch of random bytes with labels in turn. */
static dlda_status make_images(const dlda_network *network, const dlda_benchmark_spec *spec, dlda_dataset **images)
{
    dlda_status status = DLDA_OK;
    dlda_random random = dlda_random_stream(1, DLDA_RANDOM_TEST, 1, 0);
    dlda_shape in = network->input;
    size_t size = 0, classes = class_count(network, spec);
    uint8_t *bytes = NULL;
    int *labels = NULL;
    uint32_t words[4];

    DLDA_TRY(dlda_multiply_sizes(spec->batch, dlda_shape_size(in), "images of a batch", &size));
    DLDA_TRY(DLDA_TAKE(&bytes, size, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&labels, spec->batch, "labels of a batch"));
    for (size_t i = 0; i < size; i += sizeof words) {
        dlda_random_next(&random, words);
        memcpy(bytes + i, words, size - i < sizeof words ? size - i : sizeof words);
    }
    for (size_t i = 0; i < spec->batch; i++) labels[i] = classes ? (int)(i % classes) : 0;
    DLDA_TRY(dlda_dataset_create(&(dlda_dataset_spec){ .count = spec->batch,
                                                       .height = in.height,
                                                       .width = in.width,
                                                       .channels = in.channels,
                                                       .classes = classes ? classes : 1,
                                                       .labels = labels,
                                                       .bytes = bytes },
                                 images));
done:
    dlda_release(bytes);
    dlda_release(labels);
    return status;
}

static dlda_status make_trainer(const dlda_benchmark_spec *spec, const dlda_dataset *images, dlda_trainer **trainer)
{
    dlda_status status = DLDA_OK;
    dlda_options *options = NULL;

    DLDA_TRY(dlda_options_create(&options));
    DLDA_TRY(dlda_options_set(options, "net", spec->net));
    options->objective = spec->objective;
    options->batch = (int64_t)spec->batch;
    options->threads = (int64_t)spec->threads;
    options->flip = spec->flip;
    options->shift = (int64_t)spec->shift;
    if (spec->prepare) DLDA_TRY(dlda_options_set(options, "prepare", spec->prepare));
    DLDA_TRY(dlda_trainer_create(options, images, NULL, trainer));
done:
    dlda_options_destroy(options);
    return status;
}

/* The images are one batch, so each epoch has one. */
dlda_status dlda_benchmark_step(dlda_trainer *trainer, double seconds[DLDA_TIMES])
{
    dlda_status status = DLDA_OK;
    const dlda_options *options = &trainer->options;
    double at[DLDA_PHASES + 1], loss = 0;
    const dlda_batch *now = NULL;
    size_t epoch = trainer->steps_done + 1;
    const dlda_nesterov rule = { dlda_trainer_rate(options, 0.5), options->momentum, options->decay };

    at[DLDA_GATHER] = dlda_seconds_now();
    DLDA_TRY(dlda_loader_get(trainer->loader, epoch, 0, &now));
    at[DLDA_FORWARD] = dlda_seconds_now();
    const dlda_step step = { (uint64_t)options->seed, epoch, trainer->steps_done, now->samples };
    const float *H = dlda_plan_forward(trainer->plan, trainer->weights, trainer->state, now->images, now->n, &step);
    at[DLDA_OBJECTIVE] = dlda_seconds_now();
    DLDA_TRY(dlda_objective_evaluate(trainer->objective, H, now->labels, now->n, &loss, trainer->dH));
    at[DLDA_BACKWARD] = dlda_seconds_now();
    dlda_plan_backward(trainer->plan, trainer->weights, trainer->dH, trainer->gradient);
    at[DLDA_OPTIMISER] = dlda_seconds_now();
    dlda_nesterov_step(&rule, trainer->team, trainer->model->network->n_weights, trainer->gradient,
                       trainer->velocity, trainer->weights);
    at[DLDA_PHASES] = dlda_seconds_now();
    for (int p = 0; p < DLDA_PHASES; p++) seconds[p] = at[p + 1] - at[p];
    seconds[DLDA_LOADER] = now->seconds;
    trainer->steps_done++;
done:
    return status;
}

/* Work of a step: three passes of each convolution, but nobody needs the gradient of the images. */
static double step_flop(const dlda_network *network, size_t batch)
{
    double flop = 0;
    int first = 1;

    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i];
        flop += (first ? 2 : 3) * dlda_benchmark_flop(layer, batch);
        if (layer->kind == DLDA_CONV_LAYER || layer->kind == DLDA_NORM_LAYER) first = 0;
    }
    return flop;
}

/* times [DLDA_TIMES + 1][repeats]: a row for each phase, one for the loader, then one for whole steps. */
static dlda_status run_steps(dlda_trainer *trainer, size_t repeats, double *times)
{
    dlda_status status = DLDA_OK;
    double seconds[DLDA_TIMES];

    DLDA_TRY(dlda_benchmark_step(trainer, seconds)); /* warms up */
    for (size_t r = 0; r < repeats; r++) {
        DLDA_TRY(dlda_benchmark_step(trainer, seconds));
        for (size_t p = 0; p < DLDA_TIMES; p++) times[p * repeats + r] = seconds[p];
        times[DLDA_TIMES * repeats + r] = 0;
        for (size_t p = 0; p < DLDA_PHASES; p++) times[DLDA_TIMES * repeats + r] += seconds[p];
    }
done:
    return status;
}

static dlda_status measure_step(const dlda_network *network, const dlda_benchmark_spec *spec, dlda_benchmark *out)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *images = NULL;
    dlda_trainer *trainer = NULL;
    double *times = NULL, median[DLDA_TIMES + 1];
    size_t n_times = 0;

    DLDA_TRY(dlda_multiply_sizes(spec->repeats, DLDA_TIMES + 1, "times", &n_times));
    DLDA_TRY(DLDA_TAKE(&times, n_times, "times"));
    DLDA_TRY(make_images(network, spec, &images));
    DLDA_TRY(make_trainer(spec, images, &trainer));
    DLDA_TRY(run_steps(trainer, spec->repeats, times));
    for (size_t p = 0; p <= DLDA_TIMES; p++) median[p] = dlda_median(times + p * spec->repeats, spec->repeats);
    out->phases = (dlda_benchmark_phases){ median[DLDA_GATHER], median[DLDA_FORWARD], median[DLDA_OBJECTIVE],
                                           median[DLDA_BACKWARD], median[DLDA_OPTIMISER] };
    out->loader_seconds = median[DLDA_LOADER];
    out->step_seconds = median[DLDA_TIMES];
    out->images_per_second = (double)spec->batch / out->step_seconds;
    out->step_gflop = 1e-9 * step_flop(network, spec->batch);
    out->peak_bytes = resident_bytes("VmHWM");
    const dlda_plan_spec plan = { trainer->batch, trainer->team, 1, DLDA_KERNELS_FAST };
    DLDA_TRY(dlda_plan_measure(network, &plan, &out->plan_bytes));
done:
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(images);
    dlda_release(times);
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
    const dlda_plan_spec plan = { batch, team, 0, DLDA_KERNELS_FAST };
    size_t size = 0;

    DLDA_TRY(dlda_multiply_sizes(batch, dlda_shape_size(network->input), "images of a batch", &size));
    DLDA_TRY(dlda_plan_create(network, &plan, &self->plan));
    DLDA_TRY(DLDA_TAKE(&self->weights, network->n_weights, "weights"));
    DLDA_TRY(DLDA_TAKE(&self->state, network->n_state, "batch norm statistics"));
    DLDA_TRY(DLDA_TAKE(&self->X, size, "images of a batch"));
    DLDA_TRY(DLDA_TAKE(&self->times, repeats, "times"));
    dlda_network_initialise(network, 1, self->weights, self->state);
    dlda_plan_prepare(self->plan, self->weights);
    dlda_benchmark_fill(self->X, size);
done:
    return status;
}

static dlda_status measure_inference(const dlda_network *network, size_t batch, dlda_team *team, size_t repeats,
                                     double *images_per_second)
{
    dlda_status status = DLDA_OK;
    inference self = { 0 };

    DLDA_TRY(prepare_inference(&self, network, batch, team, repeats));
    dlda_plan_infer(self.plan, self.weights, self.state, self.X, batch);
    for (size_t r = 0; r < repeats; r++) {
        double begin = dlda_seconds_now();
        dlda_plan_infer(self.plan, self.weights, self.state, self.X, batch);
        self.times[r] = dlda_seconds_now() - begin;
    }
    *images_per_second = (double)batch / dlda_median(self.times, repeats);
done:
    dlda_plan_destroy(self.plan);
    dlda_release(self.weights);
    dlda_release(self.state);
    dlda_release(self.X);
    dlda_release(self.times);
    return status;
}

/* ---- All of it ---- */

static dlda_status check_spec(const dlda_benchmark_spec *spec)
{
    if (!spec->net) return dlda_fail(DLDA_E_ARGUMENT, "benchmark: no network is named");
    if (spec->batch < 1 || spec->repeats < 1)
        return dlda_fail(DLDA_E_ARGUMENT, "benchmark: batch %zu, repeats %zu; expected at least 1", spec->batch,
                         spec->repeats);
    if (!dlda_objective_row_of(spec->objective))
        return dlda_fail(DLDA_E_ARGUMENT, "benchmark: unknown objective %d", (int)spec->objective);
    if (wants(spec, DLDA_BENCHMARK_STEP) && !dlda_objective_row_of(spec->objective)->info.softmax &&
        spec->batch < 4)
        return dlda_fail(DLDA_E_ARGUMENT,
                         "benchmark: batch %zu; an lda objective needs two classes with two images "
                         "each, so expected at least 4",
                         spec->batch);
    return DLDA_OK;
}

static dlda_benchmark nothing_measured(const dlda_benchmark_spec *spec)
{
    return (dlda_benchmark){ .batch = spec->batch,
                             .threads = spec->threads,
                             .repeats = spec->repeats,
                             .kernels = dlda_kernels_fast()->name,
                             .machine_peak_gflops = NAN,
                             .machine_gigabytes_per_second = NAN,
                             .step_seconds = NAN,
                             .images_per_second = NAN,
                             .step_gflop = NAN,
                             .phases = { NAN, NAN, NAN, NAN, NAN },
                             .loader_seconds = NAN,
                             .base_bytes = resident_bytes("VmRSS"),
                             .inference_images_per_second = NAN,
                             .single_images_per_second = NAN };
}

static dlda_status measure_machine(dlda_team *team, dlda_benchmark *out)
{
    enum { FLOATS = 1 << 25 }; /* 128 MB: more than caches hold */
    float *values = NULL;
    dlda_status status = DLDA_TAKE(&values, FLOATS, "values to copy");

    if (status != DLDA_OK) return status;
    out->machine_peak_gflops = dlda_peak_gflops(team);
    out->machine_gigabytes_per_second = dlda_peak_bandwidth(team, values, FLOATS);
    dlda_release(values);
    return DLDA_OK;
}

/* Steps come first: their peak of memory is then that of the process. */
static dlda_status measure(const dlda_network *network, const dlda_benchmark_spec *spec, dlda_team *team,
                           dlda_benchmark *out)
{
    dlda_status status = DLDA_OK;
    size_t singles = spec->repeats > LEAST_SINGLES ? spec->repeats : LEAST_SINGLES;
    dlda_benchmark_layer *layers = NULL;

    if (wants(spec, DLDA_BENCHMARK_STEP)) DLDA_TRY(measure_step(network, spec, out));
    if (wants(spec, DLDA_BENCHMARK_LAYERS)) {
        DLDA_TRY(dlda_benchmark_layers(network, spec, team, &out->n_layers, &layers));
        out->layers = layers;
    }
    if (wants(spec, DLDA_BENCHMARK_INFERENCE)) {
        DLDA_TRY(measure_inference(network, spec->batch, team, spec->repeats, &out->inference_images_per_second));
        DLDA_TRY(measure_inference(network, 1, team, singles, &out->single_images_per_second));
    }
    DLDA_TRY(measure_machine(team, out));
done:
    return status;
}

dlda_status dlda_benchmark_run(const dlda_benchmark_spec *spec, dlda_benchmark **benchmark)
{
    dlda_status status = DLDA_OK;
    dlda_benchmark_spec complete = *spec;
    dlda_network *network = NULL;
    dlda_team *team = NULL;
    dlda_benchmark *self = NULL;

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
    dlda_benchmark_destroy(self);
    dlda_network_destroy(network);
    return status;
}

void dlda_benchmark_destroy(dlda_benchmark *benchmark)
{
    if (!benchmark) return;
    dlda_release((void *)benchmark->layers);
    dlda_release(benchmark);
}
