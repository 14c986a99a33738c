/* SPDX-License-Identifier: MIT
 *
 * eval_out.h - the results of `deeplda eval`.
 */
#ifndef DEEPLDA_CLI_EVAL_OUT_H
#define DEEPLDA_CLI_EVAL_OUT_H

#include "cli.h"
#include "eval/mistakes.h"
#include "eval/statistics.h"

/* Results of --compare. */
typedef struct eval_comparison {
    const char *names[2]; /* files of the models or of their answers               */
    const char *heads[2]; /* "lda" or "softmax"; NULL: the answers are from a file */
    stat_pairs pairs;
} eval_comparison;

typedef struct eval_result {
    const dlda_model *model; /* NULL: only two files are compared */
    dlda_probability kind;
    dlda_evaluation *evaluation;
    const char *data, *part; /* tested on; part: "test", "validation" or "all" */
    /* of --mistakes; NULL without */
    const mistake_list *mistakes;
    /* of --svm; NULL without */
    dlda_svm *svm;
    dlda_evaluation *svm_evaluation;
    const char *svm_data; /* data it was trained on */
    size_t svm_samples;
    stat_pairs svm_pairs; /* the model and the SVM */
    /* of --compare; NULL without */
    const eval_comparison *comparison;
} eval_result;

/* "lda" or "softmax" */
const char *eval_head_name(dlda_probability kind);

void eval_write_text(const eval_result *result);
void eval_write_json(const eval_result *result);

#endif
