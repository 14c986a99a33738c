/* SPDX-License-Identifier: MIT
 *
 * by_class.c - groups samples by class with a counting sort.
 */
#include "base/by_class.h"

#include <string.h>

void dlda_group_by_class(const int *labels, size_t count, size_t classes, size_t *start, size_t *order)
{
    memset(start, 0, (classes + 1) * sizeof *start);
    for (size_t i = 0; i < count; i++) start[(labels ? labels[i] : 0) + 1]++;
    for (size_t c = 0; c < classes; c++) start[c + 1] += start[c];
    /* Filling advances each start to the beginning of the next class; afterwards all are
     * shifted back by one class. */
    for (size_t i = 0; i < count; i++) order[start[labels ? labels[i] : 0]++] = i;
    memmove(start + 1, start, classes * sizeof *start);
    start[0] = 0;
}
