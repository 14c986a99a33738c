/* SPDX-License-Identifier: MIT
 *
 * benchmark_step.c - times the phases of real training steps.
 *
 * A trainer runs on random images and reports the end of each phase (dlda_watch). The images are a single batch, so
 * each epoch is one step. Accuracies are not measured, and the work at the end of an epoch belongs to no phase.
 */
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/benchmark.h"

#include <stdio.h>
#include <string.h>

enum { CLASSES = 10, MOST_EPOCHS = 1000000 };

/* ---- A trainer on random images ---- */

/* At least two rows per class, as an lda objective requires; cross entropy needs a class for each feature. */
static size_t class_count(const dlda_network *network, const bench_spec *spec)
{
    if (dlda_objective_find(spec->objective)->softmax) return network->features;
    return spec->batch / 2 < CLASSES ? spec->batch / 2 : CLASSES;
}

/* One batch of random bytes with cyclic labels. */
static dlda_status make_images(const dlda_network *network, const bench_spec *spec, dlda_dataset **images)
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
    for (size_t i = 0; i < spec->batch; i++) labels[i] = (int)(i % classes);
    DLDA_TRY(dlda_dataset_create(&(dlda_dataset_spec){ .count = spec->batch,
                                                       .height = in.height,
                                                       .width = in.width,
                                                       .channels = in.channels,
                                                       .classes = classes,
                                                       .labels = labels,
                                                       .bytes = bytes },
                                 images));
done:
    dlda_release(bytes);
    dlda_release(labels);
    return status;
}

static dlda_status set_number(dlda_options *options, const char *name, size_t number)
{
    char text[32];

    snprintf(text, sizeof text, "%zu", number);
    return dlda_options_set(options, name, text);
}

/* At least one more epoch than is run, because the last one would be measured. */
static dlda_status make_trainer(const bench_spec *spec, const dlda_dataset *images, dlda_trainer **trainer)
{
    dlda_status status = DLDA_OK;
    size_t epochs = spec->turn ? MOST_EPOCHS : spec->repeats + 2;
    dlda_options *options = NULL;

    DLDA_TRY(dlda_options_create(&options));
    DLDA_TRY(dlda_options_set(options, "net", spec->net));
    DLDA_TRY(dlda_options_set(options, "objective", spec->objective));
    DLDA_TRY(dlda_options_set(options, "prepare", spec->prepare ? spec->prepare : "scale"));
    DLDA_TRY(dlda_options_set(options, "precision", spec->precision ? spec->precision : "float"));
    DLDA_TRY(dlda_options_set(options, "flip", spec->flip ? "true" : "false"));
    DLDA_TRY(set_number(options, "shift", spec->shift));
    DLDA_TRY(set_number(options, "batch", spec->batch));
    DLDA_TRY(set_number(options, "norm-group", spec->norm_group));
    DLDA_TRY(set_number(options, "micro-batch", spec->micro_batch));
    DLDA_TRY(set_number(options, "threads", spec->threads));
    DLDA_TRY(set_number(options, "epochs", epochs));
    DLDA_TRY(set_number(options, "measure-every", epochs));
    DLDA_TRY(set_number(options, "halve-every", 0));
    DLDA_TRY(dlda_trainer_create_over(spec->comm, options, images, NULL, trainer));
done:
    dlda_options_destroy(options);
    return status;
}

/* ---- Steps ---- */

/* Times of one step. */
typedef struct stopwatch {
    double last; /* end of the previous phase */
    double seconds[BENCH_PHASES];
    double loader;
    const dlda_comm *comm;
    double begun, waited; /* this rank's waiting before the step, and within it */
} stopwatch;

static void end_phase(void *user, dlda_phase finished)
{
    stopwatch *self = user;
    double now = dlda_seconds_now();

    self->seconds[finished] = now - self->last;
    self->last = now;
    if (finished == DLDA_PHASE_OPTIMISER) self->waited = dlda_comm_waited(self->comm) - self->begun;
}

static void end_batch(void *user, const dlda_progress *progress)
{
    ((stopwatch *)user)->loader = progress->loader_seconds;
}

static dlda_status time_step(dlda_trainer *trainer, stopwatch *watch)
{
    dlda_trainer_watch(trainer, &(dlda_watch){ .user = watch, .phase = end_phase, .batch = end_batch });
    watch->last = dlda_seconds_now();
    watch->begun = dlda_comm_waited(watch->comm);
    return dlda_trainer_run_step(trainer);
}

/* Rows of `times`: the phases, the loader, whole steps. */
enum { LOADER = BENCH_PHASES, STEP, WAITED, ROWS };

/* times [ROWS][repeats] */
static dlda_status run_steps(dlda_trainer *trainer, const dlda_comm *comm, size_t repeats, double *times)
{
    dlda_status status = DLDA_OK;
    stopwatch watch = { 0 };

    for (size_t r = 0; r < repeats; r++) {
        double sum = 0;
        watch.waited = 0;
        watch.comm = comm;
        DLDA_TRY(time_step(trainer, &watch));
        times[WAITED * repeats + r] = watch.waited;
        for (size_t p = 0; p < BENCH_PHASES; p++) sum += times[p * repeats + r] = watch.seconds[p];
        times[LOADER * repeats + r] = watch.loader;
        times[STEP * repeats + r] = sum;
    }
done:
    return status;
}

/* ---- Results ---- */

/* Work of a step: three passes of each convolution, except the gradient of the images. */
static double step_flop(const dlda_network *network, size_t batch)
{
    double flop = 0;
    int first = 1;

    for (size_t i = 0; i < network->n_layers; i++) {
        const dlda_layer *layer = &network->layers[i];
        flop += (first ? 2 : 3) * bench_flop(layer, batch);
        if (layer->kind == DLDA_CONV_LAYER || layer->kind == DLDA_NORM_LAYER) first = 0;
    }
    return flop;
}

static void fill_result(const dlda_network *network, size_t batch, size_t repeats, double *times, bench_result *out)
{
    for (size_t p = 0; p < BENCH_PHASES; p++) out->phase_seconds[p] = bench_median(times + p * repeats, repeats);
    out->loader_seconds = bench_median(times + LOADER * repeats, repeats);
    out->step_seconds = bench_median(times + STEP * repeats, repeats);
    out->waited_seconds = bench_median(times + WAITED * repeats, repeats);
    out->images_per_second = (double)batch / out->step_seconds;
    out->step_gflop = 1e-9 * step_flop(network, batch);
    out->peak_bytes = bench_resident_bytes("VmHWM");
}

dlda_status bench_step(const dlda_network *network, const bench_spec *spec, dlda_team *team, bench_result *out)
{
    dlda_status status = DLDA_OK;
    const dlda_passes_spec passes = { .batch = spec->batch,
                                      .group = spec->norm_group,
                                      .micro = spec->micro_batch,
                                      .team = team,
                                      .comm = spec->comm,
                                      .kernels = DLDA_KERNELS_FAST,
                                      .precision = bench_is_bf16(spec) ? DLDA_PRECISION_BF16
                                                                       : DLDA_PRECISION_FLOAT };
    dlda_dataset *images = NULL;
    dlda_trainer *trainer = NULL;
    double *times = NULL;
    size_t n_times = 0;

    DLDA_TRY(dlda_multiply_sizes(spec->repeats, ROWS, "times", &n_times));
    DLDA_TRY(DLDA_TAKE(&times, n_times, "times"));
    DLDA_TRY(make_images(network, spec, &images));
    DLDA_TRY(make_trainer(spec, images, &trainer));
    DLDA_TRY(dlda_passes_measure(network, &passes, &out->plan_bytes));
    DLDA_TRY(time_step(trainer, &(stopwatch){ 0 })); /* warm-up */
    for (const bench_result *measured = NULL; bench_next(spec, measured); measured = out) {
        DLDA_TRY(run_steps(trainer, spec->comm, spec->repeats, times));
        fill_result(network, spec->batch, spec->repeats, times, out);
    }
done:
    dlda_trainer_destroy(trainer);
    dlda_dataset_destroy(images);
    dlda_release(times);
    return status;
}
