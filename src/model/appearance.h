/* SPDX-License-Identifier: MIT
 *
 * appearance.h - a few statistics of an image as it is before the network, and their Gaussian distribution: tells noise
 * and pictures of another kind from those that the model knows.
 */
#ifndef DLDA_MODEL_APPEARANCE_H
#define DLDA_MODEL_APPEARANCE_H

#include "network/network.h"

enum { DLDA_APPEARANCE_MOST = 64 };

typedef struct dlda_appearance {
    size_t count;    /* of statistics; 0: not used           */
    double *mean;    /* [count]                              */
    double *inverse; /* [count][count]  of their covariance  */
} dlda_appearance;

/* Number of statistics for images of a shape; 0 if there are none for it. */
size_t dlda_appearance_count(dlda_shape shape);

/* The statistics v [count] of an image; `grey` is scratch of height x width. */
void dlda_appearance_describe(dlda_shape shape, const float *image, double *grey, double *v);

/* Fits the Gaussian to V [n][count], n >= 2. distances [n] become the squared Mahalanobis distances of the rows, each from
 * the Gaussian of all other rows, so that they are comparable to those of further images. V is overwritten. */
dlda_status dlda_appearance_fit(dlda_appearance *appearance, double *V, size_t n, size_t count, double *distances);
dlda_status dlda_appearance_copy(const dlda_appearance *appearance, dlda_appearance *copy);
void dlda_appearance_release(dlda_appearance *appearance);

/* The squared Mahalanobis distance of v [count]; v is overwritten. */
double dlda_appearance_distance(const dlda_appearance *appearance, double *v);

#endif
