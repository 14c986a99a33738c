/* SPDX-License-Identifier: MIT
 *
 * csv.h - a table of numbers with a column of labels, as CSV text: scanned once for its classes, then read in blocks
 * as often as wanted.
 */
#ifndef DLDA_DATASET_CSV_H
#define DLDA_DATASET_CSV_H

#include "base/parallel.h"
#include "dataset/class_list.h"

typedef struct dlda_csv dlda_csv;

/* Opens the file (plain or gzip), understands its first line, and finds the column of labels: `label` is its name or its
 * number from 1; NULL: as the rules of csv.c have it. Then reads it once to count its rows and collect its classes. If
 * `unlabelled` is not 0 and there are exactly so many columns, and no label is asked for, all of them are features. */
dlda_status dlda_csv_open(const char *path, const char *label, size_t unlabelled, dlda_csv **csv);
void dlda_csv_destroy(dlda_csv *csv);

size_t dlda_csv_rows(const dlda_csv *csv);
size_t dlda_csv_features(const dlda_csv *csv); /* columns but the label's */
const dlda_class_list *dlda_csv_classes(const dlda_csv *csv);

/* Back to the first row. */
dlda_status dlda_csv_rewind(dlda_csv *csv);
/* The next rows, at most `most`: X [n][features] and their classes [n], -1 if there are no labels; n is 0 behind the last. */
dlda_status dlda_csv_next(dlda_csv *csv, dlda_team *team, size_t most, float *X, int *classes, size_t *n);

#endif
