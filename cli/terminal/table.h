/* SPDX-License-Identifier: MIT
 *
 * table.h - results as text for people.
 */
#ifndef DEEPLDA_CLI_TABLE_H
#define DEEPLDA_CLI_TABLE_H

#include "cli.h"

#include <stdio.h>

/* Accuracy, figures of each class, and the confusion matrix. `what` names the data: "test". */
void table_evaluation(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, const char *what);

/* The eigenvalues with a bar each. */
void table_eigenvalues(FILE *file, const dlda_lda *lda);

/* The same with the share of the separation that each explains. */
void table_separation(FILE *file, const dlda_lda *lda);
/* The sum of the eigenvalues, of which those below 0 are none: directions in which nothing separates the classes. */
double separation_sum(const dlda_lda *lda);

/* A name as it came from a file: control characters become '?', and a long one is cut. */
void table_name(FILE *file, const char *name);
/* The same in exactly `columns` columns. */
void table_padded(FILE *file, const char *name, size_t columns);

#endif
