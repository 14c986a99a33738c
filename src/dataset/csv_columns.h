/* SPDX-License-Identifier: MIT
 *
 * csv_columns.h - the columns of an open CSV table: what each of them is, and where its values go.
 */
#ifndef DLDA_DATASET_CSV_COLUMNS_H
#define DLDA_DATASET_CSV_COLUMNS_H

#include "dataset/csv.h"
#include "dataset/csv_text.h"

typedef enum dlda_column_role {
    DLDA_COLUMN_NUMBER,
    DLDA_COLUMN_CATEGORY,
    DLDA_COLUMN_LABEL,
    DLDA_COLUMN_UNUSED
} dlda_column_role;

typedef struct dlda_column {
    char *name; /* NULL: there is no header */
    dlda_column_role role;
    int kept;                /* used even if it looks like a row number                           */
    size_t feature;          /* of a number: its place in a row                                   */
    dlda_class_list *levels; /* of a category                                                     */
    long *places;            /* [levels]: the feature that is 1 at this level; -1: the reference  */
} dlda_column;

enum { DLDA_DECIMAL_POINT = 1, DLDA_DECIMAL_COMMA = 2 };

struct dlda_csv {
    char **files; /* [n_files] */
    size_t n_files;
    char *name;       /* of the only file in messages; NULL: its path */
    const char *path; /* of the first file in messages            */
    char *all;        /* of all files in messages                 */
    const dlda_comm *comm;
    dlda_csv_text text;
    char separator;
    size_t n_columns, label; /* label: its column, from 0; equal to n_columns: none */
    size_t header;           /* line number of the header, 0: none                  */
    dlda_column *columns;    /* [n_columns]                                         */
    size_t n_features;
    dlda_feature *features; /* [n_features]: their texts belong to the columns, or to the spec if found by name */
    int has_categories;
    int for_lda, by_name; /* by_name: the features were found by the names of their columns */
    dlda_missing missing;
    double *means;     /* [n_features], in the place of missing numbers; NULL: left as NaN */
    size_t rows;       /* of this rank */
    size_t *file_rows; /* [n_files]: likewise, with those that are left out */
    size_t incomplete; /* of all ranks */
    unsigned decimals; /* marks that were seen: DLDA_DECIMAL_POINT and DLDA_DECIMAL_COMMA */
    dlda_class_list *list;
};

/* The file of a row, for messages. */
const char *dlda_csv_where(const dlda_csv *csv, const dlda_record *row);

dlda_fields dlda_csv_fields(const dlda_csv *csv, const dlda_record *record);

/* 1 if a field has no value: empty, NA, N/A, NaN, null or ?. */
int dlda_csv_is_missing(const dlda_field *field);
/* The same for a label: empty, NA or NaN; other words may well be names of classes. */
int dlda_csv_is_no_label(const dlda_field *field);
/* 1 and the number in a field. Where the separator is not a comma, it may have a decimal comma. `marks` collects the
 * decimal marks. */
int dlda_csv_number(const dlda_csv *csv, const dlda_field *field, float *value, unsigned *marks);

/* csv_columns.c: finds separator, header and columns in the first lines. */
dlda_status dlda_csv_read_columns(dlda_csv *csv, const dlda_csv_spec *spec);
/* 1 if a record has the names of the columns; for dlda_csv_text. */
int dlda_csv_is_header(const void *csv, const dlda_record *record);
/* Numbers the features, after the levels of all categories were collected. */
dlda_status dlda_csv_place_features(dlda_csv *csv, const dlda_csv_spec *spec);
void dlda_csv_release_columns(dlda_csv *csv);

/* csv_scan.c: counts rows, collects classes and levels, refuses row numbers. */
dlda_status dlda_csv_scan(dlda_csv *csv);

/* csv.c: what is wrong with a row that could not be read. */
dlda_status dlda_csv_explain(const dlda_csv *csv, const dlda_record *row);

#endif
