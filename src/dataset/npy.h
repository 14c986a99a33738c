/* SPDX-License-Identifier: MIT
 *
 * npy.h - the header of NumPy's .npy format, and its elements as floats, whole numbers and text.
 */
#ifndef DLDA_DATASET_NPY_H
#define DLDA_DATASET_NPY_H

#include "dataset/byte_flow.h"

enum { DLDA_NPY_DIMENSIONS = 8 }; /* at most */

typedef struct dlda_npy {
    char kind;   /* 'u', 'i': whole numbers; 'f'; 'U', 'S': text                        */
    size_t item; /* bytes of an element: 1, 2, 4, 8 of a whole number, 4, 8 of a float  */
    int swapped; /* its bytes are in the other order than this machine's                */
    size_t n_dimensions, dimension[DLDA_NPY_DIMENSIONS];
    size_t count; /* elements: the product of the dimensions, at least 1                */
    size_t bytes; /* of all elements; this does not overflow                            */
    size_t start; /* bytes before the first element                                     */
} dlda_npy;

/* Reads the header at the start of a flow, which then stands at the first element. Refuses what cannot be read:
 * Fortran order, Python objects, records, complex numbers, ... */
dlda_status dlda_npy_read_header(dlda_flow *flow, dlda_npy *npy);

/* "u1", "f8", ...: for messages; valid until the next call in this thread. */
const char *dlda_npy_type(const dlda_npy *npy);
int dlda_npy_is_whole(const dlda_npy *npy);

/* n elements as they lie in the file, as floats (of any number) or whole numbers (of kinds 'u' and 'i'). */
void dlda_npy_to_floats(const dlda_npy *npy, const void *elements, size_t n, float *values);
void dlda_npy_to_wholes(const dlda_npy *npy, const void *elements, size_t n, int64_t *values);

/* Element i of an array of text as UTF-8, in new memory. */
dlda_status dlda_npy_to_text(const dlda_npy *npy, const uint8_t *elements, size_t i, char **text);

/* The header of an array of floats, [rows][columns], for files that are written: always 128 bytes. */
enum { DLDA_NPY_HEADER = 128 };
void dlda_npy_make_header(size_t rows, size_t columns, char header[DLDA_NPY_HEADER]);

#endif
