/* SPDX-License-Identifier: MIT
 *
 * csv.h - a CSV table of numbers with a label column, in one file or several. It is scanned once for its classes, then
 * read in blocks, repeatedly if needed.
 */
#ifndef DLDA_DATASET_CSV_H
#define DLDA_DATASET_CSV_H

#include "base/comm.h"
#include "base/parallel.h"
#include "dataset/class_list.h"

typedef struct dlda_csv dlda_csv;

/* Lists of columns have names or numbers from 1, separated by commas; NULL or "": none. */
typedef struct dlda_csv_spec {
    const char *path;
    const char *name;       /* of the file in messages; NULL: the path                                           */
    const char *label;      /* the label column; NULL or "": chosen by the rules in csv_columns.c                */
    size_t unlabelled;      /* if `label` is NULL and exactly so many columns are used, all of them are features;
                               0: never                                                                          */
    int for_lda;            /* 1: messages name the options below, which only an LDA of a table has             */
    const char *drop;       /* columns that are not used                                                         */
    const char *categories; /* columns of text that become indicators                                            */
    const char *keep;       /* columns that are used even if they look like row numbers                          */
    dlda_missing missing;
    /* Features to be found by the names of their columns; 0: all columns are features */
    const dlda_feature *features; /* [n_features] */
    size_t n_features;
    int labelled;        /* 1: a table whose features are found by name has labels if it has another column */
    const double *means; /* [n_means] in the place of missing numbers; NULL: those of the table */
    size_t n_means;
    const char *const *more; /* [n_more] further files with the same columns */
    size_t n_more;
    const dlda_comm *comm;        /* ranks that divide the rows; NULL: one */
    const dlda_read_spec *limits; /* of compressed files; must outlive the table; NULL: none */
} dlda_csv_spec;

/* Opens the file (plain or gzip), interprets the first line, and reads the file once to count rows and collect
 * classes; twice if the means of columns with missing numbers are needed. */
dlda_status dlda_csv_open(const dlda_csv_spec *spec, dlda_csv **csv);
void dlda_csv_destroy(dlda_csv *csv);

size_t dlda_csv_rows(const dlda_csv *csv);                   /* of this rank, without those that are left out */
size_t dlda_csv_file_rows(const dlda_csv *csv, size_t file); /* of this rank, with those that are left out */
size_t dlda_csv_features(const dlda_csv *csv);
size_t dlda_csv_incomplete(const dlda_csv *csv); /* rows of all ranks with missing numbers */
const dlda_class_list *dlda_csv_classes(const dlda_csv *csv);
const dlda_feature *dlda_csv_feature(const dlda_csv *csv, size_t j);
/* The columns of the file; the label's number from 0 is dlda_csv_columns if there is none. */
size_t dlda_csv_columns(const dlda_csv *csv);
size_t dlda_csv_label(const dlda_csv *csv);
const char *dlda_csv_column_name(const dlda_csv *csv, size_t column);
int dlda_csv_uses(const dlda_csv *csv, size_t column);

/* Fails if the rows of a compressed file would take more memory in a data set than its limits allow. */
dlda_status dlda_csv_expect(const dlda_csv *csv);

/* Back to the first row. */
dlda_status dlda_csv_rewind(dlda_csv *csv);
/* Reads at most `most` rows: X [n][features] and their classes [n], -1 without labels. n
 * is 0 after the last row. */
dlda_status dlda_csv_next(dlda_csv *csv, dlda_team *team, size_t most, float *X, int *classes, size_t *n);

/* After all rows were read: fails if the ranks have found different decimal marks. */
dlda_status dlda_csv_check_ranks(dlda_csv *csv);

#endif
