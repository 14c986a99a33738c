/* SPDX-License-Identifier: MIT
 *
 * calibration_file.h - the calibration in a model file: some tensors (docs/model_format.md).
 */
#ifndef DLDA_MODEL_CALIBRATION_FILE_H
#define DLDA_MODEL_CALIBRATION_FILE_H

#include "model/model.h"
#include "model/safetensors.h"

enum { DLDA_CALIBRATION_TENSORS = 6 }; /* upper limit */

/* Values that are not arrays in memory; they live as long as the tensors. */
typedef struct dlda_calibration_values {
    double temperature[2], samples[2], units[2];
} dlda_calibration_values;

/* Lists the tensors and returns their number, 0 for a model that is not calibrated. */
size_t dlda_calibration_tensors(const dlda_model *model, dlda_calibration_values *values,
                                dlda_tensor tensors[DLDA_CALIBRATION_TENSORS]);

/* Checks presence and shapes before anything is allocated; *used: number of tensors. */
dlda_status dlda_calibration_check(const dlda_safetensors *file, const char *path, dlda_shape input, size_t *used);

/* Sets the calibration of a model that has its head. */
dlda_status dlda_calibration_load(const dlda_safetensors *file, const char *path, dlda_model *model);

#endif
