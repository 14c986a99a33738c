/* SPDX-License-Identifier: MIT
 *
 * preparation.c - the preparation of images: parsing the list of steps, and applying them.
 * preparation_fit.c fits them.
 */
#include "dataset/preparation.h"
#include "base/closest_word.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The list of steps as text ---- */

static const char *const names[DLDA_PREPARE_STEPS] = { "scale", "standardise", "gcn", "zca" };

const char *dlda_prepare_name(size_t step)
{
    return step < DLDA_PREPARE_STEPS ? names[step] : NULL;
}

int dlda_preparation_has(const dlda_preparation_spec *spec, dlda_prepare_step step)
{
    for (size_t i = 0; i < spec->n_steps; i++)
        if (spec->steps[i] == step) return 1;
    return 0;
}

static dlda_status find_step(const char *word, size_t *step)
{
    for (*step = 0; *step < DLDA_PREPARE_STEPS; ++*step)
        if (strcmp(names[*step], word) == 0) return DLDA_OK;
    int near = dlda_closest_word(word, names, DLDA_PREPARE_STEPS);
    if (near >= 0)
        return dlda_fail(DLDA_E_OPTION,
                         "option prepare: found '%s', expected scale, standardise, gcn or zca; did you mean '%s'?",
                         word, names[near]);
    return dlda_fail(DLDA_E_OPTION, "option prepare: found '%.32s', expected scale, standardise, gcn or zca", word);
}

static dlda_status add_step(dlda_preparation_spec *spec, const char *word, int is_first)
{
    size_t step = 0;
    dlda_status status = find_step(word, &step);

    if (status != DLDA_OK) return status;
    if (step == DLDA_PREPARE_SCALE)
        return is_first ? DLDA_OK : dlda_fail(DLDA_E_OPTION, "option prepare: scale stands behind another step");
    if (dlda_preparation_has(spec, (dlda_prepare_step)step))
        return dlda_fail(DLDA_E_OPTION, "option prepare: %s stands there twice", word);
    spec->steps[spec->n_steps++] = (dlda_prepare_step)step;
    return DLDA_OK;
}

dlda_status dlda_preparation_parse(const char *list, dlda_preparation_spec *spec)
{
    dlda_status status = DLDA_OK;
    char *copy = NULL, *word = NULL, *rest = NULL;

    spec->n_steps = 1;
    spec->steps[0] = DLDA_PREPARE_SCALE;
    DLDA_TRY(dlda_take_text(list, &copy));
    rest = copy;
    while ((word = strsep(&rest, ",")) != NULL) DLDA_TRY(add_step(spec, word, word == copy));
done:
    dlda_release(copy);
    return status;
}

const char *dlda_preparation_list(const dlda_preparation *self)
{
    return self ? self->list : names[DLDA_PREPARE_SCALE];
}

static void write_list(dlda_preparation *self)
{
    size_t used = 0;

    for (size_t i = 0; i < self->spec.n_steps; i++)
        used += (size_t)snprintf(self->list + used, sizeof self->list - used, "%s%s", i ? "," : "",
                                 names[self->spec.steps[i]]);
}

/* ---- Creation and destruction ---- */

dlda_status dlda_preparation_create(const dlda_preparation_spec *spec, size_t values, size_t channels,
                                    dlda_preparation **preparation)
{
    dlda_status status = DLDA_OK;
    dlda_preparation *self = NULL;

    DLDA_TRY(DLDA_TAKE(&self, 1, "preparation"));
    self->spec = *spec;
    write_list(self);
    self->values = values;
    self->channels = channels;
    if (dlda_preparation_has(spec, DLDA_PREPARE_STANDARDISE)) {
        DLDA_TRY(DLDA_TAKE(&self->mean, channels, "preparation"));
        DLDA_TRY(DLDA_TAKE(&self->deviation, channels, "preparation"));
    }
    if (dlda_preparation_has(spec, DLDA_PREPARE_ZCA)) DLDA_TRY(dlda_zca_create(values, &self->zca));
    *preparation = self;
    self = NULL;
done:
    dlda_preparation_destroy(self);
    return status;
}

dlda_status dlda_preparation_copy(const dlda_preparation *self, dlda_preparation **copy)
{
    dlda_status status = DLDA_OK;
    dlda_preparation *made = NULL;

    if (self) DLDA_TRY(dlda_preparation_create(&self->spec, self->values, self->channels, &made));
    if (made && made->mean) {
        memcpy(made->mean, self->mean, self->channels * sizeof *self->mean);
        memcpy(made->deviation, self->deviation, self->channels * sizeof *self->deviation);
    }
    if (made && made->zca) {
        memcpy(made->zca->mean, self->zca->mean, self->values * sizeof *self->zca->mean);
        memcpy(made->zca->P, self->zca->P, self->values * self->values * sizeof *self->zca->P);
    }
    *copy = made;
done:
    return status;
}

void dlda_preparation_destroy(dlda_preparation *self)
{
    if (!self) return;
    dlda_release(self->mean);
    dlda_release(self->deviation);
    dlda_zca_destroy(self->zca);
    dlda_release(self);
}

int dlda_preparation_changes(const dlda_preparation *self)
{
    return self && self->spec.n_steps > 1;
}

int dlda_preparation_is_heavy(const dlda_preparation *self)
{
    return self && self->zca;
}

size_t dlda_preparation_scratch(const dlda_preparation *self, size_t n)
{
    return self && self->zca ? dlda_zca_scratch(self->zca, n) : 0;
}

/* ---- Application ---- */

static void standardise(const dlda_preparation *self, float *image)
{
    size_t channels = self->channels;

    for (size_t p = 0; p < self->values; p += channels)
        for (size_t c = 0; c < channels; c++) image[p + c] = (image[p + c] - self->mean[c]) / self->deviation[c];
}

static void normalise_contrast(const dlda_preparation *self, float *image)
{
    double sum = 0, squares = 0;

    for (size_t p = 0; p < self->values; p++) sum += image[p];
    double mean = sum / (double)self->values;
    for (size_t p = 0; p < self->values; p++) squares += (image[p] - mean) * (image[p] - mean);
    double divisor = sqrt(self->spec.gcn_bias + squares) / self->spec.gcn_scale;
    if (divisor < DLDA_GCN_LEAST) divisor = 1;
    for (size_t p = 0; p < self->values; p++) image[p] = (float)((image[p] - mean) / divisor);
}

typedef struct step_job {
    const dlda_preparation *preparation;
    void (*step)(const dlda_preparation *preparation, float *image);
    float *images; /* [n][values] */
} step_job;

static void run_step(void *context, const dlda_chunk *chunk)
{
    const step_job *job = context;

    for (size_t i = chunk->begin; i < chunk->end; i++)
        job->step(job->preparation, job->images + i * job->preparation->values);
}

void dlda_preparation_run(const dlda_preparation *self, dlda_team *team, size_t n, float *images, float *scratch)
{
    enum { GRAIN = 16 };
    step_job job = { .preparation = self, .images = images };

    for (size_t i = 1; self && i < self->spec.n_steps; i++) {
        if (self->spec.steps[i] == DLDA_PREPARE_ZCA) {
            dlda_zca_run(self->zca, team, n, images, scratch);
            continue;
        }
        job.step = self->spec.steps[i] == DLDA_PREPARE_GCN ? normalise_contrast : standardise;
        dlda_parallel_for(team, n, GRAIN, run_step, &job);
    }
}
