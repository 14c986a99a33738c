/* SPDX-License-Identifier: MIT
 *
 * conv_im2col.c - convolution with any kernel, stride and padding as im2col + matrix product.
 *
 * Row p of the im2col matrix holds the inputs of output pixel p: [kernel][kernel][channels]. It is computed for
 * `block` pixels at a time, which fit in the L2 cache:
 *     forward   Y    = col W          backward data     dcol = dY W', added back into dX
 *     weights   dW   = sum col' dY    over fixed groups of images, added in order
 * Rows are numbered through all images. A work item is a block or, backward, the images that one block covers.
 */
#include "base/parallel.h"
#include "kernels/conv.h"
#include "kernels/products.h"

#include <string.h>

typedef struct conv_pass {
    const dlda_conv *conv;
    const float *X, *dY, *W;
    float *Y, *dX;
    float *columns; /* [threads][block][depth]                                     */
    float *weights; /* after the columns: W' in panels, or the groups of dW        */
} conv_pass;

static conv_pass new_pass(const dlda_conv *conv, const dlda_exec *exec)
{
    conv_pass pass = { .conv = conv, .columns = exec->scratch };
    pass.weights = pass.columns + dlda_team_threads(exec->team) * dlda_im2col_worker_floats(conv);
    return pass;
}

/* One kernel row of one output pixel: `kernel` neighbouring pixels from column x on. Those inside the image, [from,
 * to), are contiguous in memory. */
typedef struct kernel_row {
    size_t from, to; /* columns of the kernel inside the image; equal if there are none */
    size_t first;    /* their first pixel in the image                                  */
} kernel_row;

typedef struct output_pixel {
    size_t image, y, x;
} output_pixel;

static inline kernel_row find_kernel_row(const dlda_conv *conv, const output_pixel *pixel, size_t ky)
{
    ptrdiff_t y = (ptrdiff_t)(pixel->y * conv->stride + ky) - (ptrdiff_t)conv->pad;
    ptrdiff_t x = (ptrdiff_t)(pixel->x * conv->stride) - (ptrdiff_t)conv->pad;
    ptrdiff_t from = x < 0 ? -x : 0, to = (ptrdiff_t)conv->kernel;

    if (x + to > (ptrdiff_t)conv->width) to = (ptrdiff_t)conv->width - x;
    if (y < 0 || y >= (ptrdiff_t)conv->height || from >= to) return (kernel_row){ 0, 0, 0 };
    return (kernel_row){ (size_t)from, (size_t)to, (size_t)(y * (ptrdiff_t)conv->width + x + from) };
}

static size_t pixels_of(const dlda_conv *conv)
{
    return conv->out_height * conv->out_width;
}

static size_t image_floats(const dlda_conv *conv)
{
    return conv->height * conv->width * conv->channels;
}

/* Images per work item: enough to fill a block. */
static size_t image_grain(const dlda_conv *conv)
{
    return (conv->block + pixels_of(conv) - 1) / pixels_of(conv);
}

/* The output pixel of a row of the im2col matrix, and the one after it, without dividing again. */
static output_pixel find_pixel(const dlda_conv *conv, size_t row)
{
    size_t pixel = row % pixels_of(conv);
    return (output_pixel){ row / pixels_of(conv), pixel / conv->out_width, pixel % conv->out_width };
}

static inline void next_pixel(const dlda_conv *conv, output_pixel *pixel)
{
    if (++pixel->x < conv->out_width) return;
    pixel->x = 0;
    if (++pixel->y < conv->out_height) return;
    pixel->y = 0;
    pixel->image++;
}

/* A kernel row inside the image. The sizes of first layers, 3 pixels of 1 or 3 channels, are constants: a few instructions. */
static inline void copy_row(float *to, const float *from, size_t n)
{
    switch (n) {
    case 3: memcpy(to, from, 3 * sizeof *to); break;
    case 9: memcpy(to, from, 9 * sizeof *to); break;
    default: memcpy(to, from, n * sizeof *to); break;
    }
}

/* col [end - begin][depth] of rows begin .. end-1, the output pixels numbered through all images X. */
static void fill_columns(const dlda_conv *conv, const float *X, size_t begin, size_t end, float *col)
{
    size_t C = conv->channels, width = conv->kernel * C;
    output_pixel pixel = find_pixel(conv, begin);

    for (size_t r = begin; r < end; r++, next_pixel(conv, &pixel)) {
        const float *x = X + pixel.image * image_floats(conv);
        for (size_t ky = 0; ky < conv->kernel; ky++, col += width) {
            kernel_row row = find_kernel_row(conv, &pixel, ky);
            if (row.to - row.from == conv->kernel) {
                copy_row(col, x + row.first * C, width);
                continue;
            }
            memset(col, 0, width * sizeof *col);
            memcpy(col + row.from * C, x + row.first * C, (row.to - row.from) * C * sizeof *col);
        }
    }
}

/* The adjoint of fill_columns: adds col to the images dX. */
static void add_columns_back(const dlda_conv *conv, const float *col, size_t begin, size_t end, float *dX)
{
    size_t C = conv->channels, width = conv->kernel * C;
    output_pixel pixel = find_pixel(conv, begin);

    for (size_t r = begin; r < end; r++, next_pixel(conv, &pixel)) {
        float *dx = dX + pixel.image * image_floats(conv);
        for (size_t ky = 0; ky < conv->kernel; ky++, col += width) {
            kernel_row row = find_kernel_row(conv, &pixel, ky);
            float *to = dx + row.first * C;
            const float *from = col + row.from * C;
            for (size_t i = 0; i < (row.to - row.from) * C; i++) to[i] += from[i];
        }
    }
}

static size_t block_end(const dlda_conv *conv, size_t begin, size_t end)
{
    return end - begin < conv->block ? end : begin + conv->block;
}

static float *worker_columns(const conv_pass *pass, const dlda_chunk *chunk)
{
    return pass->columns + chunk->worker * dlda_im2col_worker_floats(pass->conv);
}

/* ---- Forward ---- */

static void forward_block(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    float *col = worker_columns(pass, chunk);
    dlda_product product = conv->forward;

    product.m = chunk->end - chunk->begin;
    fill_columns(conv, pass->X, chunk->begin, chunk->end, col);
    dlda_multiply(&product, col, pass->W, pass->Y + chunk->begin * conv->filters);
}

void dlda_im2col_forward(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X, const float *W,
                         float *Y)
{
    conv_pass pass = new_pass(conv, exec);
    dlda_product few = conv->forward;

    few.m = N * pixels_of(conv);
    pass.X = X;
    pass.W = W;
    pass.Y = Y;
    if (few.m < conv->block) {
        fill_columns(conv, X, 0, few.m, pass.columns);
        dlda_conv_few_rows(exec, &few, pass.columns, W, Y);
    } else {
        dlda_parallel_for(exec->team, few.m, conv->block, forward_block, &pass);
    }
}

/* ---- Backward, data ---- */

static void backward_images(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    float *col = worker_columns(pass, chunk);
    size_t last = chunk->end * pixels_of(conv), in = image_floats(conv);

    memset(pass->dX + chunk->begin * in, 0, (chunk->end - chunk->begin) * in * sizeof *pass->dX);
    for (size_t begin = chunk->begin * pixels_of(conv), end; begin < last; begin = end) {
        end = block_end(conv, begin, last);
        dlda_product product = conv->data;
        product.m = end - begin;
        dlda_multiply(&product, pass->dY + begin * conv->filters, pass->weights, col);
        add_columns_back(conv, col, begin, end, pass->dX);
    }
}

void dlda_im2col_backward_data(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *dY,
                               const float *W, float *dX)
{
    conv_pass pass = new_pass(conv, exec);
    pass.dY = dY;
    pass.dX = dX;
    dlda_conv_transpose_weights(conv, exec, W, pass.weights);
    dlda_parallel_for(exec->team, N, image_grain(conv), backward_images, &pass);
}

/* ---- Backward, weights ---- */

/* A chunk is a group of images with its own partial sums. */
static void weights_chunk(void *context, const dlda_chunk *chunk)
{
    const conv_pass *pass = context;
    const dlda_conv *conv = pass->conv;
    size_t count = conv->depth * conv->filters, last = chunk->end * pixels_of(conv);
    float *dw = pass->weights + chunk->index * count, *col = worker_columns(pass, chunk);

    memset(dw, 0, count * sizeof *dw);
    for (size_t begin = chunk->begin * pixels_of(conv), end; begin < last; begin = end) {
        end = block_end(conv, begin, last);
        dlda_product product = conv->weights;
        product.k = end - begin;
        fill_columns(conv, pass->X, begin, end, col);
        dlda_multiply(&product, col, pass->dY + begin * conv->filters, dw);
    }
}

void dlda_im2col_backward_weights(const dlda_conv *conv, const dlda_exec *exec, size_t N, const float *X,
                                  const float *dY, float *dW)
{
    conv_pass pass = new_pass(conv, exec);
    size_t grain = dlda_conv_group(conv, N);

    pass.X = X;
    pass.dY = dY;
    dlda_parallel_for(exec->team, N, grain, weights_chunk, &pass);
    dlda_conv_sum_groups(conv, exec, pass.weights, dlda_parallel_chunks(N, grain), dW);
}
