/* SPDX-License-Identifier: MIT
 *
 * preparation.h - what is done to images before a network sees them: fitted on the training set, part of the model,
 * repeated at prediction by the same functions.
 *
 * A chain of steps. `scale` is always the first: data sets give bytes as values from 0 to 1, so nothing is left to do.
 * Images come as dlda_dataset_images gives them. docs/preparation.md has the formulas.
 */
#ifndef DLDA_DATASET_PREPARATION_H
#define DLDA_DATASET_PREPARATION_H

#include "base/parallel.h"
#include "dataset/zca.h"

typedef enum dlda_prepare_step {
    DLDA_PREPARE_SCALE,
    DLDA_PREPARE_STANDARDISE, /* each channel to mean 0 and deviation 1 over the training set        */
    DLDA_PREPARE_GCN,         /* global contrast normalisation: each image to mean 0 and one length  */
    DLDA_PREPARE_ZCA,         /* whitening of all values of an image                                 */
    DLDA_PREPARE_STEPS
} dlda_prepare_step;

typedef struct dlda_preparation_spec {
    size_t n_steps;
    dlda_prepare_step steps[DLDA_PREPARE_STEPS]; /* scale first; none comes twice             */
    double gcn_scale, gcn_bias;                  /* length of an image; added below the root  */
    double zca_bias;                             /* added to the diagonal of the covariance   */
} dlda_preparation_spec;

/* const once fitted; NULL is a preparation too: scale alone. */
typedef struct dlda_preparation {
    dlda_preparation_spec spec;
    char list[48];           /* "scale,gcn,zca" */
    size_t values, channels; /* of an image         */
    float *mean, *deviation; /* [channels]; or NULL */
    dlda_zca *zca;           /* or NULL             */
} dlda_preparation;

/* The name of a step; NULL behind the last one. */
const char *dlda_prepare_name(size_t step);

/* Reads "scale,gcn,zca" into the steps of *spec; scale may be left out. DLDA_E_OPTION if it makes no sense. */
dlda_status dlda_preparation_parse(const char *list, dlda_preparation_spec *spec);
int dlda_preparation_has(const dlda_preparation_spec *spec, dlda_prepare_step step);

/* "scale,gcn,zca": all steps. */
const char *dlda_preparation_list(const dlda_preparation *preparation);

/* Room for what the steps need to know, to be filled in. */
dlda_status dlda_preparation_create(const dlda_preparation_spec *spec, size_t values, size_t channels,
                                    dlda_preparation **preparation);
void dlda_preparation_destroy(dlda_preparation *preparation);
dlda_status dlda_preparation_copy(const dlda_preparation *preparation, dlda_preparation **copy);

/* preparation_fit.c: learns from all images of a set, each step from what the steps before it leave. */
dlda_status dlda_preparation_fit(const dlda_preparation_spec *spec, const dlda_dataset *dataset, dlda_team *team,
                                 dlda_preparation **preparation);

/* 0 if images stay as they are. */
int dlda_preparation_changes(const dlda_preparation *preparation);
/* 1 if it is too much work to be done for each batch again. */
int dlda_preparation_is_heavy(const dlda_preparation *preparation);

/* Floats of scratch for n images. */
size_t dlda_preparation_scratch(const dlda_preparation *preparation, size_t n);
/* Prepares n images in place. What becomes of an image depends on that image alone, to the last bit. Takes no memory. */
void dlda_preparation_run(const dlda_preparation *preparation, dlda_team *team, size_t n, float *images,
                          float *scratch);

/* preparation_fit.c: a whole set, prepared: floats with the labels and names of the set. */
dlda_status dlda_preparation_apply(const dlda_preparation *preparation, const dlda_dataset *dataset,
                                   dlda_team *team, dlda_dataset **prepared);

#endif
