/* SPDX-License-Identifier: MIT
 *
 * preparation_fit.c - fits a preparation on a training set, and prepares whole sets.
 *
 * A set is processed in fixed portions of 512 images: gathered as floats, transformed by the steps already fitted,
 * and added to the sums of the next step. Of several ranks, each visits some of the images, and the sums are added.
 */
#include "base/memory.h"
#include "dataset/dataset_internal.h"
#include "dataset/preparation.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { PORTION = 512 };

/* A pass over a set. */
typedef struct walk {
    const dlda_dataset *dataset;
    const dlda_preparation *preparation; /* steps fitted so far */
    dlda_team *team;
    const dlda_comm *comm; /* ranks that visit the set together; NULL: this one visits it all */
    size_t *positions;     /* [PORTION]                                                        */
    float *scratch;        /* for the preparation                                              */
    float *images;         /* [PORTION][values]                                                */
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

/* Gathers the next images from *next on and applies the steps fitted so far; returns their number, 0 at the end. */
static size_t next_portion(const walk *self, size_t *next, float *images)
{
    size_t n = dlda_dataset_visit(self->dataset, self->comm, next, PORTION, self->positions);

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

    assert(self->images);
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

static dlda_status mean_powers(const walk *self, const double *mean, int power, double *result)
{
    size_t count = self->dataset->count, channels = self->preparation->channels;
    size_t pixels = self->preparation->values / channels;
    double per_channel = (double)count * (double)pixels;

    memset(result, 0, channels * sizeof *result);
    for (size_t next = 0, n = 0; (n = next_portion(self, &next, self->images)) > 0;)
        add_powers(self, n, mean, power, result);
    dlda_status status = dlda_comm_sum(self->comm, result, channels);
    for (size_t c = 0; c < channels; c++) result[c] /= per_channel;
    return status;
}

static dlda_status fit_standardise(const walk *self, dlda_preparation *preparation)
{
    dlda_status status = DLDA_OK;
    size_t channels = preparation->channels;
    double *zero = NULL, *mean = NULL, *variance = NULL;

    DLDA_TRY(DLDA_TAKE(&zero, channels, "channels"));
    DLDA_TRY(DLDA_TAKE(&mean, channels, "channels"));
    DLDA_TRY(DLDA_TAKE(&variance, channels, "channels"));
    DLDA_TRY(mean_powers(self, zero, 1, mean));
    DLDA_TRY(mean_powers(self, mean, 2, variance));
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
    dlda_moments *moments = NULL;

    DLDA_TRY(dlda_moments_create(preparation->values, PORTION, self->team, &moments));
    for (size_t next = 0, n = 0; (n = next_portion(self, &next, self->images)) > 0;)
        dlda_moments_add(moments, n, self->images);
    DLDA_TRY(dlda_moments_sum(moments, self->comm));
    for (size_t next = 0, n = 0; (n = next_portion(self, &next, self->images)) > 0;)
        dlda_moments_add_products(moments, n, self->images);
    DLDA_TRY(dlda_moments_sum_products(moments, self->comm));
    DLDA_TRY(dlda_zca_solve(preparation->zca, moments, preparation->spec.zca_bias));
done:
    dlda_moments_destroy(moments);
    return status;
}

/* ---- All steps ---- */

dlda_status dlda_preparation_fit(const dlda_preparation_spec *spec, const dlda_dataset *dataset, dlda_team *team,
                                 const dlda_comm *comm, dlda_preparation **preparation)
{
    dlda_status status = DLDA_OK;
    dlda_preparation *self = NULL;
    walk over = { .dataset = dataset, .team = team, .comm = comm };
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

/* The copy of a shared set keeps its indices, and holds the same block of images. */
static dlda_status apply_to_share(walk *self, dlda_dataset *made)
{
    dlda_status status = DLDA_OK;
    const dlda_storage *from = self->dataset->storage;
    size_t values = self->preparation->values, size = 0;

    DLDA_TRY(dlda_multiply_sizes(from->n_held + 1, values, "prepared images", &size));
    DLDA_TRY(DLDA_TAKE(&made->storage->values, size, "prepared images"));
    DLDA_TRY(dlda_multiply_sizes(PORTION, values, "prepared images", &size));
    DLDA_TRY(DLDA_TAKE(&self->images, size, "images to prepare"));
    made->storage->n_images = from->n_images;
    made->storage->ranks = from->ranks;
    made->storage->first_held = from->first_held;
    made->storage->n_held = from->n_held;
    memcpy(made->index, self->dataset->index, made->count * sizeof *made->index);
    for (size_t next = 0, n = 0; (n = next_portion(self, &next, self->images)) > 0;)
        for (size_t i = 0; i < n; i++)
            memcpy(made->storage->values + (made->index[self->positions[i]] - from->first_held) * values,
                   self->images + i * values, values * sizeof(float));
done:
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
    if (dlda_dataset_is_shared(dataset)) {
        DLDA_TRY(apply_to_share(&over, self));
    } else {
        DLDA_TRY(DLDA_TAKE(&self->storage->values, size, "prepared images"));
        for (size_t next = 0; next < dataset->count;)
            next_portion(&over, &next, self->storage->values + next * preparation->values);
    }
    *prepared = self;
    self = NULL;
done:
    walk_release(&over);
    dlda_dataset_destroy(self);
    return status;
}
