/* SPDX-License-Identifier: MIT
 *
 * calibration.h - what a model knows from held-out samples: the temperatures of its probabilities, and how far good images
 * are from its classes.
 */
#ifndef DLDA_MODEL_CALIBRATION_H
#define DLDA_MODEL_CALIBRATION_H

#include "classify/tail.h"
#include "model/appearance.h"

/* The temperature of the LDA is a field of the LDA. */
typedef struct dlda_calibration {
    size_t samples;             /* held-out samples it was fitted on                                      */
    int kept;                   /* 1: the head was changed afterwards                                     */
    double softmax_temperature; /* 1 if the network has no softmax                                        */
    double distance_unit;       /* a typical large distance from the classes, with `tail`                 */
    double appearance_unit;     /* a typical large distance of `appearance`                               */
    dlda_tail tail;             /* of the larger of both distances in these units; none: too few samples  */
    dlda_appearance appearance;
} dlda_calibration;

void dlda_calibration_destroy(dlda_calibration *calibration);
dlda_status dlda_calibration_copy(const dlda_calibration *calibration, dlda_calibration **copy);

/* The share of good images that are at least as unusual as one at this squared distance from the nearest class. `image` is
 * unprepared; `grey` is scratch of height x width. */
double dlda_calibration_share(const dlda_calibration *calibration, dlda_shape shape, const float *image,
                              double distance, double *grey);

/* Calibrates the model itself on samples that neither its network nor its head was fitted on. */
dlda_status dlda_model_fit_calibration(dlda_model *model, dlda_workspace *workspace, const dlda_dataset *held_out,
                                       const dlda_comm *comm);

#endif
