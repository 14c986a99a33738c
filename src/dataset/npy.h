/* SPDX-License-Identifier: MIT
 *
 * npy.h - the header of NumPy's .npy format, and conversion of elements to floats, whole numbers and text.
 */
#ifndef DLDA_DATASET_NPY_H
#define DLDA_DATASET_NPY_H

#include "dataset/byte_flow.h"

enum { DLDA_NPY_DIMENSIONS = 8 }; /* upper limit */

typedef struct dlda_npy {
    char kind;   /* 'u', 'i': whole numbers; 'f'; 'U', 'S': text                       */
    size_t item; /* bytes of an element: 1, 2, 4, 8 for whole numbers, 4, 8 for floats */
    int swapped; /* byte order differs from this machine's                             */
    size_t n_dimensions, dimension[DLDA_NPY_DIMENSIONS];
    size_t count; /* elements: the product of the dimensions, at least 1 */
    size_t bytes; /* of all elements; does not overflow                  */
    size_t start; /* bytes before the first element                      */
} dlda_npy;

/* Reads the header at the start of a flow, leaving it at the first element. Refuses unsupported types: Fortran
 * order, Python objects, records, complex numbers, ... */
dlda_status dlda_npy_read_header(dlda_flow *flow, dlda_npy *npy);

/* "u1", "f8", ...: for messages; valid until the next call in this thread. */
const char *dlda_npy_type(const dlda_npy *npy);
int dlda_npy_is_whole(const dlda_npy *npy);

/* Converts n elements in file format to floats (any number) or whole numbers (kinds 'u' and 'i'). */
void dlda_npy_to_floats(const dlda_npy *npy, const void *elements, size_t n, float *values);
void dlda_npy_to_wholes(const dlda_npy *npy, const void *elements, size_t n, int64_t *values);

/* Element i of an array of text as UTF-8, in new memory. */
dlda_status dlda_npy_to_text(const dlda_npy *npy, const uint8_t *elements, size_t i, char **text);

/* The header of a float array [rows][columns], for writing: always 128 bytes. */
enum { DLDA_NPY_HEADER = 128 };
void dlda_npy_make_header(size_t rows, size_t columns, char header[DLDA_NPY_HEADER]);

#endif
