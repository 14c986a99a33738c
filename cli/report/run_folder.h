/* SPDX-License-Identifier: MIT
 *
 * run_folder.h - what the folder of a run holds, as far as it is there and whole.
 */
#ifndef DEEPLDA_CLI_RUN_FOLDER_H
#define DEEPLDA_CLI_RUN_FOLDER_H

#include "report/display_text.h"
#include "report/number_table.h"

#include <jansson.h>

typedef enum run_end {
    RUN_END_UNKNOWN, /* no run.json: a run of an earlier version     */
    RUN_END_BEGUN,   /* its first epoch is not complete yet          */
    RUN_END_RUNNING,
    RUN_END_COMPLETE,
    RUN_END_STOPPED, /* by its user                                    */
    RUN_END_FAILED,  /* message: why                                   */
    RUN_END_LOST     /* its process is no longer there, and said nothing */
} run_end;

typedef struct run_folder {
    char *path;
    json_t *options; /* options.json, NULL if it cannot be had */
    json_t *facts;   /* run.json, likewise                     */
    number_table history, eigenvalues;
    run_end end;
    size_t kept;             /* row of `history` of the epoch whose model is kept; rows if there is none */
    dlda_name_list problems; /* a sentence for each file that is missing or damaged                      */
} run_folder;

/* Fails if there is no such folder, or nothing of a run in it; what else is wrong becomes a problem. Zero everything before. */
dlda_status run_folder_read(const char *path, run_folder *run);
void run_folder_release(run_folder *run);

/* "complete", "still running", ... */
const char *run_end_text(run_end end);

/* An entry of a JSON object as text, "" if there is none. */
display_text entry_text(const json_t *object, const char *key);
/* An entry as a number, NaN if there is none. */
double entry_number(const json_t *object, const char *key);

/* What history.csv says of a row, by the column's name. */
double run_folder_at(const run_folder *run, size_t row, const char *column);

/* How many eigenvalues there are in eigenvalues.csv: columns behind the epoch up to the first that is empty throughout. */
size_t run_folder_eigenvalues(const run_folder *run);

#endif
