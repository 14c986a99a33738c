/* SPDX-License-Identifier: MIT
 *
 * resize.c - resizes byte images: area averaging when shrinking, bilinear when enlarging.
 *
 * The two axes are independent. From n to m < n pixels, output j covers the interval [j n/m, (j+1) n/m) of the
 * input; each pixel is weighted by its overlap. From n to m > n, output j lies at (j + 1/2) n/m - 1/2 and is
 * interpolated between its two neighbours; beyond the outermost pixel centres, the border value is repeated. All
 * weights are integers over a common denominator (n and 2m), so the result is the exact mean, rounded once, halves
 * up. It is the same on every machine.
 */
#include "dataset/resize.h"
#include "base/memory.h"
#include "base/options.h"

#include <string.h>

/* ---- Shapes ---- */

size_t dlda_image_size(const dlda_image_shape *shape)
{
    return shape->height * shape->width * shape->channels;
}

int dlda_image_shape_equal(const dlda_image_shape *a, const dlda_image_shape *b)
{
    return a->height == b->height && a->width == b->width && a->channels == b->channels;
}

dlda_image_shape dlda_image_shape_wanted(const dlda_read_spec *spec, const dlda_image_shape *have)
{
    return (dlda_image_shape){ spec->height ? spec->height : have->height, spec->width ? spec->width : have->width,
                               spec->channels ? spec->channels : have->channels };
}

/* ---- One axis ---- */

/* Output j is the sum of weight[j * most + k] * input[first[j] + k] over k < taps[j], divided by `sum`. */
typedef struct axis {
    size_t n, m;      /* pixels before and after           */
    size_t most;      /* maximum number of taps            */
    uint32_t sum;     /* of the weights of an output pixel */
    size_t *first;    /* [m]                               */
    size_t *taps;     /* [m]                               */
    uint32_t *weight; /* [m][most]                         */
} axis;

static void axis_release(axis *self)
{
    dlda_release(self->first);
    dlda_release(self->taps);
    dlda_release(self->weight);
}

/* In units of 1/m of a pixel, input pixel i covers [i m, (i+1) m) and output j covers [j n, (j+1) n). */
static void plan_shrinking(axis *self, size_t j)
{
    size_t begin = j * self->n, end = begin + self->n;

    self->first[j] = begin / self->m;
    self->taps[j] = (end + self->m - 1) / self->m - self->first[j];
    for (size_t k = 0; k < self->taps[j]; k++) {
        size_t left = (self->first[j] + k) * self->m, right = left + self->m;
        if (left < begin) left = begin;
        if (right > end) right = end;
        self->weight[j * self->most + k] = (uint32_t)(right - left);
    }
}

/* The position of output j is ((2j + 1) n - m) / 2m. */
static void plan_growing(axis *self, size_t j)
{
    size_t place = (2 * j + 1) * self->n, unit = 2 * self->m;
    uint32_t *weight = self->weight + j * self->most;

    place = place > self->m ? place - self->m : 0;
    self->first[j] = place / unit;
    self->taps[j] = self->first[j] + 1 < self->n ? 2 : 1;
    weight[0] = (uint32_t)(self->taps[j] == 2 ? unit - place % unit : unit);
    if (self->taps[j] == 2) weight[1] = (uint32_t)(place % unit);
}

static dlda_status axis_plan(axis *self, size_t n, size_t m)
{
    dlda_status status = DLDA_OK;

    *self = (axis){ .n = n, .m = m, .most = m > n ? 2 : n / m + 2, .sum = (uint32_t)(m > n ? 2 * m : n) };
    DLDA_TRY(DLDA_TAKE(&self->first, m, "resize"));
    DLDA_TRY(DLDA_TAKE(&self->taps, m, "resize"));
    DLDA_TRY(DLDA_TAKE(&self->weight, m * self->most, "resize"));
    for (size_t j = 0; j < m; j++) {
        if (m > n) plan_growing(self, j);
        else plan_shrinking(self, j);
    }
done:
    return status;
}

/* ---- Both axes ---- */

struct dlda_resizer {
    dlda_image_shape from, to;
    size_t channels; /* during resizing: the smaller number of both */
    int same_size;
    axis vertical, horizontal;
    uint8_t *grey;   /* [from.height][from.width], if colour becomes grey  */
    uint8_t *single; /* [to.height][to.width], if grey becomes colour      */
    uint32_t *rows;  /* [from.height][to.width][channels]: sums along rows */
    uint64_t *total; /* [to.width][channels]: sums of one output row       */
};

static void sum_row(const axis *self, size_t channels, const uint8_t *row, uint32_t *sums)
{
    for (size_t j = 0; j < self->m; j++) {
        const uint32_t *weight = self->weight + j * self->most;
        const uint8_t *pixel = row + self->first[j] * channels;
        for (size_t c = 0; c < channels; c++) {
            uint32_t sum = 0;
            for (size_t k = 0; k < self->taps[j]; k++) sum += weight[k] * pixel[k * channels + c];
            sums[j * channels + c] = sum;
        }
    }
}

/* Computes row j of the result from the sums along rows. */
static void sum_column(dlda_resizer *self, size_t j, uint8_t *to)
{
    const axis *v = &self->vertical;
    size_t width = self->to.width * self->channels;
    uint64_t divisor = (uint64_t)v->sum * self->horizontal.sum;

    memset(self->total, 0, width * sizeof *self->total);
    for (size_t k = 0; k < v->taps[j]; k++) {
        const uint32_t *row = self->rows + (v->first[j] + k) * width;
        uint64_t weight = v->weight[j * v->most + k];
        for (size_t i = 0; i < width; i++) self->total[i] += weight * row[i];
    }
    for (size_t i = 0; i < width; i++) to[i] = (uint8_t)((2 * self->total[i] + divisor) / (2 * divisor));
}

static void change_size(dlda_resizer *self, const uint8_t *from, uint8_t *to)
{
    size_t before = self->from.width * self->channels, after = self->to.width * self->channels;

    if (self->same_size) {
        memcpy(to, from, self->to.height * after);
        return;
    }
    for (size_t y = 0; y < self->from.height; y++)
        sum_row(&self->horizontal, self->channels, from + y * before, self->rows + y * after);
    for (size_t y = 0; y < self->to.height; y++) sum_column(self, y, to + y * after);
}

/* ITU-R BT.601 luma in the same integer arithmetic as Pillow, so that both give the same bytes. */
static uint8_t grey_of(const uint8_t *rgb)
{
    return (uint8_t)((19595u * rgb[0] + 38470u * rgb[1] + 7471u * rgb[2] + 0x8000u) >> 16);
}

void dlda_resizer_run(dlda_resizer *self, const uint8_t *from, uint8_t *to)
{
    size_t before = self->from.height * self->from.width, after = self->to.height * self->to.width;

    if (self->grey)
        for (size_t p = 0; p < before; p++) self->grey[p] = grey_of(from + 3 * p);
    change_size(self, self->grey ? self->grey : from, self->single ? self->single : to);
    if (self->single)
        for (size_t p = 0; p < after; p++) memset(to + 3 * p, self->single[p], 3);
}

static dlda_status check_sizes(const dlda_image_shape *from, const dlda_image_shape *to)
{
    if (to->height > DLDA_MOST_SIDE || to->width > DLDA_MOST_SIDE)
        return dlda_fail(DLDA_E_ARGUMENT, "resize: found %zu x %zu, expected at most %d x %d", to->height,
                         to->width, DLDA_MOST_SIDE, DLDA_MOST_SIDE);
    if (from->height > UINT32_MAX / 256 ||
        from->width > UINT32_MAX / 256) /* so that sums along rows do not overflow */
        return dlda_fail(DLDA_E_SHAPE, "resize: images of %zu x %zu are too large", from->height, from->width);
    return DLDA_OK;
}

static dlda_status check_channels(size_t from, size_t to)
{
    if (from == to || (from == 1 && to == 3) || (from == 3 && to == 1)) return DLDA_OK;
    return dlda_fail(DLDA_E_SHAPE, "%zu channels, expected %zu; only 1 and 3 are converted into each other", from,
                     to);
}

static dlda_status take_parts(dlda_resizer *self)
{
    dlda_status status = DLDA_OK;
    size_t width = self->to.width * self->channels;

    if (self->from.channels > self->channels)
        DLDA_TRY(DLDA_TAKE(&self->grey, self->from.height * self->from.width, "resize"));
    if (self->to.channels > self->channels)
        DLDA_TRY(DLDA_TAKE(&self->single, self->to.height * self->to.width, "resize"));
    if (self->same_size) goto done;
    DLDA_TRY(axis_plan(&self->vertical, self->from.height, self->to.height));
    DLDA_TRY(axis_plan(&self->horizontal, self->from.width, self->to.width));
    DLDA_TRY(DLDA_TAKE(&self->rows, self->from.height * width, "resize"));
    DLDA_TRY(DLDA_TAKE(&self->total, width, "resize"));
done:
    return status;
}

dlda_status dlda_resizer_create(const dlda_image_shape *from, const dlda_image_shape *to, dlda_resizer **resizer)
{
    dlda_status status = DLDA_OK;
    dlda_resizer *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "resize"));
    self->from = *from;
    self->to = *to;
    self->channels = from->channels < to->channels ? from->channels : to->channels;
    self->same_size = from->height == to->height && from->width == to->width;
    DLDA_TRY(check_channels(from->channels, to->channels));
    if (!self->same_size) DLDA_TRY(check_sizes(from, to));
    DLDA_TRY(take_parts(self));
    *resizer = self;
    self = NULL;
done:
    dlda_resizer_destroy(self);
    return status;
}

void dlda_resizer_destroy(dlda_resizer *self)
{
    if (!self) return;
    axis_release(&self->vertical);
    axis_release(&self->horizontal);
    dlda_release(self->grey);
    dlda_release(self->single);
    dlda_release(self->rows);
    dlda_release(self->total);
    dlda_release(self);
}

dlda_status dlda_images_fit(dlda_raw_images *images, const dlda_read_spec *spec)
{
    dlda_status status = DLDA_OK;
    dlda_image_shape have = { images->height, images->width, images->channels },
                     want = dlda_image_shape_wanted(spec, &have);
    dlda_resizer *resizer = NULL;
    uint8_t *bytes = NULL;

    if (dlda_image_shape_equal(&have, &want)) return DLDA_OK;
    DLDA_TRY(dlda_resizer_create(&have, &want, &resizer));
    size_t before = dlda_image_size(&have), after = dlda_image_size(&want), all = 0;
    DLDA_TRY(dlda_multiply_sizes(images->count, after, "resized images", &all));
    size_t most = dlda_most_bytes(spec, images->count * before);
    if (all > most)
        DLDA_FAIL(DLDA_E_SHAPE,
                  "%zu images of %zu x %zu would take %zu bytes as %zu x %zu, expected at most %zu; option "
                  "most-bytes allows more",
                  images->count, have.height, have.width, all, want.height, want.width, most);
    DLDA_TRY(DLDA_TAKE(&bytes, all, "resized images"));
    for (size_t i = 0; i < images->count; i++)
        dlda_resizer_run(resizer, images->bytes + i * before, bytes + i * after);
    dlda_release(images->bytes);
    *images = (dlda_raw_images){ images->count, want.height, want.width, want.channels, bytes };
    bytes = NULL;
done:
    dlda_resizer_destroy(resizer);
    dlda_release(bytes);
    return status;
}
