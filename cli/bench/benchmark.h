/* SPDX-License-Identifier: MIT
 *
 * benchmark.h - what benchmark.c (steps, inference) and benchmark_layers.c share.
 */
#ifndef DLDA_TRAINING_BENCHMARK_H
#define DLDA_TRAINING_BENCHMARK_H

#include "training/trainer.h"

typedef enum dlda_benchmark_part {
    DLDA_BENCHMARK_ALL,
    DLDA_BENCHMARK_STEP,     /* training steps on random images                           */
    DLDA_BENCHMARK_LAYERS,   /* the three passes of each convolution and dense layer alone */
    DLDA_BENCHMARK_INFERENCE /* features of random images                                 */
} dlda_benchmark_part;

typedef struct dlda_benchmark_spec {
    const char *net; /* mnist, cifar10, stl10, mlp, or a file; one without an input line gets 28 x 28 x 1 */
    size_t batch;    /* images at once                                                                    */
    size_t threads;  /* 0: one per core                                                                   */
    size_t repeats;  /* everything is measured that often, after one run that is not; medians count       */
    dlda_objective_kind objective;
    dlda_benchmark_part part;
    const char *prepare; /* of the images of a step, as the option of that name; NULL: scale */
    int flip;            /* augment the images of a step, as the options of these names     */
    size_t shift;
} dlda_benchmark_spec;

/* One pass of a layer over a whole batch. */
typedef struct dlda_benchmark_pass {
    double seconds;
    double gflops; /* as if computed directly: Winograd's algorithm does less work, so this may exceed the peak */
    double bytes;  /* that must cross memory at least: each array of the pass once                              */
} dlda_benchmark_pass;

typedef struct dlda_benchmark_layer {
    size_t number;        /* in the table of dlda_network_text_describe, from 1     */
    char name[48];        /* "conv 64 3x3 pad 1"                                    */
    const char *kind;     /* "conv" or "dense"                                      */
    const char *method;   /* "winograd", "product" or "im2col"                      */
    size_t in[3], out[3]; /* height, width, channels                                */
    dlda_benchmark_pass forward;
    dlda_benchmark_pass backward_data;    /* gradient of the input; no step needs that of the first layer */
    dlda_benchmark_pass backward_weights; /* gradient of the weights                                      */
} dlda_benchmark_layer;

/* Seconds of a step's phases. Gather: waiting for the loader's thread, which makes the next batch meanwhile; the
 * optimiser's include the weight penalty. */
typedef struct dlda_benchmark_phases {
    double gather, forward, objective, backward, optimiser;
} dlda_benchmark_phases;

/* What was not measured is NaN, or 0 if it is a count. */
typedef struct dlda_benchmark {
    size_t batch, threads, repeats;
    const char *kernels;        /* instruction set that was chosen: "avx2", ...                                  */
    double machine_peak_gflops; /* multiply-adds of floats, measured on all threads at once                      */
    double machine_gigabytes_per_second; /* to and from memory, with all threads                                 */
    /* a training step, on memory that is taken before the first */
    double step_seconds, images_per_second;
    double step_gflop; /* work of its convolutions, computed directly                                   */
    dlda_benchmark_phases phases;
    double loader_seconds; /* processor time of the loader's thread for a batch, beside the phases             */
    size_t peak_bytes;     /* most memory that was resident so far, of the whole process (VmHWM): that of a
                                   step if nothing large went before in this process                             */
    size_t base_bytes;     /* resident memory before anything was taken                                     */
    size_t plan_bytes;     /* the network's own part: values, gradients, scratch                            */
    /* inference, without the LDA */
    double inference_images_per_second; /* with `batch` images at once */
    double single_images_per_second;    /* one image after the other   */
    size_t n_layers;
    const dlda_benchmark_layer *layers; /* [n_layers] */
} dlda_benchmark;

dlda_status dlda_benchmark_run(const dlda_benchmark_spec *spec, dlda_benchmark **benchmark);
void dlda_benchmark_destroy(dlda_benchmark *benchmark);

/* Of a step; and the loader's work, which goes on beside it. */
enum {
    DLDA_GATHER,
    DLDA_FORWARD,
    DLDA_OBJECTIVE,
    DLDA_BACKWARD,
    DLDA_OPTIMISER,
    DLDA_PHASES,
    DLDA_LOADER = DLDA_PHASES
};
enum { DLDA_TIMES = DLDA_PHASES + 1 };

/* benchmark.c: dlda_trainer_step on the first batch of the next epoch (from 1), with a look at the clock after each
 * phase. */
dlda_status dlda_benchmark_step(dlda_trainer *trainer, double seconds[DLDA_TIMES]);

/* Sorts the values; n >= 1. */
double dlda_median(double *values, size_t n);

/* Fills with random values of deviation 1, which repeat after a while: enough for arithmetic not to be special. */
void dlda_benchmark_fill(float *values, size_t n);

/* benchmark_layers.c: times each convolution and dense layer alone. The rows are to be released. */
dlda_status dlda_benchmark_layers(const dlda_network *network, const dlda_benchmark_spec *spec, dlda_team *team,
                                  size_t *count, dlda_benchmark_layer **rows);

/* Direct work of one pass of a convolution on a batch, in floating-point operations. */
double dlda_benchmark_flop(const dlda_layer *layer, size_t batch);

#endif
