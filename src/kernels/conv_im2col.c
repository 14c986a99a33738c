/* SPDX-License-Identifier: MIT
 *
 * conv_im2col.c - convolution of any kernel, stride and padding as im2col + matrix product.
 *
 * Row p of the im2col matrix holds the inputs of output pixel p: [kernel][kernel][channels]. It is made for
 * `block` pixels at a time, few enough that it stays in the second-level cache:
 *     forward   Y    = col W          backward data     dcol = dY W', added back into dX
 *     weights   dW   = sum col' dY    over fixed groups of images, added in order
 * One image is one item of work.
 */
#include "base/parallel.h"
#include "kernels/conv.h"

#include <string.h>

typedef struct conv_pass {
    const dlda_conv *conv;
    const float *X, *dY, *W;
    float *Y, *dX;
    float *columns; /* [threads][block][depth]                                    */
    float *weights; /* behind them: W' [filters][depth], or the groups of dW      */
} conv_pass;

static conv_pass new_pass(const dlda_conv *conv, const dlda_run *run)
{
    conv_pass pass = { .conv = conv, .columns = run->scratch };
    pass.weights = pass.columns + dlda_team_threads(run->team) * dlda_im2col_worker_floats(conv);
    return pass;
}

/* One kernel row of one output pixel: `kernel` neighbouring pixels from column x on, of which those inside the
 * image, [from, to), lie in one piece of memory. */
typedef struct kernel_row {
    size_t from, to; /* columns of the kernel inside the image; equal if the whole row is outside */
    size_t first;    /* their first pixel in the image                                            */
} kernel_row;

static kernel_row find_kernel_row(const dlda_conv *conv, size_t pixel, size_t ky)
{
    ptrdiff_t y = (ptrdiff_t)(pixel / conv->out_width * conv->stride + ky) - (ptrdiff_t)conv->pad;
    ptrdiff_t x = (ptrdiff_t)(pixel % conv->out_width * conv->stride) - (ptrdiff_t)conv->pad;
    ptrdiff_t from = x < 0 ? -x : 0, to = (ptrdiff_t)conv->kernel;

    if (x + to > (ptrdiff_t)conv->width) to = (ptrdiff_t)conv->width - x;
    if (y < 0 || y >= (ptrdiff_t)conv->height || from >= to) return (kernel_row){ 0, 0, 0 };
    return (kernel_row){ (size_t)from, (size_t)to, (size_t)(y * (ptrdiff_t)conv->width + x + from) };
}

/* col [end - begin][depth] of output pixels begin .. end-1 of the image x. */
static void fill_columns(const dlda_conv *conv, const float *x, size_t begin, size_t end, float *col)
{
    size_t C = conv->channels, width = conv->kernel * C;

    for (size_t pixel = begin; pixel < end; pixel++)
        for (size_t ky = 0; ky < conv->kernel; ky++, col += width) {
            kernel_row row = find_kernel_row(conv, pixel, ky);
            memset(col, 0, row.from * C * sizeof *col);
            memcpy(col + row.from * C, x + row.first * C, (row.to - row.from) * C * sizeof *col);
            memset(col + row.to * C, 0, (conv->kernel - row.to) * C * sizeof *col);
        }
}

/* The adjoint: adds col back into the image dx. */
static void add_columns_back(const dlda_conv *conv, const float *col, size_t begin, size_t end, float *dx)
{
    size_t C = conv->channels, width = conv->kernel * C;

    for (size_t pixel = begin; pixel < end; pixel++)
        for (size_t ky = 0; ky < conv->kernel; ky++, col += width) {
            kernel_row row = find_kernel_row(conv, pixel, ky);
            float *to = dx + row.first * C;
            const float *from = col + row.from * C;
            for (size_t i = 0; i < (row.to - row.from) * C; i++) to[i] += from[i];
        }
}

static size_t pixels_of(const dlda_conv *conv)
{
    return conv->out_height * conv->out_width;
}

static size_t block_end(const dlda_conv *conv, size_t begin)
{
    size_t left = pixels_of(conv) - begin;
    return begin + (left < conv->block ? left : conv->block);
}

static float *worker_columns(const conv_pass *pass, const dlda_chunk *chunk)
{
    return pass->columns + chunk->worker * dlda_im2col_worker_floats(pass->conv);
}

/* ---- Forward ---- */

static void forward_image(const conv_pass *pass, const float *x, float *y, float *col)
{
    const dlda_conv *conv = pass->conv;
    size_t F = conv->filters, pixels = pixels_of(conv);

    for (size_t begin = 0, end; begin < pixels; begin = end) {
        end = block_end(conv, begin);
        const dlda_gemm *gemm = &conv->forward[end - begin < conv->block];
        fill_columns(conv, x, begin, end, col);
        dlda_gemm_run(gemm, col, pass->W, y + begin * F);
    }
}

static void forward_chunk(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    size_t in = conv->height * conv->width * conv->channels, out = pixels_of(conv) * conv->filters;

    for (size_t n = chunk->begin; n < chunk->end; n++)
        forward_image(pass, pass->X + n * in, pass->Y + n * out, worker_columns(pass, chunk));
}

void dlda_im2col_forward(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X, const float *W,
                         float *Y)
{
    conv_pass pass = new_pass(conv, run);
    pass.X = X;
    pass.W = W;
    pass.Y = Y;
    dlda_parallel_for(run->team, N, 1, forward_chunk, &pass);
}

/* ---- Backward, data ---- */

static void backward_image(const conv_pass *pass, const float *dy, float *dx, float *col)
{
    const dlda_conv *conv = pass->conv;
    size_t pixels = pixels_of(conv);

    memset(dx, 0, conv->height * conv->width * conv->channels * sizeof *dx);
    for (size_t begin = 0, end; begin < pixels; begin = end) {
        end = block_end(conv, begin);
        const dlda_gemm *gemm = &conv->data[end - begin < conv->block];
        dlda_gemm_run(gemm, dy + begin * conv->filters, pass->weights, col);
        add_columns_back(conv, col, begin, end, dx);
    }
}

static void backward_chunk(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    size_t in = conv->height * conv->width * conv->channels, out = pixels_of(conv) * conv->filters;

    for (size_t n = chunk->begin; n < chunk->end; n++)
        backward_image(pass, pass->dY + n * out, pass->dX + n * in, worker_columns(pass, chunk));
}

void dlda_im2col_backward_data(const dlda_conv *conv, const dlda_run *run, size_t N, const float *dY,
                               const float *W, float *dX)
{
    conv_pass pass = new_pass(conv, run);
    pass.dY = dY;
    pass.dX = dX;
    dlda_conv_transpose(conv, W, pass.weights);
    dlda_parallel_for(run->team, N, 1, backward_chunk, &pass);
}

/* ---- Backward, weights ---- */

static void add_image_weights(const conv_pass *pass, const float *x, const float *dy, float *col, float *dw)
{
    const dlda_conv *conv = pass->conv;
    size_t pixels = pixels_of(conv);

    for (size_t begin = 0, end; begin < pixels; begin = end) {
        end = block_end(conv, begin);
        const dlda_gemm *gemm = &conv->weights[end - begin < conv->block];
        fill_columns(conv, x, begin, end, col);
        dlda_gemm_run(gemm, col, dy + begin * conv->filters, dw);
    }
}

/* One chunk is one group of images, with partial sums of its own. */
static void weights_chunk(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    size_t in = conv->height * conv->width * conv->channels, out = pixels_of(conv) * conv->filters;
    size_t count = conv->depth * conv->filters;
    float *dw = pass->weights + chunk->index * count;

    memset(dw, 0, count * sizeof *dw);
    for (size_t n = chunk->begin; n < chunk->end; n++)
        add_image_weights(pass, pass->X + n * in, pass->dY + n * out, worker_columns(pass, chunk), dw);
}

void dlda_im2col_backward_weights(const dlda_conv *conv, const dlda_run *run, size_t N, const float *X,
                                  const float *dY, float *dW)
{
    conv_pass pass = new_pass(conv, run);
    size_t grain = dlda_conv_group(N);

    pass.X = X;
    pass.dY = dY;
    dlda_parallel_for(run->team, N, grain, weights_chunk, &pass);
    dlda_conv_sum_groups(conv, run, pass.weights, dlda_parallel_chunks(N, grain), dW);
}
