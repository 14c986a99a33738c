/* SPDX-License-Identifier: MIT
 *
 * appearance.c - statistics of an image before the network (docs/predicting.md, "Rejecting").
 *
 * Of the mean of the channels, at full size and halved up to three times: log of the mean square and log of the mean size
 * of the differences between horizontal neighbours, and between vertical ones; log of the variance of the pixels; in
 * colour, log of the mean variance over the channels. Noise, flat areas, drawings and photographs differ in them, while
 * objects of different classes hardly do. Rows of up to 64 numbers, which are no images, are their own statistics.
 */
#include "model/appearance.h"
#include "base/memory.h"
#include "linalg/eigen.h"

#include <math.h>
#include <string.h>

enum { LEAST_SIDE = 4, MOST_LEVELS = 4 };
static const double least_square = 1e-4, least_size = 1e-3;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int is_picture(dlda_shape shape)
{
    return smaller(shape.height, shape.width) >= LEAST_SIDE;
}

size_t dlda_appearance_count(dlda_shape shape)
{
    size_t levels = 0;

    if (!is_picture(shape)) return dlda_shape_size(shape) <= DLDA_APPEARANCE_MOST ? dlda_shape_size(shape) : 0;
    for (size_t side = smaller(shape.height, shape.width); side >= LEAST_SIDE && levels < MOST_LEVELS; side /= 2)
        levels++;
    return 4 * levels + 1 + (shape.channels > 1);
}

/* ---- The statistics ---- */

/* The mean of the channels; returns the mean over the pixels of the variance over the channels. */
static double to_grey(dlda_shape shape, const float *image, double *grey)
{
    size_t pixels = shape.height * shape.width, channels = shape.channels;
    double spread = 0;

    for (size_t i = 0; i < pixels; i++) {
        double sum = 0, squares = 0;
        for (size_t c = 0; c < channels; c++) sum += (double)image[i * channels + c];
        grey[i] = sum / (double)channels;
        for (size_t c = 0; c < channels; c++) {
            double gap = (double)image[i * channels + c] - grey[i];
            squares += gap * gap;
        }
        spread += squares / (double)channels;
    }
    return spread / (double)pixels;
}

static double variance(const double *values, size_t n)
{
    double sum = 0, squares = 0;

    for (size_t i = 0; i < n; i++) sum += values[i];
    for (size_t i = 0; i < n; i++) squares += (values[i] - sum / (double)n) * (values[i] - sum / (double)n);
    return squares / (double)n;
}

/* Two statistics of the differences between pixels that are `step` apart, in rows and columns where both exist. */
static void describe_differences(const double *grey, size_t height, size_t width, size_t row, size_t step,
                                 double *v)
{
    double squares = 0, sizes = 0, n = (double)(height * width);

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double gap = grey[y * row + x + step] - grey[y * row + x];
            squares += gap * gap;
            sizes += fabs(gap);
        }
    v[0] = log(least_square + squares / n);
    v[1] = log(least_size + sizes / n);
}

/* In place: each pixel is written after the last time that it is read. */
static void halve(double *grey, size_t *height, size_t *width)
{
    size_t h = *height / 2, w = *width / 2, row = *width;

    for (size_t y = 0; y < h; y++)
        for (size_t x = 0; x < w; x++) {
            const double *from = grey + 2 * y * row + 2 * x;
            grey[y * w + x] = (from[0] + from[1] + from[row] + from[row + 1]) / 4;
        }
    *height = h;
    *width = w;
}

void dlda_appearance_describe(dlda_shape shape, const float *image, double *grey, double *v)
{
    size_t height = shape.height, width = shape.width;

    if (!is_picture(shape)) {
        for (size_t i = 0; i < dlda_shape_size(shape); i++) v[i] = (double)image[i];
        return;
    }
    double spread = to_grey(shape, image, grey);
    *v++ = log(least_square + variance(grey, height * width));
    if (shape.channels > 1) *v++ = log(least_square + spread);
    for (size_t level = 0; level < MOST_LEVELS && smaller(height, width) >= LEAST_SIDE; level++, v += 4) {
        describe_differences(grey, height, width - 1, width, 1, v);
        describe_differences(grey, height - 1, width, width, width, v + 2);
        halve(grey, &height, &width);
    }
}

/* ---- Their distribution ---- */

static double distance_of(const dlda_appearance *self, const double *gap)
{
    double sum = 0;

    for (size_t i = 0; i < self->count; i++) {
        double row = 0;
        for (size_t j = 0; j < self->count; j++) row += self->inverse[i * self->count + j] * gap[j];
        sum += gap[i] * row;
    }
    return fmax(sum, 0);
}

double dlda_appearance_distance(const dlda_appearance *self, double *v)
{
    for (size_t i = 0; i < self->count; i++) v[i] -= self->mean[i];
    return distance_of(self, v);
}

/* Centres the columns of V; `deviation` [p] becomes their standard deviations, 1 for constant ones. */
static void centre(double *V, size_t n, size_t p, double *mean, double *deviation)
{
    for (size_t j = 0; j < p; j++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n; i++) sum += V[i * p + j];
        mean[j] = sum / (double)n;
        for (size_t i = 0; i < n; i++) {
            V[i * p + j] -= mean[j];
            squares += V[i * p + j] * V[i * p + j];
        }
        deviation[j] = squares > 1e-20 * (1 + mean[j] * mean[j]) * (double)n ? sqrt(squares / (double)n) : 1;
    }
}

/* S [p][p]: correlations plus a ridge, which is larger if there are few rows. */
static void correlate(const double *V, size_t n, size_t p, const double *deviation, double *S)
{
    double ridge = 0.001 + 0.1 * (double)p / (double)n;

    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += V[i * p + j] * V[i * p + k];
            S[j * p + k] = sum / ((double)n * deviation[j] * deviation[k]) + (j == k ? ridge : 0);
            if (j == k && sum < (double)n / 2 * deviation[j] * deviation[j]) S[j * p + k] = 1; /* a constant */
        }
}

/* From the eigenvectors (rows of E) and values of the correlations to the inverse covariance. */
static void invert(const double *E, const double *values, const double *deviation, size_t p, double *inverse)
{
    for (size_t j = 0; j < p; j++)
        for (size_t k = 0; k < p; k++) {
            double sum = 0;
            for (size_t e = 0; e < p; e++) sum += E[e * p + j] * E[e * p + k] / values[e];
            inverse[j * p + k] = sum / (deviation[j] * deviation[k]);
        }
}

/* Without row i the mean moves by gap/(n-1) and the sum of squares loses n/(n-1) gap gap'. By Sherman and Morrison,
 * its distance becomes (n/(n-1))^2 d / (1 - d/(n-1)). */
static double without_itself(double d, size_t n)
{
    double m = (double)n - 1, factor = (double)n / m;

    return factor * factor * d / fmax(1 - d / m, 1e-9);
}

dlda_status dlda_appearance_fit(dlda_appearance *self, double *V, size_t n, size_t p, double *distances)
{
    dlda_status status = DLDA_OK;
    double *S = NULL, deviation[DLDA_APPEARANCE_MOST], values[DLDA_APPEARANCE_MOST];

    DLDA_TRY(DLDA_TAKE(&self->mean, p, "statistics of images"));
    DLDA_TRY(DLDA_TAKE(&self->inverse, p * p, "statistics of images"));
    DLDA_TRY(DLDA_TAKE(&S, p * p, "statistics of images"));
    self->count = p;
    centre(V, n, p, self->mean, deviation);
    correlate(V, n, p, deviation, S);
    DLDA_TRY(dlda_eigen_symmetric(p, S, values));
    invert(S, values, deviation, p, self->inverse);
    for (size_t i = 0; i < n; i++) distances[i] = without_itself(distance_of(self, V + i * p), n);
done:
    dlda_release(S);
    return status;
}

dlda_status dlda_appearance_copy(const dlda_appearance *self, dlda_appearance *copy)
{
    dlda_status status = DLDA_OK;
    size_t p = self->count;

    if (p == 0) return DLDA_OK;
    DLDA_TRY(DLDA_TAKE(&copy->mean, p, "statistics of images"));
    DLDA_TRY(DLDA_TAKE(&copy->inverse, p * p, "statistics of images"));
    copy->count = p;
    memcpy(copy->mean, self->mean, p * sizeof *copy->mean);
    memcpy(copy->inverse, self->inverse, p * p * sizeof *copy->inverse);
done:
    return status;
}

void dlda_appearance_release(dlda_appearance *self)
{
    dlda_release(self->mean);
    dlda_release(self->inverse);
    *self = (dlda_appearance){ 0 };
}
