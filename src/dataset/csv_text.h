/* SPDX-License-Identifier: MIT
 *
 * csv_text.h - CSV as text: a buffer in which lines become records, and records are taken apart into fields.
 */
#ifndef DLDA_DATASET_CSV_TEXT_H
#define DLDA_DATASET_CSV_TEXT_H

#include "dataset/byte_flow.h"

/* A line, or several if there are line ends in quotes. */
typedef struct dlda_record {
    size_t begin, end; /* in the text, without the line end */
    size_t line;       /* number of its first line, from 1  */
} dlda_record;

typedef struct dlda_csv_text {
    const char *path;
    dlda_flow flow;
    char *text; /* [room]: a part of the file                                 */
    size_t room, used;
    size_t next;          /* where the first record begins that was not gathered        */
    size_t line;          /* its number                                                 */
    int at_end;           /* there is no more to read                                   */
    dlda_record *records; /* [records_room]: the latest that were gathered     */
    size_t records_room;
} dlda_csv_text;

/* Opens a file, plain or gzip. Zero it before, and close it also if this fails; the path must last. */
dlda_status dlda_csv_text_open(const char *path, dlda_csv_text *text);
void dlda_csv_text_close(dlda_csv_text *text);
dlda_status dlda_csv_text_rewind(dlda_csv_text *text);

/* Gathers up to `most` records, at least one unless the file ends. They stay in place until the next call. Empty lines
 * and a byte order mark are passed over. */
dlda_status dlda_csv_text_gather(dlda_csv_text *text, size_t most, size_t *n);

/* What is left of a record. */
typedef struct dlda_fields {
    const char *at, *end; /* at is NULL behind the last field */
    char separator;
} dlda_fields;

typedef struct dlda_field {
    const char *at; /* without quotes, and without the blanks around it */
    size_t length;
    int doubled;                                               /* has quotes in it, which are doubled  */
    enum { DLDA_WHOLE, DLDA_UNCLOSED, DLDA_FOLLOWED } damaged; /* no last quote; something behind the last quote */
} dlda_field;

dlda_fields dlda_fields_of(const char *text, size_t length, char separator);
/* 1 and the next field, 0 if there is none. */
int dlda_fields_next(dlda_fields *fields, dlda_field *field);
/* Copies the field's text, with quotes made single, as far as there is room, without a zero byte. Returns its length. */
size_t dlda_field_copy(const dlda_field *field, size_t room, char *text);
/* The same in new memory. */
dlda_status dlda_field_text(const dlda_field *field, char **text);

#endif
