/* SPDX-License-Identifier: MIT
 *
 * csv_text.h - CSV as text: a buffer in which lines become records, and records are split into fields. The text may be in
 * several files, whose records follow each other.
 */
#ifndef DLDA_DATASET_CSV_TEXT_H
#define DLDA_DATASET_CSV_TEXT_H

#include "dataset/byte_flow.h"

/* A line, or several if quoted fields contain line ends. */
typedef struct dlda_record {
    size_t begin, end; /* in the text, without the line end */
    size_t line;       /* number of its first line, from 1  */
    size_t file;       /* from 0                            */
} dlda_record;

/* The part of a table that is read: files first_file .. end_file-1, and of all their records those from first_record to
 * end_record-1. */
typedef struct dlda_csv_share {
    size_t first_file, end_file, first_record, end_record;
} dlda_csv_share;

/* 1 if the first record of a file is its header, which is skipped. */
typedef int dlda_is_header(const void *owner, const dlda_record *record);

typedef struct dlda_csv_text {
    const char *const *files; /* [n_files] paths                               */
    size_t n_files;
    const dlda_read_spec *limits; /* of compressed files; NULL: none */
    const char *name;             /* of the only file in messages; NULL: the path  */
    dlda_csv_share share;
    dlda_is_header *is_header; /* NULL: there are no headers                    */
    const void *owner;
    size_t file;  /* that is being read                            */
    size_t taken; /* records since the last rewind                 */
    int fresh;    /* no record of this file was found yet          */
    dlda_flow flow;
    char *text; /* [room]: a part of the file */
    size_t room, used;
    size_t next;          /* start of the first record not yet gathered    */
    size_t line;          /* its line number                               */
    int at_end;           /* this file was read                            */
    dlda_record *records; /* [records_room]: the latest that were gathered */
    size_t records_room;
} dlda_csv_text;

/* Opens files [n], plain or gzip; all of them are the share. Zero it before; close it also if this fails. Paths and name
 * must outlive it, and so must `limits`, the spec that limits what a compressed file may expand to; NULL: nothing does. */
dlda_status dlda_csv_text_open(const char *const *files, size_t n, const char *name, const dlda_read_spec *limits,
                               dlda_csv_text *text);
void dlda_csv_text_close(dlda_csv_text *text);
/* Back to the first record of the share. */
dlda_status dlda_csv_text_rewind(dlda_csv_text *text);

/* Counts the records of the share, and goes back to its first. */
dlda_status dlda_csv_text_count(dlda_csv_text *text, size_t *records);
/* The file of a record, for messages. */
const char *dlda_csv_text_name(const dlda_csv_text *text, const dlda_record *record);

/* Gathers up to `most` records, at least one unless the share ends. They are valid until the next call. Empty lines
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
/* 1 if the text of a field is this one. */
int dlda_field_is(const dlda_field *field, const char *text);

#endif
