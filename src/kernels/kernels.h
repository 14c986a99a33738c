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

#include "base/parallel.h"
#include "linalg/gemm.h"

/* How to run: with which threads, and scratch memory of at least the size that the _scratch functions ask for. */
typedef struct dlda_run {
    dlda_team *team; /* NULL: the caller alone */
    void *scratch;
} dlda_run;

/* ---- Convolution. A dense layer is a 1x1 convolution on 1x1 images. ---- */

typedef enum dlda_conv_method {
    DLDA_CONV_IM2COL,  /* any shape                                            */
    DLDA_CONV_PRODUCT, /* 1x1: one matrix product over all pixels              */
    DLDA_CONV_WINOGRAD /* 3x3 of stride 1, padding 0 or 1, enough channels     */
} dlda_conv_method;

typedef struct dlda_conv {
    size_t height, width, channels; /* of the input                            */
    size_t filters, kernel, stride, pad;
    /* set by dlda_conv_plan */
    size_t out_height, out_width;
    size_t depth; /* kernel * kernel * channels              */
    dlda_conv_method method;
    size_t block;  /* output pixels that are computed at once; Winograd: see winograd.h */
    size_t groups; /* of images, each with partial sums of dW of its own                */
    size_t tile;   /* Winograd: pixels of a tile's side                                     */
    int stretches; /* Winograd: the threads share the frequencies of long stretches of tiles */
    int adjoint;   /* Winograd: dX by the adjoint of the forward pass                        */
    dlda_gemm forward[2], data[2], weights[2]; /* of a block; [1]: of Winograd's last, narrower panel of filters */
} dlda_conv;

/* Completes the fields; the caller has checked that the kernel fits in the padded image. The second form is for
 * tests: it computes by a method that must be able to do the shape, and with tiles of conv->tile unless that is 0. */
void dlda_conv_plan(dlda_conv *conv);
void dlda_conv_plan_as(dlda_conv *conv, dlda_conv_method method);
/* Plans anew for forward passes over that many images at most. With few of them, reading the filters takes longer than the
 * multiplications, and the form of the filters that is smallest may be the best. */
void dlda_conv_plan_forward(dlda_conv *conv, size_t images);
/* Floats of the prepared form of W; 0: there is none that differs from W. */
size_t dlda_conv_prepared(const dlda_conv *conv);
/* Bytes of scratch for all three passes, for any number of images. */
dlda_status dlda_conv_scratch(const dlda_conv *conv, size_t threads, size_t *bytes);

/* ---- What happens between two convolutions: batch norm, ReLU, pooling, in one pass ---- */

/* Values as their consumer sees them: max(scale x + shift, least), per channel. It spares a pass over memory where
 * a convolution can do it while it reads. */
typedef struct dlda_view {
    const float *scale, *shift; /* [channels] */
    float least;                /* 0 for ReLU, -FLT_MAX for none */
} dlda_view;

typedef enum dlda_window { DLDA_NO_WINDOW, DLDA_MAX_WINDOW, DLDA_MEAN_WINDOW } dlda_window;

typedef struct dlda_activation {
    size_t height, width, channels; /* of the input                                                   */
    dlda_window window;             /* pixels beyond the last whole window are left out               */
    size_t size, stride;            /* of a maximum's window; the mean is over the whole image        */
    size_t out_height, out_width;
    dlda_view view;              /* what the maximum or mean is taken of                           */
    int normalises;              /* the view is batch norm (then ReLU); for the backward pass:     */
    const float *mean, *inverse; /* [channels]  of the batch: mean, 1 / standard deviation         */
} dlda_activation;

/* Bytes of scratch for the functions on activations and for column sums, for any number of rows. */
dlda_status dlda_norm_scratch(size_t channels, size_t *bytes);

/* ---- Dropout: which values fall out is a function of these alone ---- */

typedef struct dlda_dropout {
    double rate; /* share of values that become 0; the others are scaled by 1/(1-rate) */
    size_t size; /* values per sample                                                  */
    uint64_t seed;
    uint32_t epoch, layer;
    const size_t *samples; /* [N] identities of the samples                                      */
} dlda_dropout;

typedef struct dlda_kernel_set {
    const char *name; /* "avx2", "reference", ... */

    /* Y [N][oh][ow][F] of X [N][h][w][C], W [k][k][C][F], bias [F] or NULL. X is seen through the view, if there is
     * one: then the method must be Winograd. */
    void (*conv_forward)(const dlda_conv *, const dlda_run *, size_t N, const float *X, const dlda_view *view,
                         const float *W, const float *bias, float *Y);
    /* The same with W brought into the form that the method computes with, once for many calls: by conv_prepare, into
     * dlda_conv_prepared floats. NULL where a set of kernels has no such form. */
    void (*conv_prepare)(const dlda_conv *, const dlda_run *, const float *W, float *prepared);
    void (*conv_forward_prepared)(const dlda_conv *, const dlda_run *, size_t N, const float *X,
                                  const dlda_view *view, const float *prepared, const float *bias, float *Y);
    void (*conv_backward_data)(const dlda_conv *, const dlda_run *, size_t N, const float *dY, const float *W,
                               float *dX);
    /* dbias may be NULL. */
    void (*conv_backward_weights)(const dlda_conv *, const dlda_run *, size_t N, const float *X,
                                  const dlda_view *view, const float *dY, float *dW, float *dbias);

    /* Per channel of X [rows][C]: mean, and biased variance. */
    void (*statistics)(const dlda_run *, size_t rows, size_t C, const float *X, float *mean, float *variance);

    /* Y [N][oh][ow][C] of X [N][h][w][C]. where, of Y's shape, gets the position of each maximum in its window; NULL if
     * there is no backward pass. X may be Y if there is no window. */
    void (*activation_forward)(const dlda_activation *, const dlda_run *, size_t N, const float *X, float *Y,
                               uint8_t *where);
    /* dX, which may be X, from dY and the X of the forward pass; and the gradients of batch norm's scale and shift,
     * [channels], if it normalises. Maxima with stride != size: only without batch norm and ReLU, and not in place. */
    void (*activation_backward)(const dlda_activation *, const dlda_run *, size_t N, const float *X,
                                const uint8_t *where, const float *dY, float *dX, float *dscale, float *dshift);

    /* In place, the same for values and gradients: multiplies by the mask. */
    void (*dropout)(const dlda_dropout *, const dlda_run *, size_t N, float *X);
} dlda_kernel_set;

/* The fast kernels for this machine: compiled for AVX-512, AVX2 with FMA, or any machine. */
const dlda_kernel_set *dlda_kernels_fast(void);
/* Plain loops, with sums in double: the same bits whatever they were compiled for. */
const dlda_kernel_set *dlda_kernels_reference(void);

#endif
