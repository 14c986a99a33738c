/* SPDX-License-Identifier: MIT
 *
 * hardest.h - the samples that a model finds hardest, as pictures.
 */
#ifndef DLDA_REPORT_HARDEST_H
#define DLDA_REPORT_HARDEST_H

#include "dataset/writers.h"
#include "report/answers.h"

enum { DLDA_HARDEST = 24 };

typedef struct dlda_hardest {
    size_t count;
    size_t sample[DLDA_HARDEST]; /* hardest first                                                   */
    dlda_raw_images pictures;    /* [count], of 3 channels; bytes NULL: the samples are no pictures */
} dlda_hardest;

/* Keeps copies of the pictures. Zero everything before. */
dlda_status dlda_hardest_find(const dlda_test_answers *answers, const dlda_dataset *samples, dlda_hardest *hardest);
void dlda_hardest_release(dlda_hardest *hardest);

/* One of the pictures; its bytes belong to `hardest`. */
dlda_raw_images dlda_hardest_picture(const dlda_hardest *hardest, size_t i);

/* A sheet with the true and the given class below each picture, as PNG. */
dlda_status dlda_hardest_write_sheet(const dlda_hardest *hardest, const dlda_test_answers *answers,
                                     const char *path);
/* The same as a table: sample, true class, given class, their probabilities. */
dlda_status dlda_hardest_write_table(const dlda_hardest *hardest, const dlda_test_answers *answers,
                                     const char *path);

#endif
