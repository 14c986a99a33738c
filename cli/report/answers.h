/* SPDX-License-Identifier: MIT
 *
 * answers.h - what a model says of the samples it is tested on: projections, classes, probabilities, and what follows.
 */
#ifndef DLDA_REPORT_ANSWERS_H
#define DLDA_REPORT_ANSWERS_H

#include "base/name_list.h"

enum { DLDA_KINDS = 2 }; /* of probabilities: dlda_probability */

typedef struct dlda_test_answers {
    char part[32]; /* "test" or "validation" */
    size_t count, classes, directions;
    dlda_name_list names;       /* [classes]                                     */
    int *truth;                 /* [count]                                       */
    float *Z;                   /* [count][directions]                           */
    float *p_truth[DLDA_KINDS]; /* [count] probability of the true class         */
    float *p_called[DLDA_KINDS];
    double softmax_accuracy; /* a fraction; NaN if the network has no softmax */
    dlda_evaluation
        *evaluation[DLDA_KINDS]; /* by the LDA; its `predicted`: what they are called, which priors may change */
} dlda_test_answers;

typedef struct dlda_test_answers_spec {
    const dlda_model *model;
    const dlda_dataset *samples;
    const char *part;
    size_t threads;
} dlda_test_answers_spec;

dlda_status dlda_test_answers_create(const dlda_test_answers_spec *spec, dlda_test_answers **answers);
void dlda_test_answers_destroy(dlda_test_answers *answers);

/* Wilson's interval, in which the true share lies with 95 %, when `right` of `count` samples are. */
void dlda_share_interval(double right, double count, double *low, double *high);

const char *dlda_test_answers_class(const dlda_test_answers *answers, size_t label);

/* The samples whose true class has the least probability, the least first: order [count]. Gives how many. */
size_t dlda_test_answers_hardest(const dlda_test_answers *answers, size_t count, size_t *order);

#endif
