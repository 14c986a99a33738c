/* SPDX-License-Identifier: MIT
 *
 * by_class.c - sorts samples by class: counts each class, then puts every sample in its place.
 */
#include "base/by_class.h"

#include <string.h>

void dlda_group_by_class(const int *labels, size_t count, size_t classes, size_t *start, size_t *order)
{
    memset(start, 0, (classes + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) start[(labels ? labels[i] : 0) + 1]++;
    for (size_t c = 0; c < classes; c++) start[c + 1] += start[c];
    /* Filling moves each start to where the next class begins; then all move back by one class. */
    for (size_t i = 0; i < count; i++) order[start[labels ? labels[i] : 0]++] = i;
    memmove(start + 1, start, classes * sizeof *start);
    start[0] = 0;
}
