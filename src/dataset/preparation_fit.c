/* SPDX-License-Identifier: MIT
 *
 * preparation_fit.c - fits a preparation on a training set, and prepares whole sets.
 *
 * A set is processed in fixed portions of 512 images: gathered as floats, transformed by the steps already fitted,
 * and added to the sums of the next step.
 */
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/preparation.h"

#include <math.h>
#include <string.h>

enum { PORTION = 512 };

/* A pass over a set. */
typedef struct walk {
    const dlda_dataset *dataset;
    const dlda_preparation *preparation; /* steps fitted so far */
    dlda_team *team;
    size_t *positions; /* [PORTION]           */
    float *scratch;    /* for the preparation */
    float *images;     /* [PORTION][values]   */
} walk;

static void walk_release(walk *self)
{
    dlda_release(self->positions);
    dlda_release(self->scratch);
    dlda_release(self->images);
}

static dlda_status walk_take(walk *self)
{
    dlda_status status = DLDA_OK;

    DLDA_TRY(DLDA_TAKE(&self->positions, PORTION, "images to prepare"));
    DLDA_TRY(DLDA_TAKE(&self->scratch, dlda_preparation_scratch(self->preparation, PORTION), "images to prepare"));
done:
    return status;
}

/* Gathers images from `first` on and applies the steps fitted so far; returns their number. */
static size_t next_portion(const walk *self, size_t first, float *images)
{
    size_t left = self->dataset->count - first, n = left < PORTION ? left : PORTION;

    for (size_t i = 0; i < n; i++) self->positions[i] = first + i;
    dlda_dataset_gather(self->dataset, self->positions, n, self->team, images);
    dlda_preparation_run(self->preparation, self->team, n, images, self->scratch);
    return n;
}

/* ---- Standardising ---- */

/* Adds (value - mean)^power to the sum of each channel. Sums are formed per image first,
 * which keeps them accurate. */
static void add_powers(const walk *self, size_t n, const double *mean, int power, double *sum)
{
    size_t values = self->preparation->values, channels = self->preparation->channels;

    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < channels; c++) {
            const float *image = self->images + i * values;
            double part = 0;
            for (size_t p = c; p < values; p += channels) {
                double x = image[p] - mean[c];
                part += power == 2 ? x * x : x;
            }
            sum[c] += part;
        }
}

static void mean_powers(const walk *self, const double *mean, int power, double *result)
{
    size_t count = self->dataset->count, channels = self->preparation->channels;
    double per_channel = (double)count * (double)(self->preparation->values / channels);

    memset(result, 0, channels * sizeof *result);
    for (size_t first = 0, n = 0; first < count; first += n) {
        n = next_portion(self, first, self->images);
        add_powers(self, n, mean, power, result);
    }
    for (size_t c = 0; c < channels; c++) result[c] /= per_channel;
}

static dlda_status fit_standardise(const walk *self, dlda_preparation *preparation)
{
    dlda_status status = DLDA_OK;
    size_t channels = preparation->channels;
    double *zero = NULL, *mean = NULL, *variance = NULL;

    DLDA_TRY(DLDA_TAKE(&zero, channels, "channels"));
    DLDA_TRY(DLDA_TAKE(&mean, channels, "channels"));
    DLDA_TRY(DLDA_TAKE(&variance, channels, "channels"));
    mean_powers(self, zero, 1, mean);
    mean_powers(self, mean, 2, variance);
    for (size_t c = 0; c < channels; c++) {
        float deviation = (float)sqrt(variance[c]);
        preparation->mean[c] = (float)mean[c];
        /* A constant channel has a deviation of the size of rounding errors; it is mapped to 0. */
        preparation->deviation[c] = deviation > 1e-6f * fabsf(preparation->mean[c]) ? deviation : 1;
    }
done:
    dlda_release(zero);
    dlda_release(mean);
    dlda_release(variance);
    return status;
}

/* ---- Whitening ---- */

static dlda_status fit_zca(const walk *self, dlda_preparation *preparation)
{
    dlda_status status = DLDA_OK;
    size_t count = self->dataset->count;
    dlda_moments *moments = NULL;

    DLDA_TRY(dlda_moments_create(preparation->values, PORTION, self->team, &moments));
    for (size_t first = 0, n = 0; first < count; first += n) {
        n = next_portion(self, first, self->images);
        dlda_moments_add(moments, n, self->images);
    }
    for (size_t first = 0, n = 0; first < count; first += n) {
        n = next_portion(self, first, self->images);
        dlda_moments_add_products(moments, n, self->images);
    }
    DLDA_TRY(dlda_zca_solve(preparation->zca, moments, preparation->spec.zca_bias));
done:
    dlda_moments_destroy(moments);
    return status;
}

/* ---- All steps ---- */

dlda_status dlda_preparation_fit(const dlda_preparation_spec *spec, const dlda_dataset *dataset, dlda_team *team,
                                 dlda_preparation **preparation)
{
    dlda_status status = DLDA_OK;
    dlda_preparation *self = NULL;
    walk over = { .dataset = dataset, .team = team };
    size_t size = 0;

    DLDA_TRY(dlda_preparation_create(spec, dataset->height * dataset->width * dataset->channels, dataset->channels,
                                     &self));
    over.preparation = self;
    DLDA_TRY(dlda_multiply_sizes(PORTION, self->values, "images to prepare", &size));
    if (dlda_preparation_changes(self)) DLDA_TRY(walk_take(&over));
    if (dlda_preparation_changes(self)) DLDA_TRY(DLDA_TAKE(&over.images, size, "images to prepare"));
    for (size_t i = 1; i < spec->n_steps; i++) {
        self->spec.n_steps = i; /* steps fitted so far */
        if (spec->steps[i] == DLDA_PREPARE_STANDARDISE) DLDA_TRY(fit_standardise(&over, self));
        if (spec->steps[i] == DLDA_PREPARE_ZCA) DLDA_TRY(fit_zca(&over, self));
    }
    self->spec.n_steps = spec->n_steps;
    *preparation = self;
    self = NULL;
done:
    walk_release(&over);
    dlda_preparation_destroy(self);
    return status;
}

dlda_status dlda_preparation_apply(const dlda_preparation *preparation, const dlda_dataset *dataset,
                                   dlda_team *team, dlda_dataset **prepared)
{
    dlda_status status = DLDA_OK;
    dlda_dataset *self = NULL;
    walk over = { .dataset = dataset, .preparation = preparation, .team = team };
    const dlda_dataset_spec spec = { .count = dataset->count,
                                     .height = dataset->height,
                                     .width = dataset->width,
                                     .channels = dataset->channels,
                                     .classes = dataset->classes,
                                     .labels = dataset->labels,
                                     .names = (const char *const *)dataset->storage->names };
    size_t size = 0;

    DLDA_TRY(dlda_multiply_sizes(dataset->count, preparation->values, "prepared images", &size));
    DLDA_TRY(walk_take(&over));
    DLDA_TRY(dlda_dataset_new(&spec, &self));
    DLDA_TRY(dlda_dataset_set_columns(self, dlda_dataset_columns(dataset)));
    DLDA_TRY(DLDA_TAKE(&self->storage->values, size, "prepared images"));
    for (size_t first = 0, n = 0; first < dataset->count; first += n)
        n = next_portion(&over, first, self->storage->values + first * preparation->values);
    *prepared = self;
    self = NULL;
done:
    walk_release(&over);
    dlda_dataset_destroy(self);
    return status;
}
