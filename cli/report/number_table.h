/* SPDX-License-Identifier: MIT
 *
 * number_table.h - a small CSV file of numbers with a header line: history.csv and eigenvalues.csv of a run.
 *
 * A truncated or damaged file gives the rows before the damage, and a message with its position.
 */
#ifndef DEEPLDA_CLI_NUMBER_TABLE_H
#define DEEPLDA_CLI_NUMBER_TABLE_H

#include "base/name_list.h"

typedef struct number_table {
    size_t rows, columns;
    dlda_name_list names; /* [columns]                               */
    double *values;       /* [rows][columns], NaN for an empty field */
    char damage[512];     /* "": none                                */
} number_table;

/* Fails if nothing can be read. Zero it before. */
dlda_status number_table_read(const char *path, number_table *table);
void number_table_release(number_table *table);

/* Index of a column, -1 if there is none of that name. */
int number_table_column(const number_table *table, const char *name);
/* A value; NaN for column -1. */
double number_table_at(const number_table *table, size_t row, int column);

#endif
