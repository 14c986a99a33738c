/* SPDX-License-Identifier: MIT
 *
 * run_folder.h - what the folder of a run holds, as far as it is there and whole.
 */
#ifndef DLDA_REPORT_RUN_FOLDER_H
#define DLDA_REPORT_RUN_FOLDER_H

#include "report/number_table.h"
#include "report/words.h"

#include <jansson.h>

typedef enum dlda_run_end {
    DLDA_END_UNKNOWN, /* no run.json: a run of an earlier version     */
    DLDA_END_BEGUN,   /* its first epoch is not complete yet          */
    DLDA_END_RUNNING,
    DLDA_END_COMPLETE,
    DLDA_END_STOPPED, /* by its user                                    */
    DLDA_END_FAILED,  /* message: why                                   */
    DLDA_END_LOST     /* its process is no longer there, and said nothing */
} dlda_run_end;

typedef struct dlda_run_folder {
    char *path;
    json_t *options; /* options.json, NULL if it cannot be had */
    json_t *facts;   /* run.json, likewise                     */
    dlda_number_table history, eigenvalues;
    dlda_run_end end;
    size_t kept;             /* row of `history` of the epoch whose model is kept; rows if there is none */
    dlda_name_list problems; /* a sentence for each file that is missing or damaged                      */
} dlda_run_folder;

/* Fails if there is no such folder, or nothing of a run in it; what else is wrong becomes a problem. Zero everything before. */
dlda_status dlda_run_folder_read(const char *path, dlda_run_folder *run);
void dlda_run_folder_release(dlda_run_folder *run);

/* "complete", "still running", ... */
const char *dlda_run_end_words(dlda_run_end end);

/* An entry of a JSON object as words, "" if there is none. */
dlda_words dlda_json_words(const json_t *object, const char *key);
/* An entry as a number, NaN if there is none. */
double dlda_json_number(const json_t *object, const char *key);

/* What history.csv says of a row, by the column's name. */
double dlda_run_folder_at(const dlda_run_folder *run, size_t row, const char *column);

/* How many eigenvalues there are in eigenvalues.csv: columns behind the epoch up to the first that is empty throughout. */
size_t dlda_run_folder_eigenvalues(const dlda_run_folder *run);

#endif
