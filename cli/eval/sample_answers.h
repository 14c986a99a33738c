/* SPDX-License-Identifier: MIT
 *
 * sample_answers.h - the predictions of a classifier for each sample of a set, in memory or in a file of
 * `deeplda eval --answers`:
 *
 *     index,file,truth,predicted,probability[,svm]
 *     0,,7,7,0.9981,7
 *
 * `file` is empty if the samples have no files of their own; `svm` is present with --svm.
 * Class names are the model's.
 */
#ifndef DEEPLDA_CLI_SAMPLE_ANSWERS_H
#define DEEPLDA_CLI_SAMPLE_ANSWERS_H

#include "cli.h"
#include "eval/statistics.h"

/* The columns that may hold predictions. */
#define ANSWERS_PREDICTED "predicted"
#define ANSWERS_SVM       "svm"

typedef struct sample_answers {
    size_t count;
    const char **files, **truths, **predicted; /* [count]; files: "" if none */
    char *text;                                /* owns the strings; NULL: they belong to a model and a set */
} sample_answers;

/* Predictions of a model, which must outlive them, as must the samples. Returns an exit code. */
int answers_of_model(sample_answers *answers, const char *command, const dlda_model *model,
                     const dlda_dataset *samples, const dlda_evaluation *evaluation);
/* Reads one column of a file of answers. */
int answers_read(sample_answers *answers, const char *command, const char *path, const char *column);
void answers_release(sample_answers *answers);
/* 1 if a path is that of a file of answers, by its extension. */
int answers_is_file(const char *path);

/* Writes the predictions of a model atomically; `svm` may be NULL. */
int answers_write(const char *command, const char *path, const sample_answers *answers,
                  const dlda_evaluation *evaluation, const sample_answers *svm);

/* Two sets of predictions for the same samples, and their names in messages. */
typedef struct answers_pair {
    const sample_answers *first, *second;
    const char *first_name, *second_name;
} answers_pair;

/* Counts the samples that each classified correctly. EXIT_FAILED with a message if the samples differ. */
int answers_compare(const char *command, const answers_pair *pair, stat_pairs *counts);

#endif
