/* SPDX-License-Identifier: MIT
 *
 * csv_text.h - CSV as text: a buffer in which lines become records, and records are split into fields.
 */
#ifndef DLDA_DATASET_CSV_TEXT_H
#define DLDA_DATASET_CSV_TEXT_H

#include "dataset/byte_flow.h"

/* A line, or several if quoted fields contain line ends. */
typedef struct dlda_record {
    size_t begin, end; /* in the text, without the line end */
    size_t line;       /* number of its first line, from 1  */
} dlda_record;

typedef struct dlda_csv_text {
    const char *path, *name; /* the name is for messages */
    dlda_flow flow;
    char *text; /* [room]: a part of the file */
    size_t room, used;
    size_t next;          /* start of the first record not yet gathered    */
    size_t line;          /* its line number                               */
    int at_end;           /* the whole file was read                       */
    dlda_record *records; /* [records_room]: the latest that were gathered */
    size_t records_room;
} dlda_csv_text;

/* Opens a file, plain or gzip. Zero it before; close it also if this fails. Path and name must outlive it. */
dlda_status dlda_csv_text_open(const char *path, const char *name, dlda_csv_text *text);
void dlda_csv_text_close(dlda_csv_text *text);
dlda_status dlda_csv_text_rewind(dlda_csv_text *text);

/* Gathers up to `most` records, at least one unless the file ends. They are valid until the next call. Empty lines
 * and a byte order mark are skipped. */
dlda_status dlda_csv_text_gather(dlda_csv_text *text, size_t most, size_t *n);

/* The rest of a record. */
typedef struct dlda_fields {
    const char *at, *end; /* at is NULL after the last field */
    char separator;
} dlda_fields;

typedef struct dlda_field {
    const char *at; /* without the quotes and blanks around it */
    size_t length;
    int doubled; /* contains doubled quotes */
    enum {
        DLDA_WHOLE,
        DLDA_UNCLOSED,
        DLDA_FOLLOWED
    } damaged; /* closing quote missing; text after the closing quote */
} dlda_field;

dlda_fields dlda_fields_of(const char *text, size_t length, char separator);
/* 1 and the next field, 0 if there is none. */
int dlda_fields_next(dlda_fields *fields, dlda_field *field);
/* Copies the text of a field with doubled quotes made single, up to `room` bytes, without a zero byte.
 * Returns its full length. */
size_t dlda_field_copy(const dlda_field *field, size_t room, char *text);
/* The same in new memory. */
dlda_status dlda_field_text(const dlda_field *field, char **text);

#endif
