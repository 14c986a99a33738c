/* SPDX-License-Identifier: MIT
 *
 * write_rows.h - rows of floats as a file: NumPy's .npy, or .csv with a header and the names of the classes.
 */
#ifndef DLDA_DATASET_WRITE_ROWS_H
#define DLDA_DATASET_WRITE_ROWS_H

#include "base/file.h"

typedef struct dlda_row_format {
    int csv; /* 0: .npy                                                                  */
    size_t columns;
    const char *prefix; /* of the column names in CSV: "LD" for LD1, LD2, ...                        */
    int has_classes;    /* 1: CSV gets a last column `class`                                         */
} dlda_row_format;

/* Sets `csv` by the end of the path; DLDA_E_ARGUMENT unless it is .npy or .csv. */
dlda_status dlda_row_format_of(const char *path, dlda_row_format *format);
/* The header: `rows` is their number in all. */
dlda_status dlda_rows_begin(const dlda_row_format *format, size_t rows, dlda_file_writer *writer);
/* Rows Z [n][columns], and of CSV with classes their names [n]. */
dlda_status dlda_rows_add(const dlda_row_format *format, const float *Z, const char *const *classes, size_t n,
                          dlda_file_writer *writer);

#endif
