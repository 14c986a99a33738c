/* SPDX-License-Identifier: MIT
 *
 * answer_lines.h - what a model says of an image, or an LDA of a row, as a line of CSV or JSON.
 */
#ifndef DEEPLDA_CLI_ANSWER_LINES_H
#define DEEPLDA_CLI_ANSWER_LINES_H

#include "deeplda_lda.h"

#include <stdio.h>

typedef struct answer_format {
    const dlda_model *model; /* whose classes they are, or else: */
    const dlda_lda *lda;     /* numbers stand for names if it has none */
    int json;
    size_t top;   /* so many classes, the best first; 0: the probabilities of all   */
    int rejects;  /* 1: distances, and whether they are larger than the limit       */
    double limit; /* squared distance                                               */
} answer_format;

/* One image, with pointers to its own rows. */
typedef struct answer {
    const char *file;
    size_t index; /* of the image in its file */
    int label;
    const float *proba;   /* [classes] */
    const double *scores; /* [classes] */
    double distance;
} answer;

/* The first line of CSV; nothing for JSON. */
void answer_write_head(const answer_format *format, FILE *file);
void answer_write(const answer_format *format, const answer *one, FILE *file);

#endif
