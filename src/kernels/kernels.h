/* SPDX-License-Identifier: MIT
 *
 * kernels.h - the arithmetic of the layers, forward and backward, on plain arrays.
 *
 * Images are NHWC: [N][height][width][channels]. dX is the gradient of the loss with respect to X. Nothing here
 * allocates: the caller provides scratch memory, whose size can be queried. Results do not depend on the number of
 * threads. There are two implementations: fast ones, and plain loops that define the correct result (reference/).
 */
#ifndef DLDA_KERNELS_KERNELS_H
#define DLDA_KERNELS_KERNELS_H

#include "base/parallel.h"
#include "base/status.h"

/* Execution context: threads, and scratch memory of at least the size that the _scratch functions return. */
typedef struct dlda_exec {
    dlda_team *team; /* NULL: the caller only */
    void *scratch;
} dlda_exec;

/* ---- Matrix products, by the calling thread ---- */

/* C [m][n] = op(A) B (+ C if it accumulates); op(A) is [m][k], B is [k][n]. If it is transposed, A is stored as [k][m]. */
typedef struct dlda_product {
    size_t m, n, k;
    int a_transposed, accumulate;
    size_t lda, ldb, ldc; /* floats between stored rows; 0: B, or a transposed A, is in panels (products.h) */
    size_t room;          /* rows that a panel has room for, of which k are used                            */
} dlda_product;

/* ---- Convolution. A dense layer is a 1x1 convolution on 1x1 images. ---- */

typedef enum dlda_conv_method {
    DLDA_CONV_IM2COL,  /* any shape                                      */
    DLDA_CONV_PRODUCT, /* 1x1: one matrix product over all pixels        */
    DLDA_CONV_WINOGRAD /* 3x3, stride 1, padding 0 or 1, enough channels */
} dlda_conv_method;

typedef struct dlda_conv {
    size_t height, width, channels; /* of the input                            */
    size_t filters, kernel, stride, pad;
    int bf16; /* products of bfloat16 numbers, where that is possible and faster; dlda_conv_plan clears it elsewhere */
    /* set by dlda_conv_plan */
    size_t out_height, out_width;
    size_t depth; /* kernel * kernel * channels              */
    dlda_conv_method method;
    size_t block;                     /* output pixels computed at once; Winograd: see winograd.h               */
    size_t groups;                    /* of images, each with its own partial sums of dW                        */
    size_t tile;                      /* Winograd: side of a tile in pixels                                     */
    int stretches;                    /* Winograd: the threads share the frequencies of long stretches of tiles */
    int adjoint;                      /* Winograd: dX by the adjoint of the forward pass                        */
    dlda_product forward, data, weights; /* for a block */
} dlda_conv;

/* Completes the fields; the caller has checked that the kernel fits in the padded image. The second form is for
 * tests: it forces a method, which must support the shape, and tiles of conv->tile unless that is 0. */
void dlda_conv_plan(dlda_conv *conv);
void dlda_conv_plan_as(dlda_conv *conv, dlda_conv_method method);
/* Replans for forward passes over at most that many images. With few images, reading the filters dominates, so the
 * method with the smallest filters may be the fastest. */
void dlda_conv_plan_forward(dlda_conv *conv, size_t images);
/* Floats of the prepared form of W; 0: W is used as it is. */
size_t dlda_conv_prepared(const dlda_conv *conv);
/* Bytes of scratch memory for all three passes, for any number of images. */
dlda_status dlda_conv_scratch(const dlda_conv *conv, size_t threads, size_t *bytes);

/* ---- Between two convolutions: batch norm, ReLU, pooling, in one pass ---- */

/* Values as seen by their consumer: max(scale x + shift, least), per channel. A convolution that applies it while
 * reading saves a pass over memory. */
typedef struct dlda_view {
    const float *scale, *shift; /* [channels] */
    float least;                /* 0 for ReLU, -FLT_MAX for none */
} dlda_view;

typedef enum dlda_window { DLDA_NO_WINDOW, DLDA_MAX_WINDOW, DLDA_MEAN_WINDOW } dlda_window;

typedef struct dlda_activation {
    size_t height, width, channels; /* of the input                                            */
    dlda_window window;             /* pixels beyond the last complete window are ignored      */
    size_t size, stride;            /* of a maximum's window; the mean is over the whole image */
    size_t out_height, out_width;
    dlda_view view;              /* applied before the maximum or mean                           */
    int normalises;              /* the view is batch norm (then ReLU); the backward pass needs: */
    const float *mean, *inverse; /* [channels]  of the batch: mean, 1 / standard deviation       */
    double rows;                 /* that were normalised together, also those on other ranks     */
} dlda_activation;

/* Sums for each channel of an array that a convolution writes, taken on the way, which saves a pass over memory: of the
 * values y and y^2, the moments of batch norm. With an activation, the array is the gradient of its output, and the sums
 * are those of activation_sums; it has no window. */
typedef struct dlda_tally {
    double *sums; /* [2][channels] */
    const dlda_activation *activation;
    const float *X; /* its input */
} dlda_tally;

/* Bytes of scratch memory for activations and column sums, for any number of rows. */
dlda_status dlda_norm_scratch(size_t channels, size_t *bytes);

/* ---- Dropout: the mask is a function of these fields only ---- */

typedef struct dlda_dropout {
    double rate; /* fraction of values set to 0; the others are scaled by 1/(1-rate) */
    size_t size; /* values per sample                                                */
    uint64_t seed;
    uint32_t epoch, layer;
    const size_t *samples; /* [N] sample numbers */
} dlda_dropout;

/* ---- Rows with a class each, for the sums of LDA ---- */

/* Rows of D values in float or double; `index` NULL stands for 0, 1, 2, ... */
typedef struct dlda_class_rows {
    const float *floats;   /* [..][D], or else: */
    const double *doubles; /* [..][D]           */
    const int *labels;     /* [..]              */
    const size_t *index;   /* [n]               */
} dlda_class_rows;

static inline size_t dlda_row_at(const dlda_class_rows *rows, size_t i)
{
    return rows->index ? rows->index[i] : i;
}

typedef struct dlda_kernel_set {
    const char *name; /* "avx2", "reference", ... */

    /* NULL in the reference. */
    void (*multiply)(const dlda_product *, const float *A, const float *B, float *C);
    size_t panel; /* columns of a panel */

    /* Y [N][oh][ow][F] of X [N][h][w][C], W [k][k][C][F], bias [F] or NULL. X is read through the view unless it is
     * NULL; a view requires Winograd. The tally is that of Y, or NULL. */
    void (*conv_forward)(const dlda_conv *, const dlda_exec *, size_t N, const float *X, const dlda_view *view,
                         const float *W, const float *bias, float *Y, const dlda_tally *tally);
    /* The same with W in a prepared form, computed once for many calls by conv_prepare into dlda_conv_prepared
     * floats. NULL if a set of kernels has no such form. */
    void (*conv_prepare)(const dlda_conv *, const dlda_exec *, const float *W, float *prepared);
    void (*conv_forward_prepared)(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                  const dlda_view *view, const float *prepared, const float *bias, float *Y);
    /* The tally is that of dX, or NULL. */
    void (*conv_backward_data)(const dlda_conv *, const dlda_exec *, size_t N, const float *dY, const float *W,
                               float *dX, const dlda_tally *tally);
    /* dbias may be NULL. */
    void (*conv_backward_weights)(const dlda_conv *, const dlda_exec *, size_t N, const float *X,
                                  const dlda_view *view, const float *dY, float *dW, float *dbias);

    /* sums [2][C] of x and of x^2 for each channel of X [rows][C]. */
    void (*moments)(const dlda_exec *, size_t rows, size_t C, const float *X, double *sums);

    /* Y [N][oh][ow][C] of X [N][h][w][C]. where, of Y's shape, receives the position of each maximum in its window;
     * NULL without a backward pass. X may be Y if there is no window. */
    void (*activation_forward)(const dlda_activation *, const dlda_exec *, size_t N, const float *X, float *Y,
                               uint8_t *where);
    /* If it normalises: sums [2][channels] of dz and of dz (x - mean), where dz is the part of dY that reaches x. */
    void (*activation_sums)(const dlda_activation *, const dlda_exec *, size_t N, const float *X,
                            const uint8_t *where, const float *dY, double *sums);
    /* dX, which may be X, from dY and the X of the forward pass, and if it normalises the sums of all rows. Maxima with
     * stride != size: only without batch norm and ReLU, and not in place. */
    void (*activation_backward)(const dlda_activation *, const dlda_exec *, size_t N, const float *X,
                                const uint8_t *where, const float *dY, float *dX, const double *sums);

    /* Multiplies by the mask in place; the same for values and gradients. */
    void (*dropout)(const dlda_dropout *, const dlda_exec *, size_t N, float *X);

    /* The upper triangle of S [d][d] += X' X in double, X [n][d]; the lower one holds nothing of use afterwards. NULL in the
     * reference, as are the next two. */
    void (*add_upper_products)(size_t n, size_t d, const double *X, double *S);
    /* Of rows first .. first+n-1: how many are of each class, counts [C], and the means of these classes, [C][D]. The
     * means of other classes are not set. */
    void (*class_means)(const dlda_class_rows *, size_t first, size_t n, size_t C, size_t D, size_t *counts,
                        double *means);
    /* The same rows minus the means of their classes, centred [n][D]. */
    void (*class_centre)(const dlda_class_rows *, size_t first, size_t n, size_t D, const double *means,
                         double *centred);
} dlda_kernel_set;

/* The fast kernels for this machine: compiled for AVX-512, AVX2 with FMA, or a generic machine. */
const dlda_kernel_set *dlda_kernels_fast(void);
/* Plain loops with sums in double: the same bits for any instruction set. */
const dlda_kernel_set *dlda_kernels_reference(void);

#endif
