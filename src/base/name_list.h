/* SPDX-License-Identifier: MIT
 *
 * name_list.h - growing lists of names: entries of a folder, lines of a text file, files of a data set.
 */
#ifndef DLDA_BASE_NAME_LIST_H
#define DLDA_BASE_NAME_LIST_H

#include "base/status.h"

/* All names lie in one text. Zero it before use. */
typedef struct dlda_name_list {
    size_t count, room;
    size_t *start; /* [count]: offset of each name in `text` */
    char *text;
    size_t used, text_room;
} dlda_name_list;

void dlda_name_list_release(dlda_name_list *list);
/* Adds the first n characters of a text. */
dlda_status dlda_name_list_add(dlda_name_list *list, const char *name, size_t n);
/* Valid until a name is added. */
const char *dlda_name_list_at(const dlda_name_list *list, size_t i);
/* Sorts bytewise, so that the order is the same in every locale. */
void dlda_name_list_sort(dlda_name_list *list);

/* Adds the entries of a folder in sorted order, except hidden ones (".name"). */
dlda_status dlda_name_list_add_folder(dlda_name_list *list, const char *folder);
/* Adds the lines of a small text file. Empty lines at its end are ignored, and so is CR before LF. */
dlda_status dlda_name_list_add_lines(dlda_name_list *list, const char *path);

#endif
