/* SPDX-License-Identifier: MIT
 *
 * answers.h - the predictions of a model for its test samples: projections, classes,
 * probabilities, and derived results.
 */
#ifndef DEEPLDA_CLI_ANSWERS_H
#define DEEPLDA_CLI_ANSWERS_H

#include "base/name_list.h"

enum { PROBABILITY_KINDS = 2 }; /* DLDA_PROBABILITY_PAPER and DLDA_PROBABILITY_BAYES */

typedef struct test_answers {
    char part[32]; /* "test" or "validation" */
    size_t count, classes, directions;
    dlda_name_list names;       /* [classes]                                                       */
    int *truth;                 /* [count]                                                         */
    float *Z;                   /* [count][directions]                                             */
    double softmax_accuracy;    /* a fraction; NaN if the network has no softmax                   */
    size_t nearest[2];          /* the classes whose means are nearest                             */
    double nearest_distance;    /* in standard deviations within a class; NaN if unknown           */
    size_t calibration_samples; /* that fitted the temperature of the probabilities; 0: none    */
    dlda_evaluation *evaluation[PROBABILITY_KINDS]; /* by the LDA; their classes differ if priors were changed */
} test_answers;

typedef struct test_answers_spec {
    const dlda_model *model;
    const dlda_dataset *samples;
    const char *part;
    size_t threads;
} test_answers_spec;

dlda_status test_answers_create(const test_answers_spec *spec, test_answers **answers);
void test_answers_destroy(test_answers *answers);

/* The name of a class. */
const char *test_answers_class(const test_answers *answers, size_t label);
/* The names of the true and the predicted class (DLDA_PROBABILITY_BAYES) of a sample. */
const char *test_answers_true_class(const test_answers *answers, size_t sample);
const char *test_answers_predicted_class(const test_answers *answers, size_t sample);

#endif
