/* SPDX-License-Identifier: MIT
 *
 * fit.h - checks whether data is compatible with a model or with other data, before any work is done.
 */
#ifndef DEEPLDA_CLI_FIT_H
#define DEEPLDA_CLI_FIT_H

#include "cli.h"

/* The required size and number of classes, and the phrases for messages. */
typedef struct fit_size {
    size_t height, width, channels;
    size_t classes;
    const char *images; /* phrase before the size: "the model expects"          */
    const char *counts; /* phrase before the number of classes: "the model has" */
} fit_size;

fit_size fit_of_model(const dlda_model *model);
fit_size fit_of_training(const dlda_dataset *train);

/* Compares data, named `what` ("images", "test images") in messages and read from `path`, with a
 * size. Returns an exit code. */
int fit_images(const char *command, const char *path, const char *what, const dlda_dataset *data,
               const fit_size *wanted);
/* The same for classes: the data may have fewer, but not more. */
int fit_classes(const char *command, const char *path, const char *what, const dlda_dataset *data,
                const fit_size *wanted);

#endif
