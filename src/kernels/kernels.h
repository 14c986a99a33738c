/* SPDX-License-Identifier: MIT
 *
 * kernels.h - the arithmetic of the layers, forward and backward, on plain arrays.
 *
 * Images are NHWC: [N][height][width][channels]. dX is the gradient of the loss with respect to X. Nothing here
 * allocates: scratch memory is the caller's, its size is asked for beforehand. Results do not depend on the
 * number of threads. There are two sets of the same functions: fast ones, and plain loops that define what is
 * correct (reference/).
 */
#ifndef DLDA_KERNELS_KERNELS_H
#define DLDA_KERNELS_KERNELS_H

#include "base/status.h"
#include "linalg/gemm.h"

/* How to run: threads, and scratch memory of at least the size that the _scratch functions ask for. */
typedef struct dlda_run {
    size_t threads;
    void *scratch;
} dlda_run;

/* ---- Convolution. A dense layer is a 1x1 convolution on 1x1 images. ---- */

typedef enum dlda_conv_method {
    DLDA_CONV_IM2COL,  /* any shape                                            */
    DLDA_CONV_PRODUCT, /* 1x1: one matrix product over all pixels              */
    DLDA_CONV_WINOGRAD /* 3x3 of stride 1, padding 0 or 1, enough channels     */
} dlda_conv_method;

typedef struct dlda_conv {
    size_t height, width, channels;   /* of the input                            */
    size_t filters, kernel, stride, pad;
    /* set by dlda_conv_plan */
    size_t out_height, out_width;
    size_t depth;                     /* kernel * kernel * channels              */
    dlda_conv_method method;
    size_t block;                     /* output pixels that are computed at once */
    dlda_gemm forward[2], data[2], weights[2]; /* of a whole block, and of a smaller one */
} dlda_conv;

/* Completes the fields; the caller has checked that the kernel fits in the padded image. The second form is for
 * tests: it computes by a method that must be able to do the shape. */
void dlda_conv_plan(dlda_conv *conv);
void dlda_conv_plan_as(dlda_conv *conv, dlda_conv_method method);
/* Bytes of scratch for all three passes, for any number of images. */
dlda_status dlda_conv_scratch(const dlda_conv *conv, size_t threads, size_t *bytes);

/* ---- Pooling ---- */

typedef struct dlda_pool {
    size_t height, width, channels; /* of the input       */
    size_t size, stride;
    size_t out_height, out_width;   /* whole windows only */
} dlda_pool;

/* ---- Dropout: which values fall out is a function of these alone ---- */

typedef struct dlda_dropout {
    double rate;            /* share of values that become 0; the others are scaled by 1/(1-rate) */
    size_t size;            /* values per sample                                                  */
    uint64_t seed;
    uint32_t epoch, layer;
    const size_t *samples;  /* [N] identities of the samples                                      */
} dlda_dropout;

/* ---- Batch norm over rows x channels ---- */

typedef struct dlda_norm {
    size_t rows, channels;
    double epsilon;            /* added to the variance                                   */
    const float *scale, *shift; /* [channels] gamma, beta                                 */
} dlda_norm;

/* Bytes of scratch for the batch norm functions and for column sums, for any number of rows. */
dlda_status dlda_norm_scratch(size_t channels, size_t *bytes);

typedef struct dlda_kernel_set {
    const char *name; /* "avx2", "reference", ... */
    /* Y [N][oh][ow][F] of X [N][h][w][C], W [k][k][C][F], bias [F] or NULL. */
    void (*conv_forward)(const dlda_conv *, const dlda_run *, size_t N, const float *X, const float *W, const float *bias,
                         float *Y);
    void (*conv_backward_data)(const dlda_conv *, const dlda_run *, size_t N, const float *dY, const float *W, float *dX);
    /* dbias may be NULL. */
    void (*conv_backward_weights)(const dlda_conv *, const dlda_run *, size_t N, const float *X, const float *dY,
                                  float *dW, float *dbias);

    /* Training: Y from the batch's own mean and inverse deviation, which are left in mean and inverse [channels],
     * and the unbiased variance in variance. */
    void (*norm_forward)(const dlda_norm *, const dlda_run *, const float *X, float *Y, float *mean, float *inverse,
                         float *variance);
    void (*norm_backward)(const dlda_norm *, const dlda_run *, const float *X, const float *mean, const float *inverse,
                          const float *dY, float *dX, float *dscale, float *dshift);
    /* Inference: Y from given mean and variance. X may be Y. */
    void (*norm_apply)(const dlda_norm *, const dlda_run *, const float *X, const float *mean, const float *variance,
                       float *Y);

    /* In place. Backward needs the result only: where it is 0, the gradient is 0. */
    void (*relu_forward)(const dlda_run *, size_t n, float *X);
    void (*relu_backward)(const dlda_run *, size_t n, const float *Y, float *dY);

    /* where [N][oh][ow][C]: position in its window of each maximum; may be NULL if there is no backward pass. */
    void (*pool_forward)(const dlda_pool *, const dlda_run *, size_t N, const float *X, float *Y, uint8_t *where);
    void (*pool_backward)(const dlda_pool *, const dlda_run *, size_t N, const uint8_t *where, const float *dY, float *dX);

    /* Mean over the pixels: [N][pixels][C] to [N][C]. */
    void (*gap_forward)(const dlda_run *, size_t N, size_t pixels, size_t C, const float *X, float *Y);
    void (*gap_backward)(const dlda_run *, size_t N, size_t pixels, size_t C, const float *dY, float *dX);

    /* In place, the same for values and gradients: multiplies by the mask. */
    void (*dropout)(const dlda_dropout *, const dlda_run *, size_t N, float *X);
} dlda_kernel_set;

/* The fast kernels for this machine: compiled for AVX-512, AVX2 with FMA, or any machine. */
const dlda_kernel_set *dlda_kernels_fast(void);
extern const dlda_kernel_set dlda_reference_kernels;

#endif
