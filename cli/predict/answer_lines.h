/* SPDX-License-Identifier: MIT
 *
 * answer_lines.h - writes the prediction for an image, or for a row of a table, as a line of CSV or JSON.
 */
#ifndef DEEPLDA_CLI_ANSWER_LINES_H
#define DEEPLDA_CLI_ANSWER_LINES_H

#include "deeplda_lda.h"

#include <stdio.h>

typedef struct answer_format {
    const dlda_model *model; /* owner of the classes, or else: */
    const dlda_lda *lda;     /* its classes are numbers if they have no names */
    int json;
    size_t top;   /* number of classes, most probable first; 0: the probabilities of all */
    int truths;   /* 1: print true classes                                               */
    int rejects;  /* 1: print distances, and whether they exceed the limit               */
    double limit; /* squared distance                                                    */
} answer_format;

/* The prediction for one image. */
typedef struct answer {
    const char *file;
    size_t index; /* of the image in its file */
    int label;
    const char *truth;    /* name of the true class; NULL: not known */
    const float *proba;   /* [classes] */
    const double *scores; /* [classes] */
    double distance;
} answer;

/* Writes the header line of CSV; nothing for JSON. */
void answer_write_head(const answer_format *format, FILE *file);
void answer_write(const answer_format *format, const answer *one, FILE *file);

#endif
