/* SPDX-License-Identifier: MIT
 *
 * activation_backward.c - gradients of batch norm, ReLU and pooling in at most two passes.
 *
 * With dz the part of dy that reaches a value (0 if ReLU or the maximum blocks it), n rows and xhat = (x - mean) inverse:
 *     dshift = sum dz,   dscale = sum dz xhat,
 *     dx = scale dz - scale (dshift + xhat dscale) / n = scale dz + slope (x - mean) + offset
 * where `scale` is that of the view, gamma times inverse. dx may overwrite x, since each value depends only on its own
 * position. The sums take a pass of their own unless the convolution that wrote dy has taken them (dlda_tally).
 */
#include "kernels/activation.h"

#include <string.h>

enum {
    LONGEST_SPAN = 8, /* pixels summed in float; longer sums are in double */
    VECTORS = 4,
    TOGETHER = VECTORS * DLDA_LANES, /* channels at a time; constant counts let the compiler use vectors */
};

typedef struct backward_pass {
    const dlda_activation *activation;
    const float *X, *dY;
    float *dX;
    const uint8_t *from; /* `where` of the forward pass */
    double *partial;
    const float *slope, *offset; /* [channels] in the second pass */
} backward_pass;

/* Images per chunk: a fixed number of chunks, or fewer and larger ones for small images. */
static size_t image_grain(const dlda_activation *a, size_t N)
{
    size_t least = 1 + 4096 / (image_rows(a) * a->channels + 1),
           grain = (N + DLDA_ROW_CHUNKS - 1) / DLDA_ROW_CHUNKS;
    return grain > least ? grain : least;
}

/* ---- Backward, without windows ---- */

/* Consecutive input pixels, and the output pixels whose gradients reach them. */
typedef struct span {
    size_t count, first; /* pixels, and floats to the first one                    */
    const float *dy;     /* [channels] of the first output pixel                   */
    size_t dy_step;      /* floats between output pixels; 0: a single one for all  */
    float share;         /* fraction of dy for each input pixel                    */
} span;

/* dz of a value x: dy if it passes ReLU, else 0. */
ALWAYS_INLINE float gradient_at(const dlda_view *view, size_t c, float x, float dy)
{
    return view->scale[c] * x + view->shift[c] > view->least ? dy : 0;
}

/* Adds dz and dz (x - mean) of n channels, from c on. */
ALWAYS_INLINE void add_sums(const backward_pass *pass, const span *s, size_t c, size_t n, double *sum)
{
    const dlda_activation *a = pass->activation;
    float total[TOGETHER] = { 0 }, products[TOGETHER] = { 0 };

    for (size_t p = 0; p < s->count; p++) {
        const float *x = pass->X + s->first + p * a->channels + c, *dy = s->dy + p * s->dy_step + c;
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            float dz = gradient_at(&a->view, c + i, x[i], dy[i] * s->share);
            total[i] += dz;
            products[i] += dz * (x[i] - a->mean[c + i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        sum[c + i] += total[i];
        sum[a->channels + c + i] += products[i];
    }
}

ALWAYS_INLINE void write_gradients(const backward_pass *pass, const span *s, size_t c, size_t n, int normalises)
{
    const dlda_activation *a = pass->activation;
    const float *scale = a->view.scale, *mean = a->mean, *slope = pass->slope, *offset = pass->offset;

    for (size_t p = 0; p < s->count; p++) {
        size_t at = s->first + p * a->channels + c;
        const float *x = pass->X + at, *dy = s->dy + p * s->dy_step + c;
        float *dx = pass->dX + at;
        for (size_t i = 0; i < n; i += DLDA_LANES) {
            __builtin_prefetch(x + i + LONGEST_SPAN * a->channels);
            __builtin_prefetch(dy + i + LONGEST_SPAN * s->dy_step);
        }
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            float dz = scale[c + i] * gradient_at(&a->view, c + i, x[i], dy[i] * s->share);
            dx[i] = normalises ? dz + slope[c + i] * (x[i] - mean[c + i]) + offset[c + i] : dz;
        }
    }
}

/* First pass (sum not NULL): sums. Second pass: gradients. */
ALWAYS_INLINE void visit_channels(const backward_pass *pass, const span *s, size_t c, size_t n, double *sum)
{
    if (sum) add_sums(pass, s, c, n, sum);
    else if (pass->activation->normalises) write_gradients(pass, s, c, n, 1);
    else write_gradients(pass, s, c, n, 0);
}

static void visit_span(const backward_pass *pass, const span *s, double *sum)
{
    size_t C = pass->activation->channels, c = 0;

    for (; c + TOGETHER <= C; c += TOGETHER) visit_channels(pass, s, c, TOGETHER, sum);
    for (; c + DLDA_LANES <= C; c += DLDA_LANES) visit_channels(pass, s, c, DLDA_LANES, sum);
    if (c < C) visit_channels(pass, s, c, C - c, sum);
}

static size_t span_count(size_t left)
{
    return left < LONGEST_SPAN ? left : LONGEST_SPAN;
}

static void visit_plain_image(const backward_pass *pass, size_t n, double *sum)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels, rows = image_rows(a);
    int averages = a->window == DLDA_MEAN_WINDOW;

    for (size_t i = 0; i < rows; i += LONGEST_SPAN) {
        size_t pixel = n * rows + i;
        span s = { .count = span_count(rows - i),
                   .first = pixel * C,
                   .dy = pass->dY + (averages ? n : pixel) * C,
                   .dy_step = averages ? 0 : C,
                   .share = averages ? 1 / (float)rows : 1 };
        visit_span(pass, &s, sum);
    }
}

/* ---- Backward, maxima ---- */

/* Neighbouring windows of a row: the first pixel of the first one, and its output. */
typedef struct window_row {
    size_t count, corner, out; /* windows; floats to both */
} window_row;

/* What the windows of a row have in common, for n channels from c on. */
typedef struct channel_terms {
    size_t c, n;
    vec scale, shift, mean, slope, offset;
} channel_terms;

ALWAYS_INLINE channel_terms terms_of(const backward_pass *pass, size_t c, size_t n)
{
    const dlda_activation *a = pass->activation;
    channel_terms terms = {
        .c = c, .n = n, .scale = load(a->view.scale + c, n), .shift = load(a->view.shift + c, n)
    };

    if (!a->normalises) return terms;
    terms.mean = load(a->mean + c, n);
    if (!pass->slope) return terms; /* in the first pass */
    terms.slope = load(pass->slope + c, n);
    terms.offset = load(pass->offset + c, n);
    return terms;
}

/* The maximum of a window: its place, its value before the view, and its dz. */
typedef struct maximum {
    mask place;
    vec x, dz;
} maximum;

ALWAYS_INLINE maximum find_maximum(const backward_pass *pass, size_t size, const channel_terms *terms,
                                   const float *x, size_t out)
{
    const dlda_activation *a = pass->activation;
    bytes places = { 0 };
    maximum found = { .x = load(x, terms->n) };

    memcpy(&places, pass->from + out + terms->c, terms->n);
    found.place = __builtin_convertvector(places, mask);
    for (size_t k = 1; k < size * size; k++)
        found.x = choose(found.place == (int32_t)k, load(x + pixel_of_window(a, size, k), terms->n), found.x);
    mask passes = terms->scale * found.x + terms->shift > a->view.least;
    found.dz = (vec)((mask)load(pass->dY + out + terms->c, terms->n) & passes);
    return found;
}

/* Fetches the window below, and what belongs to it. */
ALWAYS_INLINE void fetch_window_below(const backward_pass *pass, size_t size, size_t corner, size_t out)
{
    const dlda_activation *a = pass->activation;

    for (size_t k = 0; k < size * size; k++)
        __builtin_prefetch(pass->X + corner + size * a->width * a->channels + pixel_of_window(a, size, k));
    __builtin_prefetch(pass->dY + out + a->out_width * a->channels);
}

ALWAYS_INLINE void sum_windows(const backward_pass *pass, size_t size, const channel_terms *terms, int vectors,
                               const window_row *row, double *sum)
{
    const dlda_activation *a = pass->activation;
    vec total[VECTORS] = { { 0 } }, products[VECTORS] = { { 0 } };

    for (size_t p = 0; p < row->count; p++)
        for (int v = 0; v < vectors; v++) {
            size_t corner = row->corner + p * size * a->channels + terms[v].c, out = row->out + p * a->channels;
            maximum found = find_maximum(pass, size, &terms[v], pass->X + corner, out);
            total[v] += found.dz;
            products[v] += found.dz * (found.x - terms[v].mean);
            fetch_window_below(pass, size, corner, out + terms[v].c);
        }
    for (int v = 0; v < vectors; v++) {
        add_to_sums(sum + terms[v].c, total[v], terms[v].n);
        add_to_sums(sum + a->channels + terms[v].c, products[v], terms[v].n);
    }
}

ALWAYS_INLINE void write_window(const backward_pass *pass, size_t size, const channel_terms *terms, size_t corner,
                                size_t out, int normalises)
{
    const dlda_activation *a = pass->activation;
    maximum found = find_maximum(pass, size, terms, pass->X + corner, out);
    vec dz = terms->scale * found.dz;

    for (size_t k = 0; k < size * size; k++) {
        size_t at = corner + pixel_of_window(a, size, k);
        vec dx = (vec)((mask)dz & (found.place == (int32_t)k));
        if (normalises) dx += terms->slope * (load(pass->X + at, terms->n) - terms->mean) + terms->offset;
        store(pass->dX + at, dx, terms->n);
    }
}

ALWAYS_INLINE void write_windows(const backward_pass *pass, size_t size, const channel_terms *terms, int vectors,
                                 const window_row *row, int normalises)
{
    const dlda_activation *a = pass->activation;

    for (size_t p = 0; p < row->count; p++)
        for (int v = 0; v < vectors; v++) {
            size_t corner = row->corner + p * size * a->channels + terms[v].c, out = row->out + p * a->channels;
            write_window(pass, size, &terms[v], corner, out, normalises);
            fetch_window_below(pass, size, corner, out + terms[v].c);
        }
}

/* Channels from c on: so many whole vectors, or a single one of n channels. */
ALWAYS_INLINE void visit_windows_of(const backward_pass *pass, size_t size, const window_row *row, size_t c,
                                    int vectors, size_t n, double *sum)
{
    channel_terms terms[VECTORS];

    for (int v = 0; v < vectors; v++) terms[v] = terms_of(pass, c + (size_t)v * DLDA_LANES, n);
    if (sum) sum_windows(pass, size, terms, vectors, row, sum);
    else if (pass->activation->normalises) write_windows(pass, size, terms, vectors, row, 1);
    else write_windows(pass, size, terms, vectors, row, 0);
}

ALWAYS_INLINE void visit_windows(const backward_pass *pass, size_t size, const window_row *row, double *sum)
{
    size_t C = pass->activation->channels, c = 0;

    for (; c + TOGETHER <= C; c += TOGETHER) visit_windows_of(pass, size, row, c, VECTORS, DLDA_LANES, sum);
    for (; c + DLDA_LANES <= C; c += DLDA_LANES) visit_windows_of(pass, size, row, c, 1, DLDA_LANES, sum);
    if (c < C) visit_windows_of(pass, size, row, c, 1, C - c, sum);
}

/* Pixels beyond the last complete window only get the terms of batch norm. */
static void visit_rest(const backward_pass *pass, size_t n)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels;

    for (size_t y = 0; y < a->height; y++)
        for (size_t x = y < a->out_height * a->size ? a->out_width * a->size : 0; x < a->width; x++) {
            size_t value = ((n * a->height + y) * a->width + x) * C;
            for (size_t c = 0; c < C; c++)
                pass->dX[value + c] = a->normalises
                                          ? pass->slope[c] * (pass->X[value + c] - a->mean[c]) + pass->offset[c]
                                          : 0;
        }
}

static void visit_maxima(const backward_pass *pass, size_t n, double *sum)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels;

    for (size_t y = 0; y < a->out_height; y++)
        for (size_t x = 0; x < a->out_width; x += LONGEST_SPAN) {
            const window_row row = { span_count(a->out_width - x),
                                     (n * image_rows(a) + y * a->size * a->width + x * a->size) * C,
                                     ((n * a->out_height + y) * a->out_width + x) * C };
            if (a->size == 2) visit_windows(pass, 2, &row, sum);
            else visit_windows(pass, a->size, &row, sum);
        }
    if (!sum) visit_rest(pass, n);
}

/* Maxima whose windows overlap or leave gaps: gradients are accumulated. */
static void scatter_images(void *context, const dlda_chunk *chunk)
{
    const backward_pass *pass = context;
    const dlda_activation *a = pass->activation;
    size_t C = a->channels, in = image_rows(a) * C, pixels = a->out_height * a->out_width;

    memset(pass->dX + chunk->begin * in, 0, (chunk->end - chunk->begin) * in * sizeof(float));
    for (size_t i = chunk->begin * pixels; i < chunk->end * pixels; i++) {
        size_t y = i % pixels / a->out_width * a->stride, x = i % a->out_width * a->stride;
        float *corner = pass->dX + i / pixels * in + (y * a->width + x) * C;
        for (size_t c = 0; c < C; c++) {
            size_t k = pass->from[i * C + c];
            corner[(k / a->size * a->width + k % a->size) * C + c] += pass->dY[i * C + c];
        }
    }
}

/* ---- Backward, all images ---- */

static void sum_images(void *context, const dlda_chunk *chunk)
{
    const backward_pass *pass = context;
    double *sum = pass->partial + chunk->index * 2 * pass->activation->channels;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        if (pass->activation->window == DLDA_MAX_WINDOW) visit_maxima(pass, n, sum);
        else visit_plain_image(pass, n, sum);
    }
}

static void backward_images(void *context, const dlda_chunk *chunk)
{
    const backward_pass *pass = context;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        if (pass->activation->window == DLDA_MAX_WINDOW) visit_maxima(pass, n, NULL);
        else visit_plain_image(pass, n, NULL);
    }
}

void dlda_activation_sums(const dlda_activation *a, const dlda_exec *exec, size_t N, const float *X,
                          const uint8_t *where, const float *dY, double *sums)
{
    backward_pass pass = { .activation = a, .X = X, .dY = dY, .from = where, .partial = exec->scratch };
    size_t C = a->channels, grain = image_grain(a, N), chunks = dlda_parallel_chunks(N, grain);

    memset(pass.partial, 0, chunks * 2 * C * sizeof *sums);
    dlda_parallel_for(exec->team, N, grain, sum_images, &pass);
    dlda_add_partial_sums(chunks, 2 * C, pass.partial, sums);
}

/* The terms that batch norm adds to every dx. */
static void set_terms(backward_pass *pass, const double *sums, float *terms)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels;
    float *slope = terms, *offset = terms + C;

    for (size_t c = 0; c < C; c++) {
        double scale = -(double)a->view.scale[c] / a->rows;
        slope[c] = (float)(scale * a->inverse[c] * a->inverse[c] * sums[C + c]);
        offset[c] = (float)(scale * sums[c]);
    }
    pass->slope = slope;
    pass->offset = offset;
}

void dlda_activation_backward(const dlda_activation *activation, const dlda_exec *exec, size_t N, const float *X,
                              const uint8_t *where, const float *dY, float *dX, const double *sums)
{
    backward_pass pass = { .activation = activation, .X = X, .dY = dY, .dX = dX, .from = where };
    int scatters = activation->window == DLDA_MAX_WINDOW && activation->stride != activation->size;

    if (activation->normalises) set_terms(&pass, sums, exec->scratch);
    dlda_parallel_for(exec->team, N, image_grain(activation, N), scatters ? scatter_images : backward_images,
                      &pass);
}
