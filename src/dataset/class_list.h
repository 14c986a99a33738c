/* SPDX-License-Identifier: MIT
 *
 * class_list.h - the classes of labels as files have them, whole numbers or text: collected, then put in order.
 *
 * Whole numbers are ordered by value, text bytewise; text that is all whole numbers by value too. So a class has the
 * same place whichever of its samples comes first.
 */
#ifndef DLDA_DATASET_CLASS_LIST_H
#define DLDA_DATASET_CLASS_LIST_H

#include "base/status.h"

enum { DLDA_MOST_CLASS_NAME = 1024 }; /* bytes */

typedef struct dlda_class_list dlda_class_list;

/* `where` names the labels in messages and must last. */
dlda_status dlda_class_list_create(const char *where, dlda_class_list **list);
void dlda_class_list_destroy(dlda_class_list *list);

/* The number of a label in order of appearance; it is new if it was not there. A list is of numbers or of text. */
dlda_status dlda_class_list_add(dlda_class_list *list, const char *text, size_t length, int *number);
dlda_status dlda_class_list_add_whole(dlda_class_list *list, int64_t value, int *number);

/* Puts the classes in order and makes their names; nothing can be added after it. */
dlda_status dlda_class_list_sort(dlda_class_list *list);

size_t dlda_class_list_count(const dlda_class_list *list);
/* After sorting: names [count]; the class of a number of appearance; the class of a label, -1 if there is none. */
const char *const *dlda_class_list_names(const dlda_class_list *list);
int dlda_class_list_class(const dlda_class_list *list, int number);
int dlda_class_list_find(const dlda_class_list *list, const char *text, size_t length);
int dlda_class_list_find_whole(const dlda_class_list *list, int64_t value);

#endif
