/* SPDX-License-Identifier: MIT
 *
 * array.h - one NumPy array, from an .npy file or a member of an .npz file. It is read as a whole, or
 * sequentially and repeatedly.
 */
#ifndef DLDA_DATASET_ARRAY_H
#define DLDA_DATASET_ARRAY_H

#include "dataset/class_list.h"
#include "dataset/npy.h"
#include "dataset/zip.h"

typedef struct dlda_array {
    const dlda_read_spec *spec; /* limits what a compressed file may expand to; NULL: no limit */
    char *path;                 /* path of the file                          */
    char *name;                 /* for messages: the path, or "PATH: MEMBER" */
    int is_member;
    dlda_zip_part part;
    dlda_npy npy;
    dlda_flow flow;   /* positioned at the next element               */
    size_t read;      /* elements read so far                         */
    int size_is_sure; /* the file size was checked against the header */
} dlda_array;

/* Opens an .npy file, or a member of a zip file. Zero it before, except for the spec; close it also if
 * this fails. */
dlda_status dlda_array_open(const char *path, const dlda_zip_member *member, dlda_array *array);
void dlda_array_close(dlda_array *array);

/* Back to the first element. */
dlda_status dlda_array_rewind(dlda_array *array);
/* Reads the next n elements in file format; after the last one, checks that the file ends. */
dlda_status dlda_array_get(dlda_array *array, size_t n, void *elements);
/* Skips the next n elements. */
dlda_status dlda_array_skip(dlda_array *array, size_t n);
/* Reads all elements from the beginning into new memory (dlda_release). */
dlda_status dlda_array_get_all(dlda_array *array, uint8_t **elements);

/* Fails unless the array has one label for each of `rows` rows of `what`: whole numbers or
 * text, of shape N or N x 1. */
dlda_status dlda_array_check_labels(const dlda_array *labels, size_t rows, const char *what);

/* Reads the next n labels: adds them to the list and numbers them by first appearance; or looks up their
 * classes in a sorted list. */
dlda_status dlda_array_add_labels(dlda_array *labels, size_t n, dlda_class_list *list, int *numbers);
dlda_status dlda_array_get_classes(dlda_array *labels, size_t n, const dlda_class_list *list, int *classes);

#endif
