/* SPDX-License-Identifier: MIT
 *
 * predictor.h - applies a model: images in, lines of predictions out, in batches.
 *
 * Pictures are collected until there is a batch; predictions are printed in the order of the pictures. Pictures
 * that cannot be used are reported on stderr and set `failed`; the others are processed.
 */
#ifndef DEEPLDA_CLI_PREDICTOR_H
#define DEEPLDA_CLI_PREDICTOR_H

#include "predict/answer_lines.h"
#include "predict/paths.h"
#include "terminal/output.h"

typedef struct predictor {
    const char *command;
    const cli_options *options;
    dlda_model *model;
    dlda_workspace *workspace;
    size_t most; /* maximum images per batch, from --batch */
    size_t threads;
    size_t batch; /* current capacity, which grows on demand */
    size_t pixels, classes;
    float *images;       /* [batch][pixels]  */
    unsigned char *good; /* [batch]          */
    int *labels;         /* [batch]          */
    float *proba;        /* [batch][classes] */
    double *scores;      /* [batch][classes] */
    double *distances;   /* [batch]          */
    dlda_probability kind;
    answer_format format;
    path_list pictures; /* waiting to be classified */
    cli_output output;
    size_t known, right; /* images with a known true class; those of them with that prediction */
    size_t unknown;      /* images without one                                                 */
    int begun;           /* the header was written           */
    int failed;          /* something could not be used      */
    int lost;            /* predictions could not be written */
} predictor;

/* Loads the model and reads the options. Returns an exit code; release it in any case. */
int predictor_open(predictor *self, const char *command, const char *model, const cli_options *options);
void predictor_release(predictor *self);

/* Adds a picture. Its prediction is printed with its batch, at the latest by predictor_flush. */
void predictor_add_picture(predictor *self, const char *path);
/* Classifies a picture in memory; messages use `name`, the output uses `shown`. */
void predictor_add_bytes(predictor *self, const char *name, const char *shown, const void *bytes, size_t size);
/* Classifies all images of a data set read from `path`. */
void predictor_add_dataset(predictor *self, const char *path, const dlda_dataset *images);

/* Classifies the waiting pictures and flushes the output. */
void predictor_flush(predictor *self);

#endif
