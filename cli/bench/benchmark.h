/* SPDX-License-Identifier: MIT
 *
 * benchmark.h - measures speed and memory use of a network on this machine.
 */
#ifndef DEEPLDA_CLI_BENCHMARK_H
#define DEEPLDA_CLI_BENCHMARK_H

#include "network/network.h"

typedef enum bench_part {
    BENCH_ALL,
    BENCH_STEP,      /* training steps on random images                            */
    BENCH_LAYERS,    /* the three passes of each convolution and dense layer alone */
    BENCH_INFERENCE, /* features of random images, in batches and one by one       */
    BENCH_SINGLE     /* one by one only                                            */
} bench_part;

struct bench_result;

typedef struct bench_spec {
    const char *net;       /* mnist, cifar10, stl10, mlp, or a file; without an input line it gets 28 x 28 x 1 */
    size_t batch;          /* images per batch                                                                 */
    size_t threads;        /* 0: one per core                                                                  */
    size_t repeats;        /* measurements of each value, after a warm-up; the median is taken                 */
    const char *objective; /* value of the option of that name: "lda"                                          */
    bench_part part;
    const char *precision; /* of the products of a step and of layers, as the option of that name; NULL: float */
    const char *prepare;   /* preparation of the images of a step, as the option of that name; NULL: scale */
    int flip;              /* augmentation of the images of a step, as the options of these names          */
    size_t shift;
    size_t norm_group, micro_batch; /* of the steps, as the options of these names; 0: the whole batch */
    const dlda_comm *comm;          /* ranks that do the steps together; NULL: one process              */
    /* NULL: each part is measured once. Else called after the warm-up, with NULL, and after each measurement, with its
     * figures: returns whether to measure again. Parts: BENCH_STEP, BENCH_INFERENCE (batches only), BENCH_SINGLE. */
    int (*turn)(const void *user, const struct bench_result *measured);
    const void *user;
} bench_spec;

/* One pass of a layer over a whole batch. */
typedef struct bench_pass {
    double seconds;
    double gflops; /* for direct computation: Winograd's algorithm does less work, so this may exceed the peak */
    double bytes;  /* minimum memory traffic: each array of the pass once                                      */
} bench_pass;

typedef struct bench_layer {
    size_t number;        /* in the table of dlda_network_text_describe, from 1 */
    char name[48];        /* "conv 64 3x3 pad 1"                                */
    const char *kind;     /* "conv" or "dense"                                  */
    const char *method;   /* "winograd", "product" or "im2col"                  */
    size_t in[3], out[3]; /* height, width, channels                            */
    bench_pass forward;
    bench_pass backward_data;    /* gradient of the input; not needed for the first layer */
    bench_pass backward_weights; /* gradient of the weights                               */
} bench_layer;

enum { BENCH_PHASES = DLDA_PHASE_OPTIMISER + 1 };

/* Values that were not measured are NaN, or 0 for counts. */
typedef struct bench_result {
    size_t batch, threads, repeats;
    const char *kernels;                 /* selected instruction set: "avx2", ... */
    double machine_peak_gflops;          /* float multiply-adds, on all threads   */
    double machine_gigabytes_per_second; /* to and from memory, on all threads    */
    /* a training step, which allocates nothing */
    double step_seconds, images_per_second;
    double step_gflop;                  /* work of its convolutions, computed directly         */
    double phase_seconds[BENCH_PHASES]; /* by dlda_phase; the optimiser's include weight decay */
    double waited_seconds;              /* of a step, in which this rank waits for others; 0 with one process */
    double loader_seconds; /* processor time of the loader's thread per batch, in parallel to the phases */
    size_t peak_bytes;     /* most memory that was resident so far, of the whole process (VmHWM): that of a
                                   step if nothing large went before in this process                             */
    size_t base_bytes;     /* resident memory before any allocation          */
    size_t plan_bytes;     /* memory of the passes: values, gradients, scratch */
    /* inference, without the LDA */
    double inference_images_per_second; /* in batches of `batch` */
    double single_images_per_second;    /* one by one            */
    size_t n_layers;
    const bench_layer *layers; /* [n_layers] */
} bench_result;

dlda_status bench_run(const bench_spec *spec, bench_result **benchmark);
void bench_destroy(bench_result *benchmark);

/* ---- Shared by the files of this folder ---- */

/* benchmark_step.c: times training steps. */
dlda_status bench_step(const dlda_network *network, const bench_spec *spec, dlda_team *team, bench_result *out);

/* Whether a part is measured (again): the result of spec->turn, or just once. */
int bench_next(const bench_spec *spec, const bench_result *measured);

int bench_is_bf16(const bench_spec *spec);
/* Sorts the values; n >= 1. */
double bench_median(double *values, size_t n);

/* "VmHWM" (peak) or "VmRSS" (current) of this process in bytes, 0 if not available. */
size_t bench_resident_bytes(const char *key);

/* Fills with pseudo-random values of standard deviation 1, which repeat after a while. */
void bench_fill(float *values, size_t n);

/* benchmark_layers.c: times each convolution and dense layer alone. Release the rows. */
dlda_status bench_layers(const dlda_network *network, const bench_spec *spec, dlda_team *team, size_t *count,
                         bench_layer **rows);

/* Floating-point operations of one pass of a convolution over a batch, computed directly. */
double bench_flop(const dlda_layer *layer, size_t batch);

#endif
