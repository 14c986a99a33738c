/* SPDX-License-Identifier: MIT
 *
 * answers.h - what a model says of the samples it is tested on: projections, classes, probabilities, and what follows.
 */
#ifndef DLDA_REPORT_ANSWERS_H
#define DLDA_REPORT_ANSWERS_H

#include "base/name_list.h"

enum {
    DLDA_KINDS = 2, /* of probabilities: dlda_probability */
    DLDA_BINS = 10  /* of probabilities, of equal width   */
};

/* Whether probabilities are what they say: of the samples with a probability near p of the class they are given, a
 * share p should be right. */
typedef struct dlda_calibration {
    size_t count[DLDA_BINS];
    double probability[DLDA_BINS];          /* mean of the bin's samples             */
    double right[DLDA_BINS];                /* share of them that are right          */
    double low[DLDA_BINS], high[DLDA_BINS]; /* 95 % interval of that        */
    double error;                           /* mean difference of both, over samples */
} dlda_calibration;

typedef struct dlda_answers {
    char part[32]; /* "test" or "validation" */
    size_t count, classes, directions;
    dlda_name_list names;       /* [classes]                                     */
    int *truth;                 /* [count]                                       */
    float *Z;                   /* [count][directions]                           */
    int *called[DLDA_KINDS];    /* [count] class with the largest probability, which priors may change */
    float *p_truth[DLDA_KINDS]; /* [count] probability of the true class         */
    float *p_called[DLDA_KINDS];
    dlda_evaluation *evaluation[DLDA_KINDS];
    dlda_calibration calibration[DLDA_KINDS];
} dlda_answers;

typedef struct dlda_answers_spec {
    const dlda_model *model;
    const dlda_dataset *samples;
    const char *part;
    size_t threads;
} dlda_answers_spec;

dlda_status dlda_answers_create(const dlda_answers_spec *spec, dlda_answers **answers);
void dlda_answers_destroy(dlda_answers *answers);

/* Wilson's interval, in which the true share lies with 95 %, when `right` of `count` samples are. */
void dlda_share_interval(double right, double count, double *low, double *high);

const char *dlda_answers_class(const dlda_answers *answers, size_t label);

/* The samples whose true class has the least probability, the least first: order [count]. Gives how many. */
size_t dlda_answers_hardest(const dlda_answers *answers, size_t count, size_t *order);

#endif
