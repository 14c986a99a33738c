/* SPDX-License-Identifier: MIT
 *
 * eval_side.h - one classifier of `deeplda eval`: a model with its own reading of the test data, or answers from a file.
 */
#ifndef DEEPLDA_CLI_EVAL_SIDE_H
#define DEEPLDA_CLI_EVAL_SIDE_H

#include "eval/sample_answers.h"

typedef struct eval_side {
    const cli_options *options;
    const char *path, *data; /* of the model, or of the answers; of the test data */
    dlda_probability kind;
    /* NULL if it is a file with answers */
    dlda_model *model;
    dlda_dataset *test;
    dlda_evaluation *evaluation;
    sample_answers answers;
} eval_side;

/* Loads the model, or reads the file. Return an exit code. */
int eval_side_open(eval_side *side);
/* Reads the test data for a model. */
int eval_side_read(eval_side *side);
/* The answers of a model. */
int eval_side_evaluate(eval_side *side);
void eval_side_release(eval_side *side);

/* Reads a part of some data, called `what` in messages, and sees that the model can take them. */
int eval_side_read_part(const eval_side *side, const char *data, dlda_part part, const char *what,
                        dlda_dataset **set);
int eval_side_workspace(const eval_side *side, dlda_workspace **workspace);

extern const char eval_name[]; /* for messages */

#endif
