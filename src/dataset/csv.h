/* SPDX-License-Identifier: MIT
 *
 * csv.h - a CSV table of numbers with a label column. It is scanned once for its classes, then read in blocks,
 * repeatedly if needed.
 */
#ifndef DLDA_DATASET_CSV_H
#define DLDA_DATASET_CSV_H

#include "base/parallel.h"
#include "dataset/class_list.h"

typedef struct dlda_csv dlda_csv;

/* Opens the file (plain or gzip), interprets the first line, and reads the file once to count rows and collect
 * classes. `label` is the name of the label column or its number from 1; NULL: chosen by the rules in csv.c. If
 * `label` is NULL and there are exactly `unlabelled` columns (0: never), all of them are features. */
dlda_status dlda_csv_open(const char *path, const char *label, size_t unlabelled, dlda_csv **csv);
void dlda_csv_destroy(dlda_csv *csv);

size_t dlda_csv_rows(const dlda_csv *csv);
size_t dlda_csv_features(const dlda_csv *csv); /* all columns but the label */
const dlda_class_list *dlda_csv_classes(const dlda_csv *csv);

/* Back to the first row. */
dlda_status dlda_csv_rewind(dlda_csv *csv);
/* Reads at most `most` rows: X [n][features] and their classes [n], -1 without labels. n
 * is 0 after the last row. */
dlda_status dlda_csv_next(dlda_csv *csv, dlda_team *team, size_t most, float *X, int *classes, size_t *n);

#endif
