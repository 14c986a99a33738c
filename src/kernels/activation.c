/* SPDX-License-Identifier: MIT
 *
 * activation.c - batch norm, ReLU and pooling in one pass: y is z = max(scale x + shift, least), its maximum over windows, or
 * its mean over the image.
 */
#include "kernels/activation.h"

typedef struct forward_pass {
    const dlda_activation *activation;
    const float *X;
    float *Y;
    uint8_t *where;
} forward_pass;

static void view_rows(const dlda_view *view, size_t rows, size_t C, const float *X, float *Y)
{
    const float *scale = view->scale, *shift = view->shift, least = view->least;

    for (size_t i = 0; i < rows; i++) {
        const float *x = X + i * C;
        float *y = Y + i * C;
#pragma omp simd
        for (size_t c = 0; c < C; c++) {
            float z = scale[c] * x[c] + shift[c];
            y[c] = z < least ? least : z;
        }
    }
}

/* Maxima of one window, for n channels from c on. The first of equal values is taken; NaN propagates. */
ALWAYS_INLINE void maxima_of_channels(const dlda_activation *a, size_t size, size_t c, size_t n, const float *x,
                                      float *y, uint8_t *where)
{
    const vec scale = load(a->view.scale + c, n), shift = load(a->view.shift + c, n);
    const size_t below = size * a->width * a->channels; /* fetched ahead */
    vec best = scale * load(x + c, n) + shift;
    mask place = { 0 };

    __builtin_prefetch(x + c + below);
    for (size_t k = 1; k < size * size; k++) {
        __builtin_prefetch(x + c + below + pixel_of_window(a, size, k));
        vec z = scale * load(x + pixel_of_window(a, size, k) + c, n) + shift;
        mask exceeds = (z > best) | (z != z);
        best = choose(exceeds, z, best);
        place = (exceeds & (int32_t)k) | (~exceeds & place);
    }
    store(y + c, at_least(everywhere(a->view.least), best), n);
    if (!where) return;
    bytes places = __builtin_convertvector(place, bytes);
    memcpy(where + c, &places, n);
}

/* One row of windows. */
ALWAYS_INLINE void maxima_of_windows(const dlda_activation *a, size_t size, const float *x, float *y,
                                     uint8_t *where)
{
    size_t C = a->channels;

    for (size_t i = 0; i < a->out_width; i++, x += a->stride * C, y += C) {
        uint8_t *to = where ? where + i * C : NULL;
        size_t c = 0;
        for (; c + DLDA_LANES <= C; c += DLDA_LANES) maxima_of_channels(a, size, c, DLDA_LANES, x, y, to);
        if (c < C) maxima_of_channels(a, size, c, C - c, x, y, to);
    }
}

static void maxima_of_row(const dlda_activation *a, const float *x, float *y, uint8_t *where)
{
    if (a->size == 2) maxima_of_windows(a, 2, x, y, where);
    else maxima_of_windows(a, a->size, x, y, where);
}

static void mean_of_image(const dlda_activation *a, const float *x, float *y)
{
    size_t C = a->channels, rows = image_rows(a);
    const float *scale = a->view.scale, *shift = a->view.shift, least = a->view.least;

    memset(y, 0, C * sizeof *y);
    for (size_t i = 0; i < rows; i++)
        for (size_t c = 0; c < C; c++) {
            float z = scale[c] * x[i * C + c] + shift[c];
            y[c] += z < least ? least : z;
        }
    for (size_t c = 0; c < C; c++) y[c] /= (float)rows;
}

/* Rows of the output, numbered through all images. */
static void forward_rows(void *context, const dlda_chunk *chunk)
{
    const forward_pass *pass = context;
    const dlda_activation *a = pass->activation;
    size_t C = a->channels, in = image_rows(a) * C, down = a->window == DLDA_MAX_WINDOW ? a->stride : 1;
    size_t out = a->out_width * C;

    for (size_t r = chunk->begin; r < chunk->end; r++) {
        const float *x = pass->X + r / a->out_height * in + r % a->out_height * down * a->width * C;
        float *y = pass->Y + r * out;
        switch (a->window) {
        case DLDA_NO_WINDOW: view_rows(&a->view, a->width, C, x, y); break;
        case DLDA_MAX_WINDOW: maxima_of_row(a, x, y, pass->where ? pass->where + r * out : NULL); break;
        case DLDA_MEAN_WINDOW: mean_of_image(a, x, y); break;
        }
    }
}

void dlda_activation_forward(const dlda_activation *activation, const dlda_exec *exec, size_t N, const float *X,
                             float *Y, uint8_t *where)
{
    forward_pass pass = { .activation = activation, .X = X, .Y = Y, .where = where };
    size_t rows = N * activation->out_height;
    size_t least = 1 + 8192 / (image_rows(activation) / activation->out_height * activation->channels + 1);
    size_t grain = (rows + DLDA_ROW_CHUNKS - 1) / DLDA_ROW_CHUNKS;

    dlda_parallel_for(exec->team, rows, grain > least ? grain : least, forward_rows, &pass);
}
