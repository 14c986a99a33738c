/* SPDX-License-Identifier: MIT
 *
 * activation.c - batch norm, ReLU and pooling in one pass forward and at most two backward.
 *
 * Forward, z = max(scale x + shift, least), and y is z, its maximum over windows, or its mean over the
 * image. Backward, with dz the part of dy that reaches a value (0 if ReLU or the maximum blocks it), n rows
 * and xhat = (x - mean) inverse:
 *     dshift = sum dz,   dscale = sum dz xhat,
 *     dx = scale dz - scale (dshift + xhat dscale) / n = scale dz + slope (x - mean) + offset
 * where `scale` is that of the view, gamma times inverse. dx may overwrite x, since each value depends
 * only on its own position.
 */
#include "kernels/fast.h"
#include "kernels/reductions.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct activation_pass {
    const dlda_activation *activation;
    const float *X, *dY;
    float *Y, *dX;
    uint8_t *where;
    const uint8_t *from; /* `where` of the forward pass        */
    double *partial;
    const float *slope, *offset; /* [channels] of the backward pass    */
} activation_pass;

static size_t image_rows(const dlda_activation *a)
{
    return a->height * a->width;
}

/* Images per chunk: a fixed number of chunks, or fewer and larger ones for small images. */
static size_t image_grain(const dlda_activation *a, size_t N)
{
    size_t least = 1 + 4096 / (image_rows(a) * a->channels + 1),
           grain = (N + DLDA_ROW_CHUNKS - 1) / DLDA_ROW_CHUNKS;
    return grain > least ? grain : least;
}

/* ---- Statistics ---- */

typedef struct moments_pass {
    size_t C;
    const float *X;
    double *partial;
} moments_pass;

typedef float narrow __attribute__((vector_size(2 * DLDA_LANES), aligned(4)));
typedef double wide __attribute__((vector_size(4 * DLDA_LANES), aligned(8)));

enum { WIDE = DLDA_LANES / 2, AT_ONCE = 4, ROWS_AT_ONCE = 64 }; /* channels of a vector, vectors, rows in the cache */

/* Of AT_ONCE * WIDE channels, whose sums stay in registers. */
static void add_moments_of_vectors(const float *x, size_t rows, size_t C, double *sum, double *squares)
{
    wide s[AT_ONCE], q[AT_ONCE];

    memcpy(s, sum, sizeof s);
    memcpy(q, squares, sizeof q);
    for (size_t i = 0; i < rows; i++, x += C)
        for (int k = 0; k < AT_ONCE; k++) {
            wide value = __builtin_convertvector(*(const narrow *)(x + k * WIDE), wide);
            s[k] += value;
            q[k] += value * value;
        }
    memcpy(sum, s, sizeof s);
    memcpy(squares, q, sizeof q);
}

static void add_moments_of_channels(const float *x, size_t rows, size_t C, size_t n, double *sum, double *squares)
{
    for (size_t i = 0; i < rows; i++, x += C)
        for (size_t c = 0; c < n; c++) {
            double value = x[c];
            sum[c] += value;
            squares[c] += value * value;
        }
}

/* Sums x and x^2 in double, which is exact enough for floats. */
static void add_moments(void *context, const dlda_chunk *chunk)
{
    const moments_pass *pass = context;
    size_t C = pass->C, whole = C / (AT_ONCE * WIDE) * (AT_ONCE * WIDE);
    double *sum = pass->partial + chunk->index * 2 * C, *squares = sum + C;

    for (size_t i = chunk->begin; i < chunk->end; i += ROWS_AT_ONCE) {
        const float *x = pass->X + i * C;
        size_t rows = chunk->end - i < ROWS_AT_ONCE ? chunk->end - i : ROWS_AT_ONCE;
        for (size_t c = 0; c < whole; c += AT_ONCE * WIDE)
            add_moments_of_vectors(x + c, rows, C, sum + c, squares + c);
        add_moments_of_channels(x + whole, rows, C, C - whole, sum + whole, squares + whole);
    }
}

void dlda_statistics(const dlda_exec *exec, size_t rows, size_t C, const float *X, float *mean, float *variance)
{
    moments_pass pass = { C, X, exec->scratch };
    const double *sums = dlda_reduce_rows(exec, rows, 2 * C, add_moments, &pass);

    for (size_t c = 0; c < C; c++) {
        double m = sums[c] / (double)rows;
        mean[c] = (float)m;
        variance[c] = (float)fmax(sums[C + c] / (double)rows - m * m, 0);
    }
}

/* ---- Forward ---- */

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

/* Maxima of one window, for all channels. The first of equal values is taken; NaN propagates. */
static void maximum_of_window(const dlda_activation *a, const float *x, float *y, uint8_t *where)
{
    const float *scale = a->view.scale, *shift = a->view.shift, least = a->view.least;
    size_t C = a->channels;

#pragma omp simd
    for (size_t c = 0; c < C; c++) y[c] = scale[c] * x[c] + shift[c];
    if (where) memset(where, 0, C);
    for (size_t k = 1; k < a->size * a->size; k++) {
        const float *p = x + (k / a->size * a->width + k % a->size) * C;
#pragma omp simd
        for (size_t c = 0; c < C; c++) {
            float z = scale[c] * p[c] + shift[c];
            int exceeds = (z > y[c]) | (z != z);
            y[c] = exceeds ? z : y[c];
            if (where) where[c] = exceeds ? (uint8_t)k : where[c];
        }
    }
#pragma omp simd
    for (size_t c = 0; c < C; c++) y[c] = y[c] < least ? least : y[c];
}

/* One row of windows. */
static void maxima_of_row(const dlda_activation *a, const float *x, float *y, uint8_t *where)
{
    size_t C = a->channels;

    for (size_t i = 0; i < a->out_width; i++)
        maximum_of_window(a, x + i * a->stride * C, y + i * C, where ? where + i * C : NULL);
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
    const activation_pass *pass = context;
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
    activation_pass pass = { .activation = activation, .X = X, .Y = Y, .where = where };
    size_t rows = N * activation->out_height;
    size_t least = 1 + 8192 / (image_rows(activation) / activation->out_height * activation->channels + 1);
    size_t grain = (rows + DLDA_ROW_CHUNKS - 1) / DLDA_ROW_CHUNKS;

    dlda_parallel_for(exec->team, rows, grain > least ? grain : least, forward_rows, &pass);
}

/* ---- Backward ---- */

/* Some input pixels, and the output pixels whose gradients reach them: those at one position of neighbouring
 * windows or, without windows, consecutive pixels. */
typedef struct span {
    size_t count;
    size_t first, step;   /* floats to the first input pixel, and between pixels            */
    const float *dy;      /* [channels] of the first output pixel                           */
    size_t dy_step;       /* floats between output pixels; 0: a single one for all          */
    const uint8_t *where; /* same layout as dy; NULL: the gradient reaches all input pixels */
    uint8_t place;        /* position in the window                                         */
    float share;          /* fraction of dy for each input pixel                            */
} span;

#define ALWAYS_INLINE static inline __attribute__((always_inline))

enum {
    LONGEST_SPAN = 8,          /* pixels summed in float; longer sums are in double                */
    TOGETHER = 4 * DLDA_LANES, /* channels at a time; constant counts let the compiler use vectors */
};

/* dz of a value x: dy if it passes ReLU and the maximum, else 0. */
ALWAYS_INLINE float gradient_at(const dlda_view *view, size_t c, float x, float dy, int reached)
{
    return view->scale[c] * x + view->shift[c] > view->least && reached ? dy : 0;
}

/* Adds dz and dz (x - mean) of n channels, from c on. */
ALWAYS_INLINE void add_sums(const activation_pass *pass, const span *s, size_t c, size_t n, int pooled, double *sum)
{
    const dlda_activation *a = pass->activation;
    float total[TOGETHER] = { 0 }, products[TOGETHER] = { 0 };

    for (size_t p = 0; p < s->count; p++) {
        const float *x = pass->X + s->first + p * s->step + c, *dy = s->dy + p * s->dy_step + c;
        const uint8_t *where = pooled ? s->where + p * s->dy_step + c : NULL;
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            int reached = !pooled || where[i] == s->place;
            float dz = gradient_at(&a->view, c + i, x[i], dy[i] * s->share, reached);
            total[i] += dz;
            products[i] += dz * (x[i] - a->mean[c + i]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        sum[c + i] += total[i];
        sum[a->channels + c + i] += products[i];
    }
}

ALWAYS_INLINE void write_gradients(const activation_pass *pass, const span *s, size_t c, size_t n, int pooled,
                                   int normalises)
{
    const dlda_activation *a = pass->activation;
    const float *scale = a->view.scale, *mean = a->mean, *slope = pass->slope, *offset = pass->offset;

    for (size_t p = 0; p < s->count; p++) {
        const float *x = pass->X + s->first + p * s->step + c, *dy = s->dy + p * s->dy_step + c;
        const uint8_t *where = pooled ? s->where + p * s->dy_step + c : NULL;
        float *dx = pass->dX + s->first + p * s->step + c;
#pragma omp simd
        for (size_t i = 0; i < n; i++) {
            int reached = !pooled || where[i] == s->place;
            float dz = scale[c + i] * gradient_at(&a->view, c + i, x[i], dy[i] * s->share, reached);
            dx[i] = normalises ? dz + slope[c + i] * (x[i] - mean[c + i]) + offset[c + i] : dz;
        }
    }
}

/* First pass (sum not NULL): sums. Second pass: gradients. */
ALWAYS_INLINE void visit_channels(const activation_pass *pass, const span *s, size_t c, size_t n, int pooled,
                                  double *sum)
{
    if (sum) add_sums(pass, s, c, n, pooled, sum);
    else if (pass->activation->normalises) write_gradients(pass, s, c, n, pooled, 1);
    else write_gradients(pass, s, c, n, pooled, 0);
}

ALWAYS_INLINE void visit_span(const activation_pass *pass, const span *s, int pooled, double *sum)
{
    size_t C = pass->activation->channels, c = 0;

    for (; c + TOGETHER <= C; c += TOGETHER) visit_channels(pass, s, c, TOGETHER, pooled, sum);
    if (c < C) visit_channels(pass, s, c, C - c, pooled, sum);
}

static size_t span_count(size_t left)
{
    return left < LONGEST_SPAN ? left : LONGEST_SPAN;
}

static void visit_plain_image(const activation_pass *pass, size_t n, double *sum)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels, rows = image_rows(a);
    int averages = a->window == DLDA_MEAN_WINDOW;

    for (size_t i = 0; i < rows; i += LONGEST_SPAN) {
        size_t pixel = n * rows + i;
        span s = { .count = span_count(rows - i),
                   .first = pixel * C,
                   .step = C,
                   .dy = pass->dY + (averages ? n : pixel) * C,
                   .dy_step = averages ? 0 : C,
                   .share = averages ? 1 / (float)rows : 1 };
        visit_span(pass, &s, 0, sum);
    }
}

/* Pixels beyond the last complete window only get the terms of batch norm. */
static void visit_rest(const activation_pass *pass, size_t n)
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

/* One row of windows, starting at output pixel `out`. */
static void visit_windows(const activation_pass *pass, size_t corner, size_t out, size_t count, double *sum)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels;

    for (size_t k = 0; k < a->size * a->size; k++) {
        span s = { .count = count,
                   .first = (corner + k / a->size * a->width + k % a->size) * C,
                   .step = a->size * C,
                   .dy = pass->dY + out * C,
                   .dy_step = C,
                   .where = pass->from + out * C,
                   .place = (uint8_t)k,
                   .share = 1 };
        visit_span(pass, &s, 1, sum);
    }
}

static void visit_maxima(const activation_pass *pass, size_t n, double *sum)
{
    const dlda_activation *a = pass->activation;

    for (size_t y = 0; y < a->out_height; y++)
        for (size_t x = 0; x < a->out_width; x += LONGEST_SPAN) {
            size_t corner = n * image_rows(a) + y * a->size * a->width + x * a->size;
            size_t out = (n * a->out_height + y) * a->out_width + x;
            visit_windows(pass, corner, out, span_count(a->out_width - x), sum);
        }
    if (!sum) visit_rest(pass, n);
}

/* Maxima whose windows overlap or leave gaps: gradients are accumulated. */
static void scatter_images(void *context, const dlda_chunk *chunk)
{
    const activation_pass *pass = context;
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

static void sum_images(void *context, const dlda_chunk *chunk)
{
    const activation_pass *pass = context;
    double *sum = pass->partial + chunk->index * 2 * pass->activation->channels;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        if (pass->activation->window == DLDA_MAX_WINDOW) visit_maxima(pass, n, sum);
        else visit_plain_image(pass, n, sum);
    }
}

static void backward_images(void *context, const dlda_chunk *chunk)
{
    const activation_pass *pass = context;

    for (size_t n = chunk->begin; n < chunk->end; n++) {
        if (pass->activation->window == DLDA_MAX_WINDOW) visit_maxima(pass, n, NULL);
        else visit_plain_image(pass, n, NULL);
    }
}

/* Computes dscale and dshift in a first pass, and from them the terms that batch norm adds to every dx. */
static void norm_gradients(activation_pass *pass, const dlda_exec *exec, size_t N, float *dscale, float *dshift)
{
    const dlda_activation *a = pass->activation;
    size_t C = a->channels, grain = image_grain(a, N), chunks = dlda_parallel_chunks(N, grain);
    double n = (double)(N * image_rows(a)), *sums = exec->scratch;

    memset(sums, 0, (chunks ? chunks : 1) * 2 * C * sizeof *sums);
    dlda_parallel_for(exec->team, N, grain, sum_images, pass);
    for (size_t i = 1; i < chunks; i++)
        for (size_t c = 0; c < 2 * C; c++) sums[c] += sums[i * 2 * C + c];
    for (size_t c = 0; c < C; c++) {
        dshift[c] = (float)sums[c];
        dscale[c] = (float)(sums[C + c] * a->inverse[c]);
    }
    if (a->share) {
        a->share(a->context, sums, 2 * C);
        n = a->rows;
    }
    float *slope = (float *)(sums + 2 * C),
          *offset = slope + C; /* the sums of further chunks are no longer needed */
    for (size_t c = 0; c < C; c++) {
        slope[c] = (float)(-(double)a->view.scale[c] * a->inverse[c] * (float)(sums[C + c] * a->inverse[c]) / n);
        offset[c] = (float)(-(double)a->view.scale[c] * (float)sums[c] / n);
    }
    pass->slope = slope;
    pass->offset = offset;
}

void dlda_activation_backward(const dlda_activation *activation, const dlda_exec *exec, size_t N, const float *X,
                              const uint8_t *where, const float *dY, float *dX, float *dscale, float *dshift)
{
    activation_pass pass = {
        .activation = activation, .X = X, .dY = dY, .dX = dX, .from = where, .partial = exec->scratch
    };

    int scatters = activation->window == DLDA_MAX_WINDOW && activation->stride != activation->size;
    if (activation->normalises) norm_gradients(&pass, exec, N, dscale, dshift);
    dlda_parallel_for(exec->team, N, image_grain(activation, N), scatters ? scatter_images : backward_images,
                      &pass);
}
