/* SPDX-License-Identifier: MIT
 *
 * table.h - prints results as text.
 */
#ifndef DEEPLDA_CLI_TABLE_H
#define DEEPLDA_CLI_TABLE_H

#include "cli.h"

#include <stdio.h>

/* Accuracy, figures of each class, and confusion matrix. `what` names the data: "test". */
void table_evaluation(FILE *file, const dlda_model *model, const dlda_evaluation *evaluation, const char *what);

/* How the probabilities of that kind were calibrated, without a newline: "temperature 11.8, fitted on 500 held-out samples",
 * or why they are not. */
void table_calibration(FILE *file, const dlda_model *model, dlda_probability kind);

/* The eigenvalues with a bar each. */
void table_eigenvalues(FILE *file, const dlda_lda *lda);

/* The same with the share of the separation that each explains. */
void table_separation(FILE *file, const dlda_lda *lda);
/* The sum of the positive eigenvalues; the others belong to directions without separation. */
double separation_sum(const dlda_lda *lda);

/* Prints a text from a file that may have several lines, safe for terminals (base/utf8.h). */
void table_text(FILE *file, const char *text);
/* Prints a name from a file, safe for terminals; a long name is truncated. */
void table_name(FILE *file, const char *name);
/* The whole name, and its width in columns. */
void table_full_name(FILE *file, const char *name);
size_t table_width(const char *name);
/* The same in exactly `columns` columns. */
void table_padded(FILE *file, const char *name, size_t columns);

#endif
