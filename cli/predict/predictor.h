/* SPDX-License-Identifier: MIT
 *
 * predictor.h - a model at work: images in, lines of answers out, many images at once.
 *
 * Pictures gather until there is a batch of them; the answers come in the order of the pictures. What cannot be used is
 * told on stderr and leaves `failed` set, and the others go on.
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
    size_t most; /* images at once, as --batch has it                       */
    size_t threads;
    size_t batch; /* what there is room for now: no more than was needed yet */
    size_t pixels, classes;
    float *images;       /* [batch][pixels]  */
    unsigned char *good; /* [batch]          */
    int *labels;         /* [batch]          */
    float *proba;        /* [batch][classes] */
    double *scores;      /* [batch][classes] */
    double *distances;   /* [batch]          */
    dlda_probability kind;
    answer_format format;
    path_list pictures; /* that wait for their answer */
    cli_output output;
    int begun;  /* the output has its first line  */
    int failed; /* something could not be used    */
    int lost;   /* answers could not be written   */
} predictor;

/* Loads the model and reads the options. Returns an exit code; release in any case. */
int predictor_open(predictor *self, const char *command, const char *model, const cli_options *options);
void predictor_release(predictor *self);

/* A picture; its answer comes with those of its batch, at the latest with predictor_flush. */
void predictor_add_picture(predictor *self, const char *path);
/* A picture whose bytes are in memory, alone; messages call it `name`, its answer calls it `shown`. */
void predictor_add_bytes(predictor *self, const char *name, const char *shown, const void *bytes, size_t size);
/* All images of a data set that came from `path`. */
void predictor_add_dataset(predictor *self, const char *path, const dlda_dataset *images);

/* Answers what waits, and sees that the answers are on their way. */
void predictor_flush(predictor *self);

#endif
