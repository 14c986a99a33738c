/* SPDX-License-Identifier: MIT
 *
 * hardest.h - the samples to whose true class a model gives the lowest probability (eval/mistakes.h), as pictures.
 */
#ifndef DEEPLDA_CLI_HARDEST_H
#define DEEPLDA_CLI_HARDEST_H

#include "base/png_file.h"
#include "report/answers.h"

enum { MOST_HARDEST = 24 };

typedef struct hardest_samples {
    size_t count;
    size_t sample[MOST_HARDEST]; /* hardest first: index among the tested samples                 */
    size_t place[MOST_HARDEST];  /* index in the data set                                         */
    dlda_name_list files;        /* [count], or empty if a file holds many samples                */
    size_t height, width;        /* of a picture                                                  */
    uint8_t *pictures;           /* [count][height][width][3]; NULL: the samples are not pictures */
} hardest_samples;

/* Copies the pictures. Zero it before. */
dlda_status hardest_find(const test_answers *answers, const dlda_dataset *samples, hardest_samples *hardest);
void hardest_release(hardest_samples *hardest);

/* The file of the i-th, relative to the data; NULL if a file holds many samples. */
const char *hardest_file(const hardest_samples *hardest, size_t i);
/* One of the pictures; its bytes belong to `hardest`. */
dlda_pixels hardest_picture(const hardest_samples *hardest, size_t i);

/* A sheet with the true and the predicted class below each picture, as PNG. */
dlda_status hardest_write_sheet(const hardest_samples *hardest, const test_answers *answers, const char *path);
/* The same as a table: index, file, true class, predicted class, their probabilities. */
dlda_status hardest_write_table(const hardest_samples *hardest, const test_answers *answers, const char *path);

#endif
