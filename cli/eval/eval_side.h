/* SPDX-License-Identifier: MIT
 *
 * eval_side.h - one classifier of `deeplda eval`: a model with its own copy of the test
 * data, or answers from a file.
 */
#ifndef DEEPLDA_CLI_EVAL_SIDE_H
#define DEEPLDA_CLI_EVAL_SIDE_H

#include "eval/sample_answers.h"
#include "run_data.h"

typedef struct eval_side {
    const cli_options *options;
    const char *path;    /* model, run folder or file of answers          */
    const char *data;    /* test data                                     */
    const run_data *run; /* whose own data they are; NULL: they are given */
    dlda_probability kind;
    /* NULL for a file of answers */
    dlda_model *model;
    dlda_dataset *test;
    dlda_evaluation *evaluation;
    sample_answers answers;
} eval_side;

/* Loads the model, or reads the file. Returns an exit code. */
int eval_side_open(eval_side *side);
/* Reads the test data for a model. */
int eval_side_read(eval_side *side);
/* Computes the predictions of a model. */
int eval_side_evaluate(eval_side *side);
void eval_side_release(eval_side *side);

/* Reads a part of some data, named `what` in messages, and checks that the model can process it. */
int eval_side_read_part(const eval_side *side, const char *data, dlda_part part, const char *what,
                        dlda_dataset **set);
int eval_side_workspace(const eval_side *side, dlda_workspace **workspace);

extern const char eval_name[]; /* for messages */

#endif
