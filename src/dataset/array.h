/* SPDX-License-Identifier: MIT
 *
 * array.h - one NumPy array, from an .npy file or a member of an .npz: as a whole, or element by element from its
 * beginning as often as wanted.
 */
#ifndef DLDA_DATASET_ARRAY_H
#define DLDA_DATASET_ARRAY_H

#include "dataset/class_list.h"
#include "dataset/npy.h"
#include "dataset/zip.h"

typedef struct dlda_array {
    char *path; /* of the file                                           */
    char *name; /* for messages: the path, or "PATH: MEMBER"             */
    int is_member;
    dlda_zip_part part;
    dlda_npy npy;
    dlda_flow flow;   /* stands at the next element                       */
    size_t read;      /* elements before it                               */
    int size_is_sure; /* the file was seen to have the bytes of all of them */
} dlda_array;

/* Opens an .npy file, or a member of a zip file. Close it also if this fails; zero it before. */
dlda_status dlda_array_open(const char *path, const dlda_zip_member *member, dlda_array *array);
void dlda_array_close(dlda_array *array);

/* Back to the first element. */
dlda_status dlda_array_rewind(dlda_array *array);
/* The next n elements, as they lie in the file; behind the last one the end of the file is checked. */
dlda_status dlda_array_get(dlda_array *array, size_t n, void *elements);
/* All elements in new memory (dlda_release), from the beginning. */
dlda_status dlda_array_get_all(dlda_array *array, uint8_t **elements);

/* Fails unless it has one label for each of `rows` rows of `what`: whole numbers or text, N or N x 1. */
dlda_status dlda_array_check_labels(const dlda_array *labels, size_t rows, const char *what);

/* The next n labels: numbers of appearance in the list, to which they are added; or classes, if it was sorted. */
dlda_status dlda_array_add_labels(dlda_array *labels, size_t n, dlda_class_list *list, int *numbers);
dlda_status dlda_array_get_classes(dlda_array *labels, size_t n, const dlda_class_list *list, int *classes);

#endif
