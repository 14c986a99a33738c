/* SPDX-License-Identifier: MIT
 *
 * mistakes.h - the samples that a model finds hardest, and those of them that it predicts wrongly.
 *
 * Sample i is harder than j if its true class has a lower probability; if these are equal, if its predicted class has
 * a higher one; else if it comes first. `deeplda eval --mistakes` and the report use this order.
 */
#ifndef DEEPLDA_CLI_MISTAKES_H
#define DEEPLDA_CLI_MISTAKES_H

#include "terminal/json_out.h"

#include "deeplda_lda.h"

/* The `most` hardest samples, hardest first: *order [*count], released with dlda_release. With truth [samples], those
 * that are predicted wrongly; NULL: of all. */
dlda_status hardest_first(const dlda_evaluation *evaluation, const int *truth, size_t most, size_t **order,
                          size_t *count);

/* The worst mistakes of a model. */
typedef struct mistake_list {
    const dlda_model *model;
    const dlda_dataset *samples;
    const dlda_evaluation *evaluation;
    size_t count, *order; /* [count]: samples, hardest first */
} mistake_list;

void mistakes_write_json(const mistake_list *list, json_out *json);
void mistakes_write_text(const mistake_list *list, FILE *file);

#endif
