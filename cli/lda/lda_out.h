/* SPDX-License-Identifier: MIT
 *
 * lda_out.h - the results of `deeplda lda` as text and as JSON.
 */
#ifndef DEEPLDA_CLI_LDA_OUT_H
#define DEEPLDA_CLI_LDA_OUT_H

#include "cli.h"

typedef struct lda_results {
    const char *path; /* of the table */
    const dlda_table *table;
    const dlda_table_fit *fit;
    int standardised;           /* coefficients are shown per standard deviation                     */
    int regularised;            /* lambda was chosen because Sw is singular or nearly so             */
    const char *output, *saved; /* files that were written; "": none                                 */
} lda_results;

void lda_print_text(const lda_results *results);
void lda_print_json(const lda_results *results);

/* The name of feature j, such as "length" or "colour=red"; of a table without names "feature 3". */
void lda_feature_name(const dlda_lda *lda, const dlda_table *table, size_t j, size_t size, char *text);

/* A share of 0 rows is NaN. */
double lda_share(size_t part, size_t all);
size_t lda_fold_correct(const dlda_table_fit *fit);
/* The coefficients of the classification functions of textbooks: of feature j, and the constant. */
double lda_class_coefficient(const dlda_lda *lda, size_t c, size_t j);
double lda_class_constant(const dlda_lda *lda, size_t c);
/* By how much coefficients are multiplied: the standard deviation of the feature, or 1. */
double lda_unit(const lda_results *results, size_t j);

#endif
