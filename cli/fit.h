/* SPDX-License-Identifier: MIT
 *
 * fit.h - whether data go with a model or with other data, found out before any work is done.
 */
#ifndef DEEPLDA_CLI_FIT_H
#define DEEPLDA_CLI_FIT_H

#include "cli.h"

/* What images are measured against, and what it is called in messages: "the model expects". */
typedef struct fit_size {
    size_t height, width, channels;
    size_t classes;
    const char *images; /* verb phrase before the size: "the model expects"  */
    const char *counts; /* the same before the classes: "the model knows"    */
} fit_size;

fit_size fit_of_model(const dlda_model *model);
fit_size fit_of_training(const dlda_dataset *train);

/* Compare data, called `what` ("images", "test images"), with a size. `path` is where they came from. Return an
 * exit code. */
int fit_images(const char *command, const char *path, const char *what, const dlda_dataset *data,
               const fit_size *wanted);
/* The same for classes: the data may have fewer, not more. */
int fit_classes(const char *command, const char *path, const char *what, const dlda_dataset *data,
                const fit_size *wanted);

#endif
