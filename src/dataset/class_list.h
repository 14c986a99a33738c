/* SPDX-License-Identifier: MIT
 *
 * class_list.h - collects the labels of a file, whole numbers or text, and sorts them into classes.
 *
 * Whole numbers are sorted by value, also if given as text; other text is sorted bytewise. So the number of a class
 * does not depend on the order of the samples.
 */
#ifndef DLDA_DATASET_CLASS_LIST_H
#define DLDA_DATASET_CLASS_LIST_H

#include "base/comm.h"

enum { DLDA_MOST_CLASS_NAME = 1024 }; /* bytes */

typedef struct dlda_class_list dlda_class_list;

/* `where` names the labels in messages and must outlive the list. */
dlda_status dlda_class_list_create(const char *where, dlda_class_list **list);
void dlda_class_list_destroy(dlda_class_list *list);

/* Adds a label if it is new, and returns its number in order of first appearance. A list
 * holds either numbers or text. */
dlda_status dlda_class_list_add(dlda_class_list *list, const char *text, size_t length, int *number);
dlda_status dlda_class_list_add_whole(dlda_class_list *list, int64_t value, int *number);

/* Adds the labels of the lists of all ranks, so that all have the same. NULL: one rank. */
dlda_status dlda_class_list_unite(dlda_class_list *list, const dlda_comm *comm);
/* The labels as bytes in new memory (dlda_release), and from there into another list, where they do not count as rows. */
dlda_status dlda_class_list_pack(const dlda_class_list *list, char **bytes, size_t *size);
dlda_status dlda_class_list_add_packed(dlda_class_list *list, const char *bytes, size_t size);

/* Sorts the classes and creates their names; nothing can be added afterwards. */
dlda_status dlda_class_list_sort(dlda_class_list *list);

size_t dlda_class_list_count(const dlda_class_list *list);
/* After sorting: names [count]; the class of a number of appearance; the class of a label, -1 if unknown. */
const char *const *dlda_class_list_names(const dlda_class_list *list);
/* How often the label of a class was added. */
size_t dlda_class_list_rows(const dlda_class_list *list, size_t class);
int dlda_class_list_class(const dlda_class_list *list, int number);
int dlda_class_list_find(const dlda_class_list *list, const char *text, size_t length);
int dlda_class_list_find_whole(const dlda_class_list *list, int64_t value);

#endif
