/* SPDX-License-Identifier: MIT
 *
 * eval_out.h - what `deeplda eval` found, as text or as JSON.
 */
#ifndef DEEPLDA_CLI_EVAL_OUT_H
#define DEEPLDA_CLI_EVAL_OUT_H

#include "cli.h"

typedef struct eval_result {
    const dlda_model *model;
    dlda_probability kind;
    dlda_evaluation *evaluation;
    /* of --svm; NULL without */
    dlda_svm *svm;
    dlda_evaluation *svm_evaluation;
    const char *svm_data; /* what it was trained on */
    size_t svm_samples;
} eval_result;

void eval_write_text(const eval_result *result);
void eval_write_json(const eval_result *result);

#endif
