/* SPDX-License-Identifier: MIT
 *
 * svm_folds.c - stratified folds for the SVM's cross-validation. Rows are shuffled within each class and dealt to
 * the folds in turn, class after class, without restarting at the first fold. Both the fold sizes and the shares of
 * a class differ by at most one.
 */
#include "classify/svm_folds.h"
#include "base/by_class.h"
#include "base/memory.h"
#include "base/random.h"

dlda_status dlda_svm_folds(const int *labels, size_t n, size_t classes, size_t folds, uint64_t seed, size_t *fold)
{
    dlda_status status = DLDA_OK;
    size_t *start = NULL, *order = NULL;

    DLDA_TRY(DLDA_TAKE(&start, classes + 1, "folds"));
    DLDA_TRY(DLDA_TAKE(&order, n, "folds"));
    dlda_group_by_class(labels, n, classes, start, order);
    for (size_t c = 0; c < classes; c++) {
        dlda_random random = dlda_random_stream(seed, DLDA_RANDOM_SVM, 0, (uint32_t)c);
        dlda_random_shuffle(&random, start[c + 1] - start[c], order + start[c]);
    }
    for (size_t i = 0; i < n; i++) fold[order[i]] = i % folds;
done:
    dlda_release(start);
    dlda_release(order);
    return status;
}
