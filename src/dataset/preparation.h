/* SPDX-License-Identifier: MIT
 *
 * preparation.h - preparation of images before the network: fitted on the training set, stored in the model, and
 * applied at prediction by the same functions.
 *
 * It is a list of steps. The first is always `scale`, which is done by the data set: bytes are delivered as values
 * from 0 to 1. Input images are in the format of dlda_dataset_images. Formulas: docs/preparation.md.
 */
#ifndef DLDA_DATASET_PREPARATION_H
#define DLDA_DATASET_PREPARATION_H

#include "base/parallel.h"
#include "dataset/zca.h"

/* Global contrast normalisation: smaller divisors are replaced by 1, so that a uniform image becomes 0. */
#define DLDA_GCN_LEAST 1e-8

typedef enum dlda_prepare_step {
    DLDA_PREPARE_SCALE,
    DLDA_PREPARE_STANDARDISE, /* each channel to mean 0 and standard deviation 1 over the training set */
    DLDA_PREPARE_GCN,         /* global contrast normalisation: each image to mean 0 and fixed norm    */
    DLDA_PREPARE_ZCA,         /* ZCA whitening of all values of an image                               */
    DLDA_PREPARE_STEPS
} dlda_prepare_step;

typedef struct dlda_preparation_spec {
    size_t n_steps;
    dlda_prepare_step steps[DLDA_PREPARE_STEPS]; /* scale first; no step occurs twice             */
    double gcn_scale, gcn_bias;                  /* norm of an image; added under the square root */
    double zca_bias;                             /* added to the diagonal of the covariance       */
} dlda_preparation_spec;

/* const once fitted. NULL is valid and means scaling only. */
typedef struct dlda_preparation {
    dlda_preparation_spec spec;
    char list[48];           /* "scale,gcn,zca"     */
    size_t values, channels; /* of an image         */
    float *mean, *deviation; /* [channels]; or NULL */
    dlda_zca *zca;           /* or NULL             */
} dlda_preparation;

/* The name of a step; NULL after the last one. */
const char *dlda_prepare_name(size_t step);

/* Parses "scale,gcn,zca" into the steps of *spec; scale may be omitted. DLDA_E_OPTION if it is invalid. */
dlda_status dlda_preparation_parse(const char *list, dlda_preparation_spec *spec);
int dlda_preparation_has(const dlda_preparation_spec *spec, dlda_prepare_step step);

/* "scale,gcn,zca": all steps. */
const char *dlda_preparation_list(const dlda_preparation *preparation);

/* Allocates the fitted arrays, to be filled in. */
dlda_status dlda_preparation_create(const dlda_preparation_spec *spec, size_t values, size_t channels,
                                    dlda_preparation **preparation);
void dlda_preparation_destroy(dlda_preparation *preparation);
dlda_status dlda_preparation_copy(const dlda_preparation *preparation, dlda_preparation **copy);

/* preparation_fit.c: fits each step on all images of a set, after applying the steps before it. Ranks divide the work. */
dlda_status dlda_preparation_fit(const dlda_preparation_spec *spec, const dlda_dataset *dataset, dlda_team *team,
                                 const dlda_comm *comm, dlda_preparation **preparation);

/* 0 if images are unchanged. */
int dlda_preparation_changes(const dlda_preparation *preparation);
/* 1 if it is too expensive to be repeated for each batch. */
int dlda_preparation_is_heavy(const dlda_preparation *preparation);

/* Floats of scratch for n images. */
size_t dlda_preparation_scratch(const dlda_preparation *preparation, size_t n);
/* Prepares n images in place. The result of an image is bitwise independent of the others. Allocates nothing. */
void dlda_preparation_run(const dlda_preparation *preparation, dlda_team *team, size_t n, float *images,
                          float *scratch);

/* preparation_fit.c: a prepared copy of a set: floats, with its labels and names. The copy of a shared set is shared. */
dlda_status dlda_preparation_apply(const dlda_preparation *preparation, const dlda_dataset *dataset,
                                   dlda_team *team, dlda_dataset **prepared);

#endif
