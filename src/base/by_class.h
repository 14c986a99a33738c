/* SPDX-License-Identifier: MIT
 *
 * by_class.h - groups samples by class, for stratified splits and batches.
 */
#ifndef DLDA_BASE_BY_CLASS_H
#define DLDA_BASE_BY_CLASS_H

#include <stddef.h>

/* Class c has the samples order[start[c]] .. order[start[c+1] - 1], ascending. start has room for [classes + 1],
 * order for [count]. Labels of NULL stand for a single class. Allocates nothing. */
void dlda_group_by_class(const int *labels, size_t count, size_t classes, size_t *start, size_t *order);

#endif
