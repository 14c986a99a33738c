/* SPDX-License-Identifier: MIT
 *
 * sample_answers.h - what a classifier answered to each sample of a set, in memory or in a file of `deeplda eval --answers`:
 *
 *     index,file,truth,predicted,probability[,svm]
 *     0,,7,7,0.9981,7
 *
 * `file` is empty if the samples have no files of their own; `svm` is there with --svm. Names of classes are the model's.
 */
#ifndef DEEPLDA_CLI_SAMPLE_ANSWERS_H
#define DEEPLDA_CLI_SAMPLE_ANSWERS_H

#include "cli.h"
#include "eval/statistics.h"

/* The columns that may hold a classifier's answers. */
#define ANSWERS_PREDICTED "predicted"
#define ANSWERS_SVM       "svm"

typedef struct sample_answers {
    size_t count;
    const char **files, **truths, **predicted; /* [count]; files: "" for none */
    char *text;                                /* that they point into; NULL: into a model and a set */
} sample_answers;

/* Answers of a model, which must stay as long as they are used, as must the samples. Return an exit code. */
int answers_of_model(sample_answers *answers, const char *command, const dlda_model *model,
                     const dlda_dataset *samples, const dlda_evaluation *evaluation);
/* Answers of a file, by one of its columns. */
int answers_read(sample_answers *answers, const char *command, const char *path, const char *column);
void answers_release(sample_answers *answers);
/* 1 if a path is that of a file with answers, by its name. */
int answers_is_file(const char *path);

/* Writes the answers of a model to a file, whole or not at all; `svm` may be NULL. */
int answers_write(const char *command, const char *path, const sample_answers *answers,
                  const dlda_evaluation *evaluation, const sample_answers *svm);

/* Two answers to the same samples, and what they are called in messages. */
typedef struct answers_pair {
    const sample_answers *first, *second;
    const char *first_name, *second_name;
} answers_pair;

/* Counts who is right where. EXIT_FAILED with a message if these are not the same samples. */
int answers_compare(const char *command, const answers_pair *pair, stat_pairs *counts);

#endif
